"""Drawn scenes: every act can be seen, food follows its state, look-alikes look alike."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from cookscribe_lab.kitchen_films.actions import ACTIONS
from cookscribe_lab.kitchen_films.drawing.assembly import picture_of
from cookscribe_lab.kitchen_films.drawing.camera import Framing
from cookscribe_lab.kitchen_films.drawing.containers import waiting
from cookscribe_lab.kitchen_films.drawing.contents import Portion, blend_colour
from cookscribe_lab.kitchen_films.drawing.foods import whole
from cookscribe_lab.kitchen_films.drawing.interludes import Interludes
from cookscribe_lab.kitchen_films.drawing.pieces import piece
from cookscribe_lab.kitchen_films.drawing.scene import PAINTERS, Moment, Set
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS, Film, scenes
from cookscribe_lab.kitchen_films.drawing.stage import HEIGHT, WIDTH
from cookscribe_lab.kitchen_films.drawing.style import style_of
from cookscribe_lab.kitchen_films.food_table import FOODS
from cookscribe_lab.kitchen_films.names import NAMES
from cookscribe_lab.kitchen_films.recipes import make_recipe, make_recipes
from cookscribe_lab.kitchen_films.states import Cut, Form, Heat
from cookscribe_lab.kitchen_films.timeline import InterludeKind
from cookscribe_lab.kitchen_films.world import perform


def pixels(image: Image.Image) -> NDArray[np.float64]:
    return np.asarray(image.convert("RGBA"), dtype=np.float64)


def difference(first: Image.Image, second: Image.Image) -> float:
    """Mean absolute difference of two pictures of one size, in 0..255."""
    return float(np.abs(pixels(first) - pixels(second)).mean())


def centre(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middle 160 by 100 pixels."""
    top, left = (values.shape[0] - 100) // 2, (values.shape[1] - 160) // 2
    return values[top : top + 100, left : left + 160]


@pytest.fixture(scope="module")
def moments() -> dict[str, list[Moment]]:
    """Two moments of every action, from recipes of all kinds."""
    found: dict[str, list[Moment]] = {action: [] for action in ACTIONS}
    for recipe in make_recipes(21, 250):
        style = style_of(21, recipe.number)
        for number, step in enumerate(recipe.steps):
            state = recipe.before(number)
            for act in step.acts:
                after = perform(state, act)
                if len(found[act.action]) < 2:
                    found[act.action].append(Moment(act, state, after, style, number))
                state = after
    return found


# -- acts


def test_every_action_has_a_painter() -> None:
    assert set(PAINTERS) == set(ACTIONS)


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_an_act_moves_and_leaves_its_mark(action: str, moments: dict[str, list[Moment]]) -> None:
    """Something moves all the time, and the last frame is not the first: what was done is seen."""
    assert moments[action]
    for moment in moments[action]:
        set_up = Set(moment)
        frames = [PAINTERS[action](set_up, clock, clock / 4) for clock in (0.05, 1.3, 1.4, 2.6, 2.7, 3.95)]
        for frame in frames:
            assert frame.size == (WIDTH, HEIGHT)
            assert frame.mode == "RGB"
        assert max(difference(frames[1], frames[2]), difference(frames[3], frames[4])) > 0.12
        assert difference(frames[0], frames[-1]) > 0.5


def test_painting_is_a_function_of_the_moment(moments: dict[str, list[Moment]]) -> None:
    for action in ("chop", "stir", "bake", "serve"):
        moment = moments[action][0]
        again = [PAINTERS[action](Set(moment), 1.7, 0.4).tobytes() for _ in range(2)]
        assert again[0] == again[1]


def test_every_act_of_many_recipes_can_be_painted() -> None:
    for recipe in make_recipes(33, 5, tempo=3.5):
        for number, scene in enumerate(scenes(recipe, style_of(33, recipe.number))):
            if scene.moment is not None:
                done = (0.001, 0.2, 0.5, 0.8, 0.999)[number % 5]
                frame = PAINTERS[scene.moment.act.action](Set(scene.moment), 4 * done, done)
                assert frame.size == (WIDTH, HEIGHT)


# -- food


def test_a_state_can_be_seen() -> None:
    """Cutting and heating change the picture of food."""
    for name, ingredient in FOODS.items():
        for action, cut in (("slice", Cut.SLICED), ("chop", Cut.CHOPPED), ("grate", Cut.GRATED)):
            if action in ingredient.abilities:
                before = picture_of((Portion(name),), 120, 70, 1)
                after = picture_of((Portion(name, cut),), 120, 70, 1)
                assert difference(before, after) > 6, f"{action} {name}"
        for action, heat in (("fry", Heat.FRIED), ("boil", Heat.BOILED), ("bake", Heat.BAKED)):
            if action in ingredient.abilities:
                raw = picture_of((Portion(name, Cut.CHOPPED),), 120, 70, 1)
                done = picture_of((Portion(name, Cut.CHOPPED, heat),), 120, 70, 1)
                assert difference(raw, done) > 0.5, f"{action} {name}"


