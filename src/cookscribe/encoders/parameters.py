"""Reading published parameters without running anything that comes with them.

Two kinds of files: safetensors, and PyTorch files, which are pickles that `torch.load` reads as weights only. For
pickles of numpy arrays see `pickled_arrays`.
"""

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from cookscribe.errors import BadFileError


def read_parameters(path: Path) -> dict[str, Tensor]:
    """Tensors by name from a `.safetensors` or a PyTorch file. The latter is read as weights only: no code is run."""
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file makes the libraries raise almost anything
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadFileError(path, f"is not a file of weights: {reason}", "download it again") from None
    if isinstance(loaded, dict) and isinstance(loaded.get("state_dict"), dict):
        loaded = loaded["state_dict"]
    if not isinstance(loaded, dict) or not all(isinstance(value, Tensor) for value in loaded.values()):
        raise BadFileError(path, "does not hold tensors by name", "download it again")
    return {name.removeprefix("module."): value for name, value in loaded.items()}
