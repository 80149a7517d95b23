"""Random numbers that depend on names, not on order: the same seed and name give the same stream on every machine."""

import hashlib

import numpy as np


def derived_seed(*parts: str | int) -> int:
    """A 63-bit seed from names and numbers. Python's own `hash` changes from run to run; this does not."""
    text = "\x1f".join(str(part) for part in parts)
    # A file name that is not UTF-8 reaches Python as half surrogate pairs; it has a seed like any other.
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


def generator(*parts: str | int) -> np.random.Generator:
    """A numpy generator for this combination of names and numbers."""
    return np.random.default_rng(derived_seed(*parts))
