"""Dishes from the pan and the pot, as small programs over a `Cook`."""

from cookscribe_lab.kitchen_films.cook import BLENDER, BOARD, BOWL, DISH, PAN, PLATE, POT, SMALL_BOWL, Cook
from cookscribe_lab.kitchen_films.names import single
from cookscribe_lab.kitchen_films.states import Act

FRYING_VEGETABLES = (
    "onion", "garlic", "carrots", "bell pepper", "mushrooms", "broccoli", "zucchini", "cabbage", "chili", "celery",
    "ginger", "tomatoes", "spinach",
)  # fmt: skip
STEW_VEGETABLES = ("onion", "carrots", "potatoes", "celery", "mushrooms", "cabbage", "broccoli", "ginger")
MEATS = ("beef", "pork", "veal", "chicken")
STEAKS = ("beef", "pork", "veal", "chicken", "salmon", "cod", "shrimp")


def cook_stir(cook: Cook, extra: str, mixture: str) -> Act:
    """Stir everything in the pan together with what is about to be poured in."""
    return Act("stir", (*cook.inside(PAN), extra), PAN, mixture=mixture)


def omelette(cook: Cook) -> str:
    """Beaten eggs in the pan with a filling."""
    cook.step(Act("crack", ("eggs",), BOWL))
    if cook.chance(0.5):
        cook.step(Act("pour", (cook.one(("milk", "cream")),), BOWL))
    if cook.chance(0.5):
        cook.season(BOWL, ("salt", "black pepper"))
    cook.step(cook.everything("whisk", BOWL, "egg mixture"))
    filling = cook.some(("mushrooms", "tomatoes", "onion", "ham", "bell pepper", "cheese", "zucchini"), 1, 2)
    cook.cut(filling, "slice", "chop", "grate")
    cook.grease()
    cook.step(Act("pour", cook.inside(BOWL), PAN))
    cook.step(Act("sprinkle" if "ham" not in filling else "add", tuple(filling), PAN))
    cook.step(
        Act("sear", tuple(name for name in cook.inside(PAN) if name not in ("oil", "butter")), PAN, mixture="omelette")
    )
    if cook.chance(0.7):
        cook.step(Act("flip", tuple(name for name in cook.inside(PAN) if name not in ("oil", "butter")), PAN))
    cook.plate(PAN, "omelette")
    return f"{single(filling[0])} omelette"


def scrambled_eggs(cook: Cook) -> str:
    """Beaten eggs stirred in the pan, on toast."""
    cook.step(Act("crack", ("eggs",), BOWL))
    cook.step(Act("pour", (cook.one(("milk", "cream")),), BOWL))
    cook.step(cook.everything("whisk", BOWL, "egg mixture"))
    extra = cook.some(("bacon", "ham", "mushrooms", "onion", "tomatoes"), 1, 1, "fry")
    cook.cut(extra, "chop", "slice")
    cook.grease()
    cook.step(Act("fry", tuple(extra), PAN))
    cook.step(Act("pour", cook.inside(BOWL), PAN))
    cook.step(cook.everything("stir", PAN, "scrambled eggs"))
    if cook.chance(0.5):
        cook.step(Act("toast", ("bread",), BOARD))
    cook.plate(PAN)
    return f"scrambled eggs with {extra[0]}"


def fried_rice(cook: Cook) -> str:
    """Boiled rice or noodles fried with vegetables and soy sauce."""
    grain = cook.one(("rice", "noodles"), "boil")
    cook.boil_water()
    cook.step(Act("boil", (grain,), POT))
    cook.step(Act("drain", (grain,), POT))
    vegetables = cook.some(FRYING_VEGETABLES, 1, 3, "fry")
    cook.cut(vegetables)
    cook.grease()
    cook.step(Act("fry", tuple(vegetables), PAN))
    if cook.chance(0.4):
        cook.step(Act("crack", ("eggs",), PAN))
    if cook.chance(0.4):
        cook.step(Act("fry", (cook.one(("shrimp", "peas", "corn"), "fry"),), PAN))
    cook.step(Act("add", (grain,), PAN))
    cook.step(Act("pour", ("soy sauce",), PAN), cook_stir(cook, "soy sauce", f"fried {grain}"))
    cook.plate(PAN)
    return f"fried {grain} with {vegetables[0]}"


def stir_fry(cook: Cook) -> str:
    """Meat and vegetables in strips, fried with a sauce."""
    meat = cook.one((*MEATS, "shrimp", "tofu"), "fry")
    if meat != "shrimp":
        cook.cut([meat], "slice", "chop")
    vegetables = cook.some(FRYING_VEGETABLES, 2, 3, "fry")
    cook.cut(vegetables, "slice", "chop")
    cook.grease()
    cook.step(Act("fry", (meat,), PAN))
    away = cook.chance(0.3)
    if away:
        cook.step(Act("remove", (meat,), PAN))
    cook.step(Act("fry", tuple(vegetables), PAN))
    if away:
        cook.step(Act("add", (meat,), PAN))
    sauce = cook.one(("soy sauce", "honey", "vinegar", "tomato sauce"))
    cook.step(Act("pour", (sauce,), PAN))
    cook.step(cook.everything("stir", PAN, "stir fry"))
    cook.plate(PAN)
    return f"{meat} stir fry"


