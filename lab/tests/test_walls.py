"""The walls between the rooms of the laboratory: who may import whom."""

from pathlib import Path

import pytest

from tests.imports import LONGEST, check_no_circle, imports, modules

SOURCE = Path(__file__).parents[1] / "src" / "cookscribe_lab"
PACKAGE = "cookscribe_lab"

# Room -> other rooms of the laboratory that it may import. All may import the product, its learning and its scores.
ALLOWED: dict[str, set[str]] = {
    "nearest": set(),  # the nearest-neighbour captioner, the floor under every other one
    "kitchen_features": {"nearest"},
    "rivals": set(),  # the systems the paper compares with
    "kitchen_films": set(),
    "studies.core": {"kitchen_features", "nearest"},
    "studies.paper": {"studies.core", "kitchen_features", "kitchen_films", "nearest", "rivals"},
    "studies.selection": {"studies.core"},
    "studies.sight": {"studies.core", "nearest"},
    "studies.narrated": {"studies.core", "studies.paper", "nearest"},  # whose printed figures stand beside ours
    "kitchen_bundle": {"kitchen_films", "studies.core", "nearest"},
    "shipped": set(),
    "walk": {"kitchen_films"},
    "cli": {"kitchen_features", "kitchen_films", "kitchen_bundle", "studies.core"},
}


def room_of(module: str) -> str:
    """`studies.core` for `cookscribe_lab.studies.core.tables`; the longest room that begins it."""
    inside = module.removeprefix(f"{PACKAGE}.")
    return max((room for room in ALLOWED if f"{inside}.".startswith(f"{room}.")), key=len, default="")


FILES = modules(SOURCE)


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_room_imports_only_what_it_may(room: str) -> None:
    files = {module: path for module, path in FILES.items() if room_of(module) == room}
    assert files
    for module, path in files.items():
        strangers = {room_of(name) for name in imports(path, FILES)} - ALLOWED[room] - {room, ""}
        assert not strangers, f"{module} imports {sorted(strangers)}"


def test_every_file_belongs_to_a_room() -> None:
    assert {module for module in FILES if not room_of(module)} == {PACKAGE, f"{PACKAGE}.studies"}


def test_imports_go_round_in_no_circle() -> None:
    check_no_circle(FILES, at_load=False)


@pytest.mark.parametrize("module", FILES)
def test_no_file_is_too_long(module: str) -> None:
    assert len(FILES[module].read_text(encoding="utf-8").splitlines()) <= LONGEST
