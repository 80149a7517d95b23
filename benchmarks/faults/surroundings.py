"""HOME, locale, TMPDIR and the like, as odd as they come: the work is done, or a typed error says what is missing."""

import os
import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path

from faults.cases import Case, Scale
from faults.judging import answered, left
from faults.kills import WORK
from faults.places import drop_powers
from faults.running import Broken, run

TITLE = "HOME, locale, TMPDIR"
Environment = dict[str, str | None]

ENVIRONMENTS: dict[str, Environment] = {
    "HOME empty": {"HOME": ""},
    "ASCII output": {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "TMPDIR missing": {"TMPDIR": "/nowhere/at/all"},
    "HOME unset": {"HOME": None},
    "HOME that does not exist": {"HOME": "/nowhere/at/all"},
    "HOME that is a file": {"HOME": "/etc/hostname"},
    "HOME that is a device": {"HOME": "/dev/null"},
    "HOME relative": {"HOME": "here"},
    "locale C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "locale unknown": {"LC_ALL": "xx_YY.UTF-7", "LANG": "?"},
    "Latin-1 output": {"PYTHONIOENCODING": "latin-1"},
    "TMPDIR empty": {"TMPDIR": ""},
    "cache that is a file": {"XDG_CACHE_HOME": "/etc/hostname"},
    "cache relative": {"XDG_CACHE_HOME": "here"},
    "no columns": {"COLUMNS": "0", "LINES": "0"},
    "columns that are no number": {"COLUMNS": "many"},
    "one column": {"COLUMNS": "1"},
    "terminal unknown": {"TERM": "nonsense"},
    "coloured": {"FORCE_COLOR": "1", "NO_COLOR": None},
    "weights nowhere": {"COOKSCRIBE_WEIGHTS": "/nowhere/at/all"},
    "weights empty": {"COOKSCRIBE_WEIGHTS": ""},
    "threads that are no number": {"OMP_NUM_THREADS": "many"},
    "hardly any variable": {name: None for name in os.environ if name not in {"PATH", "PYTHONPATH"}},
}


def _unreadable_home() -> None:
    os.chmod(os.environ["HOME"] if "case-" in os.environ.get("HOME", "") else ".home", 0o500)
    drop_powers()


BEFORE: dict[str, Callable[[], None]] = {
    "HOME read-only": _unreadable_home,
    "standard input closed": lambda: os.close(0),
    "40 open files": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)),
    "a mask that hides all from others": lambda: os.umask(0o077) and None,
}


def cases(scale: Scale) -> list[Case]:
    found = []
    for name in ("export", "write", "watch"):
        found += [Case(f"{name}, {odd}", partial(_try, scale, name, odd)) for odd in ENVIRONMENTS]
        found += [Case(f"{name}, {odd}", partial(_try, scale, name, odd)) for odd in BEFORE]
    if scale.quick:
        chosen = ("export, HOME empty", "write, ASCII output", "export, TMPDIR missing", "export, HOME read-only")
        found = [case for case in found if case.name in chosen]
    return found


def _try(scale: Scale, name: str, odd: str, folder: Path) -> None:
    arguments = WORK[name](scale, folder)
    result = run(arguments, folder, env=ENVIRONMENTS.get(odd), before=BEFORE.get(odd), fresh=True)
    if odd == "coloured":
        # Escape codes are what was asked for.
        if result.code:
            raise Broken("fails when it shall use colours", result)
        return
    done = answered(result)
    left(folder / "out", None if done else (), result)
    if done and not any((folder / "out").iterdir()):
        raise Broken("nothing was written", result)
