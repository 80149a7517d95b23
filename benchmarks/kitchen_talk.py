"""Made-up truth and predictions with everything awkward in them, for tests and benchmarks."""

import random

from cookscribe.evaluation import Events

SENTENCES = (
    "add the salt",
    "add the salt and stir",
    "Stir well.",
    "stir stir stir stir stir",
    "add 1 1/2 cups of flour",
    "add 1 1/2 cups (or more) of sugar, don't stop!",
    "cut the onion into thin slices",
    "cut the onion into thin slices.",
    "cut the tomato into small pieces and fry the pieces in a pan",
    "fry",
    "pour the crème over the bread",
    "pour the sauce over the bread and the cheese on top of the bread",
    "mix salt&pepper in a bowl",
)
WORDLESS = ("", "...")


def made_up(seed: int, videos: int = 12, most: int = 6) -> tuple[dict[str, Events], dict[str, Events]]:
    """Truth and predictions: equal spans, borders on thresholds, empty lists, missing videos, one prediction only.

    A video has up to `most` true events.
    """
    draw = random.Random(seed)
    truth: dict[str, Events] = {}
    predictions: dict[str, Events] = {}
    for number in range(videos):
        count = draw.randint(1, most)
        spans = sorted([float(a), float(a + draw.randint(0, 10))] for a in (draw.randint(0, 40) for _ in range(count)))
        key = f"v_{number:02d}"
        truth[key] = Events(spans, tuple(draw.choice(SENTENCES) for _ in spans))
        if draw.random() < 0.15:
            continue
        guesses = []
        for _ in range(draw.choice([0, 1, 1, 3, 8])):
            start, end = draw.choice(spans)
            shift = draw.choice([0, 0, 1, 2.5, 5])
            guesses.append([start + shift, max(start + shift, end + draw.choice([0, 0, 1, 5, 10]))])
        # Not all predictions of a video are empty, nor any true sentence: the usual scorers would stop with an error.
        said = [draw.choice(SENTENCES if i == 0 else SENTENCES + WORDLESS) for i in range(len(guesses))]
        predictions[key] = Events(guesses, tuple(said))
    return truth, predictions


def as_files(truth: dict[str, Events], predictions: dict[str, Events]) -> tuple[dict, dict]:
    """The contents of a truth file, and of the `results` of a prediction file."""
    true = {
        key: {"duration": 100.0, "timestamps": events.spans.tolist(), "sentences": list(events.sentences)}
        for key, events in truth.items()
    }
    results = {
        key: [
            {"timestamp": span, "sentence": sentence}
            for span, sentence in zip(events.spans.tolist(), events.sentences, strict=True)
        ]
        for key, events in predictions.items()
    }
    return true, results
