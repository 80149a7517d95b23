"""From a recipe to frames: which scene is on at which time, filmed how."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing import (
    acts_board,
    acts_heat,
    acts_mixing,
    acts_tall,
    acts_together,
    acts_vessel,
)
from cookscribe_lab.kitchen_films.drawing.camera import Lens, Shot, framing_at, shots_of_act, shots_of_interlude
from cookscribe_lab.kitchen_films.drawing.contents import Portion
from cookscribe_lab.kitchen_films.drawing.interludes import Interludes, wrapped, written
from cookscribe_lab.kitchen_films.drawing.scene import PAINTERS, Moment, Set
from cookscribe_lab.kitchen_films.drawing.style import Style, style_of
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe
from cookscribe_lab.kitchen_films.timeline import TICK, InterludeKind
from cookscribe_lab.kitchen_films.world import perform

FPS = round(1 / TICK)  # every border of a step is a border between two frames
_FADE = 3  # frames over which one scene may melt into the next
# Importing these modules registers their painters.
_ACTS = (acts_board, acts_heat, acts_mixing, acts_tall, acts_together, acts_vessel)


@dataclass(frozen=True, eq=False)
class Scene:
    """A stretch of frames [first, last): an act of a step, or an interlude."""

    first: int
    last: int
    shots: list[Shot]
    moment: Moment | None = None
    kind: InterludeKind | None = None
    sentence: str = ""
    seed: int = 0
    melts: bool = False


def frame_number(seconds: float) -> int:
    """The frame that begins at this time."""
    return round(seconds * FPS)


def scenes(recipe: MadeUpRecipe, style: Style) -> list[Scene]:
    """All scenes of the video in order; they tile it."""
    rng = generator("screenplay", recipe.seed, recipe.number, recipe.split)
    result = []
    for interlude in recipe.interludes:
        start, stop = frame_number(interlude.span.start), frame_number(interlude.span.end)
        shots = shots_of_interlude(interlude.kind, style, rng)
        seed, melts = int(rng.integers(1000)), bool(rng.random() < 0.4)
        result.append(Scene(start, stop, shots, kind=interlude.kind, seed=seed, melts=melts))
    for number, step in enumerate(recipe.steps):
        state = recipe.before(number)
        first, end = frame_number(step.span.start), frame_number(step.span.end)
        coming = [name for later in recipe.steps[number + 1 :] for name in later.ingredients]
        around = dict.fromkeys((*recipe.bystanders, *coming))
        standing = [Portion(name) for name in around if name not in step.ingredients]
        for index, act in enumerate(step.acts):
            after = perform(state, act)
            start = first + (end - first) * index // len(step.acts)
            stop = first + (end - first) * (index + 1) // len(step.acts)
            moment = Moment(act, state, after, style, int(rng.integers(10_000)), tuple(standing[:3]))
            x, y = _centre_of(moment)
            shots = shots_of_act(x, y, (stop - start) / FPS, style, rng)
            melts = bool(rng.random() < 0.3)
            result.append(Scene(start, stop, shots, moment=moment, sentence=step.sentence, melts=melts))
            state = after
    return sorted(result, key=lambda scene: scene.first)


def _centre_of(moment: Moment) -> tuple[float, float]:
    """Where to look: the opening of the vessel, for most acts."""
    if moment.act.action in ("bake", "drain", "serve", "knead", "shape", "blend", "toast", "grate"):
        return 320.0, 196.0
    set_up = Set(moment)
    if set_up.vessel.rx < 66:  # a blender or a glass: tall
        return 320.0, 180.0
    return float(set_up.vessel.cx), float(set_up.vessel.cy)


class Film:
    """The frames of a drawn video, one after the other.

    Args:
        recipe: what is cooked.
        width, height: of the picture in pixels.
        subtitles: write the sentences below the steps (for viewers without sound; never for training).
    """

    def __init__(self, recipe: MadeUpRecipe, width: int, height: int, *, subtitles: bool = False) -> None:
        self.recipe = recipe
        self.style = style_of(recipe.seed, recipe.number)
        self.lens = Lens(self.style, width, height)
        self.subtitles = subtitles
        self.scenes = scenes(recipe, self.style)
        self.interludes = Interludes(recipe, self.style)

    def __len__(self) -> int:
        return frame_number(self.recipe.duration)

    def __iter__(self) -> Iterator[Image.Image]:
        yield from self.pictures(range(len(self)))

    def pictures(self, numbers: Iterable[int]) -> Iterator[Image.Image]:
        """The frames with these numbers, which rise; the others are not drawn."""
        index = last = -1
        set_up: Set | None = None
        shown: Image.Image | None = None  # the last frame of the scene before: often the next one melts from it
        for number in numbers:
            while index < 0 or number >= self.scenes[index].last:
                index += 1
                moment = self.scenes[index].moment
                set_up = Set(moment) if moment is not None else None
            before = shown if shown is not None and last == self.scenes[index].first - 1 else None
            picture = self._frame(index, set_up, number, before)
            if number == self.scenes[index].last - 1:
                last, shown = number, picture
            yield picture

    def _frame(self, index: int, set_up: Set | None, number: int, before: Image.Image | None) -> Image.Image:
        """One frame of a scene; in the first moments of one that melts, the last frame before it shines through."""
        scene = self.scenes[index]
        picture = self._picture(scene, set_up, number - scene.first)
        age = number - scene.first + 1
        if not scene.melts or index == 0 or age > _FADE:
            return picture
        if before is None:
            earlier = self.scenes[index - 1]
            moment = earlier.moment
            before = self._frame(index - 1, Set(moment) if moment is not None else None, earlier.last - 1, None)
        return Image.blend(before, picture, age / (_FADE + 1))

    def _picture(self, scene: Scene, set_up: Set | None, age: int) -> Image.Image:
        count = scene.last - scene.first
        done = (age + 0.5) / count
        clock = (age + 0.5) / FPS
        if set_up is not None:
            frame = PAINTERS[set_up.act.action](set_up, clock, done)
        else:
            assert scene.kind is not None
            frame = self.interludes.paint(scene.kind, clock, done, scene.seed)
        readable = scene.kind in (InterludeKind.TITLE, InterludeKind.CREDITS)
        picture = self.lens.take(frame, framing_at(scene.shots, done), readable=readable)
        if self.subtitles and scene.sentence:
            self._write_below(picture, scene.sentence)
        return picture

    def _write_below(self, picture: Image.Image, text: str) -> None:
        size = max(9, round(picture.height / 15))
        lines = wrapped(text, 46)
        for k, line in enumerate(lines):
            y = picture.height - size * 1.3 * (len(lines) - k - 0.3)
            written(picture, line, picture.width / 2, y, size, (255, 255, 255), (0, 0, 0))
