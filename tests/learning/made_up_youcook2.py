"""A small made-up YouCook2 folder: steps, noisy candidates around them, speech that names what is done in a step."""

import json
from pathlib import Path
from typing import Any

import numpy as np

VERBS = ("chop", "fry", "boil", "mix", "bake", "pour")
CHATTER = ("hello", "friends", "welcome", "channel", "enjoy", "bye")
FOODS = ("onion", "rice", "egg", "milk", "flour")


def write_folder(root: Path, training: int = 24, validation: int = 16, candidates: int = 9, seed: int = 0) -> Path:
    """Write the files that the selection study reads; returns the folder."""
    rng = np.random.default_rng(seed)
    database: dict[str, Any] = {}
    results: dict[str, Any] = {}
    lengths, spoken = [], []
    for number in range(training + validation):
        key = f"video{number:03d}"
        duration = float(rng.uniform(100, 200))
        steps = int(rng.integers(3, 6))
        borders = np.sort(rng.uniform(0.1 * duration, 0.9 * duration, 2 * steps)).reshape(-1, 2)
        sentences = [f"{VERBS[rng.integers(len(VERBS))]} the {FOODS[rng.integers(len(FOODS))]}" for _ in range(steps)]
        split = "training" if number < training else "validation"
        database[key] = {
            "duration": duration,
            "subset": split,
            "recipe_type": "1",
            "annotations": [
                {"segment": span.tolist(), "id": n, "sentence": sentences[n]} for n, span in enumerate(borders)
            ],
            "ingredients": sorted({sentence.split()[-1] for sentence in sentences}),
        }
        lengths.append(f"{key},{duration},{int(duration * 25)}")
        spoken.append({"video_id": key, "split": split, "text": " ".join(_speech(rng, duration, borders, sentences))})
        if split == "validation":
            results[f"v_{key}"] = _candidates(rng, duration, borders, candidates)
    (root / "annotations").mkdir(parents=True)
    (root / "candidates").mkdir()
    (root / "asr").mkdir()
    (root / "glove").mkdir()
    for name in ("youcookii_annotations_trainval.json", "youcookii_ingredient_annotations_trainval.json"):
        (root / "annotations" / name).write_text(json.dumps({"database": database}))
    (root / "annotations" / "yc2_duration_frame.csv").write_text("\n".join(lengths) + "\n")
    (root / "candidates" / "pdvc_n25_val.json").write_text(json.dumps({"results": results}))
    (root / "asr" / "transcripts_untimed.jsonl").write_text("".join(json.dumps(line) + "\n" for line in spoken))
    timed = {
        "video_id": f"video{training:03d}",
        "segments": [{"start": 1.0, "end": 5.0, "text": "hello friends"}, {"start": 9.0, "end": 12.0, "text": "chop"}],
    }
    (root / "asr" / "asr_timed.jsonl").write_text(json.dumps(timed) + "\n")
    words = np.array(sorted({*VERBS, *FOODS, "the"}))
    vectors = rng.normal(size=(len(words), 300)).astype(np.float32)
    np.savez(root / "glove" / "glove300_yc2.npz", words=words, vectors=vectors)
    return root


def _speech(rng: np.random.Generator, duration: float, borders: np.ndarray, sentences: list[str]) -> list[str]:
    """One word a second: the step's own words inside a step, chatter outside."""
    words = []
    for second in range(int(duration)):
        inside = np.flatnonzero((borders[:, 0] <= second) & (second < borders[:, 1]))
        choice = sentences[inside[0]].split() if len(inside) else CHATTER
        words.append(str(choice[rng.integers(len(choice))]))
    return words


def _candidates(rng: np.random.Generator, duration: float, borders: np.ndarray, count: int) -> list[dict[str, Any]]:
    """Noisy copies of the steps with high scores, and random spans with low ones."""
    found = []
    for n in range(count):
        if n < len(borders):
            span = borders[n] + rng.normal(size=2) * 4
            score = rng.uniform(0.4, 0.9)
        else:
            start = rng.uniform(0, 0.8 * duration)
            span = np.array([start, start + rng.uniform(5, 30)])
            score = rng.uniform(0.05, 0.5)
        span = np.clip(np.sort(span), 0, duration)
        found.append(
            {
                "timestamp": [float(span[0]), float(max(span[1], span[0] + 0.5) if span[1] < duration else duration)],
                "proposal_score": float(score),
                "sentence": f"{VERBS[rng.integers(len(VERBS))]} the rice",
                "sentence_score": float(-rng.uniform(3, 10)),
                "query_id": n,
                "vid_duration": duration,
                "pred_event_count": 4,
            }
        )
    return found
