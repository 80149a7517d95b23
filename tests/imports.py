"""Who imports whom, for the tests of the walls."""

import ast
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

LONGEST = 500  # lines of a file


def modules(source: Path) -> dict[str, Path]:
    """Every module of a package by its name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        name = ".".join((source.name, *path.relative_to(source).with_suffix("").parts))
        found[name.removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: Collection[str], *, at_load: bool = False) -> set[str]:
    """Those of the known modules that a file imports; with `at_load`, only those that its import loads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in tree.body if at_load else ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & set(known)


def check_no_circle(found: dict[str, Path], *, at_load: bool) -> None:
    """Fail where a module imports one that imports it, directly or not."""
    graph = {module: imports(path, found, at_load=at_load) - {module} for module, path in found.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(found)
