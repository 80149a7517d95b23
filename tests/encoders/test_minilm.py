"""Sentence vectors: the tokenizer against the published one, the network against sentence-transformers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from cookscribe.encoders.minilm import SentenceVectors
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError


@pytest.fixture(scope="module")
def vectors() -> SentenceVectors:
    return SentenceVectors()


def test_same_vectors_as_sentence_transformers(vectors: SentenceVectors) -> None:
    # The first numbers of what sentence-transformers 6.2.0 gives with the same weights.
    sentences = ["whisk the eggs with a pinch of salt", "Crème brûlée: 1/2 cup sugar, don't over-bake!"]
    expected = [
        [-0.050145, 0.046538, 0.063556, -0.006737, -0.016406, -0.043676],
        [0.045831, -0.034904, 0.013079, -0.004596, -0.06985, -0.087553],
    ]
    made = vectors(sentences)
    np.testing.assert_allclose(made[:, :6], expected, atol=2e-6)
    assert float(made[0] @ made[1]) == pytest.approx(0.266491, abs=2e-6)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1.0, atol=1e-5)


def test_batches_and_padding_change_nothing(vectors: SentenceVectors) -> None:
    sentences = ["stir", "add the chopped onions to the hot oil and fry them for five minutes", "", "serve " * 40] * 9
    together = vectors(sentences)
    for index in (0, 1, 2, 3):
        np.testing.assert_allclose(together[index], vectors([sentences[index]])[0], atol=1e-5)
        np.testing.assert_allclose(together[index], together[index + 32], atol=1e-5)
    assert vectors([]).shape == (0, 384)


def test_meaning(vectors: SentenceVectors) -> None:
    asked, near, far = vectors(["beat the eggs in a bowl", "whisk eggs", "park the car in the garage"])
    assert asked @ near > asked @ far + 0.3
    assert np.isfinite(vectors(["no text at all: \udcff"])).all()


def test_the_pieces_are_those_of_the_published_tokenizer(vectors: SentenceVectors) -> None:
    reference = Tokenizer.from_file(str(locate("minilm").folder / "tokenizer.json"))
    reference.no_padding()
    reference.enable_truncation(256)
    odd = "crème brûlée: 1/2 cup, don't! 北京 gnocchi \u200b A+B " + "x" * 120
    for text in ("", odd, "serve " * 400):
        assert vectors.pieces.encode(text).ids == reference.encode(text).ids


def test_wrong_weights(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"embeddings.word_embeddings.weight": torch.zeros(4, 4)}, tmp_path / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
    with pytest.raises(BadFileError, match="MiniLM"):
        SentenceVectors(tmp_path)
    (tmp_path / "model.safetensors").write_text(json.dumps({"not": "weights"}))
    with pytest.raises(BadFileError, match="not a file of weights"):
        SentenceVectors(tmp_path)
