"""The paper's BIVT from its text alone: sections 4 and 5 in plain Python, one number after another, no arrays.

Written beside `reference.py`, not with it: nothing is shared, not even numpy. Vectors are lists of floats. Where the
paper is silent, the released program is followed: MART's layers, the STOP slot, the relative and absolute encodings,
the dense layer before the word output, EOS as the last row of a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, erf, exp, log, sin, sqrt, tanh
from typing import Any

Vector = list[float]
Matrix = list[Vector]


def dot(a: Vector, b: Vector) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def plus(*vectors: Vector) -> Vector:
    return [sum(numbers) for numbers in zip(*vectors, strict=True)]


def times(a: Vector, b: Vector) -> Vector:
    return [x * y for x, y in zip(a, b, strict=True)]


def sigma(v: Vector) -> Vector:
    return [1 / (1 + exp(-x)) for x in v]


def gelu(v: Vector) -> Vector:
    return [x * (1 + erf(x / sqrt(2))) / 2 for x in v]


def softmax(v: Vector) -> Vector:
    top = max(v)
    e = [exp(x - top) for x in v]
    return [x / sum(e) for x in e]


def largest(vectors: list[Vector]) -> Vector:
    """Element-wise maximum."""
    return [max(numbers) for numbers in zip(*vectors, strict=True)]


def mixture(weights: Vector, vectors: list[Vector]) -> Vector:
    out = [0.0] * len(vectors[0])
    for w, v in zip(weights, vectors, strict=True):
        out = plus(out, [w * x for x in v])
    return out


class Weights:
    """Learned numbers by name, below a prefix."""

    def __init__(self, numbers: dict[str, Any], prefix: str = "") -> None:
        self.numbers, self.prefix = numbers, prefix

    def below(self, name: str) -> Weights:
        return Weights(self.numbers, f"{self.prefix}{name}.")

    def get(self, name: str) -> Any:
        return self.numbers[self.prefix + name]

    def linear(self, name: str, x: Vector) -> Vector:
        matrix: Matrix = self.get(f"{name}.weight")
        bias: Vector = self.numbers.get(f"{self.prefix}{name}.bias", [0.0] * len(matrix))
        return [dot(row, x) + b for row, b in zip(matrix, bias, strict=True)]

    def norm(self, name: str, x: Vector) -> Vector:
        mean = sum(x) / len(x)
        spread = sqrt(sum((v - mean) ** 2 for v in x) / len(x) + 1e-12)
        scaled = [(v - mean) / spread for v in x]
        return plus(times(self.get(f"{name}.weight"), scaled), self.get(f"{name}.bias"))

    def perceptron(self, name: str, x: Vector, first_norm: bool = True) -> Vector:
        inner = self.below(name)
        x = inner.norm("0", x) if first_norm else x
        return inner.norm("4", [max(v, 0.0) for v in inner.linear("2", x)])

    def attention(self, name: str, x: Vector, rows: list[Vector], heads: int) -> Vector:
        """Multi-head, without an output matrix."""
        d = len(x)
        project = lambda row: self.linear(f"{name}.projection", row)  # noqa: E731
        q = project(x)[:d]
        keys = [project(row)[d : 2 * d] for row in rows]
        values = [project(row)[2 * d :] for row in rows]
        size, out = d // heads, []
        for h in range(heads):
            part = slice(h * size, (h + 1) * size)
            p = softmax([dot(q[part], key[part]) / sqrt(size) for key in keys])
            out += mixture(p, [value[part] for value in values])
        return out


def position(k: int, d: int) -> Vector:
    out: Vector = []
    for i in range(d // 2):
        angle = k / 10000 ** (2 * i / d)
        out += [sin(angle), cos(angle)]
    return out


def mart(
    W: Weights, x: list[Vector], seen: list[list[int]], memory: Vector | None, start: Vector | None, heads: int
) -> tuple[list[Vector], Vector]:
    """One layer with one memory cell: its output rows and the updated memory.

    `seen[i]`: rows that row i looks at. Without a memory it starts from `start`, or from the mean of the rows.
    """
    A, H = [], []
    for row, who in zip(x, seen, strict=True):
        told = W.linear("self_output", W.attention("self_attention", row, [x[j] for j in who], heads))
        A.append(W.norm("self_norm", plus(row, told)))
        H.append(gelu(W.linear("intermediate", A[-1])))
    if memory is None:
        begin = start if start is not None else [sum(numbers) / len(H) for numbers in zip(*H, strict=True)]
        memory = W.norm("start_norm", plus(W.linear("start", begin), W.get("start_bias")[0]))
    out = []
    for i, who in enumerate(seen):
        told = W.attention("read_attention", H[i], [memory, *(H[j] for j in who)], heads)
        told = W.linear("read_output.outer", W.linear("read_output.inner", told))
        out.append(W.norm("output_norm", plus(A[i], told)))
    S = W.attention("update_attention", memory, H, heads)
    both = plus(W.linear("update_memory", memory), W.linear("update_seen", S))
    d = len(memory)
    C, Z = [tanh(v) for v in both[:d]], sigma(both[d:])
    return out, [(1 - z) * c + z * m for z, c, m in zip(Z, C, memory, strict=True)]


@dataclass
class Film:
    """What is known of one video, and what the losses are about; `chosen` are the sampled events ĉ_t."""

    features: list[Vector]
    times: list[tuple[float, float]]
    ingredients: list[list[int]]
    oracle: list[int]
    chosen: list[int]
    sentences: list[list[int]]
    ingredients_named: list[list[int]]
    actions_named: list[list[int]]
    ingredient_words: list[list[tuple[int, int]]]
    action_words: list[list[tuple[int, int]]]


@dataclass
class Told:
    events: list[Vector] = field(default_factory=list)
    losses: dict[str, float] = field(default_factory=dict)


def event_vectors(W: Weights, film: Film, room: int) -> list[Vector]:
    """Section 4.1: e_n with position, relative and absolute encoding; STOP in front."""
    d = len(W.get("feature.2.bias"))
    stop = W.perceptron("feature", [0.0] * len(film.features[0]))
    slots = [plus(stop, position(0, d))]
    everyone = [(0.0, 0.0), *film.times]
    for n, (feature, (s, e)) in enumerate(zip(film.features, film.times, strict=True)):
        relative: Vector = []
        for other_s, other_e in everyone:
            ratio = max(other_e - other_s, 1e-4) / max(e - s, 1e-4)
            relative += [s - other_s, e - other_e, log(ratio)]
        relative += [0.0] * (3 * (room + 1) - len(relative))
        vector = plus(
            W.perceptron("feature", feature),
            W.perceptron("relative.event", relative),
            W.perceptron("absolute", [s, e], first_norm=False),
        )
        slots.append(plus(vector, position(n + 1, d)))
    return slots


def ingredient_vectors(W: Weights, film: Film) -> list[Vector]:
    """Section 5: the mean of the word vectors of a name, then an MLP with ReLU."""
    out = []
    for name in film.ingredients:
        rows = [W.get("table.weight")[word] for word in name]
        mean = [sum(numbers) / len(rows) for numbers in zip(*rows, strict=True)]
        out.append(W.perceptron("deeper.0", W.perceptron("perceptron", mean), first_norm=False))
    return out


def bivt(numbers: dict[str, Any], film: Film, heads: int, layers: int, room: int) -> Told:
    """All event probabilities and the six losses of one video."""
    W = Weights(numbers)
    e = event_vectors(W.below("selector.embedding"), film, room)
    for_events = ingredient_vectors(W.below("selector_ingredients"), film)
    for_words = ingredient_vectors(W.below("generator_ingredients"), film)
    d, root = len(e[0]), sqrt(len(e[0]))
    actions: list[Vector] = numbers["simulator.actions"]
    sim, out = W.below("simulator"), W.below("output")
    V: list[Vector | None] = [None] * layers
    S: list[Vector | None] = [None] * layers
    G = for_events
    told = Told(losses=dict.fromkeys(("L_e", "L_s", "L_is", "L_as", "L_ia", "L_aa"), 0.0))
    for t in range(len(film.oracle) + 1):
        # Event transformer over candidates and ingredients.
        x = e + for_events
        V_new = []
        for n in range(layers):
            x, updated = mart(W.below(f"selector.layers.{n}"), x, [list(range(len(x)))] * len(x), V[n], None, heads)
            V_new.append(updated)
        h = x[: len(e)]
        # Dot-product visual simulator; STOP is no event of the video.
        keys, values = ([sim.linear(name, row) for row in h[1:]] for name in ("event_key", "event_value"))
        A_hat = [softmax([dot(sim.linear("action_query", a), key) / root for key in keys]) for a in actions]
        A_dot = [mixture(row, values) for row in A_hat]
        G_hat = [softmax([dot(sim.linear("ingredient_query", g), key) / root for key in keys]) for g in G]
        G_dot = [mixture(row, values) for row in G_hat]
        H_dot = []
        for row in h:
            q = sim.linear("event_query", row)
            by_action = softmax([dot(q, sim.linear("action_key", a)) / root for a in actions])
            by_food = softmax([dot(q, sim.linear("ingredient_key", g)) / root for g in G])
            of_action = mixture(by_action, [sim.linear("action_value", a) for a in actions])
            of_food = mixture(by_food, [sim.linear("ingredient_value", g) for g in G])
            H_dot.append(plus(row, of_action, of_food))
        change = largest(A_dot)
        G = [plus(g, times(moved, change)) for g, moved in zip(G, G_dot, strict=True)]
        # Equations 1 and 2.
        V_t = largest(V_new)
        p = softmax([dot(row, V_t) for row in H_dot])
        told.events.append(p)
        if t == len(film.oracle):
            told.losses["L_e"] -= log(p[0])
            break
        label = film.oracle[t]
        told.losses["L_e"] -= log(p[label])
        for m in film.ingredients_named[t]:
            told.losses["L_is"] -= log(G_hat[m][label - 1])
        for r in film.actions_named[t]:
            told.losses["L_as"] -= log(A_hat[r][label - 1])
        # Sentence transformer: ingredients, then the words with the sampled event added.
        event = h[film.chosen[t]]
        sentence = film.sentences[t]
        words = W.below("generator.embedding")
        x = list(for_words)
        for k, word in enumerate(sentence):
            vector = words.perceptron("perceptron", words.get("table.weight")[word])
            x.append(plus(vector, position(k, d), event))
        M = len(for_words)
        seen = [list(range(M))] * M + [list(range(M + k + 1)) for k in range(len(sentence))]
        S_new = []
        for n in range(layers):
            x, updated = mart(W.below(f"generator.layers.{n}"), x, seen, S[n], event, heads)
            S_new.append(updated)
        for k in range(len(sentence) - 1):
            w = x[M + k]
            Z_m = softmax([dot(w, g) / root for g in G])
            Z_a = softmax([dot(w, a) / root for a in A_dot])
            U = [*w, *mixture(Z_m, G), *mixture(Z_a, A_dot)]
            scores = out.linear("linear", out.norm("norm", gelu(out.linear("transform", U))))
            told.losses["L_s"] -= log(softmax(scores)[sentence[k + 1]])
            told.losses["L_ia"] -= sum(log(Z_m[m]) for place, m in film.ingredient_words[t] if place == k)
            told.losses["L_aa"] -= sum(log(Z_a[r]) for place, r in film.action_words[t] if place == k)
        # Memory mixing.
        mix = W.below("mixing")
        for n in range(layers):
            f, g = mix.linear("f1", V_new[n]), mix.linear("g1", S_new[n])
            V[n], S[n] = times(f, sigma(mix.linear("g2", g))), times(g, sigma(mix.linear("f2", f)))
    return told
