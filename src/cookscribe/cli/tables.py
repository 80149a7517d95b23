"""A table on the terminal. rich is imported when one is printed."""

from collections.abc import Sequence


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> None:
    """Print rows under a title; the columns numbered in `left` are not aligned to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    # Away from a terminal there is no width to respect, and a wrapped table is hard to read.
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number in left else "right", no_wrap=number not in left)
    for row in rows:
        table.add_row(*row)
    console.print(table, "")
