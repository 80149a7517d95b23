"""Salads, sandwiches and what is put together by hand, as small programs over a `Cook`."""

from cookscribe_lab.kitchen_films.cook import BLENDER, BOARD, BOWL, GLASS, PAN, PLATE, POT, SMALL_BOWL, TRAY, Cook
from cookscribe_lab.kitchen_films.names import single
from cookscribe_lab.kitchen_films.states import Act

SALAD_VEGETABLES = ("lettuce", "cucumber", "tomatoes", "carrots", "cabbage", "bell pepper", "onion", "avocado")


def fry_raw(cook: Cook, toppings: list[str]) -> None:
    """Nobody puts raw bacon or chicken on bread."""
    raw = tuple(name for name in toppings if name in ("bacon", "chicken"))
    if raw:
        if not cook.inside(PAN):
            cook.grease()
        cook.step(Act("fry", raw, PAN))


def salad(cook: Cook) -> str:
    """Cut vegetables, a dressing, tossed."""
    vegetables = cook.some(SALAD_VEGETABLES, 2, 4)
    cook.cut(vegetables, into=BOWL)
    if cook.chance(0.4):
        cook.cut([cook.one(("cheese", "apple", "ham"))], into=BOWL)
    if cook.chance(0.5):
        cook.step(Act("pour", ("oil",), SMALL_BOWL))
        cook.step(Act("pour", (cook.one(("vinegar", "honey", "soy sauce", "mustard")),), SMALL_BOWL))
        cook.step(cook.everything("whisk", SMALL_BOWL, "dressing"))
        cook.step(Act("pour", cook.inside(SMALL_BOWL), BOWL))
    elif cook.chance(0.5):
        cook.step(Act("squeeze", ("lemon",), BOWL))
    else:
        cook.step(Act("pour", tuple(cook.some(("oil", "vinegar"), 1, 2)), BOWL))
    if cook.chance(0.5):
        cook.season(BOWL, ("salt", "black pepper"))
    cook.step(cook.everything("toss", BOWL, "salad"))
    cook.plate(BOWL)
    return f"{single(vegetables[0])} salad"


def coleslaw(cook: Cook) -> str:
    """Grated or sliced vegetables with mayonnaise."""
    vegetables = cook.some(("cabbage", "carrots", "apple", "onion", "celery", "cucumber"), 2, 3)
    cook.cut(vegetables, "grate", "slice", into=BOWL)
    cook.step(Act("add", ("mayonnaise",), BOWL))
    if cook.chance(0.5):
        cook.step(Act("pour", ("vinegar",), BOWL))
    cook.season(BOWL, ("salt", "sugar", "black pepper"))
    cook.step(cook.everything("toss", BOWL, "coleslaw"))
    cook.plate(BOWL)
    return f"{single(vegetables[0])} coleslaw"


def sandwich(cook: Cook) -> str:
    """Bread, a spread, two or three layers."""
    toppings = cook.some(
        ("cheese", "tomatoes", "cucumber", "ham", "lettuce", "avocado", "onion", "chicken", "bacon"), 2, 3, "layer"
    )
    cook.cut([name for name in toppings if name != "bacon"], "slice", "chop", "grate")
    fry_raw(cook, toppings)
    if cook.chance(0.4):
        cook.step(Act("toast", ("bread",), BOARD))
    spread = cook.one(("butter", "mayonnaise", "mustard", "ketchup"))
    cook.step(Act("add", ("bread",), PLATE))
    cook.step(Act("spread", (spread,), PLATE, base=("bread",)))
    for name in toppings:
        cook.step(Act("layer", (name,), PLATE, base=("bread",)))
    cook.step(Act("close", ("bread",), PLATE))
    cook.step(cook.everything("divide", PLATE, "sandwich"))
    return f"{single(toppings[0])} and {single(toppings[1])} sandwich"


def grilled_sandwich(cook: Cook) -> str:
    """A closed sandwich fried on both sides."""
    cook.cut(["cheese"], "slice", "grate")
    cook.step(Act("add", ("bread",), PLATE))
    if cook.chance(0.6):
        cook.step(Act("spread", (cook.one(("mayonnaise", "mustard", "tomato sauce")),), PLATE, base=("bread",)))
    cook.step(Act("layer", ("cheese",), PLATE, base=("bread",)))
    if cook.chance(0.7):
        extra = cook.one(("ham", "tomatoes", "onion", "mushrooms", "spinach"), "layer")
        if extra != "spinach":
            cook.cut([extra], "slice", "chop")
        cook.step(Act("layer", (extra,), PLATE, base=("bread",)))
    cook.step(Act("close", ("bread",), PLATE))
    grease = cook.grease()
    cook.step(Act("sear", cook.inside(PLATE), PAN, mixture="sandwich"))
    cook.step(Act("flip", tuple(name for name in cook.inside(PAN) if name != grease), PAN))
    cook.plate(PAN, "sandwich")
    return "grilled cheese sandwich"


