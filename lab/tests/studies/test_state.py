"""The probe of the simulator's ingredient vectors."""

import numpy as np

from cookscribe_lab.kitchen_films.states import Cut, ItemState, Place
from cookscribe_lab.studies.paper.state import COMMON, NAME, PROPERTIES, STATE, TIME, Seen, properties, read_off

from .conftest import Bench


def test_study_runs_by_its_command(bench: Bench) -> None:
    text = bench.run("state", "--seeds", "1")
    assert f"| {STATE} |" in text
    assert "*simulated*" in text
    assert (bench.results / "state" / "state.png").is_file()


def test_properties_are_the_kitchens() -> None:
    chopped = ItemState(cut=Cut.CHOPPED, place=Place.PAN)
    assert properties(chopped)["cut"] == "chopped"
    assert properties(chopped)["used yet"] == "yes"
    assert properties(ItemState())["used yet"] == "no"
    assert tuple(properties(chopped)) == PROPERTIES


def test_probe_reads_what_is_there_and_no_more() -> None:
    def seen(seed: int) -> Seen:
        rng = np.random.default_rng(seed)
        raw = rng.normal(size=(3, 6))[rng.integers(3, size=400)]
        answers = rng.integers(2, size=400)
        states = raw + answers[:, None] * np.array([0, 0, 2.0, 0, -2.0, 0])
        labels = [str(answer) for answer in answers]
        return Seen(states, raw, rng.uniform(size=400), dict.fromkeys(PROPERTIES, labels))

    figures = read_off(seen(0), seen(1))
    assert figures[STATE]["cut"] > 95
    assert figures[NAME]["cut"] < 65
    assert figures[TIME]["cut"] < 65
    assert figures[COMMON]["cut"] < 65
