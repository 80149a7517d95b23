"""One server with a quick worker for the tests that only talk to it, and a film to send."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quick_web.running import Served, film, served


@pytest.fixture(scope="session")
def small_film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("films") / "onion_soup.mp4")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("library")) as running:
        yield running
