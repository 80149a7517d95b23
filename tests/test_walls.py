"""The walls between the rooms (docs/design.md): imports point one way, and writing a recipe never loads learning."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "cookscribe"
# From left to right: a room imports rooms of its own line or of lines above, as far as it is not forbidden below.
ORDER = (
    ("text", "seeds", "progress"),
    ("errors",),
    ("files",),
    ("config", "validation"),
    ("recipe", "story", "candidates", "track", "cues"),
    ("video",),
    ("senses", "encoders", "model_folder"),
    ("model", "writer"),
    ("proposals",),
    ("bundle",),
    ("pipelines",),
    ("scribe",),
    ("export",),
    ("batch", "web"),
    ("evaluation",),
    ("learning",),
    ("cli",),
)
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
# Stricter than the order: what these rooms do not know of the lines above.
UNKNOWN = {
    "model": {"files", "video", "senses", "encoders", "model_folder", "recipe"},
    "evaluation": {"video", "senses", "encoders", "model", "proposals", "bundle", "pipelines", "scribe", "export"},
    "writer": {"video", "senses", "encoders", "recipe"},
    "export": {"senses", "encoders", "model", "model_folder", "proposals", "bundle", "pipelines", "scribe"},
}
# Vocabulary and word vectors are saved by the room of words itself.
LIGHT_FILES = {("text", "errors"), ("text", "files")}


def modules() -> dict[str, Path]:
    """Every module of the package by its name below `cookscribe`."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        found[name.removesuffix("__init__").rstrip(".")] = path
    return found


MODULES = modules()


def imports(path: Path, *, at_load: bool = False) -> set[str]:
    """Names below `cookscribe` of the modules a file imports; with `at_load`, only those that its import loads."""
    tree = ast.parse(path.read_text())
    nodes = tree.body if at_load else ast.walk(tree)
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "cookscribe":
            below = node.module.removeprefix("cookscribe").lstrip(".")
            for alias in node.names:
                inner = f"{below}.{alias.name}".lstrip(".")
                found.add(inner if inner in MODULES else below)
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("cookscribe.") for alias in node.names if alias.name[:11] == "cookscribe."
            }
    return found - {""}


def room(module: str) -> str:
    return module.split(".")[0]


def test_every_room_has_its_place() -> None:
    rooms = {room(module) for module in MODULES} - {"", "__main__", "shipped"}
    assert rooms == set(LEVEL), rooms ^ set(LEVEL)


@pytest.mark.parametrize("name", sorted(LEVEL))
def test_a_room_imports_only_what_stands_before_it(name: str) -> None:
    for module, path in MODULES.items():
        if room(module) != name:
            continue
        for other in {room(found) for found in imports(path)} - {name}:
            if (name, other) in LIGHT_FILES:
                continue
            assert LEVEL[other] <= LEVEL[name], f"{module} imports {other}"
            assert other not in UNKNOWN.get(name, ()), f"{module} imports {other}"


def test_no_module_is_loaded_by_what_it_loads() -> None:
    graph = {module: imports(path, at_load=True) & MODULES.keys() for module, path in MODULES.items()}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way, module))
        if module in done:
            return
        for other in graph[module]:
            visit(other, (*way, module))
        done.add(module)

    for module in graph:
        visit(module, ())


def test_writing_loads_neither_learning_nor_evaluation_nor_scipy() -> None:
    program = (
        "import sys\n"
        "import cookscribe.scribe, cookscribe.export.writers\n"
        "import cookscribe.pipelines.visual, cookscribe.pipelines.speech\n"
        "bad = ('scipy', 'cookscribe.learning', 'cookscribe.evaluation', 'cookscribe_lab')\n"
        "print(sorted(m for m in sys.modules if m.startswith(bad)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_the_laboratory_is_imported_by_nobody() -> None:
    for module, path in MODULES.items():
        assert "import cookscribe_lab" not in path.read_text(), module
        assert "from cookscribe_lab" not in path.read_text(), module


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_file_is_too_long(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 500
