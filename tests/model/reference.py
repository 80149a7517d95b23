"""The paper's equations once more, in plain numpy: one video, one step, one row, one head after another.

Nothing here is shared with the package except the names of the weights. Vectors are one-dimensional arrays. `W` is a
dictionary from parameter name to array; `at(W, prefix)` is the part of it below a prefix.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = dict[str, Array]

BOS, EOS = 1, 2


def at(W: Weights, prefix: str) -> Weights:
    return {name[len(prefix) + 1 :]: value for name, value in W.items() if name.startswith(prefix + ".")}


def linear(W: Weights, x: Array) -> Array:
    out = W["weight"] @ x
    return out + W["bias"] if "bias" in W else out


def layer_norm(W: Weights, x: Array) -> Array:
    centred = x - x.mean()
    return W["weight"] * centred / math.sqrt((centred**2).mean() + 1e-12) + W["bias"]


def gelu(x: Array) -> Array:
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x])


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max())
    return e / e.sum()


def perceptron(W: Weights, x: Array, normalise_input: bool = True) -> Array:
    if normalise_input:
        x = layer_norm(at(W, "0"), x)
    return layer_norm(at(W, "4"), np.maximum(linear(at(W, "2"), x), 0))


def position(k: int, width: int) -> Array:
    out = np.zeros(width)
    for i in range(0, width, 2):
        out[i] = math.sin(k / 10000 ** (i / width))
        out[i + 1] = math.cos(k / 10000 ** (i / width))
    return out


def attend(W: Weights, query: Array, rows: list[Array], heads: int) -> Array:
    """Multi-head attention of one vector over a list of vectors, without an output projection."""
    width = len(query)
    (Q, K, V), (b_q, b_k, b_v) = (W[f"projection.{name}"].reshape(3, width, -1) for name in ("weight", "bias"))
    q = Q @ query + b_q[:, 0]
    keys = [K @ row + b_k[:, 0] for row in rows]
    values = [V @ row + b_v[:, 0] for row in rows]
    size = width // heads
    out = np.zeros_like(q)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        weights = softmax(np.array([q[part] @ key[part] / math.sqrt(size) for key in keys]))
        out[part] = sum(w * value[part] for w, value in zip(weights, values, strict=True))
    return out


class Layer:
    """A MART layer: section 3.2 of its paper. `visible(i)` gives the rows that row i may look at."""

    def __init__(self, W: Weights, heads: int) -> None:
        self.W, self.heads = W, heads

    def rows(self, x: list[Array], visible: list[list[int]]) -> tuple[list[Array], list[Array]]:
        W = self.W
        attended, hidden = [], []
        for i, row in enumerate(x):
            seen = attend(at(W, "self_attention"), row, [x[j] for j in visible[i]], self.heads)
            a = layer_norm(at(W, "self_norm"), row + linear(at(W, "self_output"), seen))
            attended.append(a)
            hidden.append(gelu(linear(at(W, "intermediate"), a)))
        return attended, hidden

    def initial(self, mean: Array) -> list[Array]:
        W = self.W
        return [layer_norm(at(W, "start_norm"), linear(at(W, "start"), mean) + bias) for bias in W["start_bias"]]

    def read(
        self, attended: list[Array], hidden: list[Array], memory: list[Array], visible: list[list[int]]
    ) -> list[Array]:
        W = self.W
        out = []
        for i, a in enumerate(attended):
            rows = memory + [hidden[j] for j in visible[i]]
            seen = attend(at(W, "read_attention"), hidden[i], rows, self.heads)
            out.append(
                layer_norm(
                    at(W, "output_norm"),
                    a + linear(at(W, "read_output.outer"), linear(at(W, "read_output.inner"), seen)),
                )
            )
        return out

    def update(self, memory: list[Array], hidden: list[Array]) -> list[Array]:
        W = self.W
        width = len(memory[0])
        wm, ws, bias = W["update_memory.weight"], W["update_seen.weight"], W["update_seen.bias"]
        out = []
        for cell in memory:
            seen = attend(at(W, "update_attention"), cell, hidden, self.heads)
            candidate = np.tanh(wm[:width] @ cell + ws[:width] @ seen + bias[:width])
            gate = sigmoid(wm[width:] @ cell + ws[width:] @ seen + bias[width:])
            out.append((1 - gate) * candidate + gate * cell)
        return out


def relative(times: Array) -> Array:
    """(N, N, 3): start difference, end difference, log length ratio of every pair."""
    count = len(times)
    out = np.zeros((count, count, 3))
    for i in range(count):
        for j in range(count):
            length_i = max(times[i, 1] - times[i, 0], 1e-4)
            length_j = max(times[j, 1] - times[j, 0], 1e-4)
            out[i, j] = (times[i, 0] - times[j, 0], times[i, 1] - times[j, 1], math.log(length_j / length_i))
    return out


def relation(W: Weights, events: list[Array], times: Array, i: int) -> Array:
    """ECHR: event i looks at all events; where they lie decides how much."""
    length = [max(end - start, 1e-4) for start, end in times]
    centre = [(start + end) / 2 for start, end in times]
    query = linear(at(W, "query"), events[i])
    scores = []
    for j, event in enumerate(events):
        pair = (math.log(max(abs(centre[i] - centre[j]), 1e-4) / length[i]), math.log(length[j] / length[i]))
        row: list[float] = []
        for number in pair:
            angles = [100 * number / 1000 ** (k / 8) for k in range(8)]
            row += [math.sin(a) for a in angles] + [math.cos(a) for a in angles]
        gate = max(float(linear(at(W, "gate"), np.array(row))[0]), 1e-6)
        scores.append(query @ linear(at(W, "key"), event) / math.sqrt(len(query)) + math.log(gate))
    weights = softmax(np.array(scores))
    return sum(w * linear(at(W, "value"), event) for w, event in zip(weights, events, strict=True))


def embed_events(W: Weights, video: Any) -> list[Array]:
    """STOP, then the candidates. Parts that have no weights are switched off."""
    features, times, scores = video.features, video.times, video.scores
    if "texts.weight" in W:
        rows = []
        for feature, texts in zip(video.features, video.texts, strict=True):
            row = [feature]
            for words in texts:
                real = [W["texts.weight"][word] for word in words if word]
                row.append(sum(real) / len(real) if real else np.zeros(W["texts.weight"].shape[1]))
            rows.append(np.concatenate(row))
        features = np.array(rows)
    width = len(W["feature.2.bias"])
    stop = W["stop"] if "stop" in W else perceptron(at(W, "feature"), np.zeros(features.shape[1]))
    slots = [stop + position(0, width)]
    own = [perceptron(at(W, "feature"), feature) for feature in features]
    for i in range(len(features)):
        event = perceptron(at(W, "feature"), features[i])
        if "relative.gate.weight" in W:
            event = event + relation(at(W, "relative"), own, times, i)
        elif "relative.pair.weight" in W:
            pairs = [np.maximum(linear(at(W, "relative.pair"), pair), 0) for pair in relative(times)[i]]
            event = event + perceptron(at(W, "relative.event"), sum(pairs) / len(pairs))
        elif "relative.event.0.weight" in W:
            row = np.zeros(len(W["relative.event.0.weight"]))
            with_stop = np.concatenate([[[0.0, 0.0]], times])
            row[: 3 * len(with_stop)] = relative(with_stop)[i + 1].reshape(-1)
            event = event + perceptron(at(W, "relative.event"), row)
        if "absolute.2.weight" in W:
            event = event + perceptron(at(W, "absolute"), times[i], normalise_input=False)
        if "score.2.weight" in W:
            odds = math.log(scores[i] / (1 - scores[i]))
            event = event + perceptron(at(W, "score"), np.array([scores[i], odds]), normalise_input=False)
        slots.append(event + position(i + 1, width))
    return slots


def encode_ingredient(W: Weights, word_ids: list[int]) -> Array:
    mean = sum(W["table.weight"][i] for i in word_ids) / len(word_ids)
    vector = perceptron(at(W, "perceptron"), mean)
    if "deeper.0.2.weight" in W:
        vector = perceptron(at(W, "deeper.0"), vector, normalise_input=False)
    return vector


def event_probabilities(hidden: list[Array], memories: list[list[Array]], scale: float) -> Array:
    """Equations 1 and 2: V_t by element-wise maximum, then the softmax of the inner products."""
    pooled = np.max([cell for memory in memories for cell in memory], axis=0)
    return softmax(np.array([h @ pooled / scale for h in hidden]))


def mix(W: Weights, v: Array, s: Array, kind: str) -> tuple[Array, Array]:
    f1, f2, g1, g2 = (at(W, name) for name in ("f1", "f2", "g1", "g2"))
    if kind == "paper":
        return (linear(f1, v) * sigmoid(linear(g2, linear(g1, s))), linear(g1, s) * sigmoid(linear(f2, linear(f1, v))))
    a, b = gelu(linear(f1, v)), gelu(linear(g1, s))
    return a * gelu(linear(g2, b)), b * gelu(linear(f2, a))


def simulate(W: Weights, hidden: list[Array], G: list[Array], residual: bool) -> dict[str, Array]:
    """Section 5.1. `hidden` has STOP in front; actions and ingredients look at the candidates only."""
    H, A = hidden[1:], list(W["actions"])
    root = math.sqrt(len(hidden[0]))

    def look(queries: list[Array], q: str, keys: list[Array], k: str, v: str) -> tuple[Array, Array]:
        weights, out = [], []
        for query in queries:
            row = linear(at(W, q), query)
            if not keys:
                weights.append(np.zeros(0))
                out.append(np.zeros(len(row)))
                continue
            weight = softmax(np.array([row @ linear(at(W, k), key) / root for key in keys]))
            weights.append(weight)
            out.append(sum(w * linear(at(W, v), key) for w, key in zip(weight, keys, strict=True)))
        return np.array(weights), np.array(out)

    A_hat, A_dot = look(A, "action_query", H, "event_key", "event_value")
    G_hat, G_dot = look(G, "ingredient_query", H, "event_key", "event_value")
    _, H_a = look(hidden, "event_query", A, "action_key", "action_value")
    _, H_g = look(hidden, "event_query", G, "ingredient_key", "ingredient_value")
    strongest = A_dot.max(axis=0)
    G_new = np.array([g + dot * strongest for g, dot in zip(G, G_dot, strict=True)]).reshape(len(G), len(strongest))
    return {
        "A_hat": A_hat,
        "G_hat": G_hat,
        "A_dot": A_dot + W["actions"] if residual else A_dot,
        "G": G_new,
        "H": np.array(hidden) + H_a + H_g,
    }


def textual_attention(words: list[Array], G: Array, A_dot: Array) -> tuple[Array, Array, Array]:
    """Section 5.2: Z_m, Z_a and Û."""
    root = math.sqrt(len(words[0]))
    Z_m, Z_a, U = [], [], []
    for w in words:
        z_m = softmax(np.array([w @ g / root for g in G])) if len(G) else np.zeros(0)
        z_a = softmax(np.array([w @ a / root for a in A_dot]))
        u_m = sum((z * g for z, g in zip(z_m, G, strict=True)), np.zeros(len(w)))
        u_a = sum(z * a for z, a in zip(z_a, A_dot, strict=True))
        Z_m.append(z_m)
        Z_a.append(z_a)
        U.append(np.concatenate([w, u_m, u_a]))
    return np.array(Z_m), np.array(Z_a), np.array(U)


def smoothed_nll(probabilities: Array, label: int, smoothing: float) -> float:
    total = -(1 - smoothing) * math.log(probabilities[label])
    for i, p in enumerate(probabilities):
        if i != label:
            total -= smoothing / (len(probabilities) - 1) * math.log(p)
    return total
