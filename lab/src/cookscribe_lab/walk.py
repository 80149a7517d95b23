"""How much code stands between a film and its recipe: `python -m cookscribe_lab.walk` counts it.

It runs `cookscribe write` on a short drawn film with the kitchen bundle, the paper's way through the house, and prints

- *imported*: the modules of cookscribe that the command has loaded at the end;
- *read*: those that somebody who wants to follow the paper's way must read.

A module is to be read if one of its functions works between the open film and the finished recipe: not if it only
loads models, and not if it is merely imported. Left out, although they work, are `model/beyond/`, which is ours and not
the paper's; the command line; and `video/` and `text/`, tools that every way uses and whose docstrings say enough
(frames at a rate, the ingredients in a sentence). What only `beyond`, `video` and `text` call is left out too.
Configurations are looked up, not read.

Lines are all lines of a file. A package file that holds nothing but its docstring is not counted.
"""

import ast
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

# Modules and lines at most.
MOST = {"imported": (70, 9000), "read": (30, 4500)}
ASIDE = ("model.beyond.", "video.", "text.")


@dataclass(frozen=True)
class Walk:
    """Names below `cookscribe` of the modules on the way, with their lines."""

    imported: dict[str, int]
    read: dict[str, int]

    def figures(self) -> dict[str, tuple[int, int]]:
        """Modules and lines."""
        return {name: (len(found), sum(found.values())) for name, found in vars(self).items()}


class _Caller:
    """A profiler that notes which modules of cookscribe are called by others that are to be read, or from outside."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        del value
        if event == "call" and (module := self._module(frame)) and module not in self.modules:
            caller = frame.f_back
            while caller is not None and (by := self._module(caller)) in ("", module):
                caller = caller.f_back
            if caller is None or not by.startswith(ASIDE):
                self.modules.add(module)

    @staticmethod
    def _module(frame: FrameType) -> str:
        """Name of the module below `cookscribe`; empty for everything else, and for a module that is being loaded."""
        name = str(frame.f_globals.get("__name__"))
        ours = name.startswith("cookscribe.") and frame.f_code.co_name != "<module>"
        return name.removeprefix("cookscribe.") if ours else ""


def draw_short_film(path: Path) -> Path:
    """The shortest of a few made-up recipes, as a film."""
    from cookscribe_lab.kitchen_films.drawing.film import draw_video
    from cookscribe_lab.kitchen_films.recipes import make_recipes

    return draw_video(min(make_recipes(0, 20, tempo=10.0), key=lambda recipe: recipe.duration), path)


def walk(film: Path) -> Walk:
    """Let a new process write the recipe of a drawn film, and look at it."""
    command = [sys.executable, "-m", "cookscribe_lab.walk", str(film)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Walk(**json.loads(done.stdout.splitlines()[-1]))


def _walk_here(film: Path) -> Walk:
    """Write the recipe in this process, which must not have loaded anything before."""
    from cookscribe.cli import main as command_line
    from cookscribe.scribe import Scribe

    caller = _Caller()
    write = Scribe.write

    def watched(self: Scribe, *inputs: Any, **options: Any) -> Any:
        self.pipeline(self.bundle)  # loading is done before we look
        sys.setprofile(caller)
        threading.setprofile(caller)
        try:
            return write(self, *inputs, **options)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    Scribe.write = watched  # type: ignore[method-assign]
    bundle = Path(__file__).with_name("shipped") / "kitchen"
    sys.argv = ["cookscribe", "write", str(film), "--model", str(bundle), "--ingredients", "onion, oil"]
    try:
        command_line()
    except SystemExit as end:
        if end.code:
            raise
    paths = {
        name.removeprefix("cookscribe").lstrip("."): Path(module.__file__)
        for name, module in list(sys.modules.items())
        if name.split(".")[0] == "cookscribe" and module.__file__
    }
    imported = {name: len(path.read_text().splitlines()) for name, path in sorted(paths.items()) if _has_code(path)}
    read = {
        name: lines
        for name, lines in imported.items()
        if name in caller.modules and not name.startswith((*ASIDE, "cli.")) and not name.endswith("config")
    }
    return Walk(imported, read)


def _has_code(path: Path) -> bool:
    return any(not isinstance(node, ast.Expr) for node in ast.parse(path.read_text()).body)


def main() -> None:
    """Draw a film, walk, and print both figures."""
    if len(sys.argv) > 1:
        print(json.dumps(vars(_walk_here(Path(sys.argv[1])))))
        return
    with TemporaryDirectory() as folder:
        found = walk(draw_short_film(Path(folder) / "film.mp4"))
    for name, lines in found.read.items():
        print(f"{lines:5}  {name}")
    for name, (modules, total) in found.figures().items():
        print(f"{name}: {modules} modules, {total:,} lines (at most {MOST[name][0]} and {MOST[name][1]:,})")


if __name__ == "__main__":
    main()
