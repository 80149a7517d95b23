"""Kill -9 of server and worker while films arrive and edits are saved; `benchmarks/web.py` does it fifty times."""

from pathlib import Path

from faults.web import kill_often


def test_nothing_that_was_acknowledged_is_lost(tmp_path: Path) -> None:
    figures = kill_often(tmp_path, 3, seed=1)
    assert figures["kills_of_server"] + figures["kills_of_worker"] == 3
    assert figures["saves_kept"] > 0
