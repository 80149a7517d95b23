"""All dishes by name. A dish makes its choices through a `Cook` and leaves the steps of one recipe behind."""

from collections.abc import Callable

from cookscribe_lab.kitchen_films.cook import Cook
from cookscribe_lab.kitchen_films.dishes import cold, hob, oven

# Fills the cook's steps; returns the title of the recipe.
Dish = Callable[[Cook], str]

DISHES: dict[str, Dish] = {
    dish.__name__.replace("_", " "): dish
    for dish in (
        hob.omelette,
        hob.scrambled_eggs,
        hob.fried_rice,
        hob.stir_fry,
        hob.soup,
        hob.noodle_soup,
        hob.stew,
        hob.mashed_potatoes,
        hob.pasta_with_sauce,
        hob.pancakes,
        hob.breaded,
        hob.steak,
        hob.french_toast,
        hob.chili_beans,
        oven.pizza,
        oven.roast,
        oven.gratin,
        oven.cookies,
        oven.cake,
        oven.meatballs,
        cold.salad,
        cold.coleslaw,
        cold.sandwich,
        cold.grilled_sandwich,
        cold.tortilla_wrap,
        cold.smoothie,
        cold.guacamole,
        cold.egg_salad,
        cold.bruschetta,
        cold.burger,
    )
}
