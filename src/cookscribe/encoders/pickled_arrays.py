"""Reading pickles of numpy arrays: `ArrayUnpickler` refuses every name but those that build arrays."""

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadFileError


class ArrayUnpickler(pickle.Unpickler):
    """Reads pickles made of numpy arrays and Python's plain values, and refuses every other name.

    Some published numpy files are pickles. A pickle can name any function; this one looks up four that build arrays.
    """

    def find_class(self, module: str, name: str) -> Any:
        if (module.replace("numpy._core", "numpy.core"), name) == ("numpy.core.multiarray", "_reconstruct"):
            return np.empty(0).__reduce__()[0]
        if (module.replace("numpy._core", "numpy.core"), name) == ("numpy.core.multiarray", "scalar"):
            return np.float64(0).__reduce__()[0]
        if (module, name) in {("numpy", "ndarray"), ("numpy", "dtype")}:
            return getattr(np, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}, which no array needs")


def read_pickled_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays from a pickle of nested dictionaries, by their keys joined with slashes."""
    try:
        with path.open("rb") as file:
            loaded = ArrayUnpickler(file).load()
    except Exception as error:  # a damaged pickle may call its few functions with anything
        raise BadFileError(path, f"is not a pickle of arrays: {error}", "download it again") from None
    arrays: dict[str, NDArray[Any]] = {}

    def walk(value: Any, name: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(inner, f"{name}/{key}" if name else str(key))
        elif isinstance(value, np.ndarray):
            arrays[name] = value

    walk(loaded, "")
    return arrays


def read_words(path: Path) -> tuple[str, ...]:
    """The words of a one-dimensional `.npy` file of strings, whether stored as text or as a pickled object array."""
    try:
        words = _read_npy(path)
    except Exception as error:
        raise BadFileError(path, f"is not a numpy file of words: {error}", "download it again") from None
    if words.ndim != 1 or not len(words) or not all(isinstance(word, str) for word in words.tolist()):
        raise BadFileError(path, "does not hold a list of words", "download it again")
    return tuple(words.tolist())


def _read_npy(path: Path) -> NDArray[Any]:
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        _, _, dtype = read(file)
        if dtype.hasobject:
            loaded = ArrayUnpickler(io.BytesIO(file.read())).load()
            return np.asarray(loaded)
    return np.asarray(np.load(path, allow_pickle=False))
