"""`milnce`: windows of two seconds through the S3D network that MIL-NCE trained on instructional film."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor

from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.pickled_arrays import read_words
from cookscribe.encoders.s3d import S3D, WIDTH, WordNumbers
from cookscribe.encoders.weights import Found, cache_folder, locate, named
from cookscribe.encoders.windows import WindowEncoder
from cookscribe.errors import BadFileError
from cookscribe.files import read_json, write_bytes, write_json


class MilNceEncoder(WindowEncoder):
    """One row of 512 numbers per second: what happens in the two seconds around it.

    Args:
        weights: folder of the published files or of our copy; None searches for them.
        device: where the network runs.
    """

    name, width = "milnce", WIDTH
    rate, window, stride, side = 16.0, 32, 16, 256

    def __init__(self, weights: Path | None = None, device: str = "cpu") -> None:
        self.network, words = load_s3d(locate("milnce", weights))
        self.network.fold().to(device)
        self.device = device
        self.numbers = WordNumbers(words)

    def network_rows(self, pixels: Tensor) -> Tensor:
        rows: Tensor = self.network(pixels.div_(255.0).contiguous())
        return rows

    def text(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """(B, 512): vectors whose dot product with the rows says how well sentence and film fit."""
        with torch.inference_mode():
            return self.network.text_module(self.numbers(sentences).to(self.device)).cpu().numpy()  # type: ignore[no-any-return]


def load_s3d(found: Found) -> tuple[S3D, tuple[str, ...]]:
    """The network with its weights, and the words of its text tower."""
    path = found.file(found.weights.copies[0] if found.is_copy else next(iter(found.weights.files)))
    words = _copied_words(found.file("words.json")) if found.is_copy else read_words(found.file("s3d_dict.npy"))
    network = S3D()
    try:
        network.load_state_dict(read_parameters(path))
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:200]
        raise BadFileError(path, f"does not hold the S3D network: {reason}") from None
    if len(words) >= network.text_module.word_embd.num_embeddings:
        raise BadFileError(found.folder, f"has {len(words)} words, more than the network knows")
    network.eval().requires_grad_(False)
    return network, words


def convert(source: Path, folder: Path | None = None) -> Path:
    """Write our safetensors copy of the published files; returns its folder (by default the cache)."""
    network, words = load_s3d(locate("milnce", source))
    folder = folder or cache_folder() / "milnce"
    weights, list_of_words = named("milnce").copies
    write_bytes(folder / weights, save({name: value.contiguous() for name, value in network.state_dict().items()}))
    write_json(folder / list_of_words, list(words), indent=None)
    return folder


def _copied_words(path: Path) -> tuple[str, ...]:
    words = read_json(path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise BadFileError(path, "does not hold a list of words", "convert the published files again")
    return tuple(words)
