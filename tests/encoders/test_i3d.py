"""I3D: against a written-out forward pass with made-up weights under the published names."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import films
from cookscribe.encoders.i3d import I3D, I3dEncoder
from cookscribe.encoders.pickled_arrays import read_pickled_arrays
from cookscribe.encoders.s3d import INCEPTION
from cookscribe.errors import BadFileError
from cookscribe.video import VideoFile
from harmful import Harmful

Tree = dict[str, dict[str, dict[str, np.ndarray]]]


def made_up() -> tuple[dict[str, Tree], dict[str, tuple[np.ndarray, ...]]]:
    """The file's nested dictionaries, and (kernel, shift, mean, variance) by layer for the reference."""
    random = np.random.default_rng(0)
    tree: dict[str, Tree] = {"params": {}, "batch_stats": {}}
    layers: dict[str, tuple[np.ndarray, ...]] = {}

    def add(name: str, inputs: int, outputs: int, kernel: int) -> None:
        weights = random.normal(0, (2 / (inputs * kernel**3)) ** 0.5, (kernel, kernel, kernel, inputs, outputs))
        shift, mean = random.normal(0, 0.2, (2, outputs))
        variance = random.uniform(0.5, 1.5, outputs)
        layers[name] = tuple(a.astype("f4") for a in (weights, shift, mean, variance))
        tree["params"][name] = {"Conv_0": {"kernel": layers[name][0]}, "BatchNorm_0": {"bias": layers[name][1]}}
        shape = (1, 1, 1, 1, outputs)
        tree["batch_stats"][name] = {
            "BatchNorm_0": {"mean": layers[name][2].reshape(shape), "var": layers[name][3].reshape(shape)}
        }

    add("Conv3d_1a_7x7", 3, 64, 7)
    add("Conv3d_2b_1x1", 64, 64, 1)
    add("Conv3d_2c_3x3", 64, 192, 3)
    inputs = 192
    for block, (one, reduced_1, first, reduced_2, second, last) in INCEPTION.items():
        name = block.capitalize()
        add(f"{name}/Branch_0/Conv3d_0a_1x1", inputs, one, 1)
        add(f"{name}/Branch_1/Conv3d_0a_1x1", inputs, reduced_1, 1)
        add(f"{name}/Branch_1/Conv3d_0b_3x3", reduced_1, first, 3)
        add(f"{name}/Branch_2/Conv3d_0a_1x1", inputs, reduced_2, 1)
        # The original calls this layer 0a in one block.
        letter = "a" if name == "Mixed_5b" else "b"
        add(f"{name}/Branch_2/Conv3d_0{letter}_3x3", reduced_2, second, 3)
        add(f"{name}/Branch_3/Conv3d_0b_1x1", inputs, last, 1)
        inputs = one + first + second + last
    logits = {
        "kernel": random.normal(0, 0.03, (1, 1, 1, 1024, 400)).astype("f4"),
        "bias": random.normal(size=400).astype("f4"),
    }
    tree["params"]["Logits/Conv3d_0c_1x1"] = {"Conv_0": logits}
    return tree, layers


def reference(layers: dict[str, tuple[np.ndarray, ...]], x: Tensor) -> Tensor:
    """The network with batch norms and TensorFlow's SAME padding, in the order of its description."""

    def same(x: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
        padding: list[int] = []
        for size, k, s in reversed(list(zip(x.shape[2:], kernel, stride, strict=True))):
            total = max((-(-size // s) - 1) * s + k - size, 0)
            padding += [total // 2, total - total // 2]
        return F.pad(x, padding)

    def unit(x: Tensor, name: str, step: int = 1) -> Tensor:
        kernel, shift, mean, variance = (torch.from_numpy(array) for array in layers[name])
        x = F.conv3d(same(x, tuple(kernel.shape[:3]), (step,) * 3), kernel.permute(4, 3, 0, 1, 2), stride=step)
        return F.relu(F.batch_norm(x, mean, variance, None, shift, eps=1e-3))

    def pool(x: Tensor, kernel: tuple[int, int, int], stride: tuple[int, int, int]) -> Tensor:
        return F.max_pool3d(same(x, kernel, stride), kernel, stride)

    x = pool(unit(x, "Conv3d_1a_7x7", 2), (1, 3, 3), (1, 2, 2))
    x = pool(unit(unit(x, "Conv3d_2b_1x1"), "Conv3d_2c_3x3"), (1, 3, 3), (1, 2, 2))
    for block in INCEPTION:
        name = block.capitalize()
        if name in {"Mixed_4b", "Mixed_5b"}:
            size = 3 if name == "Mixed_4b" else 2
            x = pool(x, (size, size, size), (2, 2, 2))
        letter = "a" if name == "Mixed_5b" else "b"
        branches = [
            unit(x, f"{name}/Branch_0/Conv3d_0a_1x1"),
            unit(unit(x, f"{name}/Branch_1/Conv3d_0a_1x1"), f"{name}/Branch_1/Conv3d_0b_3x3"),
            unit(unit(x, f"{name}/Branch_2/Conv3d_0a_1x1"), f"{name}/Branch_2/Conv3d_0{letter}_3x3"),
            unit(pool(x, (3, 3, 3), (1, 1, 1)), f"{name}/Branch_3/Conv3d_0b_1x1"),
        ]
        x = torch.cat(branches, dim=1)
    return x.mean(dim=(2, 3, 4))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[np.ndarray, ...]]]:
    tree, layers = made_up()
    path = tmp_path_factory.mktemp("i3d") / "i3d-kinetics-400.ckpt"
    path.write_bytes(pickle.dumps(tree))
    return path, layers


def test_the_network_equals_the_written_out_one(published: tuple[Path, dict[str, tuple[np.ndarray, ...]]]) -> None:
    path, layers = published
    network = I3D.from_published(read_pickled_arrays(path))
    video = torch.rand(1, 3, 16, 64, 64, generator=torch.Generator().manual_seed(0)) * 2 - 1
    with torch.inference_mode():
        expected = reference(layers, video)
        assert expected.std() > 0.01
        torch.testing.assert_close(network(video), expected, rtol=1e-3, atol=1e-4)
    assert network.classifier(expected).shape == (1, 400)


def test_a_film_becomes_a_track(
    published: tuple[Path, dict[str, tuple[np.ndarray, ...]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cookscribe.encoders.i3d.I3dEncoder.side", 64)
    track = I3dEncoder(published[0]).encode(VideoFile(films.plain(tmp_path / "f.mp4", 3.0)))
    assert (track.encoder, track.values.shape) == ("i3d", (3, 1024))
    np.testing.assert_allclose(track.times, [0.5, 1.5, 2.5], atol=0.01)


def test_files_that_are_not_the_network(tmp_path: Path) -> None:
    path = tmp_path / "i3d-kinetics-400.ckpt"
    path.write_bytes(pickle.dumps({"params": {"x": np.zeros(3)}}))
    with pytest.raises(BadFileError, match="I3D network"):
        I3dEncoder(path)
    path.write_bytes(pickle.dumps({"params": Harmful(tmp_path / "ran")}))
    with pytest.raises(BadFileError, match=r"posix\.mkdir"):
        I3dEncoder(path)
    path.write_bytes(b"not a pickle")
    with pytest.raises(BadFileError, match="not a pickle of arrays"):
        I3dEncoder(path)
