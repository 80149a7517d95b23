"""What the golden figures were computed for."""

from pathlib import Path

import pytest

from cookscribe.evaluation import Events, read_truth


@pytest.fixture(scope="package")
def truth(golden_folder: Path) -> dict[str, Events]:
    return read_truth(golden_folder / "reference_val_yc2.json")
