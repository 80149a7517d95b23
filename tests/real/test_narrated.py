"""The shipped bundle on real narrated videos: better than the nearest neighbour on the same words and events."""

from pathlib import Path

import numpy as np

from cookscribe.bundle import find_bundle
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.narrated.run import Narrated
from cookscribe.learning.story_task import story_events
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe_lab.nearest import NearestNeighbourCaptioner

VIDEOS, REMEMBERED = 30, 300


def test_the_bundle_beats_the_nearest_neighbour(data_folder: Path) -> None:
    pipeline = SpeechPipeline.load(find_bundle("youcook2-speech"))
    data = YouCook2(data_folder)
    training, validation = Narrated.read(data, "training"), Narrated.read(data, "validation")
    listen = pipeline.reader.listen
    known = sorted(training.videos)[:REMEMBERED]
    pooled = [
        listen(training.transcripts[key], training.videos[key].duration).track.over(training.videos[key].spans)
        for key in known
    ]
    neighbours = NearestNeighbourCaptioner.fit(
        np.concatenate(pooled), [text for key in known for text in training.videos[key].sentences]
    )
    truth, ours, nearest = {}, {}, {}
    inputs = []
    for key in sorted(validation.videos)[:VIDEOS]:
        video = validation.videos[key]
        heard = listen(validation.transcripts[key], video.duration)
        spans = np.asarray(pipeline.finder.find(heard.track, validation.transcripts[key]).spans, dtype=np.float64)
        truth[key] = Events(video.spans, video.sentences)
        nearest[key] = Events(spans, tuple(neighbours.caption(heard.track.over(spans))))
        inputs.append(pipeline.reader.input(heard, spans))
    stories = pipeline.writer.write(inputs)
    ours = {key: story_events(story) for key, story in zip(truth, stories, strict=True)}
    assert soda(truth, ours, "tIoU", "strict") > 28
    assert soda(truth, ours, "CIDEr", "strict") > 1.5 * soda(truth, nearest, "CIDEr", "strict")
    assert soda(truth, ours, "CIDEr", "released") > soda(truth, nearest, "CIDEr", "released")
