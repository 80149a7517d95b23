"""Shared fixtures. Tests in `tests/real/` read the folder that COOKSCRIBE_DATA names and skip visibly without it."""

import os
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import settings

settings.register_profile("default", max_examples=40, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("default")

# The made-up films of `benchmarks/films.py` serve the tests too.
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

# Both cores are busy with test processes already; more threads per process only get in each other's way.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real YouCook2 files."""
    name = os.environ.get("COOKSCRIBE_DATA")
    if not name:
        pytest.skip("COOKSCRIBE_DATA is not set: tests on real data are left out")
    return Path(name)


@pytest.fixture(scope="session")
def golden_folder(data_folder: Path) -> Path:
    """Figures computed with the original evaluators, beside the data folder."""
    folder = data_folder.parent / "golden"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: golden figures are left out")
    return folder
