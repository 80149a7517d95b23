"""The walls between the rooms (docs/design.md): who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "cookscribe"
DOORS = {"recipe", "track", "candidates", "story", "errors", "config", "seeds"}
COMMON = DOORS | {"files", "progress", "text", "tokens", "ingredients", ""}

# room -> other rooms it may import; every room may import the doors and the common modules.
ALLOWED: dict[str, set[str]] = {
    "video": set(),
    "encoders": {"video", "datasets"},
    "proposals": {"training", "datasets", "evaluation"},
    "model": set(),
    "datasets": set(),
    "training": {"datasets", "model", "proposals", "evaluation"},
    "evaluation": set(),
    "export": {"video"},
    "kitchen": {"datasets", "video"},
    "speech": {"bundles", "datasets", "encoders", "evaluation", "model", "proposals", "scribe", "training", "video"},
}


def imported_rooms(path: Path) -> set[str]:
    """First name below `cookscribe` of every import in the file ("" for the package itself)."""
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [
                f"{node.module}.{alias.name}" if node.module == "cookscribe" else node.module for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        rooms |= {name.split(".")[1] if "." in name else "" for name in names if name.split(".")[0] == "cookscribe"}
    return {"" if room.startswith("__") else room for room in rooms}


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_room_imports_only_what_it_may(room: str) -> None:
    files = sorted((SOURCE / room).rglob("*.py"))
    assert files
    for path in files:
        common = DOORS | {""} if room == "model" else COMMON
        strangers = imported_rooms(path) - ALLOWED[room] - common - {room}
        assert not strangers, f"{path.relative_to(SOURCE)} imports {sorted(strangers)}"


@pytest.mark.parametrize("path", sorted(p for p in SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_file_is_too_long(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 500
