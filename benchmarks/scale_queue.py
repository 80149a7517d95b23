"""A discrete simulation of the queue of films: one leader, many workers, and everything that goes wrong.

python benchmarks/scale_queue.py [--quick] [--film SECONDS] [--entry SECONDS] [--timeout SECONDS]

Events are films that end and workers that are ready. The leader is a server of its own: it enters an outcome and hands
out the next film, one at a time, and workers wait for it. All figures that come out of here are simulated.
"""

import heapq
from dataclasses import asdict, dataclass

import numpy as np

from frame import finish, options

TRIES = 2
# Films, those that are simulated of them, and workers.
PLANS = {
    "10 thousand": (10_000, 10_000, 64),
    "1 million": (1_000_000, 1_000_000, 1_024),
    "100 million": (100_000_000, 2_000_000, 20_000),
}


@dataclass(frozen=True)
class Costs:
    """What a film and a failure cost.

    Attributes:
        film: mean seconds of work on a film by one worker; by default of five minutes of narrated film on one core
            (docs/scale.md).
        spread: standard deviation of the logarithm of that; films differ in length.
        entry: seconds that the leader needs for a film.
        start: seconds until a new worker is ready.
        timeout: seconds after which a film is stopped.
        refused: share of films that are no films, which costs a hundredth of a film's time.
        hangs, kills: share of films that hang, or kill their worker, at every try.
        deaths: of a worker by chance, per second of work (memory, preemption).
        leader_deaths: of the leader, per second; all workers start again and lose what they have in hand.
    """

    film: float = 29.0
    spread: float = 0.6
    entry: float = 0.0005
    start: float = 10.0
    timeout: float = 600.0
    refused: float = 0.01
    hangs: float = 1e-4
    kills: float = 1e-4
    deaths: float = 1 / (30 * 86_400)
    leader_deaths: float = 1 / (30 * 86_400)


@dataclass
class Simulated:
    """What came out.

    Attributes:
        seconds: from the first film to the last.
        efficiency: seconds of work that led to a recipe or a refusal, over all seconds that workers were there.
        leader: share of the time that the leader was busy.
        rate: films a second in the middle half of the films, where all workers are at work.
        done, refused, aside: films.
        lost: films in none of these states.
        repeated: films in hand that were begun again.
    """

    seconds: float
    efficiency: float
    leader: float
    rate: float
    done: int
    refused: int
    aside: int
    lost: int
    repeated: int


def simulate(films: int, workers: int, costs: Costs, seed: int = 0) -> Simulated:
    """Let `films` pass through the queue."""
    random = np.random.default_rng(seed)
    length = random.lognormal(np.log(costs.film) - costs.spread**2 / 2, costs.spread, films)
    drawn = random.random(films)
    borders = np.cumsum([costs.refused, costs.hangs, costs.kills])
    # 0 is a good film, 1 is refused, 2 hangs, 3 kills.
    fates: list[int] = np.select([drawn < border for border in borders], [1, 2, 3], 0).tolist()
    work: list[float] = np.where(drawn < borders[0], length / 100, length).tolist()
    chances = iter(random.random(2 * films + 1000).tolist())
    queue = _Queue(films)
    useful = busy = now = leader_free = 0.0
    repeated = 0
    quarters = {films // 4: 0.0, 3 * films // 4: 0.0}
    idle: list[int] = []
    leader_death = random.exponential(1 / costs.leader_deaths) if costs.leader_deaths else np.inf
    # When, worker, the film it then has in hand (-1: none), and whether the worker dies of it.
    events: list[tuple[float, int, int, bool]] = [(costs.start, number, -1, False) for number in range(workers)]
    heapq.heapify(events)
    while events:
        if events[0][0] > leader_death:
            # The workers end with the leader and start with it; what they had in hand is tried again.
            now = leader_death
            for _, _, film, _ in events:
                if film >= 0:
                    repeated += 1
                    queue.failed(film)
            events = [(now + 2 * costs.start, number, -1, False) for number in range(workers)]
            idle.clear()
            leader_death = now + random.exponential(1 / costs.leader_deaths)
            continue
        now, worker, film, dead = heapq.heappop(events)
        leader_free = max(now, leader_free) + costs.entry
        busy += costs.entry
        if dead:
            queue.failed(film)
            heapq.heappush(events, (leader_free + costs.start, worker, -1, False))
        else:
            if film >= 0:
                queue.counts[fates[film]] += 1
                useful += work[film]
                settled = sum(queue.counts)
                if settled in quarters:
                    quarters[settled] = leader_free
            idle.append(worker)
        while idle and (film := queue.next()) >= 0:
            took, fate, worker = work[film], fates[film], idle.pop()
            chance = next(chances, 1.0)
            if fate == 2 or took > costs.timeout:
                took, dead = costs.timeout, True
            elif fate == 3:
                took, dead = took / 2, True
            elif dead := chance < took * costs.deaths:
                repeated += 1
                took = chance / costs.deaths
            heapq.heappush(events, (leader_free + took, worker, film, dead))
    seconds = max(now, leader_free)
    return Simulated(
        seconds=seconds,
        efficiency=useful / (workers * seconds),
        leader=busy / seconds,
        rate=(3 * films // 4 - films // 4) / max(quarters[3 * films // 4] - quarters[films // 4], 1e-9),
        done=queue.counts[0],
        refused=queue.counts[1],
        aside=queue.aside,
        lost=films - sum(queue.counts) - queue.aside,
        repeated=repeated,
    )


class _Queue:
    """Films that wait: the untried first, then those whose first try went wrong."""

    def __init__(self, films: int) -> None:
        self.films, self.taken = films, 0
        self.tries = bytearray(films)
        self.again: list[int] = []
        self.counts = [0, 0]  # done, refused
        self.aside = 0

    def next(self) -> int:
        """The next film, -1 if none waits."""
        film = -1
        if self.taken < self.films:
            film = self.taken
            self.taken += 1
        elif self.again:
            film = self.again.pop()
        if film >= 0:
            self.tries[film] += 1
        return film

    def failed(self, film: int) -> None:
        """A try went wrong."""
        if self.tries[film] >= TRIES:
            self.aside += 1
        else:
            self.again.append(film)


def plans(costs: Costs, quick: bool = False) -> dict[str, dict[str, float]]:
    """Days, efficiency and failures of the three sizes.

    Of the hundred million a window is simulated, on all workers: the rest is done at the speed of its middle.
    """
    found = {}
    for name, (films, window, workers) in PLANS.items():
        simulated = min(window, max(50_000, 10 * workers)) if quick else window
        result = simulate(simulated, workers, costs)
        seconds = result.seconds
        if simulated < films:
            seconds += (films - simulated) / result.rate
        row = asdict(result) | {
            "films": films,
            "simulated": simulated,
            "workers": workers,
            "days": seconds / 86_400,
            # A refused film costs a hundredth of the others.
            "efficiency": films * costs.film * (1 - 0.99 * costs.refused) / (workers * seconds),
        }
        found[name] = {key: round(value, 5) for key, value in row.items() if key != "seconds"}
        print(f"simulated, {name} films on {workers:,} workers: {found[name]}")
    return found


if __name__ == "__main__":
    given = options(__doc__, "a window of a hundred thousand films", film=Costs.film, entry=0.0005, timeout=600.0)
    finish(**plans(Costs(film=given.film, entry=given.entry, timeout=given.timeout), given.quick))
