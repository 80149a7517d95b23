"""The state of an unfinished training: counters, weights, averages and the optimiser's moments, in one file."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from cookscribe import __version__
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import write_json
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.ema import Average
from cookscribe.model_folder import (
    CONFIG,
    FORMAT,
    MOST_STATE,
    VOCABULARY,
    WEIGHTS,
    put_weights,
    read_tensors,
    write_tensors,
)
from cookscribe.text.vocabulary import Vocabulary


@dataclass
class Counters:
    """How far a training has come. `losses` and `gradient` are sums over the steps of the running epoch."""

    epoch: int = 0
    position: int = 0
    step: int = 0
    rate: float = 0.0
    gradient: float = 0.0
    seconds: float = 0.0
    losses: dict[str, float] = field(default_factory=dict)
    best: float | None = None
    best_epoch: int = 0
    waited: int = 0
    stopped: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)

    def next_epoch(self) -> None:
        """Close the running epoch."""
        self.epoch += 1
        self.position, self.losses, self.gradient, self.seconds = 0, {}, 0.0, 0.0


def make_optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """Adam or AdamW with weight decay on matrices only: biases, normalisation and other vectors are left alone."""
    trainable = [value for value in model.parameters() if value.requires_grad]
    groups = [
        {"params": [value for value in trainable if value.ndim > 1], "weight_decay": config.weight_decay},
        {"params": [value for value in trainable if value.ndim <= 1], "weight_decay": 0.0},
    ]
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    # The fused kernel takes one pass over the weights instead of a dozen.
    return kind(groups, lr=config.learning_rate, fused=True)


def write_state(
    path: Path,
    choices: Mapping[str, Any],
    counters: Counters,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    average: Average,
) -> None:
    """Write everything needed to go on exactly here, atomically."""
    tensors: dict[str, Tensor] = {f"model.{name}": value for name, value in model.state_dict().items()}
    tensors |= {f"average.{name}": value for name, value in average.weights.items()}
    for name, parameter in model.named_parameters():
        tensors |= {f"adam.{key}.{name}": value for key, value in optimizer.state.get(parameter, {}).items()}
    write_tensors(path, tensors, {"choices": dict(choices), "counters": asdict(counters)})


def read_state(
    path: Path, choices: Mapping[str, Any], model: nn.Module, optimizer: torch.optim.Optimizer, average: Average
) -> Counters:
    """Put a saved state back; the training must have been started with the same `choices`."""
    tensors, header = read_tensors(path, limit=MOST_STATE)
    saved = header.get("choices")
    if saved != dict(choices):
        where = _difference(saved, dict(choices))
        raise BadValueError(path.parent, f"holds a training with other choices: {where}", "choose another folder")
    counters = _counters(header.get("counters"), path)
    put_weights(model, _under(tensors, "model."), path)
    averages, parameters = _under(tensors, "average."), dict(model.named_parameters())
    for name, value in average.weights.items():
        if name not in averages or averages[name].shape != value.shape:
            raise BadFileError(path, f"lacks the average of {name!r}", "start again in another folder")
        value.copy_(averages[name])
    optimizer.state.clear()
    for key, value in _under(tensors, "adam.").items():
        moment, _, name = key.partition(".")
        if name not in parameters or moment not in ("step", "exp_avg", "exp_avg_sq"):
            raise BadFileError(path, f"has an unknown entry {key!r}", "start again in another folder")
        place = value if moment == "step" else value.to(parameters[name].device)
        optimizer.state.setdefault(parameters[name], {})[moment] = place
    return counters


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def _counters(saved: Any, path: Path) -> Counters:
    if not isinstance(saved, dict) or saved.keys() != {entry.name for entry in fields(Counters)}:
        raise BadFileError(path, "has a damaged header", "start again in another folder")
    return Counters(**saved)


def _difference(saved: Any, wanted: Any, where: str = "") -> str:
    """The first differing choice, by its dotted name."""
    if isinstance(saved, dict) and isinstance(wanted, dict):
        for key in sorted(saved.keys() | wanted.keys()):
            if saved.get(key) != wanted.get(key):
                return _difference(saved.get(key), wanted.get(key), f"{where}.{key}" if where else key)
    return f"{where or 'all'} was {saved!r:.60}, is {wanted!r:.60}"


def write_description(
    folder: Path, kind: str, config: Mapping[str, Any], vocabulary: Vocabulary | None, made: Mapping[str, Any]
) -> None:
    """Write everything of a model folder but the weights."""
    if vocabulary is not None:
        vocabulary.save(folder / VOCABULARY)
    write_json(
        folder / CONFIG,
        {"format": FORMAT, "cookscribe": __version__, "kind": kind, "config": dict(config), "made": dict(made)},
    )


def write_weights(folder: Path, model: nn.Module) -> None:
    """Write the model's present weights into its folder, atomically."""
    write_tensors(folder / WEIGHTS, model.state_dict(), {})


def fingerprint(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over names, types, shapes and bytes: equal exactly when all weights are equal."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
