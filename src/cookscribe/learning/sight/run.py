"""`cookscribe train sight`: encode the stills, learn the heads, calibrate them out of fold, and measure them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.files import write_json, write_text
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import folds
from cookscribe.learning.sight.fitting import block_widths, fit_heads, fit_scenes, fit_votes, precisions, put
from cookscribe.learning.sight.ingredients import fit_list, list_uses
from cookscribe.learning.sight.measures import figures_of
from cookscribe.learning.sight.space import learn_space
from cookscribe.learning.sight.stills import Still, read_stills, rows_of
from cookscribe.learning.sight.words import named_words, sight_words
from cookscribe.learning.state import write_description
from cookscribe.model_folder import WEIGHTS, read_tensors, write_tensors
from cookscribe.proposals.scenes import PRIOR, StepPrior
from cookscribe.senses.sentence_space import SentenceSpace
from cookscribe.senses.sight import FOLDER, SCENES, Sight, SightConfig, SightModel

ENCODERS = "tinyvit+dinov2"
FOLDS, LEAST = 5, 6
MEMORY, SHARPNESS = 512, 30.0
RARE = 0.01  # share of held-out pictures of cooking that may be taken for none
SHOWN = 12  # words per still in the file of predictions
PREDICTIONS, FIGURES, HELD_OUT = "seen.jsonl", "figures.json", "held_out.safetensors"


@dataclass(frozen=True, eq=False)
class SightData:
    """Everything that is learnt from.

    Attributes:
        stills: with rows (S, F), words named (S, W) and vectors (S, D) of their sentences.
        fold: (S,) number of the fold of a training still's video, -1 for others.
        pool: all training sentences: pool_video, words named and vectors.
        space: makes the vectors; learnt from the pool.
    """

    data: YouCook2
    stills: list[Still]
    rows: NDArray[np.float64]
    named: NDArray[np.float32]
    vectors: NDArray[np.float64]
    fold: NDArray[np.int64]
    pool_video: NDArray[np.str_]
    pool_named: NDArray[np.float32]
    pool_vectors: NDArray[np.float64]
    space: SentenceSpace
    config: SightConfig

    @property
    def training(self) -> NDArray[np.bool_]:
        """(S,) which stills are learnt from."""
        return self.fold >= 0

    def fit(self, fold: int | None) -> SightModel:
        """Heads that have not seen the videos of a fold; None for heads of all training videos."""
        chosen = self.training & (self.fold != fold) if fold is not None else self.training
        held_out = {still.video_id for still, f in zip(self.stills, self.fold, strict=True) if f == fold}
        pool = ~np.isin(self.pool_video, sorted(held_out))
        return fit_heads(
            self.config,
            self.rows[chosen],
            self.named[chosen],
            self.vectors[chosen],
            self.pool_vectors[pool],
            self.pool_named[pool],
        )


def read_sight_data(data: YouCook2, cache: Path, encoder: str = ENCODERS, least: int = LEAST) -> SightData:
    """Read and encode; what takes long is kept in the folder `cache`."""
    stills = read_stills(data)
    rows = rows_of(stills, encoder, cache)
    training = [still for still in stills if still.split == "training"]
    words, kinds = sight_words(data, [still.sentence for still in training], least)
    parts = folds([still.video_id for still in training], FOLDS)
    fold = {video_id: number for number, part in enumerate(parts) for video_id in part}
    videos = data.videos("training")
    pool = [(video_id, sentence) for video_id, video in videos.items() for sentence in video.sentences]
    told = [sentence for _, sentence in pool]
    pool_meanings = sentence_vectors(told, cache / "sentences.safetensors")
    vocabulary, space = learn_space(told, pool_meanings)
    sentences = [still.sentence for still in stills]
    meanings = sentence_vectors(sentences, cache / "still_sentences.safetensors")
    config = SightConfig(
        encoder=encoder,
        feature_size=rows.shape[1],
        words=words,
        kinds=kinds,
        memory=min(MEMORY, len(pool)),
        sharpness=SHARPNESS,
        sentence=len(space.middle),
        vocabulary=vocabulary,
        # The last encoder alone: DINOv2 tells other pictures apart, TinyViT takes noise and plain colours for usual.
        judged=block_widths(encoder, rows.shape[1])[-1],
        familiar=0.0,
    )
    return SightData(
        data,
        stills,
        rows.astype(np.float64),
        named_words(words, kinds, sentences),
        space(sentences, meanings),
        np.array([fold.get(still.video_id, -1) if still.split == "training" else -1 for still in stills]),
        np.array([video_id for video_id, _ in pool]),
        named_words(words, kinds, [sentence for _, sentence in pool]),
        space(told, pool_meanings),
        space,
        config,
    )


def sentence_vectors(sentences: list[str], cache: Path) -> NDArray[np.float64]:
    """(S, 384) MiniLM vectors, kept in a file."""
    digest = hashlib.sha256(json.dumps(sentences).encode()).hexdigest()
    if cache.exists():
        tensors, header = read_tensors(cache)
        if header.get("sentences") == digest:
            return tensors["vectors"].double().numpy()
    from cookscribe.encoders.minilm import SentenceVectors

    vectors = torch.from_numpy(SentenceVectors()(sentences))
    write_tensors(cache, {"vectors": vectors.half()}, {"sentences": digest})
    return vectors.half().double().numpy()


def train_sight(data: YouCook2, out: Path, encoder: str = ENCODERS) -> dict[str, Any]:
    """Write OUT/sight, steps.json, figures.json and predictions out of fold (seen.jsonl, all in held_out.safetensors).

    Returns:
        The figures.
    """
    held = read_sight_data(data, out / "cache", encoder)
    x = torch.from_numpy(held.rows).float()
    named = torch.from_numpy(held.named).double()
    votes = torch.zeros(len(x), len(held.config.words), 2, dtype=torch.float64)
    guesses = torch.zeros(len(x), held.config.sentence, dtype=torch.float64)
    distance = torch.zeros(len(x), dtype=torch.float64)
    model = held.fit(None)
    for number in (*range(FOLDS), None):
        chosen = torch.from_numpy(held.fold == (-1 if number is None else number))
        one = model if number is None else held.fit(number)
        with torch.no_grad():
            normal = one.normal(x[chosen])
            votes[chosen], guesses[chosen] = (part.double() for part in one.votes_of(normal))
            distance[chosen] = one.distance(normal).double()
    fold, training = torch.from_numpy(held.fold), torch.from_numpy(held.training)
    odds = torch.zeros(len(x), len(held.config.words), dtype=torch.float64)
    for number in (*range(FOLDS), -1):
        weights = fit_votes(votes[training & (fold != number)], named[training & (fold != number)], model)
        odds[fold == number] = with_votes(model, votes[fold == number], weights)
        if number == -1:
            put(model, {"votes": weights})
    vectors = torch.from_numpy(held.vectors)
    of_errors, gained = precisions(vectors[training], guesses[training])
    put(model, {"precision": of_errors, "gained": gained})
    model.space = held.space
    scene_odds = learn_scenes(held, model, x)
    uses, any_use = list_uses(data)
    config = held.config.model_copy(
        update={
            "familiar": float(np.quantile(distance[training].numpy(), 1 - RARE)),
            "uses": uses,
            "any_use": any_use,
        }
    )
    model.config = config
    words = odds.sigmoid().numpy()
    list_weights, once, list_scores = fit_list(held, Sight(model), words, guesses.numpy())
    model.config = config.model_copy(update={"ingredient": list_weights, "once": once})
    figures = figures_of(held, words, list_scores, scene_odds, distance.numpy())
    write_predictions(out / PREDICTIONS, held, words)
    write_tensors(out / HELD_OUT, {"words": torch.from_numpy(words), "guesses": guesses}, {"encoder": encoder})
    write_json(out / PRIOR, step_prior(data).model_dump(mode="json"))
    write_json(out / FIGURES, figures)
    folder = out / FOLDER
    tensors = {name: value.half() for name, value in model.state_dict().items()}
    write_tensors(folder / WEIGHTS, tensors, {})
    write_description(folder, FOLDER, model.config.model_dump(mode="json"), None, {"figures": figures})
    return figures


def with_votes(model: SightModel, votes: Tensor, weights: Tensor) -> Tensor:
    """(S, W) log odds of words from (S, W, 2) votes."""
    each = weights[model.which]
    return (votes * each[:, :2]).sum(-1) + model.prior.double() * each[:, 2] + each[:, 3]


def scene_labels() -> dict[str, str]:
    """Kind of picture of those training stills that somebody looked at, by name."""
    text = resources.files("cookscribe.learning.sight").joinpath("scenes.json").read_text(encoding="utf-8")
    return {name: kind for kind, names in json.loads(text).items() for name in names.split()}


def learn_scenes(held: SightData, model: SightModel, x: Tensor) -> dict[str, Any]:
    """Put the scene heads into the model; their held-out log odds and the truth."""
    labels = scene_labels()
    known = [n for n, still in enumerate(held.stills) if still.path.stem in labels and held.fold[n] >= 0]
    if len({labels[held.stills[n].path.stem] for n in known}) < 2:
        # Other pictures than those that were looked at: the heads say never.
        put(model, {"scene_shift": torch.full((len(SCENES),), -10.0)})
        return {"odds": np.zeros((0, len(SCENES))), "kinds": []}
    with torch.no_grad():
        normal = model.normal(x[known]).double()
    kinds = [labels[held.stills[n].path.stem] for n in known]
    weights, shift = fit_scenes(normal, kinds)
    put(model, {"scene": weights, "scene_shift": shift})
    fold = held.fold[known]
    odds = np.zeros((len(known), weights.shape[1]))
    for number in range(FOLDS):
        part = fold == number
        others = [kind for kind, inside in zip(kinds, part, strict=True) if not inside]
        if part.any() and others:
            w, b = fit_scenes(normal[torch.from_numpy(~part)], others)
            odds[part] = (normal[torch.from_numpy(part)] @ w + b).numpy()
    return {"odds": odds, "kinds": kinds}


def step_prior(data: YouCook2) -> StepPrior:
    """Numbers and lengths of the annotated steps of the training videos."""
    videos = [video for video in data.videos("training").values() if len(video.spans)]
    counts = np.log([len(video.spans) for video in videos])
    durations = np.log([video.duration for video in videos])
    slope, shift = np.polyfit(durations, counts, 1)
    lengths = np.concatenate(
        [np.log(np.maximum(np.diff(v.spans, axis=1)[:, 0], 0.5) * len(v.spans) / v.duration) for v in videos]
    )
    return StepPrior(
        count=(float(slope), float(shift)),
        count_deviation=float((counts - slope * durations - shift).std()),
        length=float(lengths.mean()),
        length_deviation=float(lengths.std()),
    )


def write_predictions(path: Path, held: SightData, words: NDArray[np.float64]) -> None:
    """One line per still: the likeliest words by heads that have not seen its video."""
    lines = []
    for still, row in zip(held.stills, words, strict=True):
        order = np.argsort(-row, kind="stable")[:SHOWN]
        tags = [[held.config.words[n], round(float(row[n]), 3), held.config.kinds[n]] for n in order]
        known = {"video_id": still.video_id, "event_index": still.event, "split": still.split}
        lines.append(json.dumps({**known, "sentence": still.sentence, "tags": tags}, ensure_ascii=False))
    write_text(path, "\n".join(lines) + "\n")
