"""The set of one act: backdrop, vessel, what stands around, and the food in the vessel as it changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing import stage
from cookscribe_lab.kitchen_films.drawing.assembly import picture_of
from cookscribe_lab.kitchen_films.drawing.containers import waiting
from cookscribe_lab.kitchen_films.drawing.contents import TURNS, Portion, portions, without_fat
from cookscribe_lab.kitchen_films.drawing.effects import flames
from cookscribe_lab.kitchen_films.drawing.hands import Held, grasping, holding, open_hand, pinching, with_knife
from cookscribe_lab.kitchen_films.drawing.paint import Sprite, centred, scaled
from cookscribe_lab.kitchen_films.drawing.style import Style
from cookscribe_lab.kitchen_films.drawing.vessels import Vessel, vessel
from cookscribe_lab.kitchen_films.states import Act, Place, State
from cookscribe_lab.kitchen_films.world import contents


@dataclass(frozen=True, eq=False)
class Moment:
    """What a scene shows.

    Attributes:
        act: what is done.
        before, after: states around it.
        style: of the video.
        seed: of this act, for where pieces fall.
        standing: ingredients that wait in the background.
    """

    act: Act
    before: State
    after: State
    style: Style
    seed: int
    standing: tuple[Portion, ...] = ()


class Set:
    """Everything a painter of acts needs; pictures that do not change are made once."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self.act, self.before, self.after = moment.act, moment.before, moment.after
        self.style, self.seed = moment.style, moment.seed
        self.vessel: Vessel = vessel(moment.act.place, moment.style)
        self.kept: dict[tuple[object, ...], Sprite] = {}  # pictures that come again
        # The hands of this cook: open ones, fingertips together, holding something, with a knife.
        look = self.style.skin, self.style.sleeve
        self.hand, self.pinch, self.grasp, self.knife = (
            hand(*look) for hand in (open_hand, pinching, grasping, with_knife)
        )
        self.left_hand = self.hand.mirrored()

    def tool(self, name: str) -> Held:
        """The right hand with a long tool."""
        return holding(name, self.style.skin, self.style.sleeve)

    # -- the place

    def begin(self, clock: float, on: Place | None = None) -> Image.Image:
        """A fresh frame with the empty vessel of the place `on` (by default the act's); gas burns on the hob."""
        thing = vessel(on, self.style) if on else self.vessel
        if ("place",) not in self.kept:
            self.kept["place",] = self._place_with(thing)
        frame = self.kept["place",].copy()
        if thing.hob:
            # The flames lick out from under the vessel: drawn over the hob, then the vessel again on top.
            below = 34 if thing.ry > 66 else 118
            flames(frame, thing.cx, thing.cy + below, thing.rx + 8, max(26, thing.ry - 22), clock)
            thing.put_on(frame)
        return frame

    def _place_with(self, thing: Vessel) -> Image.Image:
        """Counter or hob with this vessel and what stands around."""
        if thing.hob:
            base_y = thing.cy + (30 if thing.ry > 66 else 112)
            image = stage.hob(self.style, thing.cx, base_y, 132, 66).copy()
        else:
            image = stage.counter(self.style).copy()
            self._stand_around(image)
        thing.put_on(image)
        return image

    def _stand_around(self, image: Image.Image) -> None:
        rng = generator("standing", self.style.seed)
        spots = [(70, 104), (572, 110), (160, 84), (486, 82)]
        for item, (x, y) in zip(self.moment.standing, spots, strict=False):
            sprite = scaled(waiting(item), 0.72)
            centred(image, sprite, x + float(rng.uniform(-8, 8)), y)

    # -- the food

    def names(self, state: State, where: Place | None = None) -> tuple[str, ...]:
        """What is seen at the place (by default that of the act). Fat stays in the pan when food is served."""
        where = where or self.act.place
        inside = contents(state, where)
        return without_fat(state, inside) if where in (Place.PLATE, Place.DISH) else inside

    @property
    def staying(self) -> tuple[str, ...]:
        """What is there before the act and not touched by it."""
        return tuple(name for name in self.names(self.before) if name not in self.act.items)

    def food(
        self, state: State, names: Sequence[str] | None = None, amounts: dict[str, float] | None = None, turn: int = 0,
        thing: Vessel | None = None, coat: str = "",
    ) -> Sprite:  # fmt: skip
        """The food of a state as it lies in the vessel."""
        thing = thing or self.vessel
        chosen = self.names(state) if names is None else tuple(names)
        return picture_of(portions(state, chosen, amounts, coat), thing.rx, thing.ry, self.seed, turn)

    def show(self, frame: Image.Image, sprite: Sprite, dx: float = 0.0, dy: float = 0.0) -> None:
        """Put food into the vessel."""
        centred(frame, sprite, self.vessel.cx + dx, self.vessel.cy + dy)

    def changing(self, frame: Image.Image, share: float, turn: float = 0.0) -> None:
        """The food between before (0) and after (1), stirred round by `turn` turns."""
        level = min(8, max(0, round(share * 8)))
        step = round(turn * TURNS) % TURNS
        key = (level, step)
        if key not in self.kept:
            old = self.food(self.before, self.names(self.before), turn=step)
            new = self.food(self.after, self.names(self.after), turn=step)
            if old.size != new.size:
                sprite = old if level < 4 else new
            else:
                sprite = old if level == 0 else new if level == 8 else Image.blend(old, new, level / 8)
            self.kept[key] = sprite
        self.show(frame, self.kept[key])

    def arriving(self, frame: Image.Image, shares: dict[str, float]) -> None:
        """The food while items come in one after the other: `shares` says how much of each is there."""
        coming = {name: share for name, share in shares.items() if share > 0}
        state = {**self.before}
        for name in coming:
            state[name] = self.after[name] if self.act.action in ("crack", "squeeze") else self.before[name]
        self.show(frame, self.food(state, (*self.staying, *coming), coming))

    def portion(self, name: str, state: State | None = None) -> Portion:
        """One ingredient as it is seen before the act."""
        return portions(state or self.before, (name,))[0]