def soup(cook: Cook) -> str:
    """Vegetables simmered in stock, sometimes blended."""
    vegetables = cook.some((*STEW_VEGETABLES, "spinach", "tomatoes"), 2, 3)
    cook.cut(vegetables, "slice", "chop", into=POT)
    cook.step(Act("pour", (cook.one(("stock", "water")),), POT))
    if cook.chance(0.5):
        cook.season(POT)
    cook.step(cook.everything("simmer", POT, "soup"))
    if cook.chance(0.5):
        cook.step(Act("pour", (cook.one(("cream", "milk")),), POT))
        cook.step(cook.everything("stir", POT, "soup"))
    if cook.chance(0.3):
        cook.step(Act("pour", cook.inside(POT), BLENDER))
        cook.step(cook.everything("blend", BLENDER, "soup"))
        cook.plate(BLENDER)
    else:
        cook.plate(POT)
    return f"{single(vegetables[0])} soup"


def noodle_soup(cook: Cook) -> str:
    """Noodles and vegetables boiled in stock."""
    cook.step(Act("heat", ("stock",), POT))
    vegetables = cook.some(("carrots", "mushrooms", "cabbage", "celery", "broccoli", "spinach", "onion"), 1, 2, "boil")
    cook.cut(vegetables, "slice", "chop")
    cook.step(Act("boil", tuple(vegetables), POT))
    extra = cook.one((*MEATS, "tofu", "shrimp"), "boil")
    if extra != "shrimp":
        cook.cut([extra], "slice", "chop")
    cook.step(Act("boil", (extra,), POT))
    cook.step(Act("boil", ("noodles",), POT))
    if cook.chance(0.5):
        cook.step(Act("pour", ("soy sauce",), POT))
    cook.plate(POT, "noodle soup")
    return f"{extra} noodle soup"


def stew(cook: Cook) -> str:
    """Meat and vegetables under a lid."""
    meat = cook.one(MEATS)
    cook.cut([meat], "chop", "slice")
    vegetables = cook.some(STEW_VEGETABLES, 2, 3)
    cook.cut(vegetables, "chop", "slice")
    cook.step(Act("heat", ("oil",), POT))
    cook.step(Act("add", (meat,), POT))
    cook.step(Act("add", tuple(vegetables), POT))
    cook.step(Act("pour", (cook.one(("stock", "tomato sauce", "water")),), POT))
    if cook.chance(0.6):
        cook.season(POT)
    cook.step(cook.everything("simmer", POT, "stew"))
    cook.plate(POT)
    return f"{meat} and {single(vegetables[0])} stew"


def mashed_potatoes(cook: Cook) -> str:
    """Boiled, drained, mashed."""
    base = cook.one(("potatoes", "peas", "beans"), "boil")
    if base == "potatoes":
        cook.step(Act("peel", (base,), BOARD))
        cook.cut([base], "chop", "slice")
    cook.boil_water()
    cook.step(Act("boil", (base,), POT))
    cook.step(Act("drain", (base,), POT))
    cook.step(Act("mash", (base,), BOWL))
    cook.step(Act("add", ("butter",), BOWL), Act("pour", (cook.one(("milk", "cream")),), BOWL))
    cook.season(BOWL, ("salt", "black pepper"))
    cook.step(cook.everything("mix", BOWL, f"mashed {base}"))
    cook.plate(BOWL)
    return f"mashed {base}"


def pasta_with_sauce(cook: Cook) -> str:
    """Pasta, a sauce from the pan, cheese."""
    cook.boil_water()
    cook.step(Act("boil", ("pasta",), POT))
    cook.step(Act("drain", ("pasta",), POT))
    vegetables = cook.some(
        ("garlic", "onion", "tomatoes", "mushrooms", "zucchini", "bell pepper", "chili"), 1, 3, "fry"
    )
    cook.cut(vegetables, "slice", "chop")
    cook.grease()
    if cook.chance(0.5):
        meat = cook.one(("bacon", "ground beef", "shrimp", "sausages"), "fry")
        if meat == "sausages":
            cook.cut([meat], "slice", "chop")
        cook.step(Act("fry", (meat,), PAN))
    cook.step(Act("fry", tuple(vegetables), PAN))
    liquid = cook.one(("tomato sauce", "cream"))
    cook.step(Act("pour", (liquid,), PAN))
    cook.step(cook.everything("stir", PAN, "sauce"))
    cook.step(Act("add", ("pasta",), PAN), cook_stir(cook, "pasta", "pasta and sauce"))
    cook.plate(PAN)
    return f"pasta with {vegetables[0]} and {liquid}"


