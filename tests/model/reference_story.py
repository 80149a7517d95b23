"""The whole of sections 4 and 5 for one video, step after step, on the equations of `reference.py`."""

import math
from dataclasses import dataclass, field

import numpy as np

from tests.model import reference as ref
from tests.model.reference import EOS, Array, Layer, Weights, at


@dataclass
class Video:
    """One video without padding. `events` are slots (0 would be STOP), `words` ids with BOS and EOS.

    `chosen` are the sampled events whose sentences are taught; without them the oracle's are.
    """

    features: Array
    times: Array
    scores: Array
    texts: Array
    ingredients: list[list[int]]
    events: list[int]
    words: list[list[int]]
    ingredient_used: list[list[int]] = field(default_factory=list)
    action_used: list[list[int]] = field(default_factory=list)
    word_ingredient: list[list[tuple[int, int]]] = field(default_factory=list)
    word_action: list[list[tuple[int, int]]] = field(default_factory=list)
    chosen: list[int] = field(default_factory=list)


@dataclass
class Expected:
    """Everything the equations give for one video."""

    event_probabilities: list[Array] = field(default_factory=list)
    word_probabilities: list[Array] = field(default_factory=list)
    losses: dict[str, float] = field(default_factory=dict)


def tell(W: Weights, config: object, video: Video, smoothing: float) -> Expected:
    """Run the training pass of one video with the oracle event, or the sampled one, as the teacher."""
    get = lambda name: getattr(config, name)  # noqa: E731
    chosen = video.chosen or video.events
    heads, depth, width = get("heads"), get("layers"), get("width")
    told = Expected(losses=dict.fromkeys(("event", "sentence"), 0.0))
    for name in ("ingredient_selection", "action_selection", "ingredient_attention", "action_attention"):
        told.losses[name] = 0.0

    selector = [Layer(at(W, f"selector.layers.{n}"), heads) for n in range(depth)]
    generator = [Layer(at(W, f"generator.layers.{n}"), heads) for n in range(depth)]
    slots = ref.embed_events(at(W, "selector.embedding"), video)
    for_events: list[Array] = []
    for_words: list[Array] = []
    if get("ingredients"):
        for_events = [ref.encode_ingredient(at(W, "selector_ingredients"), ids) for ids in video.ingredients]
        for_words = [ref.encode_ingredient(at(W, "generator_ingredients"), ids) for ids in video.ingredients]
    G = for_events
    scale = math.sqrt(width) if get("logits_scale") == "sqrt" else 1.0
    V: list[list[Array]] = []
    S: list[list[Array]] = []

    for t in range(len(video.events) + 1):
        # event transformer over events and ingredients
        x = slots + for_events
        everything = [list(range(len(x)))] * len(x)
        V_new = []
        for n, layer in enumerate(selector):
            attended, hidden = layer.rows(x, everything)
            before = V[n] if V else layer.initial(sum(hidden) / len(hidden))
            x = layer.read(attended, hidden, before, everything)
            V_new.append(layer.update(before, hidden))
        h = x[: len(slots)]
        decisive, simulation = h, None
        if get("simulator"):
            simulation = ref.simulate(at(W, "simulator"), h, G, get("action_states") == "residual")
            decisive, G = list(simulation["H"]), list(simulation["G"])
        after = chosen[t - 1] if t and get("order") == "start" else 0
        allowed = [n for n in range(len(h)) if n == 0 or n > after]
        p = np.zeros(len(h))
        p[allowed] = ref.event_probabilities([decisive[n] for n in allowed], V_new, scale)
        told.event_probabilities.append(p)
        if t == len(video.events):
            told.losses["event"] += ref.smoothed_nll(p[allowed], 0, smoothing)
            break
        label = video.events[t]
        told.losses["event"] += ref.smoothed_nll(p[allowed], allowed.index(label), smoothing)
        if simulation is not None:
            for m in video.ingredient_used[t]:
                told.losses["ingredient_selection"] -= math.log(simulation["G_hat"][m, label - 1])
            for r in video.action_used[t]:
                told.losses["action_selection"] -= math.log(simulation["A_hat"][r, label - 1])

        # sentence transformer over ingredients and words, with the event added to the words
        event = h[chosen[t]]
        given = [w for w in video.words[t] if w != EOS or get("text_memory") == "eos"]
        E = at(W, "generator.embedding")
        x = list(for_words)
        for k, word in enumerate(given):
            vector = ref.perceptron(at(E, "perceptron"), E["table.weight"][word])
            x.append(vector + ref.position(k, width) + event)
        M = len(for_words)
        visible = [list(range(M)) if i < M else list(range(i + 1)) for i in range(len(x))]
        S_new = []
        for n, layer in enumerate(generator):
            attended, hidden = layer.rows(x, visible)
            before = S[n] if S else layer.initial(event)
            x = layer.read(attended, hidden, before, visible)
            S_new.append(layer.update(before, hidden))
        out = x[M : M + len(video.words[t]) - 1]
        if get("textual_attention"):
            Z_m, Z_a, U = ref.textual_attention(out, simulation["G"], simulation["A_dot"])
            out = list(U)
            for k, m in video.word_ingredient[t]:
                told.losses["ingredient_attention"] -= math.log(Z_m[k, m])
            for k, r in video.word_action[t]:
                told.losses["action_attention"] -= math.log(Z_a[k, r])
        for k, vector in enumerate(out):
            if "output.transform.weight" in W:
                vector = ref.layer_norm(at(W, "output.norm"), ref.gelu(ref.linear(at(W, "output.transform"), vector)))
            q = ref.softmax(ref.linear(at(W, "output.linear"), vector))
            told.word_probabilities.append(q)
            told.losses["sentence"] += ref.smoothed_nll(q, video.words[t][k + 1], smoothing)

        # mixing
        V, S = V_new, S_new
        if get("mixing") == "reset":
            V, S = [], []
        elif get("mixing") != "separate":
            V = [[np.zeros(0)] * len(cells) for cells in V_new]
            S = [[np.zeros(0)] * len(cells) for cells in S_new]
            for n in range(depth):
                for c in range(len(V_new[n])):
                    V[n][c], S[n][c] = ref.mix(at(W, "mixing"), V_new[n][c], S_new[n][c], get("mixing"))
        if get("feedback") == "choice":
            V = [[cell + ref.linear(at(W, "feedback"), event) for cell in cells] for cells in V]
    return told
