"""Image towers of the hub's layout against the library that published it, with small made-up weights."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.encoders.image_towers import COLOURS, TowerEncoder
from cookscribe.errors import BadFileError, BadValueError

transformers = pytest.importorskip("transformers")

SIZES = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "image_size": 32,
    "patch_size": 8,
}


def published(kind: str, folder: Path) -> torch.nn.Module:
    """A small random tower, saved as the hub has it."""
    torch.manual_seed(1)
    if kind == "clip":
        config = transformers.CLIPVisionConfig(**SIZES, projection_dim=10)
        model = transformers.CLIPVisionModelWithProjection(config)
    else:
        text = {name: SIZES[name] for name in list(SIZES)[:4]} | {"vocab_size": 9, "max_position_embeddings": 4}
        model = transformers.SiglipModel(transformers.SiglipConfig(text_config=text, vision_config=SIZES))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    return model.eval()


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_rows_are_those_of_the_published_library(kind: str, tmp_path: Path) -> None:
    model = published(kind, tmp_path)
    encoder = TowerEncoder(kind, tmp_path)
    images = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3)).astype(np.uint8)
    mean, deviation = COLOURS[kind]
    pixels = torch.from_numpy(((images / 255 - mean) / deviation).astype(np.float32)).permute(0, 3, 1, 2)
    with torch.no_grad():
        theirs = model(pixels).image_embeds if kind == "clip" else model.vision_model(pixels).pooler_output
    np.testing.assert_allclose(encoder.features(images), theirs.numpy(), rtol=1e-3, atol=1e-4)


def test_weights_that_do_not_fit_their_description_are_refused(tmp_path: Path) -> None:
    published("clip", tmp_path)
    with pytest.raises(BadFileError, match="does not hold the image tower"):
        TowerEncoder("siglip", tmp_path)
    description = tmp_path / "config.json"
    text = description.read_text()
    description.write_text(text.replace('"num_attention_heads": 3', '"num_attention_heads": 5'))
    with pytest.raises(BadFileError, match="do not fit each other"):
        TowerEncoder("clip", tmp_path)
    description.write_text(text.replace('"image_size": 32', '"image_size": "wide"'))
    with pytest.raises(BadValueError, match="image_size"):
        TowerEncoder("clip", tmp_path)
    description.write_text(text.replace('"image_size": 32', '"image_size": 64'))
    with pytest.raises(BadFileError, match="does not hold the image tower"):
        TowerEncoder("clip", tmp_path)
