"""Configurations: validated, frozen, JSON both ways."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from cookscribe.config import Config
from cookscribe.errors import BadFileError, BadValueError, MissingFileError


class Oven(Config):
    degrees: float = Field(default=180.0, gt=0)
    mode: Literal["fan", "grill"] = "fan"
    trays: tuple[int, ...] = ()


class Kitchen(Config):
    oven: Oven = Oven()
    name: str


def test_round_trip(tmp_path: Path) -> None:
    kitchen = Kitchen(oven=Oven(degrees=200, mode="grill", trays=(1, 3)), name="été")
    kitchen.save(tmp_path / "kitchen.json")
    assert Kitchen.load(tmp_path / "kitchen.json") == kitchen


def test_a_wrong_value_says_where_what_and_what_was_given(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match=r"oven\.mode.*'fan' or 'grill'.*got 'steam'"):
        Kitchen.parse({"name": "x", "oven": {"mode": "steam"}})
    with pytest.raises(BadValueError, match=r"oven\.degres.*not permitted"):
        Kitchen.parse({"name": "x", "oven": {"degres": 200}})
    with pytest.raises(BadValueError, match="configuration: name"):
        Kitchen.parse({})
    for value in (float("nan"), float("inf"), -1):
        with pytest.raises(BadValueError, match="degrees"):
            Oven.parse({"degrees": value})
    path = tmp_path / "oven.json"
    path.write_text('{"degrees": "hot"}')
    with pytest.raises(BadValueError, match=r"oven\.json"):
        Oven.load(path)


def test_many_faults_stay_readable() -> None:
    with pytest.raises(BadValueError, match="and 997 more") as caught:
        Oven.parse({"trays": ["x"] * 1000})
    assert len(str(caught.value)) < 600


def test_frozen() -> None:
    with pytest.raises(Exception, match="frozen"):
        Oven().degrees = 3  # type: ignore[misc]


def test_files_that_are_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        Oven.load(tmp_path / "nowhere.json")
    path = tmp_path / "oven.json"
    path.write_text("{")
    with pytest.raises(BadFileError, match=r"oven\.json"):
        Oven.load(path)
    path.write_text("[]")
    with pytest.raises(BadValueError, match=r"oven\.json"):
        Oven.load(path)
