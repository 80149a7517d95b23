"""What things are called: on film a shallot is an onion, halibut is cod, and only an ingredient list can tell.

The kitchen cooks and draws the kinds of the `larder`. Each kind goes by several names, one of which a recipe draws and
keeps; the film is the same whichever it is. No name stands for two kinds, so a name says what to look for, while a look
says only which few names are possible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe_lab.kitchen_films.larder import LARDER


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """One kind a line: `kind: other names, ...`; a kind is its own first name."""
    rows = (line.split(":") for line in text.strip().splitlines())
    others = {kind.strip(): tuple(name.strip() for name in names.split(",")) for kind, names in rows}
    return {kind: (kind, *others.get(kind, ())) for kind in LARDER}


# Singular and plural agree with the kind's, because sentences say "it" or "them".
NAMES: dict[str, tuple[str, ...]] = _table(
    """
    onion: shallot, fennel, kohlrabi, celeriac
    garlic: water chestnut, lotus root, jicama, daikon
    carrots: sweet potatoes, yams, pumpkins
    potatoes: parsnips, turnips, rutabagas, radishes
    tomatoes: persimmons, beets, pomegranates, tomatillos
    cucumber: gherkin, bitter melon, luffa
    lettuce: romaine, endive, escarole, iceberg, mache
    cabbage: savoy, bok choy, collard, napa
    bell pepper: pimiento, capsicum, poblano
    mushrooms: chanterelles, morels, porcini, shiitakes, truffles
    broccoli: romanesco, rapini, broccolini
    spinach: kale, chard, sorrel, arugula, watercress
    zucchini: squash, chayote, okra, eggplant
    corn: maize, hominy, sorghum
    peas: favas, edamame, capers, limas
    avocado: artichoke, guava, kiwi, honeydew
    chili: serrano, habanero, cayenne, jalapeno
    celery: leek, asparagus, rhubarb, cardoon
    ginger: galangal, turmeric, horseradish, wasabi
    banana: plantain, papaya, mango
    strawberries: raspberries, cranberries, cherries, lychees
    apple: quince, nectarine, plum, peach
    lemon: yuzu, citron, pomelo, tangerine
    beef: lamb, venison, bison, mutton
    pork: goat, boar, ostrich, antelope
    veal: rabbit, hare, elk, kangaroo
    chicken: turkey, duck, goose, pheasant, quail
    bacon: pancetta, guanciale, speck, lardo
    ham: mortadella, salami, pastrami, bologna, prosciutto
    sausages: bratwursts, frankfurters, hotdogs, wieners
    ground beef: minced soy, sausage meat, mincemeat, tartare
    salmon: trout, char, tuna, steelhead
    cod: halibut, haddock, pollock, tilapia, turbot, snapper
    shrimp: crayfish, lobster, langoustine, scampi
    tofu: paneer, halloumi, feta, tempeh, seitan
    cheese: cheddar, gouda, gruyere, emmental, provolone, manchego
    butter: margarine, ghee, lard, shortening
    chocolate: carob, fudge, nougat
    bread: sourdough, brioche, ciabatta, focaccia, challah
    buns: bagels, muffins, scones, biscuits
    tortilla: lavash, chapati, pita, naan
    rice: barley, couscous, quinoa, bulgur, millet
    pasta: macaroni, penne, rigatoni, fusilli, farfalle
    noodles: udon, linguine, vermicelli, spaghetti, soba
    beans: lentils, chickpeas, pintos, soybeans
    flour: cornstarch, semolina, arrowroot, tapioca
    sugar: stevia, dextrose, fructose, xylitol
    salt: garlic powder, onion powder, msg, asafoetida
    black pepper: caraway, allspice, nigella, juniper
    paprika: sumac, annatto, chipotle, saffron
    cinnamon: nutmeg, cumin, cardamom, cocoa
    breadcrumbs: cornflakes, oats, almonds, hazelnuts, peanuts
    parsley: dill, chervil, mint, lovage
    cilantro: tarragon, oregano, marjoram, thyme
    basil: sage, perilla, rosemary, verbena
    oil: canola, tallow, schmaltz, suet
    stock: broth, bouillon, dashi, consomme
    milk: buttermilk, kefir, whey
    cream: yogurt, quark, mascarpone, ricotta
    soy sauce: tamari, worcestershire, teriyaki, ponzu
    vinegar: mirin, wine, cider, sherry, sake
    honey: molasses, maple syrup, agave, treacle
    tomato sauce: salsa, marinara, bolognese, ragu
    ketchup: sriracha, harissa, gochujang, chutney
    mayonnaise: aioli, tahini, tzatziki, hummus
    mustard: dijon, curry, miso, tamarind
    """
)


# Dishes that are named after one of their ingredients: "noodle soup".
_AFTER_A_NAME = tuple(
    f" {dish}" for dish in ("soup", "salad", "cake", "stew", "pizza", "toast", "gratin", "omelette", "sandwich")
)
ALL_NAMES: tuple[str, ...] = tuple(name for names in NAMES.values() for name in names)
# Everything is called what it looks like.
BY_KIND: dict[str, str] = {kind: kind for kind in NAMES}


def call(rng: np.random.Generator) -> dict[str, str]:
    """Draw a name for every kind, all of them equally likely."""
    return {kind: names[int(rng.integers(len(names)))] for kind, names in NAMES.items()}


def single(name: str) -> str:
    """The word before another noun: "tomato soup", "strawberry cake"."""
    kind = kind_of(name)
    if not LARDER[kind].plural:
        return name
    for ending, stem in (("ies", "y"), ("toes", "to"), ("shes", "sh"), ("s", "")):
        if name.endswith(ending):
            return name.removesuffix(ending) + stem
    return name


def kind_of(name: str) -> str:
    """The kind that goes by this name."""
    return _kinds()[name]


@cache
def _kinds() -> dict[str, str]:
    return {name: kind for kind, names in NAMES.items() for name in names}


class Naming:
    """Puts other names into words; names are whole words, and the longest counts: "tomato sauce" is no tomato.

    Args:
        names: what each name becomes; all others stay.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._words = {single(old): single(new) for old, new in names.items()} | dict(names)
        parts = sorted({*self._words, *_kinds()}, key=len, reverse=True)
        self._pattern = re.compile(rf"\b({'|'.join(map(re.escape, parts))})\b")

    def __call__(self, text: str) -> str:
        """The same text with other names."""
        return self._pattern.sub(self._other, text)

    def _other(self, found: re.Match[str]) -> str:
        name = found[1]
        new = self._words.get(name, name)
        # "Udon" is many of them, and the word before "soup" as well.
        unclear = name in _kinds() and LARDER[kind_of(name)].plural and single(name) == name
        return single(new) if unclear and found.string.startswith(_AFTER_A_NAME, found.end()) else new


def renamed(video: AnnotatedVideo, called: Mapping[str, str]) -> AnnotatedVideo:
    """The same video where each kind is called otherwise; `called` has a name by kind."""
    names = {name: called[kind_of(name)] for name in video.ingredients}
    naming = Naming(names)
    return replace(video, ingredients=tuple(names.values()), sentences=tuple(map(naming, video.sentences)))