def test_look_alikes_look_exactly_alike_and_others_do_not() -> None:
    groups: dict[str, list[str]] = {}
    for name, ingredient in FOODS.items():
        groups.setdefault(ingredient.group or name, []).append(name)
    for members in groups.values():
        standing = {waiting(Portion(name)).tobytes() for name in members}
        raw = {piece(name, Cut.WHOLE, Heat.RAW, 1).tobytes() for name in members}
        fried = {piece(name, Cut.CHOPPED, Heat.FRIED, 0).tobytes() for name in members}
        assert len(standing) == len(raw) == len(fried) == 1, members
    firsts = [members[0] for members in groups.values()]
    looks = {name: centre(pixels(picture_of((Portion(name),), 100, 60, 2))) for name in firsts}
    for one in firsts:
        for other in firsts:
            if one < other and {FOODS[one].kind, FOODS[other].kind} != {"powder"}:
                assert np.abs(looks[one] - looks[other]).mean() > 0.5, (one, other)


def test_a_mixture_has_the_colour_of_its_parts() -> None:
    red, white = Portion("tomato sauce"), Portion("cream")
    sauce, cream, both = blend_colour([red]), blend_colour([white]), blend_colour([red, white])
    for channel in range(3):
        assert min(sauce[channel], cream[channel]) <= both[channel] <= max(sauce[channel], cream[channel])
    loose = (Portion("eggs", Cut.CRACKED), Portion("milk"))
    batter = tuple(
        Portion(name, cut, form=Form.MIXED, mixture="egg mixture")
        for name, cut in (("eggs", Cut.BEATEN), ("milk", Cut.WHOLE))
    )
    before, after = pixels(picture_of(loose, 120, 70, 1)), pixels(picture_of(batter, 120, 70, 1))
    inside = (slice(60, 130), slice(110, 180), slice(0, 3))
    assert after[inside].std(axis=(0, 1)).mean() < before[inside].std(axis=(0, 1)).mean(), "yolks are gone"


def test_amounts_fill_a_vessel() -> None:
    filled = [
        (pixels(picture_of((Portion("carrots", Cut.CHOPPED, amount=amount),), 120, 70, 1))[..., 3] > 0).sum()
        for amount in (0.25, 0.5, 1.0)
    ]
    assert filled == sorted(filled)
    assert filled[2] > 1.5 * filled[0]


def test_whole_ingredients_are_painted_once() -> None:
    assert whole("carrots") is whole("carrots")
    assert whole("carrots").tobytes() != whole("carrots", Heat.RAW, True).tobytes()


# -- camera and film


def test_the_camera_stays_on_the_stage() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        framing = Framing(rng.uniform(-100, 800), rng.uniform(-100, 500), rng.uniform(0.5, 3))
        left, top, right, bottom = framing.box()
        assert 0 <= left < right <= WIDTH + 1e-9
        assert 0 <= top < bottom <= HEIGHT + 1e-9
        assert (right - left) / (bottom - top) == pytest.approx(16 / 9)


def test_scenes_tile_the_video_and_acts_lie_inside_their_steps() -> None:
    for recipe in make_recipes(5, 4, tempo=3.5):
        film = Film(recipe, 160, 90)
        assert film.scenes[0].first == 0
        assert film.scenes[-1].last == len(film) == round(recipe.duration * FPS)
        for one, other in zip(film.scenes, film.scenes[1:], strict=False):
            assert one.last == other.first
        acting = {number for scene in film.scenes if scene.moment for number in range(scene.first, scene.last)}
        true = {
            number
            for step in recipe.steps
            for number in range(round(step.span.start * FPS), round(step.span.end * FPS))
        }
        assert acting == true


def test_borders_of_steps_are_cuts_and_steps_move_more_than_cards() -> None:
    recipe = make_recipe(13, 0, tempo=8)
    film = Film(recipe, 160, 90)
    frames = [np.asarray(picture, dtype=np.float64) for picture in film]
    change = np.array([np.abs(one - other).mean() for one, other in itertools.pairwise(frames)])
    hard = [scene.first for scene in film.scenes[1:] if not scene.melts]
    assert np.median(change[[first - 1 for first in hard]]) > 5 * np.median(change)
    acting = [n for scene in film.scenes if scene.moment for n in range(scene.first, scene.last - 1)]
    cards = [
        n
        for scene in film.scenes
        if scene.kind in (InterludeKind.TITLE, InterludeKind.CREDITS, InterludeKind.DISH)
        for n in range(scene.first + 3, scene.last - 1)
    ]
    assert np.median(change[acting]) > 1.5 * np.median(change[cards])


def test_interludes_show_no_act() -> None:
    recipe = make_recipe(4, 0, tempo=3.5)
    interludes = Interludes(recipe, style_of(4, 0))
    pictures = {kind: interludes.paint(kind, 1.0, 0.4, 1).tobytes() for kind in InterludeKind}
    assert len(set(pictures.values())) == len(InterludeKind)


def test_no_picture_tells_what_things_are_called() -> None:
    recipe = make_recipe(4, 0, tempo=10)
    otherwise = {kind: names[-1] for kind, names in NAMES.items()}
    assert any(recipe.called[kind] != otherwise[kind] for kind in recipe.ingredients)
    other = replace(recipe, called=otherwise, title=f"another {recipe.title}")
    numbers = range(0, int(recipe.duration * FPS), 2 * FPS)
    films = [Film(told, 160, 90).pictures(numbers) for told in (recipe, other)]
    assert all(one.tobytes() == two.tobytes() for one, two in zip(*films, strict=True))


def test_each_video_has_its_own_style() -> None:
    styles = [style_of(0, number) for number in range(40)]
    assert len({style.table for style in styles}) >= 5
    assert len({style.skin for style in styles}) >= 4
    assert {style.mirrored for style in styles} == {True, False}
    assert style_of(0, 3) == style_of(0, 3) != style_of(1, 3)
