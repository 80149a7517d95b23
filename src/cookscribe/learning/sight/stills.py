"""The annotated stills: one picture per step, its sentence, and the rows that an encoder makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from pydantic import TypeAdapter

from cookscribe.encoders import load_encoder
from cookscribe.encoders.base import StillEncoder
from cookscribe.encoders.published_graphs import GRAPHS
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import read_json_lines
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.model_folder import read_tensors, write_tensors
from cookscribe.progress import track
from cookscribe.validation import Published, checked
from cookscribe.video import Size

SAVED_EVERY = 64  # stills


@dataclass(frozen=True)
class Still:
    """A picture of a step."""

    path: Path
    video_id: str
    event: int
    split: str
    sentence: str


class _Line(Published):
    file: str
    video_id: str
    event_index: int
    split: str
    sentence: str


def read_stills(data: YouCook2) -> list[Still]:
    """All stills, in the order of their list."""
    index = data.path("frames")
    found = []
    for number, value in read_json_lines(index):
        line = checked(value, TypeAdapter(_Line), f"{index}, line {number}", "a picture of a step")
        if Path(line.file).name != line.file:
            raise BadFileError(index, f"line {number}: {line.file!r} is no plain name")
        found.append(Still(index.parent / line.file, line.video_id, line.event_index, line.split, line.sentence))
    if not found:
        raise BadFileError(index, "names no pictures")
    return found


def rows_of(stills: Sequence[Still], encoder: str, cache: Path) -> NDArray[np.float32]:
    """(S, F) rows of one or several encoders joined by +; what was encoded before is read from the folder `cache`."""
    return np.concatenate([_rows_of_one(stills, name, cache / rows_file(name)) for name in encoder.split("+")], 1)


def rows_file(name: str) -> str:
    """File of an encoder's rows; its name says what the encoder looked at."""
    return f"{name}-whole.safetensors" if name in GRAPHS and GRAPHS[name].whole else f"{name}.safetensors"


def _rows_of_one(stills: Sequence[Still], name: str, cache: Path) -> NDArray[np.float32]:
    known: dict[str, torch.Tensor] = read_tensors(cache)[0] if cache.exists() else {}
    missing = [still for still in stills if still.path.name not in known]
    if missing:
        encoder = load_encoder(name)
        if not isinstance(encoder, StillEncoder):
            raise BadValueError(name, "does not look at single pictures")
        for number, still in enumerate(track(missing, f"encoding with {name}"), 1):
            row = encoder.features(picture(still.path, encoder.size)[None])[0]
            known[still.path.name] = torch.from_numpy(np.array(row))
            if number % SAVED_EVERY == 0 or number == len(missing):
                write_tensors(cache, known, {"encoder": name})
    return torch.stack([known[still.path.name].float() for still in stills]).numpy()


def picture(path: Path, size: Size) -> NDArray[np.uint8]:
    """(H, W, 3) RGB, scaled and cut as frames of films are."""
    try:
        with Image.open(path) as opened:
            image = opened.convert("RGB")
    except FileNotFoundError:
        raise MissingFileError(path, "the picture is not there") from None
    except (OSError, ValueError) as error:
        raise BadFileError(path, f"is no picture: {error}") from None
    scaled = image.resize(size.scaled(*image.size), Image.Resampling.BICUBIC)
    return np.ascontiguousarray(size.cut(np.asarray(scaled)))