def pancakes(cook: Cook) -> str:
    """A batter, fried on both sides, with something sweet."""
    cook.step(Act("add", ("flour", *cook.some(("sugar", "salt"), 0, 1)), BOWL))
    cook.step(Act("crack", ("eggs",), BOWL))
    cook.step(Act("pour", ("milk",), BOWL))
    cook.step(cook.everything("whisk", BOWL, "batter"))
    cook.grease()
    batter = cook.inside(BOWL)
    cook.step(Act("pour", batter, PAN), Act("sear", batter, PAN, mixture="pancake"))
    cook.step(Act("flip", batter, PAN))
    cook.step(Act("serve", cook.inside(PAN), PAN, mixture="pancake"))
    fruit = cook.one(("strawberries", "banana", "apple"))
    if cook.chance(0.7):
        cook.cut([fruit], "slice", "chop")
        cook.step(Act("sprinkle", (fruit,), PLATE))
    cook.step(Act("pour", ("honey",), PLATE))
    return f"pancakes with {fruit if fruit in cook.state else 'honey'}"


def breaded(cook: Cook) -> str:
    """Flour, egg, breadcrumbs, hot oil."""
    meat = cook.one(("pork", "veal", "chicken", "cod", "shrimp", "salmon"))
    cook.step(Act("crack", ("eggs",), SMALL_BOWL), Act("whisk", ("eggs",), SMALL_BOWL))
    if cook.chance(0.5) and meat != "shrimp":
        cook.cut([meat], "slice")
    cook.step(Act("coat", (meat,), DISH, base=("flour",)))
    cook.step(Act("coat", (meat,), DISH, base=("eggs",)))
    cook.step(Act("coat", (meat,), DISH, base=("breadcrumbs",)))
    cook.step(Act("heat", ("oil",), PAN))
    cook.step(Act("sear", (meat,), PAN))
    cook.step(Act("flip", (meat,), PAN))
    cook.plate(PAN)
    if cook.chance(0.5):
        cook.step(Act("squeeze", ("lemon",), PLATE))
    return f"breaded {meat}"


def steak(cook: Cook) -> str:
    """A piece of meat or fish, fried on both sides, with something beside it."""
    meat = cook.one(STEAKS)
    cook.grease()
    cook.step(Act("sear", (meat,), PAN))
    if cook.chance(0.6):
        cook.season(PAN)
    cook.step(Act("flip", (meat,), PAN))
    side = cook.some(("mushrooms", "onion", "zucchini", "tomatoes", "bell pepper", "garlic", "potatoes"), 1, 2, "fry")
    cook.cut(side, "slice", "chop")
    cook.step(Act("fry", tuple(side), PAN))
    if cook.chance(0.4):
        cook.step(Act("pour", ("cream",), PAN))
    cook.plate(PAN)
    if cook.chance(0.4):
        cook.step(Act("squeeze", ("lemon",), PLATE))
    return f"{meat} with {side[0]}"


def french_toast(cook: Cook) -> str:
    """Bread in egg and milk, fried."""
    cook.step(Act("crack", ("eggs",), SMALL_BOWL))
    cook.step(Act("pour", (cook.one(("milk", "cream")),), SMALL_BOWL))
    if cook.chance(0.6):
        cook.season(SMALL_BOWL, ("sugar", "cinnamon", "salt"))
    cook.step(cook.everything("whisk", SMALL_BOWL, "egg mixture"))
    cook.step(Act("coat", ("bread",), DISH, base=cook.inside(SMALL_BOWL)))
    cook.grease()
    cook.step(Act("sear", ("bread",), PAN))
    cook.step(Act("flip", ("bread",), PAN))
    cook.plate(PAN, sweet=True)
    if cook.chance(0.6):
        cook.step(Act("pour", ("honey",), PLATE))
    return "french toast"


def chili_beans(cook: Cook) -> str:
    """Ground beef and beans in tomato sauce."""
    vegetables = cook.some(("onion", "garlic", "bell pepper", "chili", "carrots"), 1, 2, "fry")
    cook.cut(vegetables, "chop", "slice")
    cook.grease()
    cook.step(Act("fry", tuple(vegetables), PAN))
    meat = cook.one(("ground beef", "sausages", "bacon"), "fry")
    if meat != "ground beef":
        cook.cut([meat], "slice", "chop")
    cook.step(Act("fry", (meat,), PAN))
    beans = cook.one(("beans", "corn", "peas"))
    cook.step(Act("add", (beans,), PAN))
    cook.step(Act("pour", (cook.one(("tomato sauce", "stock")),), PAN))
    cook.season(PAN)
    cook.step(cook.everything("simmer", PAN, f"chili {beans}"))
    cook.plate(PAN)
    return f"chili {beans}"
