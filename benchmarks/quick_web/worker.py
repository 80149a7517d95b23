"""A worker that writes a made-up recipe at once. What is among the ingredients tells it to do something else."""

import os
import sys
import time
from pathlib import Path

from cookscribe.errors import NoModelFitsError
from cookscribe.recipe import Candidate, CueEvidence, Evidence, MadeBy, Recipe, Span, Step, StepEvidence, Timer, Video
from cookscribe.web.worker import Stage, main

SENTENCES = ("chop the onion", "melt the butter in a pan", "fry the onion for 5 minutes", "pour in the stock")


def write(film: Path, ingredients: tuple[str, ...], title: str, stage: Stage) -> Recipe:
    if "crash" in ingredients:
        os._exit(11)
    if "refuse" in ingredients:
        raise NoModelFitsError(film, "is not narrated", "give subtitles")
    if "break" in ingredients:
        raise ZeroDivisionError("made up")
    seconds = 60 if "slow" in ingredients else 1 if "pause" in ingredients else 0
    for n in range(10 * seconds):
        stage("listening", n / (10 * seconds))
        time.sleep(0.1)
    stage("listening", 0.5)
    spans = [Span(start=1.0 + 2 * n, end=2.5 + 2 * n) for n in range(len(SENTENCES))]
    origin = CueEvidence(span=spans[2], source="heard", text="fry it for five minutes")
    # With a list, the words come out differently.
    words = [f"{sentence} with {ingredients[0]}" if ingredients else sentence for sentence in SENTENCES]
    return Recipe(
        title=title,
        ingredients=ingredients or ("onion", "butter", "stock"),
        steps=tuple(
            Step(span=span, sentence=text, confidence=0.3 if n == 1 else 0.8, timers=(Timer(seconds=300),) * (n == 2))
            for n, (span, text) in enumerate(zip(spans, words, strict=True))
        ),
        video=Video(name=film.name, duration=10.0),
        made_by=MadeBy(model="quick"),
        evidence=Evidence(
            candidates=tuple(Candidate(span=span, score=0.7, step=n) for n, span in enumerate(spans)),
            steps=tuple(StepEvidence(event_probability=0.7) for _ in spans),
            cues=(origin,),
        ),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), write)
