"""EfficientNet-Lite0: against an independent forward pass, on real photographs, and over a film."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

import films
from cookscribe.encoders import load_encoder
from cookscribe.encoders.effnet import EffNetEncoder
from cookscribe.encoders.effnet_network import STAGES, EfficientNetLite0
from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.video import VideoFile


@pytest.fixture(scope="module")
def encoder() -> EffNetEncoder:
    loaded = load_encoder("effnet")
    assert isinstance(loaded, EffNetEncoder)
    return loaded


def made_up_weights() -> dict[str, Tensor]:
    """Random parameters under the published names, with batch norms that do something."""
    random = torch.Generator().manual_seed(3)
    weights: dict[str, Tensor] = {}

    def convolution(name: str, outputs: int, inputs: int, kernel: int) -> None:
        scale = (2.0 / (inputs * kernel * kernel)) ** 0.5
        weights[f"{name}.weight"] = torch.randn(outputs, inputs, kernel, kernel, generator=random) * scale

    def norm(name: str, size: int) -> None:
        weights[f"{name}.weight"] = 1 + 0.2 * torch.randn(size, generator=random)
        weights[f"{name}.bias"] = 0.2 * torch.randn(size, generator=random)
        weights[f"{name}.running_mean"] = 0.2 * torch.randn(size, generator=random)
        weights[f"{name}.running_var"] = 0.5 + torch.rand(size, generator=random)

    convolution("_conv_stem", 32, 3, 3)
    norm("_bn0", 32)
    inputs, number = 32, 0
    for kernel, _, outputs, expansion, repeats in STAGES:
        for _ in range(repeats):
            prefix, middle = f"_blocks.{number}.", inputs * expansion
            if expansion > 1:
                convolution(f"{prefix}_expand_conv", middle, inputs, 1)
                norm(f"{prefix}_bn0", middle)
            convolution(f"{prefix}_depthwise_conv", middle, 1, kernel)
            norm(f"{prefix}_bn1", middle)
            convolution(f"{prefix}_project_conv", outputs, middle, 1)
            norm(f"{prefix}_bn2", outputs)
            inputs, number = outputs, number + 1
    convolution("_conv_head", 1280, inputs, 1)
    norm("_bn1", 1280)
    weights["_fc.weight"] = torch.randn(1000, 1280, generator=random) * 0.03
    weights["_fc.bias"] = torch.zeros(1000)
    return weights


def reference(weights: dict[str, Tensor], x: Tensor) -> Tensor:
    """The network written out with batch norms and TensorFlow's padding, straight from its description."""

    def layer(x: Tensor, conv: str, norm: str, stride: int = 1, groups: int = 1) -> Tensor:
        weight = weights[f"{conv}.weight"]
        kernel = weight.shape[-1]
        total = max((-(-x.shape[-1] // stride) - 1) * stride + kernel - x.shape[-1], 0)
        x = F.pad(x, (total // 2, total - total // 2, total // 2, total - total // 2))
        x = F.conv2d(x, weight, stride=stride, groups=groups)
        names = ("running_mean", "running_var", "weight", "bias")
        return F.batch_norm(x, *(weights[f"{norm}.{name}"] for name in names), eps=1e-3)

    x = F.relu6(layer(x, "_conv_stem", "_bn0", 2))
    number = 0
    for _, first_stride, _, expansion, repeats in STAGES:
        for repeat in range(repeats):
            prefix, stride, y = f"_blocks.{number}.", first_stride if repeat == 0 else 1, x
            if expansion > 1:
                y = F.relu6(layer(y, f"{prefix}_expand_conv", f"{prefix}_bn0"))
            y = F.relu6(layer(y, f"{prefix}_depthwise_conv", f"{prefix}_bn1", stride, y.shape[1]))
            y = layer(y, f"{prefix}_project_conv", f"{prefix}_bn2")
            x = x + y if stride == 1 and x.shape == y.shape else y
            number += 1
    return F.relu6(layer(x, "_conv_head", "_bn1")).mean(dim=(2, 3))


def test_the_folded_network_equals_the_written_out_one() -> None:
    weights = made_up_weights()
    network = EfficientNetLite0.from_published(weights)
    pixels = torch.randn(2, 3, 96, 96, generator=torch.Generator().manual_seed(5))
    with torch.inference_mode():
        expected = reference(weights, pixels)
        assert expected.std() > 0.01
        torch.testing.assert_close(network(pixels), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("photograph", "number", "name"), [("china.jpg", 698, "palace"), ("flower.jpg", 985, "daisy")])
def test_photographs_are_named_right(encoder: EffNetEncoder, photograph: str, number: int, name: str) -> None:
    spec = importlib.util.find_spec("sklearn")  # carries the two photographs
    image = Image.open(Path(spec.origin).parent / "datasets" / "images" / photograph).convert("RGB")
    width, height = image.size
    image = image.resize(
        (width * 256 // min(width, height), height * 256 // min(width, height)), Image.Resampling.BICUBIC
    )
    left, top = (image.width - 224) // 2, (image.height - 224) // 2
    pixels = np.array(image.crop((left, top, left + 224, top + 224)))
    logits = encoder.network.classifier(torch.from_numpy(encoder.features(pixels[None])))[0]
    assert int(logits.argmax()) == number, name
    assert logits.softmax(0)[number] > 0.25


def test_a_film_becomes_a_track(encoder: EffNetEncoder, tmp_path: Path) -> None:
    seconds: list[float] = []
    track = encoder.encode(VideoFile(films.with_cuts(tmp_path / "cuts.mp4")), seconds.append)
    assert (track.encoder, track.width, track.values.dtype) == ("effnet", 1280, np.float32)
    np.testing.assert_allclose(track.times, np.arange(30) / 2 + 0.25)
    assert track.duration == pytest.approx(15.0, abs=0.2)
    assert seconds == sorted(seconds)
    assert seconds[-1] == track.times[-1]
    # Three colours, three kinds of rows.
    means = track.over(np.array([[0, 5], [5, 10], [10, 15]]))
    inside = max(np.abs(track.values[i * 10 : i * 10 + 10] - means[i]).mean() for i in range(3))
    between = min(np.abs(means[i] - means[j]).mean() for i, j in ((0, 1), (0, 2), (1, 2)))
    assert between > 5 * inside


def test_stills_are_encoded_once(encoder: EffNetEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    features = encoder.features
    monkeypatch.setattr(encoder, "features", lambda images: encoded.append(len(images)) or features(images))
    track = encoder.encode(VideoFile(films.stills(tmp_path / "s.mp4", 30.0, each=5.0, sound=False)))
    assert len(track.times) == 60
    assert sum(encoded) <= 7
    rows = track.values.reshape(6, 10, -1)
    assert (rows[:5] == rows[:5, :1]).all()
    assert np.abs(rows[0, 0] - rows[1, 0]).mean() > 0.01


def test_weights_that_are_not_there_or_not_the_network(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="effnet weights"):
        EffNetEncoder(tmp_path / "none.pth")
    wrong = tmp_path / "efficientnet-lite0-57934424.pth"
    torch.save({"weight": torch.zeros(3)}, wrong)
    with pytest.raises(BadFileError, match="EfficientNet-Lite0"):
        EffNetEncoder(wrong)
    wrong.write_bytes(b"nothing of the kind")
    with pytest.raises(BadFileError, match="not a file of weights"):
        EffNetEncoder(tmp_path)
