"""`cookscribe study real-frames`: how much sight sees in the real validation stills, one picture per step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.sight.ingredients import ListedVideo, listed_videos
from cookscribe.learning.sight.measures import average_precision, calibration_error, list_precision, recall_at_5
from cookscribe.learning.sight.run import SightData, read_sight_data, train_sight
from cookscribe.senses.listed import compete
from cookscribe.senses.sight import FOLDER, LEAST, Sight
from cookscribe.track import FeatureTrack
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.tables import Row, as_markdown, write_study

Floats = NDArray[np.float64]

ENCODERS = ("tinyvit", "tinyvit+dinov2")
RECALL, LIST, ALONE = "recall@5 of 50", "list AP, jointly", "list AP, each still alone"
WORDS, CUES, LISTED = "calibration error, words", "calibration error, cues", "calibration error, list"
FOODS = "food AP"
HEADINGS = (RECALL, LIST, ALONE, FOODS, WORDS, CUES, LISTED)


def run(options: StudyOptions) -> str:
    """Train the heads of each choice of encoders on the training stills, if that is not done, and judge them.

    With a writer, judge its sentences instead, from what the heads on all encoders see.
    """
    if options.data is None:
        raise BadValueError("--data", "the study needs the real stills", "name the folder of the YouCook2 files")
    data = YouCook2(options.data)
    encoders, meteor = ENCODERS[:1] if options.smoke else ENCODERS, options.asks_meteor
    if options.writer is not None or options.development:
        text, rows, pairs = told(options, *trained(options, data, encoders[-1]), meteor=meteor)
        return write_study(options, "real-frames", text, rows, paired=pairs)
    rows = []
    for encoder in encoders:
        held, sight = trained(options, data, encoder)
        if not rows:
            rows += baselines(held, sight)
        rows.append(Row(encoder, judged(held, sight)))
    count = int((held.fold < 0).sum())
    caption = (
        f"{count} stills that nothing was learnt from or chosen on. Recall: the true sentence among 50, mean of 10 "
        "draws. List AP: which of the listed ingredients a step uses, lists in alphabetical order; jointly "
        "means that the stills of a video compete for each ingredient. Percent, but for the calibration errors."
    )
    if options.smoke:
        caption = f"**smoke run: the figures mean nothing.** {caption}"
    text = f"{caption}\n\n{as_markdown(rows, 'encoders', HEADINGS, digits=3)}"
    return write_study(options, "real-frames", text, rows)


def trained(options: StudyOptions, data: YouCook2, encoder: str) -> tuple[SightData, Sight]:
    """The stills with their rows, and heads, trained if that is not done."""
    folder = options.parts / f"sight-{encoder}"
    if not (folder / FOLDER).is_dir():
        train_sight(data, folder, encoder)
    return read_sight_data(data, folder / "cache", encoder), Sight.load(folder / FOLDER)


def told(
    options: StudyOptions, held: SightData, sight: Sight, *, meteor: bool
) -> tuple[str, list[Row], list[dict[str, object]]]:
    """Tables, rows and comparisons of the sentences that a writer makes of what is seen."""
    from cookscribe_lab.studies.sight.step_sentences import StepSentences, sentence_tables

    if options.writer is None:
        raise BadValueError("--development", "sentences are to be judged", "name the adapters with --writer")
    folder = options.parts / f"sight-{held.config.encoder}"
    found = StepSentences(held, sight, folder, options.writer, development=options.development)
    return sentence_tables(found, options.parts, meteor=meteor)


def validation(held: SightData) -> NDArray[np.bool_]:
    """(S,) which stills are judged."""
    return np.asarray(held.fold < 0)


def baselines(held: SightData, sight: Sight) -> list[Row]:
    """What chance gives, and how often each ingredient is used."""
    chosen = validation(held)
    nothing = np.zeros((len(held.stills), len(held.config.words))) + 0.5
    videos = _judged_videos(held, sight, nothing, np.zeros((len(held.stills), held.config.sentence)))
    found = []
    for name in ("chance", "frequency of use"):
        for video in videos:
            video.odds = video.evidence[..., 3] if name != "chance" else np.zeros_like(video.used)
        figures: dict[str, list[float]] = {LIST: [list_precision(videos)[0]]}
        if name == "chance":
            figures[RECALL] = [100.0 * 5 / min(50, max(5, int(chosen.sum())))]
        found.append(Row(name, figures))
    return found


def _judged_videos(held: SightData, sight: Sight, words: Floats, guesses: Floats) -> list[ListedVideo]:
    return [video for video in listed_videos(held, sight, words, guesses) if held.fold[video.rows[0]] < 0]


def judged(held: SightData, sight: Sight) -> Mapping[str, list[float]]:
    """The figures of one model."""
    chosen = validation(held)
    times = np.arange(len(held.stills), dtype=np.float64)
    track = FeatureTrack(times, held.rows.astype(np.float32), held.config.encoder, float(len(times)))
    seen = sight.look(track)
    named = held.named.astype(np.float64)
    sure, true = seen.words[chosen], named[chosen]
    videos = _judged_videos(held, sight, seen.words, seen.guesses)
    *weights, shift = sight.config.ingredient
    slope, level = sight.config.once
    for video in videos:
        video.odds = video.evidence @ np.array(weights) + shift
    alone = list_precision(videos)[0]
    for video in videos:
        video.odds = slope * compete(video.odds, video.elsewhere) + level
    odds = np.concatenate([video.odds.ravel() for video in videos])
    used = np.concatenate([video.used.ravel() for video in videos])
    clear = sure >= LEAST
    foods = [n for n, kind in enumerate(held.config.kinds) if kind == "food" and true[:, n].any()]
    return {
        RECALL: [recall_at_5(sight.sentence_odds(seen.guesses[chosen], held.vectors[chosen]), "validation")],
        LIST: [list_precision(videos)[0]],
        ALONE: [alone],
        FOODS: [100.0 * float(np.mean([average_precision(sure[:, n], true[:, n]) for n in foods]))],
        WORDS: [calibration_error(sure, true)],
        CUES: [calibration_error(sure[clear], true[clear])],
        LISTED: [calibration_error(0.5 + 0.5 * np.tanh(odds / 2), used)],
    }