def tortilla_wrap(cook: Cook) -> str:
    """A filling from the pan, rolled in a tortilla."""
    meat = cook.one(("ground beef", "beef", "chicken", "pork", "shrimp", "tofu"), "fry")
    if meat not in ("ground beef", "shrimp"):
        cook.cut([meat], "slice", "chop")
    cook.grease()
    cook.step(Act("fry", (meat,), PAN))
    cook.season(PAN, ("paprika", "salt", "black pepper"))
    fresh = cook.some(("lettuce", "tomatoes", "avocado", "onion", "cucumber", "cheese"), 1, 3, "layer")
    cook.cut(fresh)
    cook.step(Act("add", ("tortilla",), PLATE))
    cook.step(Act("layer", (meat,), PLATE, base=("tortilla",)))
    cook.step(Act("layer", tuple(fresh), PLATE, base=("tortilla",)))
    cook.step(Act("wrap", ("tortilla",), PLATE))
    return f"{meat} wrap"


def smoothie(cook: Cook) -> str:
    """Fruit and milk in the blender."""
    fruits = cook.some(("banana", "strawberries", "apple", "avocado", "spinach"), 2, 3)
    cook.cut([name for name in fruits if name != "spinach"], "slice", "chop", into=BLENDER)
    if "spinach" in fruits:
        cook.step(Act("add", ("spinach",), BLENDER))
    cook.step(Act("pour", (cook.one(("milk", "water", "cream")),), BLENDER))
    if cook.chance(0.5):
        cook.step(Act("pour", ("honey",), BLENDER))
    cook.step(cook.everything("blend", BLENDER, "smoothie"))
    cook.step(Act("pour", cook.inside(BLENDER), GLASS))
    return f"{single(fruits[0])} smoothie"


def guacamole(cook: Cook) -> str:
    """Mashed avocado, sometimes on toast."""
    cook.step(Act("add", ("avocado",), BOWL), Act("mash", ("avocado",), BOWL))
    cook.cut(cook.some(("onion", "tomatoes", "chili", "garlic", "cilantro"), 2, 3), "chop", "slice", into=BOWL)
    cook.step(Act("squeeze", ("lemon",), BOWL))
    if cook.chance(0.5):
        cook.season(BOWL, ("salt", "black pepper"))
    cook.step(cook.everything("mix", BOWL, "guacamole"))
    if cook.chance(0.5):
        cook.step(Act("toast", ("bread",), BOARD))
        cook.step(Act("add", ("bread",), PLATE))
        cook.step(Act("spread", cook.inside(BOWL), PLATE, base=("bread",)))
        return "guacamole on toast"
    cook.plate(BOWL)
    return "guacamole"


def egg_salad(cook: Cook) -> str:
    """Boiled eggs with mayonnaise on bread."""
    cook.boil_water()
    cook.step(Act("boil", ("eggs",), POT))
    cook.step(Act("peel", ("eggs",), BOARD))
    cook.cut(["eggs"], "chop", "slice")
    cook.step(Act("add", ("eggs",), BOWL))
    cook.cut([cook.one(("celery", "onion", "cucumber", "ham"))], "chop", "slice", into=BOWL)
    cook.step(Act("add", tuple(cook.some(("mayonnaise", "mustard"), 1, 2)), BOWL))
    cook.step(cook.everything("mix", BOWL, "egg salad"))
    cook.step(Act("add", ("bread",), PLATE))
    cook.step(Act("spread", cook.inside(BOWL), PLATE, base=("bread",)))
    return "egg salad on bread"


def bruschetta(cook: Cook) -> str:
    """Toast with a raw topping."""
    cook.cut(
        ["tomatoes", *cook.some(("garlic", "onion", "basil", "cucumber", "chili"), 1, 2)], "chop", "slice", into=BOWL
    )
    cook.step(Act("pour", (cook.one(("oil", "vinegar")),), BOWL))
    cook.step(cook.everything("mix", BOWL, "topping"))
    cook.step(Act("toast", ("bread",), BOARD))
    cook.step(Act("add", ("bread",), PLATE))
    cook.step(Act("spread", cook.inside(BOWL), PLATE, base=("bread",)))
    return "tomato toast"


def burger(cook: Cook) -> str:
    """Patties from ground beef in a bun."""
    cook.step(Act("add", ("ground beef",), BOWL))
    cook.cut([cook.one(("onion", "garlic", "parsley"))], "chop", "grate", into=BOWL)
    if cook.chance(0.5):
        cook.season(BOWL, ("salt", "black pepper", "paprika"))
    cook.step(cook.everything("mix", BOWL, "meat mixture"))
    cook.step(cook.everything("shape", BOWL, "patties"))
    patties = cook.inside(TRAY)
    cook.grease()
    cook.step(Act("sear", patties, PAN))
    cook.step(Act("flip", patties, PAN))
    toppings = cook.some(("cheese", "tomatoes", "lettuce", "cucumber", "avocado", "onion"), 1, 2, "layer")
    cook.cut(toppings, "slice", "chop")
    sauce = cook.one(("ketchup", "mayonnaise", "mustard"))
    cook.step(Act("add", ("buns",), PLATE), Act("spread", (sauce,), PLATE, base=("buns",)))
    cook.step(Act("layer", patties, PLATE, base=("buns",)))
    cook.step(Act("layer", tuple(toppings), PLATE, base=("buns",)), Act("close", ("buns",), PLATE))
    return f"burger with {toppings[0]}"
