"""A recipe in the terminal: steps with times, ingredients, how sure each is, and what the reader must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from cookscribe.recipe import Recipe, Step


def print_recipe(recipe: Recipe, screen: Console) -> None:
    """Print the recipe as a table, its warnings below."""
    from rich.markup import escape
    from rich.padding import Padding
    from rich.table import Table

    from cookscribe.export.clock import clock
    from cookscribe.text.printable import full_sentence

    about = f"{recipe.video.name}, {clock(recipe.video.duration)}, model {recipe.made_by.model}"
    if recipe.made_by.simulated:
        about += ", simulated"
    screen.print()
    screen.print(f"[bold]{escape(recipe.title)}[/]  [dim]{escape(about)}[/]", highlight=False)
    listed, facts = recipe.ingredients, tuple[str, ...]()
    of_steps: dict[int, tuple[str, ...]] = {}
    if recipe.evidence and recipe.evidence.cues:
        from cookscribe.export.wording import told_facts

        listed, facts, of_steps = told_facts(recipe)
    if listed:
        screen.print(f"[dim]with[/] {escape(', '.join(listed))}", highlight=False)
    if facts:
        screen.print(escape(", ".join(facts)), style="dim", highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, style, justify in (
        ("", "bold", "right"),
        ("time", "cyan", "left"),
        ("step", "", "left"),
        ("sure", "dim", "right"),
    ):
        table.add_column(name, style=style, justify=justify, header_style="dim")  # type: ignore[arg-type]
    for number, step in enumerate(recipe.steps, 1):
        times = f"{clock(step.span.start)}–{clock(step.span.end)}"
        sentence = escape(full_sentence(step.sentence))
        unnamed = [name for name in step.ingredients if name.lower() not in step.sentence.lower()]
        if beside := [*of_steps.get(number, ()), *unnamed]:
            sentence += f"  [dim]({escape(', '.join(beside))})[/]"
        table.add_row(str(number), times, sentence, sureness(step))
    screen.print(Padding(table, (1, 0, 1, 1)))
    for warning in recipe.warnings:
        screen.print(f"[yellow]note:[/] {escape(warning)}", highlight=False)


def sureness(step: Step) -> str:
    """How sure a step is, in rich's markup; unsure ones catch the eye."""
    if step.confidence is None:
        return ""
    return f"[yellow]{step.confidence:.0%} ?[/]" if step.unsure else f"{step.confidence:.0%}"
