"""S3D with made-up weights against the outputs of the original network with the same weights."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cookscribe.encoders.s3d import S3D, WordNumbers


def made_up(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    """The rule by which the golden weights were made."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if name.endswith("num_batches_tracked"):
        return torch.zeros(shape, dtype=torch.long)
    if name.endswith("running_var"):
        values = 0.5 * (1 + 0.1 * random.random(shape))
    elif name.endswith("running_mean"):
        values = 0.1 * random.standard_normal(shape)
    elif len(shape) == 1 and name.endswith("weight"):
        values = 1 + 0.1 * random.standard_normal(shape)
    elif len(shape) == 1:
        values = 0.1 * random.standard_normal(shape)
    else:
        values = random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
    return torch.from_numpy(values.astype(np.float32))


@pytest.fixture(scope="module")
def golden(golden_folder: Path) -> dict[str, Any]:
    return json.loads((golden_folder / "s3d.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def network(golden: dict[str, Any]) -> S3D:
    network = S3D()
    network.load_state_dict({name: made_up(name, tuple(shape)) for name, shape in golden["keys"]})
    return network.eval()


def test_names_shapes_and_count(golden: dict[str, Any], network: S3D) -> None:
    ours = {name: list(tensor.shape) for name, tensor in network.state_dict().items()}
    assert ours == dict(golden["keys"])
    assert sum(parameter.numel() for parameter in network.parameters()) == golden["params"]


@pytest.mark.parametrize("folded", [False, True])
def test_video_embedding(golden: dict[str, Any], network: S3D, folded: bool) -> None:
    video = np.random.default_rng(7).random((2, 3, 16, 64, 64)).astype(np.float32)
    ramp = np.linspace(0, 1, 64)[None, None, None, :]
    video[1] = (video[1] * np.linspace(0, 1, 16)[None, :, None, None] + ramp) / 2
    if folded:
        network.fold()
    with torch.inference_mode():
        made, hidden = network(torch.from_numpy(video)).numpy(), network.hidden(torch.from_numpy(video)).numpy()
    for ours, name in ((made, "video_embedding"), (hidden, "mixed_5c")):
        scale = np.abs(golden[name]).max()
        np.testing.assert_allclose(ours[:, :16], golden[name], rtol=1e-3, atol=1e-5 * scale)
        np.testing.assert_allclose(np.linalg.norm(ours, axis=1), golden[f"{name}_norm"], rtol=1e-3)


def test_text_embedding(golden: dict[str, Any], network: S3D) -> None:
    numbers = WordNumbers(["the", "egg", "crack", "into", "bowl", "add", "salt", "pan"])
    with torch.inference_mode():
        made = network.text_module(numbers(["crack the egg", "Add salt, into the PAN! unknownword"])).numpy()
    np.testing.assert_allclose(made[:, :16], golden["text_embedding"], rtol=1e-3, atol=2e-5)
