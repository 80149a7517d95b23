"""What is shown between the steps: title, talking, the ingredients, idle moments, the finished dish, credits."""

import math
from functools import cached_property, lru_cache

from PIL import Image, ImageDraw, ImageFont

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing import people, stage
from cookscribe_lab.kitchen_films.drawing.assembly import picture_of
from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, mixed
from cookscribe_lab.kitchen_films.drawing.containers import waiting
from cookscribe_lab.kitchen_films.drawing.contents import Portion, blend_colour, portions, without_fat
from cookscribe_lab.kitchen_films.drawing.effects import steam
from cookscribe_lab.kitchen_films.drawing.hands import open_hand
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place, scaled
from cookscribe_lab.kitchen_films.drawing.style import Style
from cookscribe_lab.kitchen_films.drawing.vessels import vessel
from cookscribe_lab.kitchen_films.food_table import Colour
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe
from cookscribe_lab.kitchen_films.states import Place
from cookscribe_lab.kitchen_films.timeline import InterludeKind
from cookscribe_lab.kitchen_films.world import contents

_FINAL_PLACES = (Place.PLATE, Place.GLASS, Place.TRAY, Place.BOWL, Place.PAN, Place.POT, Place.BLENDER)


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The type that comes with Pillow, so that every machine writes alike."""
    return ImageFont.load_default(size)


def written(
    frame: Image.Image, text: str, x: float, y: float, size: int, colour: Colour, outline: Colour | None = None
) -> None:
    """Text centred at (x, y)."""
    draw = ImageDraw.Draw(frame)
    width = 2 if outline else 0
    draw.text((x, y), text, font=font(size), fill=colour, anchor="mm", stroke_width=width, stroke_fill=outline)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` letters, broken at blanks."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


class Interludes:
    """Paints every interlude of one recipe."""

    def __init__(self, recipe: MadeUpRecipe, style: Style) -> None:
        self.recipe, self.style = recipe, style

    def paint(self, kind: InterludeKind, clock: float, done: float, seed: int) -> Image.Image:
        """One frame: seconds since the interlude began, and how much of it is over (0 to 1)."""
        match kind:
            case InterludeKind.TITLE:
                return self._title(clock)
            case InterludeKind.CREDITS:
                return self._credits(clock)
            case InterludeKind.TALKING:
                return people.talking(self.style, clock, seed % 97)
            case InterludeKind.TASTING:
                return people.tasting(self.style, clock, done)
            case InterludeKind.INGREDIENTS:
                return self._ingredients(clock, done)
            case InterludeKind.DISH:
                return self._dish(clock)
            case InterludeKind.IDLE:
                return self._idle(clock, seed)

    # -- cards

    @cached_property
    def _card(self) -> Image.Image:
        """A coloured card with a pattern and a frame."""
        base = mixed(self.style.sleeve, self.style.wall, 0.35)
        image = Image.new("RGB", (stage.WIDTH, stage.HEIGHT), base)
        draw = ImageDraw.Draw(image)
        pattern = self.style.seed % 3
        for k in range(-8, 24):
            tone = lighter(base, 0.08)
            if pattern == 0:
                draw.line([(k * 44, 0), (k * 44 + 220, stage.HEIGHT)], fill=tone, width=14)
            elif pattern == 1:
                for y in range(0, stage.HEIGHT, 48):
                    draw.ellipse([k * 48 + y % 96 / 4, y, k * 48 + 16 + y % 96 / 4, y + 16], fill=tone)
            else:
                draw.line([(0, k * 30), (stage.WIDTH, k * 30)], fill=tone, width=10)
        draw.rounded_rectangle(
            [70, 90, 570, 270], radius=24, fill=lighter(self.style.wall, 0.5), outline=darker(base, 0.3), width=5
        )
        return image

    def _title(self, clock: float) -> Image.Image:
        frame = self._card.copy()
        ink = darker(self.style.sleeve, 0.45) if sum(self.style.sleeve) < 600 else (70, 60, 60)
        lines = wrapped(self.recipe.dish, 20)
        rise = 14 * math.exp(-3 * clock)
        for k, line in enumerate(lines):
            written(frame, line, 320, 172 + 46 * (k - (len(lines) - 1) / 2) + rise, 42, ink)
        written(frame, "from the simulated kitchen", 320, 250, 17, mixed(ink, (140, 140, 140), 0.5))
        for k, name in enumerate(self.recipe.ingredients[:6]):
            centred(frame, _small(name), 86 + 94 * k, (46 if k % 2 == 0 else 314) + 5 * math.sin(clock * 2 + k))
        return frame

    def _credits(self, clock: float) -> Image.Image:
        frame = self._card.copy()
        ink = (70, 60, 60)
        written(frame, "thanks for watching", 320, 158 + 8 * math.exp(-2 * clock), 40, ink)
        written(frame, "a drawn video: nobody cooked this", 320, 216, 20, (120, 110, 110))
        for k in range(5):
            x = 140 + 90 * k
            draw = ImageDraw.Draw(frame)
            size = 9 + 3 * math.sin(clock * 3 + k)
            draw.ellipse([x - size, 310 - size, x + size, 310 + size], fill=lighter(self.style.sleeve, 0.4))
        return frame

    # -- kitchen

    def _ingredients(self, clock: float, done: float) -> Image.Image:
        """Everything laid out; a hand passes along."""
        frame = self._laid_out.copy()
        hand = open_hand(self.style.skin, self.style.sleeve)
        hand.put(frame, 110 + 430 * done, 300 + 8 * math.sin(clock * 3))
        return frame

    @cached_property
    def _laid_out(self) -> Image.Image:
        image = stage.counter(self.style).copy()
        names = [*self.recipe.ingredients, *self.recipe.bystanders][:12]
        columns = max(3, math.ceil(len(names) / 2))
        for k, name in enumerate(names):
            row, column = divmod(k, columns)
            x = stage.WIDTH * (column + 0.5) / columns + (12 if row else -6)
            sprite = waiting(Portion(name))
            sprite = scaled(sprite, min(1.1, stage.WIDTH / columns * 0.92 / sprite.width))
            centred(image, sprite, x, 142 + 112 * row)
        return image

    def _idle(self, clock: float, seed: int) -> Image.Image:
        """The counter is wiped, or the kitchen stands empty."""
        if seed % 3 == 0:
            frame = self._empty_room.copy()
            # A clock on the wall is all that moves.
            place(frame, _wall_clock(int(clock * 2) % 12), 270, 30)
            return frame
        frame = stage.counter(self.style).copy()
        x, y = 320 + 190 * math.sin(clock * 1.9), 220 + 54 * math.sin(clock * 3.1 + 1)
        centred(frame, _cloth(self.style.apron, self.style.seed % 4), x - 20, y + 8)
        open_hand(self.style.skin, self.style.sleeve).put(frame, x, y)
        return frame

    @cached_property
    def _empty_room(self) -> Image.Image:
        image = stage.room(self.style).copy()
        image.paste(stage.counter(self.style).crop((0, 100, stage.WIDTH, 220)), (0, stage.HEIGHT - 120))
        for k, name in enumerate(self.recipe.bystanders):
            centred(image, _small(name), 220 + 110 * k, stage.HEIGHT - 96)
        return image

    # -- the dish

    def _dish(self, clock: float) -> Image.Image:
        """The finished dish on a set table."""
        image, steams = self._set_table
        frame = image.copy()
        if steams:
            steam(frame, 320, 180, 80, clock, 3)
        return frame

    @cached_property
    def _set_table(self) -> tuple[Image.Image, bool]:
        """The table, and whether what stands on it is hot."""
        state = self.recipe.steps[-1].after
        where = next(spot for spot in _FINAL_PLACES if contents(state, spot))
        image = stage.soft_table(self.style).copy()
        place(image, _napkin(self.style.sleeve), 40, 170)
        thing = vessel(where if where in (Place.GLASS, Place.TRAY) else Place.PLATE, self.style)
        if where is Place.GLASS:
            colour = blend_colour(portions(state, contents(state, where)))
            s = Sketch(140, 210)
            s.polygon([(20, 30), (120, 30), (110, 204), (30, 204)], colour, 10, 0.4)
            s.ellipse(70, 30, 50, 12, lighter(colour, 0.3), 3)
            centred(image, s.sprite(), thing.cx, thing.cy + 106)
            thing.put_on(image)
            return image, False
        thing.put_on(image)
        items = portions(state, without_fat(state, contents(state, where)))
        seed = generator("dish", self.style.seed).integers(99).item()
        centred(image, picture_of(items, thing.rx, thing.ry, seed), thing.cx, thing.cy)
        return image, True


@lru_cache(maxsize=64)
def _small(name: str) -> Sprite:
    sprite = waiting(Portion(name))
    return scaled(sprite, min(0.72, 86 / sprite.height))


@lru_cache(maxsize=16)
def _cloth(colour: Colour, pattern: int) -> Sprite:
    s = Sketch(170, 110)
    s.polygon([(12, 20), (150, 8), (162, 84), (30, 102)], lighter(colour, 0.3), 8, 0.4)
    for k in range(4):
        s.line([(30 + 32 * k, 20), (44 + 32 * k, 92)], mixed(colour, (60, 120, 180), 0.4 + 0.1 * pattern), 6, 2)
    return s.sprite()


@lru_cache(maxsize=16)
def _napkin(colour: Colour) -> Sprite:
    s = Sketch(120, 170)
    s.polygon([(10, 10), (100, 16), (108, 160), (4, 150)], lighter(colour, 0.35), 5, 0.3)
    s.line([(56, 40), (60, 140)], (206, 210, 216), 8, 3, 0.5)
    for k in (-9, 0, 9):
        s.line([(56 + k, 14), (56 + k, 46)], (206, 210, 216), 4, 1.5, 0.5)
    return s.sprite()


@lru_cache(maxsize=12)
def _wall_clock(hour: int) -> Sprite:
    s = Sketch(100, 100)
    s.ellipse(50, 50, 44, 44, (60, 60, 64), 5, 0.5).ellipse(50, 50, 38, 38, (250, 250, 246), 3, 0.2)
    a = hour * math.pi / 6 - math.pi / 2
    s.line([(50, 50), (50 + 30 * math.cos(a), 50 + 30 * math.sin(a))], (40, 40, 44), 4)
    return s.line([(50, 50), (50, 28)], (40, 40, 44), 5).sprite()
