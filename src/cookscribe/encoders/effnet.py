"""`effnet`: two frames a second through EfficientNet-Lite0. The visual encoder that works on a fresh machine."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.encoders.base import StillEncoder
from cookscribe.encoders.effnet_network import WIDTH, EfficientNetLite0
from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError

RATE = 2.0


class EffNetEncoder(StillEncoder):
    """One row of 1,280 numbers per half second: what is to be seen, not what moves.

    Args:
        weights: path of the weights; None searches for them.
        rate: frames per second.
        device: where the network runs.
    """

    name = "effnet"
    width = WIDTH

    def __init__(self, weights: Path | None = None, rate: float = RATE, device: str = "cpu") -> None:
        found = locate("effnet", weights)
        path = found.file(next(iter(found.weights.files)))
        try:
            self.network = EfficientNetLite0.from_published(read_parameters(path)).to(device)
        except (KeyError, RuntimeError) as error:
            raise BadFileError(path, f"does not hold EfficientNet-Lite0: {error}") from None
        self.rate, self.device = rate, device

    def features(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, 224, 224, 3) RGB -> (B, 1280)."""
        with torch.inference_mode():
            pixels = self.network.scaled(torch.from_numpy(images).to(self.device))
            return self.network(pixels).cpu().numpy()  # type: ignore[no-any-return]
