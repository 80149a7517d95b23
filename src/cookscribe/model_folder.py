"""Checkpoints: a model is one folder, `config.json` + `weights.safetensors` (+ `vocabulary.json`); never a pickle.

The state of an unfinished training lies beside the model in one more safetensors file, whose header carries the
counters as JSON: one file is replaced at once, so a crash leaves the old state or the new one.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.files import MOST_DESCRIPTION, read_json, regular_file, write_bytes
from cookscribe.text.vocabulary import Vocabulary

FORMAT = 1
CONFIG, WEIGHTS, VOCABULARY, STATE = "config.json", "weights.safetensors", "vocabulary.json", "state.safetensors"
# Bytes. The paper's largest model has 220 MB of weights, the state of its training five times as much.
MOST_WEIGHTS, MOST_STATE = 2**30, 2**34
# What may be read into a parameter of each type: models are packed in half precision.
TYPES = {torch.float32: ("F32", "F16", "BF16"), torch.int64: ("I64",), torch.bool: ("BOOL",)}
SAFE_ONLY, MIXED = "only safetensors are read", "the folder mixes two models, or is damaged"

Model = TypeVar("Model", bound=nn.Module)


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

    def build(self, make: Callable[[], Model], shared: Mapping[str, Tensor] | None = None) -> Model:
        """The model that `make` gives, with the weights of the folder, and those that it shares with another.

        Names, shapes and types in the file's header are compared with the model before anything large is made: a
        configuration or a file that asks for too much costs nothing.
        """
        path = self.folder / WEIGHTS
        with _ShapesAlone():
            wanted = {name: value for name, value in make().state_dict().items() if name not in (shared or {})}
        weights, _ = read_tensors(path, wanted)
        model = make()
        put_weights(model, weights | dict(shared or {}), path)
        return model


def open_model(folder: Path, kind: str) -> SavedModel:
    """Read the description of a model folder; the weights are read by `SavedModel.build`.

    Raises:
        MissingFileError: the folder or one of its files is not there.
        BadFileError: it is of another kind, from a newer version, or damaged.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MissingFileError(folder, "no such model folder", "train one first, or check the path")
    path = folder / CONFIG
    data = read_json(path, MOST_DESCRIPTION)
    if not isinstance(data, dict) or not isinstance(data.get("config"), dict) or "kind" not in data:
        raise BadFileError(path, "is not the description of a model", "name a folder that `cookscribe train` wrote")
    if not isinstance(data.get("format"), int) or data["format"] > FORMAT:
        raise BadFileError(path, f"has format {data.get('format')!r}, this program reads {FORMAT}", "update cookscribe")
    if data["kind"] != kind:
        raise BadFileError(path, f"is a {data['kind']!r} model, not a {kind!r} model", "name another folder")
    if not (folder / WEIGHTS).exists():
        raise MissingFileError(folder / WEIGHTS, "the model has no weights yet", "let its training reach an evaluation")
    vocabulary = Vocabulary.load(folder / VOCABULARY) if (folder / VOCABULARY).exists() else None
    made = data.get("made")
    return SavedModel(folder, kind, data["config"], vocabulary, made if isinstance(made, dict) else {})


class _ShapesAlone(TorchFunctionMode):
    """Modules made under it have parameters without numbers, whatever their size: all of them begin as `torch.empty`.

    `torch.device("meta")` would load torch's whole compiler, for seconds, at the first `arange` or `normal_`.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        kwargs, name = kwargs or {}, func.__name__
        if func is torch.empty:
            return func(*args, **(kwargs | {"device": "meta"}))
        if name.endswith("_") and not name.endswith("__") and name != "requires_grad_":  # there is nothing to fill
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def _check_header(file: BinaryIO, wanted: Mapping[str, Tensor], path: Path) -> None:
    """Refuse a weight file whose header does not describe exactly the tensors `wanted`."""
    size = int.from_bytes(file.read(8), "little")
    if not 2 <= size <= min(MOST_DESCRIPTION, os.fstat(file.fileno()).st_size - 8):
        raise BadFileError(path, "is not a whole safetensors file: its header has no possible length", SAFE_ONLY)
    try:
        header = json.loads(file.read(size))
        found = {
            name: (str(entry["dtype"]), tuple(entry["shape"]))
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise BadFileError(path, "is not a whole safetensors file: its header is damaged", SAFE_ONLY) from None
    _check_names(wanted, found, path)
    for name, value in wanted.items():
        kind, shape = found[name]
        if shape != tuple(value.shape):
            raise BadFileError(path, f"{name!r} has shape {shape!s:.60}, not {tuple(value.shape)}", MIXED)
        if kind not in TYPES.get(value.dtype, ()):
            raise BadFileError(path, f"{name!r} has the type {kind:.20}, which is not that of its numbers", MIXED)


def _check_names(wanted: Mapping[str, Any], given: Mapping[str, Any], path: Path) -> None:
    missing, extra = sorted(wanted.keys() - given.keys()), sorted(given.keys() - wanted.keys())
    if missing or extra:
        first = f"lacks {missing[0]!r}" if missing else f"has an unknown {extra[0]!r:.80}"
        raise BadFileError(path, f"does not fit its configuration: {first}", MIXED)


def put_weights(model: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Copy `weights` into `model`; every name and shape must fit and every number be finite."""
    wanted = model.state_dict()
    _check_names(wanted, weights, path)
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
    # Not the library's own writer: it replaces the file by one that only its owner may read.
    write_bytes(path, save(ready, metadata={"json": json.dumps(dict(header), allow_nan=False)}))


def read_tensors(
    path: Path, wanted: Mapping[str, Tensor] | None = None, limit: int = MOST_WEIGHTS
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote. A pickle, or any other file, is refused without running anything in it.

    Args:
        wanted: names, shapes and types that the file must have, compared with its header before the rest is read.
        limit: most bytes the file may have.
    """
    with regular_file(path, limit) as opened:
        if wanted is not None:
            _check_header(opened, wanted, path)
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
            text = (file.metadata() or {}).get("json", "{}")
    except (SafetensorError, OSError, ValueError, RuntimeError, MemoryError) as error:
        raise BadFileError(path, f"is not a whole safetensors file: {error}", SAFE_ONLY) from None
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise BadFileError(path, "has a damaged header", "only files written by cookscribe are read")
    return tensors, header
