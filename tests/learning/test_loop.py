"""The shared loop: exact repetition and resumption, processes, early stopping, errors."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.learning.distributed import join
from cookscribe.learning.loop import NonFiniteLossError, Term, shuffled, train
from cookscribe.learning.state import fingerprint
from cookscribe.model_folder import open_model
from tests.learning.small_task import Poison, SmallTask, settings


def run(folder: Path, task: SmallTask | None = None, **changes: object):
    task = task or SmallTask()
    return train(task, settings(**changes), folder, quiet=True), task


def test_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path: Path) -> None:
    one, task = run(tmp_path / "one")
    two, again = run(tmp_path / "two")
    other, _ = run(tmp_path / "three", seed=1)
    assert one.made["last_weights"] == two.made["last_weights"] != other.made["last_weights"]
    assert fingerprint(task.model.state_dict()) == fingerprint(again.model.state_dict())
    assert [row.losses for row in one.epochs] == [row.losses for row in two.epochs]


@pytest.mark.parametrize("crash_at", [1, 2, 5, 6, 7, 9, 14, 24])
def test_a_killed_training_ends_like_a_straight_one(tmp_path: Path, crash_at: int) -> None:
    # Six steps an epoch and a state every second step: the crashes fall before, on and after saved states.
    straight, kept = run(tmp_path / "straight")
    broken = SmallTask()
    broken.crash_at = crash_at
    with pytest.raises(Poison):
        run(tmp_path / "resumed", broken)
    resumed, task = run(tmp_path / "resumed")
    assert task.calls < 24 or crash_at <= 2
    assert resumed.made["last_weights"] == straight.made["last_weights"]
    assert fingerprint(task.model.state_dict()) == fingerprint(kept.model.state_dict())
    assert [(r.losses, r.scores, r.learning_rate) for r in resumed.epochs] == [
        (r.losses, r.scores, r.learning_rate) for r in straight.epochs
    ]


def test_a_finished_training_is_returned_without_work(tmp_path: Path) -> None:
    first, _ = run(tmp_path)
    second, task = run(tmp_path)
    assert task.calls == 0
    assert second == first


def test_ctrl_c_saves_the_step_it_was_in(tmp_path: Path) -> None:
    class Interrupted(SmallTask):
        def losses(self, items, epoch):
            terms = super().losses(items, epoch)
            if self.calls == 4:
                os.kill(os.getpid(), signal.SIGINT)
            return terms

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "a", Interrupted(), checkpoint_every=0)
    resumed, task = run(tmp_path / "a", checkpoint_every=0)
    assert task.calls == 24 - 4
    assert resumed.made["last_weights"] == run(tmp_path / "b")[0].made["last_weights"]


def test_other_choices_in_the_same_folder_are_refused(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(BadValueError, match=r"training.learning_rate was 0.02, is 0.5"):
        run(tmp_path, learning_rate=0.5)


def test_it_learns_and_keeps_the_best_average(tmp_path: Path) -> None:
    history, task = run(tmp_path, epochs=30)
    scores = [row.scores["closeness"] for row in history.epochs]
    assert history.best_score == max(scores)
    assert scores[history.best_epoch - 1] == history.best_score > scores[0] + 0.1
    assert task.evaluate()["closeness"] == pytest.approx(history.best_score, abs=1e-6)
    loaded = SmallTask(seed=9)
    open_model(tmp_path, "small").build(lambda: loaded.model)
    assert fingerprint(loaded.model.state_dict()) == fingerprint(task.model.state_dict())
    written = json.loads((tmp_path / "history.json").read_text())
    assert written["best_score"] == history.best_score
    assert written["made"]["threads"] == 1
    assert written["made"]["seed"] == 0


def test_early_stopping_counts_evaluations_without_progress(tmp_path: Path) -> None:
    class Worse(SmallTask):
        looks = 0

        def evaluate(self):
            self.looks += 1
            return {"closeness": [0.1, 0.3, 0.2, 0.25, 0.1, 0.9][self.looks - 1]}

    history, _ = run(tmp_path, Worse(), epochs=6, patience=3)
    assert len(history.epochs) == 5
    assert (history.best_epoch, history.best_score) == (2, 0.3)
    assert history.stopped == "no better closeness in 3 evaluations"


def test_a_loss_that_is_not_a_number_stops_with_a_typed_error(tmp_path: Path) -> None:
    class Explodes(SmallTask):
        def losses(self, items, epoch):
            terms = dict(super().losses(items, epoch))
            if self.calls == 5:
                terms["error"] = Term(terms["error"].total * float("inf"), 1)
            return terms

    with pytest.raises(NonFiniteLossError, match="epoch 1, step 5: error is inf"):
        run(tmp_path, Explodes())
    # The state saved before the bad step is whole, so the run can go on with a healthy task.
    history, task = run(tmp_path)
    assert task.calls == 24 - 4
    assert history.stopped == "all epochs done"


def test_a_damaged_state_is_a_typed_error(tmp_path: Path) -> None:
    run(tmp_path)
    path = tmp_path / "state.safetensors"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadFileError, match="not a whole safetensors file"):
        run(tmp_path)


def test_a_parameter_nobody_uses_is_left_alone(tmp_path: Path) -> None:
    _, task = run(tmp_path, weight_decay=0.5)
    assert torch.equal(task.model.unused, torch.ones(2, 2))


def test_batches_cover_everything_once_and_change_with_the_epoch() -> None:
    batches = shuffled(10, 4, seed=3, epoch=0)
    assert sorted(number for batch in batches for number in batch) == list(range(10))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert batches == shuffled(10, 4, seed=3, epoch=0) != shuffled(10, 4, seed=3, epoch=1)


def test_bfloat16_runs(tmp_path: Path) -> None:
    history, _ = run(tmp_path, precision="bfloat16")
    assert history.epochs[-1].losses["loss"] < history.epochs[0].losses["loss"]


@pytest.mark.parametrize("count", [2, 4])
def test_many_processes_take_the_steps_of_one(tmp_path: Path, count: int) -> None:
    """Two as torchrun starts them; four as it would on two machines, with a last batch that is too small for all."""
    single, one = run(tmp_path / "one", SmallTask(dropout=0.0))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script, folder = Path(__file__).with_name("small_task.py"), tmp_path / "many"
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command += ["--master-addr", "127.0.0.1", "--master-port", str(port), str(script), str(folder)]
    if count == 4:
        command = [sys.executable, str(script), str(folder), "2", str(port)]
    result = subprocess.run(
        command, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr[-2000:]
    many = json.loads((folder / "history.json").read_text())
    assert many["made"]["processes"] == count
    for row, other in zip(single.epochs, many["epochs"], strict=True):
        assert other["losses"] == pytest.approx(row.losses, rel=1e-5)
        assert other["scores"] == pytest.approx(row.scores, rel=1e-4)
        assert other["gradient"] == pytest.approx(row.gradient, rel=1e-4)
    task = SmallTask(dropout=0.0)
    open_model(folder, "small").build(lambda: task.model)
    for a, b in zip(one.model.parameters(), task.model.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


def test_gpus_are_joined_by_nccl_and_each_process_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third process of six, the second one on its machine; there is no GPU here, so what is asked for is tested."""
    asked: list[object] = []
    for name, value in {"WORLD_SIZE": "6", "RANK": "2", "LOCAL_RANK": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "set_device", asked.append)
    monkeypatch.setattr(dist, "init_process_group", lambda backend, **more: asked.append((backend, more["device_id"])))
    monkeypatch.setattr(dist, "get_rank", lambda: 2)
    monkeypatch.setattr(dist, "get_world_size", lambda: 6)
    processes = join("cuda")
    second = torch.device("cuda", 1)
    assert asked == [second, ("nccl", second)]
    assert (processes.rank, processes.size, processes.device, processes.first) == (2, 6, second, False)
    assert list(processes.share(range(8))) == [2]
    asked.clear()
    monkeypatch.setattr(dist, "init_process_group", lambda backend, **_: asked.append(backend))
    assert join("cpu").device == torch.device("cpu")
    assert asked == ["gloo"]
