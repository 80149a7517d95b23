"""Checkpoints: a model is one folder, `config.json` + `weights.safetensors` (+ `vocabulary.json`); never a pickle.

The state of an unfinished training lies beside the model in one more safetensors file, whose header carries the
counters as JSON: one file is replaced at once, so a crash leaves the old state or the new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from cookscribe import __version__
from cookscribe.datasets.vocabulary import Vocabulary
from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.files import read_json, replacing, write_json

FORMAT = 1
CONFIG, WEIGHTS, VOCABULARY, STATE = "config.json", "weights.safetensors", "vocabulary.json", "state.safetensors"


@dataclass(frozen=True, eq=False)
class SavedModel:
    """What a model folder holds.

    Attributes:
        kind: which model it is, e.g. "proposals".
        config: the configuration as it was written; the model's own `Config` validates it.
        vocabulary: the words it may write, or None.
        made: versions, seed, threads and figures of the training.
    """

    folder: Path
    kind: str
    config: dict[str, Any]
    vocabulary: Vocabulary | None
    made: dict[str, Any]

    def load_weights(self, model: nn.Module) -> None:
        """Fill `model`; names, shapes and finiteness are checked."""
        path = self.folder / WEIGHTS
        weights, _ = read_tensors(path)
        put_weights(model, weights, path)


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


def open_model(folder: Path, kind: str) -> SavedModel:
    """Read the description of a model folder; the weights are read by `SavedModel.load_weights`.

    Raises:
        MissingFileError: the folder or one of its files is not there.
        BadFileError: it is of another kind, from a newer version, or damaged.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MissingFileError(folder, "no such model folder", "train one first, or check the path")
    path = folder / CONFIG
    data = read_json(path)
    if not isinstance(data, dict) or not isinstance(data.get("config"), dict) or "kind" not in data:
        raise BadFileError(path, "is not the description of a model", "name a folder that `cookscribe train` wrote")
    if not isinstance(data.get("format"), int) or data["format"] > FORMAT:
        raise BadFileError(path, f"has format {data.get('format')!r}, this program reads {FORMAT}", "update cookscribe")
    if data["kind"] != kind:
        raise BadFileError(path, f"is a {data['kind']!r} model, not a {kind!r} model", "name another folder")
    if not (folder / WEIGHTS).is_file():
        raise MissingFileError(folder / WEIGHTS, "the model has no weights yet", "let its training reach an evaluation")
    vocabulary = Vocabulary.load(folder / VOCABULARY) if (folder / VOCABULARY).is_file() else None
    made = data.get("made")
    return SavedModel(folder, kind, data["config"], vocabulary, made if isinstance(made, dict) else {})


def put_weights(model: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Copy `weights` into `model`; every name and shape must fit and every number be finite."""
    wanted = model.state_dict()
    missing, extra = sorted(wanted.keys() - weights.keys()), sorted(weights.keys() - wanted.keys())
    if missing or extra:
        first = f"lacks {missing[0]!r}" if missing else f"has an unknown {extra[0]!r}"
        raise BadFileError(path, f"does not fit its configuration: {first}", "the folder mixes two models")
    for name, value in wanted.items():
        given = weights[name]
        if given.shape != value.shape:
            raise BadFileError(path, f"{name!r} has shape {tuple(given.shape)}, not {tuple(value.shape)}")
        if given.is_floating_point() and not torch.isfinite(given).all():
            raise BadFileError(path, f"{name!r} contains numbers that are not finite")
    model.load_state_dict(dict(weights))


def write_tensors(path: Path, tensors: Mapping[str, Tensor], header: Mapping[str, Any]) -> None:
    """Write tensors and a JSON header into one safetensors file, atomically."""
    # Cloned because tied weights share memory, which the format refuses.
    ready = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    with replacing(path) as temporary:
        # Not the library's own writer: it replaces the file by one that only its owner may read.
        temporary.write_bytes(save(ready, metadata={"json": json.dumps(dict(header), allow_nan=False)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote. A pickle, or any other file, is refused without running anything in it."""
    if not path.is_file():
        raise MissingFileError(path, "no such file", "check the path")
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
            text = (file.metadata() or {}).get("json", "{}")
    except (SafetensorError, OSError, ValueError, RuntimeError, MemoryError) as error:
        raise BadFileError(path, f"is not a whole safetensors file: {error}", "only safetensors are read") from None
    try:
        header = json.loads(text)
    except json.JSONDecodeError:
        header = None
    if not isinstance(header, dict):
        raise BadFileError(path, "has a damaged header", "only files written by cookscribe are read")
    return tensors, header


def fingerprint(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over names, types, shapes and bytes: equal exactly when all weights are equal."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
