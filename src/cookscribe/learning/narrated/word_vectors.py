"""Learning a `WordSpace`: which words are read, and vectors for them, from the training texts alone.

Vectors come from a singular value decomposition of how often words stand near each other (positive pointwise mutual
information) in transcripts and sentences. Talk that says nothing of cooking ("going", "really") is told by counting: it
is heard all the time and hardly ever written. Such words are not read at all.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError, MissingDependencyError
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import PADDING, UNKNOWN, WIDTH, WordSpace, plain
from cookscribe.text.tokens import ptb_tokens

try:
    from scipy import sparse
    from scipy.sparse.linalg import svds
except ImportError:
    raise MissingDependencyError(
        "scipy", "learning word vectors needs it, and it is not installed", "pip install 'cookscribe[train]'"
    ) from None

REACH = 4  # words that far apart stand near each other
RAREST = 3  # a word must be heard in this many videos to be read
# A word is talk if it is heard this often and written less than this many times per time it is heard.
TALK_HEARD, TALK_WRITTEN = 150, 0.03
# Words that only hold a sentence together; a captioner puts them in by itself.
_GRAMMAR = """
a an the and or but so of to in on at by for from with as is are was were be been it its it's this that these those i
i'm you your you're we we're our they them their he she his her him my me us if then than there here what which who do
does did not no yes all some any out up off 's 're 've 'll 'm will can could would should have has had
"""
GRAMMAR = frozenset(_GRAMMAR.split())


def fit_word_space(
    transcripts: Sequence[Transcript], sentences: Sequence[Sequence[str]], names: Iterable[str] = ()
) -> WordSpace:
    """Learn from transcripts, from the sentences of videos, and from ingredient names, whose words are all read."""
    if not transcripts or not any(sentences):
        raise BadValueError("word space", "needs transcripts and sentences to learn from")
    heard = [[token for word in transcript.words for token in plain(word)] for transcript in transcripts]
    written = [[token for line in lines for token in ptb_tokens(line)] for lines in sentences]
    names = {token for name in names for token in ptb_tokens(name)}
    said = Counter(token for tokens in heard for token in tokens)
    wrote = Counter(token for tokens in written for token in tokens)
    spread = Counter(token for tokens in heard for token in set(tokens))
    rarest = min(RAREST, len(heard))
    kept = {word for word, videos in spread.items() if videos >= rarest and len(word) > 1} | set(wrote) | names
    talk = {word for word in kept if said[word] >= TALK_HEARD and wrote[word] < TALK_WRITTEN * said[word]}
    words = (PADDING, UNKNOWN, *sorted(kept - (talk - names) - GRAMMAR))
    number = {word: n for n, word in enumerate(words)}
    texts = [[number[token] for token in tokens if token in number] for tokens in (*heard, *written)]
    weights = np.array([np.log(len(heard) / (1 + spread[word])) for word in words], dtype=np.float32)
    return WordSpace(words, _vectors(texts, len(words)), np.clip(weights, 0.1, 8.0))


def _vectors(texts: Sequence[Sequence[int]], count: int) -> NDArray[np.float32]:
    """(count, WIDTH) from which words stand near each other in the texts."""
    pairs = sparse.csr_matrix((count, count))
    for gap in range(1, REACH + 1):
        left = np.concatenate([np.asarray(text[:-gap], dtype=np.int64) for text in texts])
        right = np.concatenate([np.asarray(text[gap:], dtype=np.int64) for text in texts])
        pairs = pairs + sparse.csr_matrix((np.full(len(left), 1.0 / gap), (left, right)), shape=(count, count))
    pairs = (pairs + pairs.T).tocoo()
    totals = np.asarray(pairs.sum(axis=1)).ravel()
    # Contexts are flattened (power 3/4), or rare pairs of rare words would lead.
    contexts = totals**0.75
    information = np.log(pairs.data * contexts.sum() / (totals[pairs.row] * contexts[pairs.col]))
    positive = sparse.csr_matrix((np.maximum(information, 0.0), (pairs.row, pairs.col)), shape=(count, count))
    width = min(WIDTH, count - 1)
    left, values, _ = svds(positive, k=width, v0=np.ones(count), return_singular_vectors="u")
    order = np.argsort(-values)
    table = np.zeros((count, WIDTH))
    # Directions without any strength are noise of the computation.
    strength = np.where(values > 1e-9 * values.max(), np.sqrt(np.maximum(values, 0.0)), 0.0)
    table[:, :width] = (left * strength)[:, order]
    # The sign of a singular vector is arbitrary; a rule makes it the same everywhere.
    table *= np.sign(table[np.abs(table).argmax(axis=0), np.arange(WIDTH)] + 1e-12)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(table / np.maximum(lengths, 1e-6) * (lengths > 1e-6), dtype=np.float32)
