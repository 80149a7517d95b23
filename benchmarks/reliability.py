"""Everything that can go wrong, tried by the hundred: how often does the program keep its promises?

    python benchmarks/reliability.py                    # about half an hour on two cores
    python benchmarks/reliability.py --quick            # a few cases of every class, below a minute
    python benchmarks/reliability.py --only kills --seed 7
    python benchmarks/reliability.py --only kills --seed 7 --case 12 --keep here     # one case again, with its files

The promise: whatever it is given, the program answers or ends with a typed error in one line and its exit code, within
bounds of time and memory; it says what is damaged, leaves nothing half-written behind and talks to nobody. A case that
is broken is printed with what it takes to see it again. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

# In the order in which they run; each is a module of `faults` with a TITLE and `cases`.
CLASSES = (
    "damaged",
    "disguises",
    "subtitles",
    "recipes",
    "names",
    "bundles",
    "kills",
    "places",
    "surroundings",
    "weights",
    "traffic",
    "evaluate",
)


def try_class(name: str, scale: Any, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Try the cases of one class and print what became of them; returns its figures."""
    from faults.cases import tried

    module = import_module(f"faults.{name}")
    cases = list(enumerate(module.cases(scale)))
    if arguments.case is not None:
        cases = cases[arguments.case : arguments.case + 1]
    started = time.monotonic()
    crew = 1 if getattr(module, "ALONE", False) else arguments.workers
    broken = []
    for verdict in tried(cases, folder / name, crew, keep=arguments.keep is not None):
        if arguments.verbose:
            print(f"  {name} {verdict.number} {verdict.name}: {verdict.seconds} s", file=sys.stderr)
        if verdict.reason is not None:
            broken.append(verdict)
    took = time.monotonic() - started
    print(f"{module.TITLE}: tried {len(cases)}, held {len(cases) - len(broken)}, broken {len(broken)} ({took:.0f} s)")
    for verdict in sorted(broken, key=lambda verdict: verdict.number):
        code = "" if verdict.code is None else f"; exit code {verdict.code}"
        said = f": {verdict.complaint}" if verdict.complaint else ""
        again = f"--only {name} --seed {arguments.seed} --case {verdict.number}" + (" --quick" * arguments.quick)
        print(f"  broken: {again}: {verdict.name}: {verdict.reason}{code}{said}")
    sys.stdout.flush()
    return {
        "tried": len(cases),
        "held": len(cases) - len(broken),
        "broken": len(broken),
        "seconds": round(took, 1),
        "cases": [verdict.number for verdict in broken],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few cases of every class")
    parser.add_argument("--seed", type=int, default=0, help="decides all that is left to chance")
    parser.add_argument("--only", choices=CLASSES, action="append", help="this class only; may be repeated")
    parser.add_argument("--case", type=int, help="this case of the class only")
    parser.add_argument("--keep", type=Path, help="work in this new folder and leave everything there")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="cases at a time")
    parser.add_argument("--verbose", action="store_true", help="say how long every case took")
    arguments = parser.parse_args()
    # Before anything else is imported: a process with threads cannot be forked.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    from faults.cases import Scale, remove
    from faults.material import prepare
    from faults.running import warm_up

    warm_up()
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True)
    folder = (arguments.keep or Path(tempfile.mkdtemp(prefix="reliability-"))).resolve()
    try:
        films = folder / "films"
        films.mkdir()
        scale = Scale(arguments.seed, arguments.quick, prepare(films))
        figures = {name: try_class(name, scale, folder, arguments) for name in arguments.only or CLASSES}
    finally:
        if arguments.keep is None:
            remove(folder)
    sums = {key: sum(figure[key] for figure in figures.values()) for key in ("tried", "held", "broken")}
    print(json.dumps({**sums, "seed": arguments.seed, "quick": arguments.quick, "classes": figures}))
    sys.exit(1 if sums["broken"] else 0)


if __name__ == "__main__":
    main()
