"""all-MiniLM-L6-v2: a small BERT (Wang et al., 2020) that turns a sentence into 384 numbers, in plain PyTorch.

The network is written out here because it is short, and importing a model library takes seconds.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError
from cookscribe.files import read_text
from cookscribe.text.printable import printable

WIDTH, LAYERS, HEADS, INNER = 384, 6, 12, 1536
WORDS, POSITIONS, KINDS, NORM_EPSILON = 30_522, 512, 2, 1e-12
MAX_TOKENS = 256
BATCH = 32


def word_pieces(vocabulary: Sequence[str]) -> Tokenizer:
    """BERT's uncased tokenizer: the numbers of the pieces of a text between start and end marks, at most 256 in all."""
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(lowercase=True), BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(*((mark, numbers[mark]) for mark in ("[SEP]", "[CLS]")))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


class Layer(nn.Module):
    """Self-attention and feed-forward, each followed by a residual layer norm."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.attended, self.attended_norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, T, 384), mask (B, 1, 1, T) True where there is a token."""
        b, t, _ = x.shape
        query, key, value = (
            part(x).view(b, t, HEADS, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = self.attended_norm(x + self.attended(attended.transpose(1, 2).reshape(b, t, WIDTH)))
        y: Tensor = self.norm(x + self.outer(F.gelu(self.inner(x))))
        return y


class MiniLM(nn.Module):
    """(B, T) token numbers and (B, T) mask -> (B, 384) unit vectors: the mean over tokens, normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.word, self.position = nn.Embedding(WORDS, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.kind = nn.Embedding(KINDS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        x = self.word(tokens) + self.position.weight[: tokens.shape[1]] + self.kind.weight[0]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        mean = (x * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return F.normalize(mean, dim=-1)


# Our names for the published ones, inside and outside the layers.
_OUTSIDE = {
    "embeddings.word_embeddings": "word",
    "embeddings.position_embeddings": "position",
    "embeddings.token_type_embeddings": "kind",
    "embeddings.LayerNorm": "norm",
}
_INSIDE = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "norm",
}


class SentenceVectors:
    """Sentences to unit vectors of 384 numbers; sentences of similar meaning point the same way.

    Args:
        weights: folder with `model.safetensors` and `vocab.txt`; None searches for it.
    """

    width = WIDTH

    def __init__(self, weights: Path | None = None) -> None:
        found = locate("minilm", weights)
        vocabulary = read_text(found.file("vocab.txt")).splitlines()
        published = read_parameters(found.file("model.safetensors"))
        with torch.device("meta"):
            self.network = MiniLM()
        try:
            self.pieces = word_pieces(vocabulary)
            state = {f"{ours}.{end}": published[f"{theirs}.{end}"] for theirs, ours, end in _names(published)}
            self.network.load_state_dict(state, assign=True)
        except (KeyError, RuntimeError) as error:
            raise BadFileError(found.folder, f"does not hold all-MiniLM-L6-v2: {error}") from None
        self.network.eval().requires_grad_(False)

    def __call__(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """(B, 384) float32. Sentences of like length are encoded together; the order is kept."""
        vectors = np.zeros((len(sentences), WIDTH), dtype=np.float32)
        tokens = [found.ids for found in self.pieces.encode_batch(list(map(printable, sentences)))]
        order = sorted(range(len(tokens)), key=lambda index: len(tokens[index]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            rows = nn.utils.rnn.pad_sequence([torch.tensor(tokens[i]) for i in chosen], batch_first=True)
            lengths = torch.tensor([len(tokens[i]) for i in chosen])
            mask = torch.arange(rows.shape[1])[None] < lengths[:, None]
            with torch.inference_mode():
                vectors[chosen] = self.network(rows, mask).numpy()
        return vectors


def _names(published: dict[str, Tensor]) -> list[tuple[str, str, str]]:
    """(published name, our name, "weight" or "bias") of every parameter we use."""
    pairs = list(_OUTSIDE.items())
    for number in range(LAYERS):
        pairs += [(f"encoder.layer.{number}.{theirs}", f"layers.{number}.{ours}") for theirs, ours in _INSIDE.items()]
    ends = ("weight", "bias")
    return [(theirs, ours, end) for theirs, ours in pairs for end in ends if f"{theirs}.{end}" in published]
