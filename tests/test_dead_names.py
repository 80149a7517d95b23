"""Nothing is kept that nobody uses: every top-level name, method and configuration field has a reader besides itself.

Readers are the product, the laboratory and the benchmarks; a test is none, for what only tests call is not needed.
Names that others find by themselves are let be: `cookscribe.__all__`, commands, what a library calls by its name.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import cookscribe

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "src", ROOT / "lab" / "src")
READERS = (*PACKAGES, ROOT / "benchmarks", ROOT / "examples")
# Read by somebody else than our code.
KEPT = {
    "find_class": "pickle calls it",
    "extra_repr": "torch prints with it",
    "handle_exit": "uvicorn calls it",
    "model_config": "pydantic reads it",
    "best_score": "stands in history.json",
    "close_meteor": "for programs that score now and then, and for tests",
    "_ACTS": "its modules register painters when they are imported",
    **dict.fromkeys(("words_given", "playable", "embeddable"), "the page of a recipe reads it"),
}
PUBLIC = getattr(cookscribe, "__all__", ())
REGISTERED = re.compile(
    r"command|callback|validator|serializer|fixture|shows|exporter|field_|router\.|app\.(get|post|delete)"
)


@cache
def trees() -> dict[Path, ast.Module]:
    paths = [path for root in READERS for path in sorted(root.rglob("*.py"))]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def read_names(tree: ast.AST) -> Counter[str]:
    """How often each name is read: as a variable, an attribute, an import, a keyword, or in a string that is a path."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.Attribute):
            found[node.attr] += 1
        elif isinstance(node, ast.ImportFrom):
            # An import alone is no use.
            found.update(alias.name for alias in node.names if alias.asname)
        elif isinstance(node, ast.Constant) and re.fullmatch(r"[\w.]+:\w+|[A-Za-z_]\w*", str(node.value)):
            # "module:function", or an attribute by its name.
            found.update(re.split(r"[:.]", str(node.value)))
    return found


@cache
def all_reads() -> Counter[str]:
    return sum((read_names(tree) for tree in trees().values()), Counter())


@cache
def documented() -> set[str]:
    """Functions that the documentation tells people to call, such as `videos()`."""
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    return {name for page in pages for name in re.findall(r"`(?:\w+\.)*(\w+)\(", page)}


def defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        registered = any(REGISTERED.search(ast.unparse(mark)) for mark in node.decorator_list)
        return [] if registered else [node.name]
    if isinstance(node, ast.AnnAssign):
        return [node.target.id] if isinstance(node.target, ast.Name) else []
    if isinstance(node, ast.Assign):
        return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return []


def dead_names() -> list[str]:
    found = []
    for path, tree in trees().items():
        if not any(path.is_relative_to(package) for package in PACKAGES):
            continue
        places = [(node, name, "") for node in tree.body for name in defined(node)]
        for outer in tree.body:
            # Members of an enumeration are made from their values.
            if isinstance(outer, ast.ClassDef) and "Enum" not in ast.unparse(outer.bases[0] if outer.bases else outer):
                places += [(node, name, f"{outer.name}.") for node in outer.body for name in defined(node)]
        for node, name, inside in places:
            known = name.startswith("__") or name in KEPT or name in PUBLIC or name in documented()
            if not known and all_reads()[name] <= read_names(node)[name]:
                found.append(f"{path.relative_to(ROOT)}: {inside}{name}")
    return found


def test_every_name_is_used_somewhere() -> None:
    assert dead_names() == []
