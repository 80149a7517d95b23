"""The walls between the rooms (docs/design.md): imports point one way, and writing a recipe never loads learning."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import LONGEST, check_no_circle, imports, modules

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


MODULES = modules(SOURCE)


def room(module: str) -> str:
    return module.partition(".")[2].split(".")[0]


def test_every_room_has_its_place() -> None:
    rooms = {room(module) for module in MODULES} - {"", "__main__", "shipped"}
    assert rooms == set(LEVEL), rooms ^ set(LEVEL)


@pytest.mark.parametrize("name", sorted(LEVEL))
def test_a_room_imports_only_what_stands_before_it(name: str) -> None:
    for module, path in MODULES.items():
        if room(module) != name:
            continue
        for other in {room(found) for found in imports(path, MODULES)} - {name, ""}:
            if (name, other) in LIGHT_FILES:
                continue
            assert LEVEL[other] <= LEVEL[name], f"{module} imports {other}"
            assert other not in UNKNOWN.get(name, ()), f"{module} imports {other}"


def test_no_module_is_loaded_by_what_it_loads() -> None:
    check_no_circle(MODULES, at_load=True)


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


@pytest.mark.parametrize("module", MODULES)
def test_no_file_is_too_long(module: str) -> None:
    assert len(MODULES[module].read_text().splitlines()) <= LONGEST
