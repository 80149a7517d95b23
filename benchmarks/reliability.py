"""Everything that can go wrong, tried by the hundred: how often does the program keep its promises?

    python benchmarks/reliability.py                    # about half an hour on two cores
    python benchmarks/reliability.py --quick            # a few cases of every class, below a minute
    python benchmarks/reliability.py --only kills --seed 7
    python benchmarks/reliability.py --only kills --seed 7 --case 12 --keep here     # one case again, with its files

The promise: whatever it is given, the program answers or ends with a typed error in one line and its exit code, within
bounds of time and memory; it says what is damaged, leaves nothing half-written behind and talks to nobody. A case that
is broken is printed with what it takes to see it again. The last line is one JSON object.
"""

import argparse
import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

# Each is a module of `faults` with a TITLE and `cases`. The longest cases come first, so that none is waited for.
CLASSES = (
    "traffic",
    "evaluate",
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
)


def try_all(scale: Any, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Try the cases of all classes and print what became of each class as soon as it is through; returns figures."""
    from faults.cases import tried

    modules = {name: import_module(f"faults.{name}") for name in arguments.only or CLASSES}
    cases = {name: list(enumerate(module.cases(scale))) for name, module in modules.items()}
    if arguments.case is not None:
        cases = {name: some[arguments.case : arguments.case + 1] for name, some in cases.items()}
    waiting = [(name, number, case) for name, some in cases.items() for number, case in some]
    found: dict[str, list[Any]] = {name: [] for name in cases}
    figures: dict[str, Any] = {}
    for verdict in tried(waiting, folder, arguments.workers, keep=arguments.keep is not None):
        name, verdicts = verdict.kind, found[verdict.kind]
        verdicts.append(verdict)
        if arguments.verbose:
            print(f"  {name} {verdict.number} {verdict.name}: {verdict.seconds} s", file=sys.stderr)
        if len(verdicts) < len(cases[name]):
            continue
        broken = sorted((v for v in verdicts if v.reason is not None), key=lambda v: v.number)
        figures[name] = {
            "tried": len(verdicts),
            "held": len(verdicts) - len(broken),
            "broken": len(broken),
            "seconds": round(sum(v.seconds for v in verdicts), 1),
            "cases": [v.number for v in broken],
        }
        print(f"{modules[name].TITLE}: tried {len(verdicts)}, held {len(verdicts) - len(broken)}, broken {len(broken)}")
        for v in broken:
            again = f"--only {name} --seed {arguments.seed} --case {v.number}" + " --quick" * arguments.quick
            code = "" if v.code is None else f"; exit code {v.code}"
            said = f": {v.complaint}" if v.complaint else ""
            print(f"  broken: {again}: {v.name}: {v.reason}{code}{said}")
        sys.stdout.flush()
    return figures


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
        figures = try_all(scale, folder, arguments)
    finally:
        if arguments.keep is None:
            remove(folder)
    sums = {key: sum(figure[key] for figure in figures.values()) for key in ("tried", "held", "broken")}
    print(json.dumps({**sums, "seed": arguments.seed, "quick": arguments.quick, "classes": figures}))
    sys.exit(1 if sums["broken"] else 0)


if __name__ == "__main__":
    main()
