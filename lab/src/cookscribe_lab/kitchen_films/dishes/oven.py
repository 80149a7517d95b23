"""Dishes from the oven, as small programs over a `Cook`."""

from cookscribe_lab.kitchen_films.cook import BOWL, PAN, SURFACE, TRAY, Cook
from cookscribe_lab.kitchen_films.names import single
from cookscribe_lab.kitchen_films.states import Act

ROAST_VEGETABLES = ("potatoes", "carrots", "onion", "zucchini", "bell pepper", "broccoli", "mushrooms", "tomatoes")
MEATS = ("beef", "pork", "veal", "chicken")


def pizza(cook: Cook) -> str:
    """Dough from flour, a sauce, cheese and toppings, baked."""
    cook.step(Act("add", ("flour",), BOWL), Act("pour", ("water",), BOWL))
    if cook.chance(0.4):
        cook.step(Act("add", (cook.one(("salt", "sugar")),), BOWL))
    cook.step(cook.everything("mix", BOWL, "dough"))
    cook.step(cook.everything("knead", BOWL, "dough"))
    cook.step(cook.everything("roll", SURFACE))
    dough = cook.inside(SURFACE)
    cook.step(Act("add", dough, TRAY))
    cook.step(Act("spread", ("tomato sauce",), TRAY, base=dough))
    toppings = cook.some(
        ("mushrooms", "bell pepper", "onion", "tomatoes", "ham", "bacon", "spinach"), 1, 2, "layer", "bake"
    )
    cook.cut([name for name in toppings if name not in ("bacon", "spinach")], "slice", "chop")
    cook.cut(["cheese"], "grate", "slice")
    cook.step(Act("sprinkle", ("cheese",), TRAY))
    cook.step(Act("layer", tuple(toppings), TRAY, base=dough))
    cook.step(cook.everything("bake", TRAY, "pizza"))
    if cook.chance(0.6):
        cook.step(cook.everything("divide", TRAY, "pizza"))
    return f"{single(toppings[0])} pizza"


def roast(cook: Cook) -> str:
    """Meat and vegetables on a tray, baked."""
    vegetables = cook.some(ROAST_VEGETABLES, 2, 3, "bake")
    cook.cut(vegetables, "slice", "chop", into=TRAY)
    meat = cook.one((*MEATS, "sausages", "salmon", "cod"), "bake")
    cook.step(Act("add", (meat,), TRAY))
    cook.step(Act("pour", (cook.one(("oil", "honey", "soy sauce")),), TRAY))
    cook.season(TRAY)
    cook.step(cook.everything("bake", TRAY))
    cook.plate(TRAY)
    return f"roast {meat} with {vegetables[0]}"


def gratin(cook: Cook) -> str:
    """Slices under cream and cheese, baked."""
    vegetables = cook.some(("potatoes", "zucchini", "tomatoes", "onion", "carrots", "broccoli"), 1, 2, "bake")
    cook.cut(vegetables, into=TRAY)
    cook.step(Act("pour", (cook.one(("cream", "milk", "tomato sauce")),), TRAY))
    if cook.chance(0.6):
        cook.season(TRAY)
    cook.cut(["cheese"], "grate", "slice")
    cook.step(Act("sprinkle", ("cheese",), TRAY))
    cook.step(cook.everything("bake", TRAY, "gratin"))
    cook.plate(TRAY)
    return f"{single(vegetables[0])} gratin"


def cookies(cook: Cook) -> str:
    """A dough with chocolate, shaped and baked."""
    cook.step(Act("add", ("butter", "sugar"), BOWL))
    cook.step(Act("crack", ("eggs",), BOWL))
    cook.step(Act("add", ("flour",), BOWL))
    extra = cook.one(("chocolate", "apple", "carrots"))
    cook.cut([extra], "chop", "grate", into=BOWL)
    if cook.chance(0.4):
        cook.step(Act("season", ("cinnamon",), BOWL))
    cook.step(cook.everything("mix", BOWL, "dough"))
    cook.step(cook.everything("shape", BOWL, "cookies"))
    cook.step(cook.everything("bake", TRAY, "cookies"))
    cook.plate(TRAY, sweet=True)
    return f"{single(extra)} cookies"


def cake(cook: Cook) -> str:
    """A batter, baked on the tray."""
    fruit = cook.one(("banana", "apple", "carrots", "chocolate", "strawberries"))
    cook.step(Act("add", ("flour", "sugar"), BOWL))
    cook.step(Act("crack", ("eggs",), BOWL))
    cook.step(Act("pour", (cook.one(("milk", "oil", "cream")),), BOWL))
    cook.step(cook.everything("whisk", BOWL, "batter"))
    cook.cut([fruit], "slice", "chop", "grate", into=BOWL)
    cook.step(cook.everything("mix", BOWL, "batter"))
    cook.step(Act("pour", cook.inside(BOWL), TRAY))
    cook.step(cook.everything("bake", TRAY, "cake"))
    if cook.chance(0.6):
        cook.step(cook.everything("divide", TRAY, "cake"))
    return f"{single(fruit)} cake"


def meatballs(cook: Cook) -> str:
    """Balls from ground beef in a sauce."""
    cook.step(Act("add", ("ground beef", "breadcrumbs"), BOWL))
    cook.cut([cook.one(("onion", "garlic", "parsley"))], "chop", "grate", into=BOWL)
    if cook.chance(0.6):
        cook.step(Act("crack", ("eggs",), BOWL))
    cook.step(cook.everything("mix", BOWL, "meat mixture"))
    cook.step(cook.everything("shape", BOWL, "meatballs"))
    balls = cook.inside(TRAY)
    if cook.chance(0.5):
        cook.step(cook.everything("bake", TRAY, "meatballs"))
    else:
        cook.grease()
        cook.step(Act("sear", balls, PAN))
        cook.step(Act("flip", balls, PAN))
        cook.step(Act("pour", (cook.one(("tomato sauce", "cream", "stock")),), PAN))
        cook.step(cook.everything("simmer", PAN))
    cook.plate(cook.state["ground beef"].place)
    return "meatballs"
