"""The worker writes with the bundle and hears with the recogniser that the server was started with."""

from pathlib import Path

import pytest

from cookscribe.errors import BadValueError
from cookscribe.web.services import Services, Settings
from cookscribe.web.worker import scribe
from tests.command import run_command


def test_the_server_tells_the_worker_what_it_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = Services(Settings(tmp_path, model="mine", recogniser="small")).keeper.command
    asked = []

    def load(*given: object, **more: object) -> object:
        asked.append((given, more))
        raise KeyboardInterrupt

    monkeypatch.setattr("cookscribe.scribe.load", load)
    with pytest.raises(KeyboardInterrupt):
        scribe(*command[-2:])(tmp_path / "film.mp4", (), "", lambda *_: None)
    assert asked == [(("mine",), {"recogniser": "small"})]


def test_a_recogniser_that_nobody_knows_is_refused_before_the_server_starts(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="'huge' is neither a known one"):
        run_command("serve", "--library", tmp_path / "new", "--recogniser", "huge")
    assert not (tmp_path / "new").exists()
