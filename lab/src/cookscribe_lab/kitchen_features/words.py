"""The words the kitchen knows: what looks like what, what each action does, and which vessel it needs.

Foods stand in families (related looks) of look-alike groups (the same look: only an ingredient list tells their members
apart). Groups are separated by `|`, members by blanks; `_` joins the words of one name. A food that stands nowhere here
gets a look of its own, made from its last word, so any annotation can be shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens

Entry = TypeVar("Entry")

LONGEST_NAME = 4  # words

_FOODS: dict[str, str] = {
    "powder": """salt sugar flour baking_powder baking_soda soda corn_starch cornstarch starch corn_flour cornflour
        sea_salt powdered_sugar caster_sugar white_sugar all_purpose_flour maida potato_starch rice_flour msg
        | paprika chili_powder chilli_powder chile_powder cayenne cayenne_pepper chili_flakes red_pepper_flakes
        pepper_flakes red_pepper_powder gochugaru sumac
        | cumin cumin_powder coriander_powder garam_masala masala curry_powder spice seasoning allspice cinnamon nutmeg
        cumin_seeds mustard_seeds coriander_seeds caraway_seeds mace five_spice cardamom star_anise cloves
        | turmeric tumeric saffron mustard_powder ginger_powder gram_flour
        | pepper black_pepper peppercorn white_pepper ground_pepper
        | garlic_powder onion_powder yeast asafoetida asafetida hing dry_yeast
        | brown_sugar coconut_sugar palm_sugar
        | bread_crumbs breadcrumbs crumbs panko cornmeal semolina""",
    "herb": """parsley cilantro coriander coriander_leaves basil mint dill parsley_leaves mint_leaves basil_leaves
        tarragon methi leaves
        | oregano thyme rosemary marjoram herb herbs italian_seasoning oregeno sage bay_leaf bay_leaves curry_leaves
        | chives scallion green_onion spring_onion scallians leek""",
    "leaf": """lettuce romaine iceberg salad_leaves greens
        | cabbage napa_cabbage bok_choy choy kale chard sauerkraut kimchi
        | spinach watercress arugula | seaweed nori kelp kombu wakame | bean_sprouts sprouts beansprouts""",
    "root": """onion red_onion white_onion shallot
        | garlic ginger garlic_clove clove_of_garlic ginger_root galangal
        | potato potatos sweet_potato turnip parsnip | carrot carrots
        | radish daikon beet horseradish""",
    "vegetable": """tomato tomatos cherry_tomato | cucumber zucchini courgette pickle pickles gherkin
        | bell_pepper peppers capsicum red_bell_pepper green_pepper red_pepper green_bell_pepper
        | chili chilli chile chilis chilies chillies jalapeno green_chili red_chili
        | celery lemon_grass lemongrass bamboo_shoots fennel asparagus | mushroom shiitake | broccoli cauliflower
        | eggplant aubergine | corn | peas green_peas green_beans edamame | avocado guacamole | vegetable vegetables
        | pumpkin squash""",
    "meat": """beef pork veal lamb mutton meat steak sirloin pork_loin beef_steak pork_belly cutlet
        | ground_beef minced_beef ground_pork ground_meat minced_meat ground_lamb ground_veal minced_pork
        | chicken turkey chicken_breast duck chicken_thigh chicken_wings wings breast
        | bacon pancetta ham prosciutto guanciale salami pepperoni
        | sausage hot_dog hotdog dogs bratwurst frankfurter chorizo brat | ribs pork_ribs short_ribs
        | liver foie_gras""",
    "seafood": """salmon tuna fish cod fish_fillet white_fish fillet anchovy trout
        | shrimp prawn lobster crab scallop | squid calamari octopus | mussel clam oyster | snail escargot""",
    "protein": """egg eggs egg_yolk yolk egg_white egg_whites egg_wash | tofu paneer feta mozzarella
        | cheese parmesan cheddar parmesan_cheese cheddar_cheese swiss_cheese gruyere
        | beans kidney_beans black_beans chickpea lentil dal daal white_beans | nuts peanut cashew almond walnut
        | sesame_seeds sesame seeds""",
    "starch": """bread toast bun baguette muffin loaf slices_of_bread english_muffin hamburger_bun roll
        | tortilla pita naan flat_bread dosa pancake pizza_dough pastry wonton wrapper wonton_wrapper rice_paper
        | noodles noodle spaghetti pasta macaroni penne vermicelli udon ramen linguine fettuccine
        | rice quinoa bulgur couscous oatmeal | dough | crouton chips fries""",
    "clear liquid": """water hot_water cold_water boiling_water warm_water ice_water vinegar white_wine sake mirin
        vodka lime_juice lemon_juice juice wine ice rice_vinegar rice_wine sherry white_vinegar
        | oil olive_oil vegetable_oil sesame_oil canola_oil ghee cooking_oil sunflower_oil peanut_oil corn_oil
        | stock broth chicken_stock chicken_broth beef_stock vegetable_stock beef_broth dashi beer ale cider""",
    "dark liquid": """soy_sauce dark_soy_sauce worcestershire_sauce fish_sauce oyster_sauce hoisin_sauce teriyaki_sauce
        balsamic_vinegar worcestershire light_soy_sauce hoisin
        | red_wine grape_juice brandy cognac | honey syrup maple_syrup""",
    "cream": """milk cream yogurt sour_cream buttermilk heavy_cream coconut_milk whipping_cream curd cream_cheese
        creme_fraiche
        | mayonnaise mayo tahini ranch dressing | butter margarine shortening lard unsalted_butter | batter""",
    "red sauce": """ketchup tomato_sauce tomato_paste tomato_puree pizza_sauce salsa marinara marinara_sauce puree
        | chili_sauce sriracha hot_sauce chili_paste gochujang red_pepper_paste chilli_sauce red_curry_paste
        | sauce gravy curry curry_paste miso miso_paste marinade | mustard dijon_mustard wasabi pesto relish | soup""",
    "fruit": """lemon lime lemon_zest zest orange | apple pear
        | grape raisin cherry cranberry berry blueberry olive caper | pineapple mango | banana | strawberry | coconut
        | chocolate cocoa cocoa_powder""",
}

_ACTIONS: dict[str, str] = {
    "cut": """cut chop slice dice mince cube shred quarter trim halve carve julienne snip slit score fillet shave split
        tear debone bone rip slash butterfly spatchcock strip pare flake gut poke prick pierce""",
    "grate": "grate zest scrape",
    "crush": "mash crush pound blend grind puree smash process pulse crumble squash tenderize flatten juice bruise",
    "peel": "peel core shell skin devein pit husk hull deseed shuck seed stem hollow",
    "wash": """wash rinse soak clean scrub drain strain dry pat wipe wring steep thaw submerge filter sift sieve blot
        brine defrost rehydrate moisten""",
    "add": """add put place pour drop dump transfer return move empty tip throw include ladle spoon immerse insert slide
        push stick load""",
    "season": """season sprinkle salt pepper dust drizzle spice scatter squeeze dash flavor sweeten spray squirt dot
        splash sugar sour distribute""",
    "mix": """mix stir whisk combine beat toss whip swirl scramble fold dissolve churn shake cream incorporate emulsify
        froth dilute thin infuse""",
    "fry": """fry saute sear brown stir-fry deep-fry pan-fry shallow-fry caramelize sweat crisp melt deglaze heat warm
        soften render burn flambe wilt""",
    "boil": """boil simmer cook poach steam blanch stew braise reduce bring thicken reheat parboil pressure-cook precook
        scald""",
    "bake": "bake roast grill toast broil preheat barbecue microwave char smoke griddle",
    "chill": """refrigerate chill cool freeze rest marinate set keep let leave store stand sit rise pickle reserve save
        proof ferment cure""",
    "coat": """coat dip brush spread rub grease baste glaze smear apply bread butter massage flour oil slather batter
        layer dredge dunk dab""",
    "shape": """roll shape form knead press wrap seal stuff fill divide stretch pack pinch twist mold tie skewer tuck
        crimp thread gather""",
    "turn": "flip turn rotate invert",
    "remove": "remove take lift discard scoop separate extract pull skim withdraw unwrap",
    "cover": "cover close shut line uncover",
    "serve": "serve garnish top plate decorate arrange lay pile assemble stack dress finish",
    "crack": "crack break open",
}

_VESSELS: dict[str, str] = {
    "pan": "pan skillet frying_pan griddle grill_pan",
    "wok": "wok",
    "pot": "pot saucepan sauce_pan pressure_cooker slow_cooker crockpot cooker dutch_oven soup_pot",
    "bowl": "bowl mixing_bowl container",
    "blender": "blender food_processor processor mixer grinder",
    "oven": "oven broiler microwave toaster",
    "tray": "tray baking_sheet baking_dish baking_tray baking_pan sheet casserole",
    "grill": "grill barbecue",
    "plate": "plate dish serving_plate platter serving_bowl",
    "board": "board cutting_board table counter",
    "jar": "jar glass cup bag fridge refrigerator",
    "strainer": "strainer colander sieve paper_towel towel",
}

# What a change of state leaves of the food's own look, and how strong the look of the state is.
STATES: dict[str, tuple[float, float]] = {
    "cut": (0.8, 0.5),
    "grated": (0.7, 0.6),
    "crushed": (0.5, 0.7),
    "peeled": (0.85, 0.35),
    "wet": (0.95, 0.25),
    "mixed": (0.4, 0.7),
    "fried": (0.7, 0.6),
    "boiled": (0.75, 0.5),
    "baked": (0.65, 0.65),
    "coated": (0.75, 0.45),
    "shaped": (0.7, 0.5),
    "plated": (0.9, 0.25),
    "opened": (0.8, 0.3),
}

# Family of actions -> the state it brings food into, and the vessels it can be done in, the usual first (none: any).
_EFFECTS: dict[str, tuple[str, str]] = {
    "cut": ("cut", "board"),
    "grate": ("grated", "board bowl"),
    "crush": ("crushed", "bowl blender pot"),
    "peel": ("peeled", "board"),
    "wash": ("wet", "strainer bowl"),
    "mix": ("mixed", "bowl pan pot wok blender jar tray"),
    "fry": ("fried", "pan wok pot"),
    "boil": ("boiled", "pot pan wok"),
    "bake": ("baked", "oven tray grill"),
    "coat": ("coated", ""),
    "shape": ("shaped", "board bowl"),
    "turn": ("fried", "pan wok grill oven tray"),
    "serve": ("plated", "plate"),
    "crack": ("opened", "bowl pan"),
    "remove": ("", ""),
}

# Words (in canonical spelling) that stand for what has been made so far.
_MADE = """mixture mix batter dough sauce filling dressing marinade everything ingredient all it them soup salad stew
    paste patty ball sandwich pizza roll curry content rest dumpling dish"""
MIXTURE_WORDS = frozenset(_MADE.split())


@dataclass(frozen=True)
class Food:
    """The look of a food: its look-alike group and the family the group belongs to."""

    group: str
    family: str


@dataclass(frozen=True)
class Effect:
    """What an action does to food: its new state ("" for none), and the vessels it can be done in (empty: any)."""

    state: str
    vessels: tuple[str, ...]


def look_up(table: Mapping[tuple[str, ...], Entry], words: tuple[str, ...]) -> Entry | None:
    """The entry of a name, as written or in the other number ("tomatoes" for "tomato")."""
    return table.get(words) or table.get(tuple(map(canonical, words)))


@cache
def foods() -> dict[tuple[str, ...], Food]:
    """Every food name, as a tuple of words, both as written and in canonical spelling, with its look."""
    written: dict[tuple[str, ...], Food] = {}
    keys: dict[tuple[str, ...], Food] = {}
    for family, text in _FOODS.items():
        for members in text.split("|"):
            names = [tuple(name.split("_")) for name in members.split()]
            look = Food(group=" ".join(names[0]), family=family)
            for name in names:
                written.setdefault(name, look)
                keys.setdefault(tuple(map(canonical, name)), look)
    return keys | written


@cache
def look_alikes() -> dict[str, tuple[str, ...]]:
    """Group name -> the names of its members, for every group."""
    return {
        members.split()[0].replace("_", " "): tuple(name.replace("_", " ") for name in members.split())
        for text in _FOODS.values()
        for members in text.split("|")
    }


@lru_cache(maxsize=20000)
def food(name: str) -> Food:
    """The look of an ingredient by name: the longest known part of it, the last one first; else a look of its own."""
    words = tuple(ptb_tokens(name))
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length, -1, -1):
            found = look_up(foods(), words[start : start + length])
            if found:
                return found
    return Food(group=canonical(words[-1]) if words else "", family="other")


@cache
def action_families() -> dict[str, str]:
    """Action -> its family."""
    return {verb: family for family, verbs in _ACTIONS.items() for verb in reversed(verbs.split())}


def action_family(verb: str) -> str:
    """The family of an action; one the kitchen does not know is a family of its own."""
    return action_families().get(verb, verb)


@cache
def effect(family: str) -> Effect:
    """What an action of this family leaves behind."""
    state, places = _EFFECTS.get(family, ("", ""))
    return Effect(state, tuple(places.split()))


@cache
def vessels() -> dict[tuple[str, ...], str]:
    """Every vessel name, as a tuple of words, with the vessel it looks like."""
    return {tuple(name.split("_")): vessel for vessel, names in _VESSELS.items() for name in names.split()}
