"""A made-up kitchen of three ingredients and three actions, small enough to be learnt in seconds."""

import json
from pathlib import Path

import numpy as np

from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import write_truth
from cookscribe.proposals.candidate_files import write_candidates
from cookscribe.track import FeatureTrack

FOODS = ("red onion", "carrots", "rice")
VERBS = ("chop", "boil", "stir")
WIDTH = 12
# One feature direction per food and per verb.
LOOKS = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))[0]


def video(number: int) -> tuple[AnnotatedVideo, FeatureTrack, Candidates]:
    """A film of 3 or 4 steps of 10 s with pauses between; candidates are the steps, moved a little, and the pauses."""
    rng = np.random.default_rng(number)
    spans, sentences, rows = [], [], []
    time = 0.0
    pairs = [(f, v) for f in range(3) for v in range(3)]
    for n in rng.permutation(9)[: rng.integers(3, 5)]:
        food, verb = pairs[n]
        rows += [np.zeros(WIDTH)] * 5 + [LOOKS[food] + LOOKS[3 + verb]] * 10
        spans.append((time + 5, time + 15))
        sentences.append(f"{VERBS[verb]} the {FOODS[food]}")
        time += 15
    rows += [np.zeros(WIDTH)] * 5
    duration = time + 5
    names = tuple(food for food in FOODS if any(food in line for line in sentences))
    truth = AnnotatedVideo(f"film{number:02d}", duration, np.array(spans), tuple(sentences), names, "training")
    values = np.array(rows) + rng.normal(0, 0.05, (len(rows), WIDTH))
    track = FeatureTrack(np.arange(len(rows)) + 0.5, values.astype(np.float32), "made-up", duration, simulated=True)
    moved = np.clip(np.array(spans) + rng.normal(0, 0.5, (len(spans), 2)), 0, duration)
    pauses = np.array([(start - 5, start) for start, _ in spans])
    every = np.concatenate([moved, pauses])
    scores = np.concatenate([np.full(len(moved), 0.6), np.full(len(pauses), 0.4)])
    captions = tuple(f"see {line}" for line in sentences) + ("nothing",) * len(pauses)
    return truth, track, Candidates(every, scores, duration, captions=captions)


def write_kitchen(folder: Path, videos: int = 24) -> Path:
    """Truth, candidates, features and a configuration in a folder; returns the configuration's path."""
    made = [video(number) for number in range(videos)]
    write_truth(folder / "truth.json", [truth for truth, _, _ in made])
    write_candidates(folder / "candidates.json", {truth.id: events for truth, _, events in made})
    store = FeatureStore(folder / "features")
    for truth, track, _ in made:
        store.write(truth.id, track)
    rng = np.random.default_rng(0)
    words = sorted({word for truth, _, _ in made for line in truth.sentences for word in line.split()} | {"soup"})
    np.savez(folder / "vectors.npz", words=np.array(words), vectors=rng.normal(size=(len(words), 8)).astype("f4"))
    config = {
        "data": "truth.json",
        "candidates": ["candidates.json"],
        "features": "features",
        "word_vectors": "vectors.npz",
        "preset": "small-bivt",
        "model": {"width": 24, "heads": 2, "dropout": 0.0, "layers": 1},
        "training": {"epochs": 2, "batch_size": 4, "learning_rate": 0.01, "ema": 0.9, "checkpoint_every": 2},
        "min_count": 1,
        "development": 0.2,
    }
    path = folder / "story.json"
    path.write_text(json.dumps(config))
    return path
