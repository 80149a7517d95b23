"""Sentence vectors: the tokenizer against the tokenizers library, the network against sentence-transformers."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from cookscribe.encoders.minilm import SentenceVectors, WordPieces
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError

FOLDER = locate("minilm", online=False).folder


@pytest.fixture(scope="module")
def vectors() -> SentenceVectors:
    return SentenceVectors()


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces((FOLDER / "vocab.txt").read_text(encoding="utf-8").splitlines())


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


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60),
        st.text(st.characters(max_codepoint=0x24F), max_size=80),
        st.lists(
            st.sampled_from(["crème", "brûlée", "1/2", "don't", "北京", "gnocchi", "\u200b", "A+B", "x" * 120])
        ).map(" ".join),
    )
)
def test_same_pieces_as_the_tokenizers_library(pieces: WordPieces, text: str) -> None:
    reference = _reference()
    # Its tables are of an older Unicode; characters younger than that are left to each.
    text = "".join(character for character in text if ord(character) < 0x800 or 0x4E00 <= ord(character) < 0x9FFF)
    assert pieces(text) == reference.encode(text).ids


@cache
def _reference() -> Tokenizer:
    loaded = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    loaded.no_padding()
    loaded.enable_truncation(256)
    return loaded


def test_wrong_weights(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"embeddings.word_embeddings.weight": torch.zeros(4, 4)}, tmp_path / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
    with pytest.raises(BadFileError, match="MiniLM"):
        SentenceVectors(tmp_path)
    (tmp_path / "model.safetensors").write_text(json.dumps({"not": "weights"}))
    with pytest.raises(BadFileError, match="not a file of weights"):
        SentenceVectors(tmp_path)