# Paints onto a frame: the set, the frame, seconds since the act began, and how much of it is done (0 to 1).
Painter = Callable[[Set, Image.Image, float, float], None]
# The finished frame of an action; the arguments are those of a painter.
PAINTERS: dict[str, Callable[[Set, float, float], Image.Image]] = {}


def shows(*actions: str, on: Place | None = None) -> Callable[[Painter], Painter]:
    """Register a painter for these actions; its frame shows the vessel of the place `on`, by default the act's."""

    def register(painter: Painter) -> Painter:
        def paint(scene: Set, clock: float, done: float) -> Image.Image:
            frame = scene.begin(clock, on)
            painter(scene, frame, clock, done)
            return frame

        PAINTERS.update(dict.fromkeys(actions, paint))
        return painter

    return register


def in_turn(names: Sequence[str], share: float) -> tuple[str, float, dict[str, float]]:
    """Who is on when `share` is done of something that happens to each in turn.

    Returns:
        The current name, how far it is (0 to 1), and for every name how much of it is done.
    """
    count = len(names)
    position = min(max(share, 0.0), 0.9999) * count
    index = int(position)
    done = {name: 1.0 if k < index else (position - index if k == index else 0.0) for k, name in enumerate(names)}
    if share >= 1:
        done = dict.fromkeys(names, 1.0)
    return names[index], position - index, done


def ease(share: float) -> float:
    """Slow at both ends."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def phase(share: float, start: float, end: float) -> float:
    """How far the stretch from `start` to `end` is done when `share` of the whole is."""
    return min(max((share - start) / (end - start), 0.0), 1.0)


def wave(clock: float, speed: float) -> float:
    """A sine with `speed` cycles a second."""
    return float(np.sin(2 * np.pi * speed * clock))
