"""What a film itself tells beside its steps: amounts, times, temperatures, servings and the name of the dish.

It is parsed from the cues that were heard or read (`text.amounts`, `text.facts`), never made up, and each part says
where it was found. What was seen tells no numbers.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from cookscribe.cues import Cue, Cues
from cookscribe.recipe import (
    MOST_AMOUNTS,
    MOST_CUES,
    MOST_NAMES,
    MOST_TIMERS,
    Amount,
    CueEvidence,
    Evidence,
    Recipe,
    Servings,
    Span,
    Temperature,
    Timer,
)
from cookscribe.text.amounts import AmountMention, find_amounts
from cookscribe.text.facts import find_durations, find_heats, find_people
from cookscribe.text.foods import common_foods
from cookscribe.text.ingredients import IngredientMatcher, canonical
from cookscribe.text.titles import spoken_title
from cookscribe.text.tokens import ptb_tokens, word_set

# Words that are left out of the name of an ingredient that only an amount told: how it looks and what was done to it.
_NOT_OF_THE_NAME = word_set(
    "large medium small big tiny little nice good ripe medium-sized sized finely roughly thinly freshly chopped minced "
    "diced sliced grated shredded peeled beaten melted softened cubed whole more extra torn fat thick thin"
)
# A cue whose time is a guess, as where words without times are spread over the film, tells no step its timer.
KNOWN_TIME = 0.5
NEAR = 8.0  # seconds between a step and the words that belong to it, if they are said outside of all steps
SAME_THING = 4  # amounts of one ingredient; more were probably told of something else
LONGEST_CUE = 500  # characters that the document keeps
LONGEST = 300  # characters of an origin's words


class _Found(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def stop(self) -> int: ...


F = TypeVar("F", bound=_Found)


@dataclass(frozen=True)
class Told:
    """What a film tells beside its steps, in order of time.

    Attributes:
        ingredients: those that were known, then those that only an amount told.
        amounts: of these.
        timers, temperatures: with the seconds at which they were told, for the steps.
        servings, total_time: the first that were told.
        title: the dish that was announced.
    """

    ingredients: tuple[str, ...]
    amounts: tuple[Amount, ...] = ()
    timers: tuple[Timer, ...] = ()
    temperatures: tuple[Temperature, ...] = ()
    servings: Servings | None = None
    total_time: Timer | None = None
    title: str | None = None


@dataclass(frozen=True)
class _Passage:
    """Text that is read in one go: all that was heard, or one line of a screen. `cues` begin at `starts` in it."""

    text: str
    cues: tuple[Cue, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, cues: Sequence[Cue]) -> Self:
        starts, text = [], ""
        for cue in cues:
            starts.append(len(text))
            text += cue.text + " "
        return cls(text, tuple(cues), tuple(starts))

    def origin(self, found: _Found) -> CueEvidence:
        """When and in which words something was told; inside a cue the time goes along with the characters."""
        first, last = self._at(found.start), self._at(found.stop - 1)
        start = self._time(first, found.start)
        end = max(start, self._time(last, found.stop))
        cues = self.cues[first : last + 1]
        return CueEvidence(
            span=Span(start=start, end=end),
            source=cues[0].source,
            text=self.text[found.start : found.stop][:LONGEST],
            confidence=min(cue.confidence for cue in cues),
        )

    def all(self, find: Callable[[str], Sequence[F]]) -> Iterator[tuple[F, CueEvidence]]:
        """Everything that a grammar finds, with its origin."""
        for found in find(self.text):
            yield found, self.origin(found)

    def _at(self, place: int) -> int:
        return max(0, bisect_right(self.starts, place) - 1)

    def _time(self, index: int, place: int) -> float:
        cue = self.cues[index]
        share = (place - self.starts[index]) / max(1, len(cue.text))
        return cue.span.start + cue.span.length * min(1.0, share) if cue.source == "heard" else cue.span.start


def listen_to(cues: Cues, names: Sequence[str], *, listed: bool) -> Told:
    """What the cues of a film tell.

    Args:
        cues: heard and read ones count.
        names: the ingredients that are known so far.
        listed: whether somebody gave these; then no others are added, and amounts of others are left out.
    """
    heard = tuple(cues.of("heard"))
    passages = ([_Passage.of(heard)] if heard else []) + [_Passage.of([cue]) for cue in cues.of("read")]
    amounts = sorted(
        (pair for passage in passages for pair in passage.all(lambda text: find_amounts(text, names))),
        key=lambda pair: pair[1].span.start,
    )
    durations = [pair for passage in passages for pair in passage.all(find_durations)]
    heats = [pair for passage in passages for pair in passage.all(find_heats)]
    people = [pair for passage in passages for pair in passage.all(find_people)]
    ingredients, known = _amounts(amounts, names, listed=listed)
    total = next((pair for pair in durations if pair[0].total), None)
    return Told(
        ingredients=ingredients,
        amounts=known,
        timers=tuple(
            Timer(seconds=found.seconds, most=found.most, origin=origin)
            for found, origin in durations
            if not found.total
        ),
        temperatures=tuple(
            Temperature(degrees=found.degrees, scale=found.scale, most=found.most, origin=origin)
            for found, origin in heats
        ),
        servings=next(
            (Servings(people=found.people, most=found.most, origin=origin) for found, origin in people), None
        ),
        total_time=None if total is None else Timer(seconds=total[0].seconds, most=total[0].most, origin=total[1]),
        title=spoken_title(passages[0].text) if heard else None,
    )


def _amounts(
    found: Sequence[tuple[AmountMention, CueEvidence]], names: Sequence[str], *, listed: bool
) -> tuple[tuple[str, ...], tuple[Amount, ...]]:
    """The ingredients and their amounts; the same amount told twice is one."""
    ingredients = list(names)
    amounts: dict[tuple[str, str, str], Amount] = {}
    for mention, origin in found:
        if not mention.name:
            continue
        name = _known(mention.name, ingredients)
        if name is None:
            if listed or not (mention.food and (mention.unit or origin.source == "read")):
                continue
            name = _own_name(mention.name)
            if not name or len(ingredients) >= MOST_NAMES:
                continue
            ingredients.append(name)
        amount = Amount(ingredient=name, quantity=str(mention.quantity), unit=mention.unit, origin=origin)
        key = (name, amount.quantity, amount.unit)
        told = sum(other.ingredient == name for other in amounts.values())
        if key not in amounts and told < SAME_THING and len(amounts) < MOST_AMOUNTS:
            amounts[key] = amount
    return tuple(ingredients), tuple(amounts.values())


def _known(name: str, ingredients: Sequence[str]) -> str | None:
    """The ingredient that a name means: one that its last word names, for egg yolks are no eggs."""
    mentions = IngredientMatcher(ingredients).find(name)
    last = len(ptb_tokens(name)) - 1
    meant = [mention for mention in mentions if last in mention.positions]
    return ingredients[meant[0].ingredient] if meant else None


def _own_name(name: str) -> str:
    words = name.lower().split()
    while words and (words[0] in _NOT_OF_THE_NAME or not canonical(words[0])):
        words = words[1:]
    return " ".join(words)


T = TypeVar("T", Timer, Temperature)


def of_steps(told: Sequence[T], spans: Sequence[Span], most: int) -> list[tuple[T, ...]]:
    """For each step what was told during it, or shortly before or after; the same is told once."""
    result: list[list[T]] = [[] for _ in spans]
    for item in told:
        origin = item.origin
        if origin is None or origin.confidence < KNOWN_TIME or not spans:
            continue
        time = (origin.span.start + origin.span.end) / 2
        distance = [max(span.start - time, time - span.end, 0.0) for span in spans]
        nearest = min(range(len(spans)), key=distance.__getitem__)
        kept = result[nearest]
        same = [other.model_copy(update={"origin": None}) for other in kept]
        if distance[nearest] <= NEAR and item.model_copy(update={"origin": None}) not in same and len(kept) < most:
            kept.append(item)
    return [tuple(kept) for kept in result]


def cue_evidence(cues: Cues) -> tuple[CueEvidence, ...]:
    """The cues as the document keeps them; of too many, the surest, and of equally sure ones the earlier."""
    kept = sorted(sorted(cues, key=lambda cue: -cue.confidence)[:MOST_CUES], key=lambda cue: cue.span.start)
    return tuple(
        CueEvidence(span=cue.span, source=cue.source, text=cue.text[:LONGEST_CUE], confidence=cue.confidence)
        for cue in kept
    )


def without_the_dish(told: Told, title: str) -> tuple[str, ...]:
    """The ingredients without the dish itself: who makes tomato soup talks of soup, but measures none."""
    dish = [canonical(word) for word in ptb_tokens(title.lower())]
    measured = {amount.ingredient for amount in told.amounts}

    def itself(name: str) -> bool:
        words = name.split()
        return common_foods().is_only_a_dish(words) and dish[-len(words) :] == [canonical(word) for word in words]

    return tuple(name for name in told.ingredients if name in measured or not itself(name))


def with_what_is_told(recipe: Recipe, cues: Cues, *, listed: bool, titled: bool) -> Recipe:
    """The recipe with the amounts, times, temperatures, servings and title that its film tells, and with the cues.

    Args:
        listed: whether somebody gave the ingredients; titled: whether somebody gave the title.
    """
    told = listen_to(cues, recipe.ingredients, listed=listed)
    title = recipe.title if titled else told.title or recipe.title
    ingredients = told.ingredients if listed else without_the_dish(told, title)
    spans = [step.span for step in recipe.steps]
    timers, heats = of_steps(told.timers, spans, MOST_TIMERS), of_steps(told.temperatures, spans, MOST_TIMERS)
    matcher = IngredientMatcher(ingredients)
    steps = tuple(
        step.model_copy(
            update={
                "ingredients": tuple(ingredients[i] for i in sorted(matcher.named(step.sentence))),
                "timers": timers[number],
                "temperatures": heats[number],
            }
        )
        for number, step in enumerate(recipe.steps)
    )
    evidence = (recipe.evidence or Evidence()).model_copy(update={"cues": cue_evidence(cues)})
    changes = {
        "title": title,
        "ingredients": ingredients,
        "amounts": told.amounts,
        "servings": told.servings,
        "total_time": told.total_time,
        "steps": steps,
        "evidence": evidence,
    }
    # Made anew, so that all of it is checked.
    return Recipe(**(dict(recipe) | changes))
