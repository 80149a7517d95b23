"""The shipped bundle on real narrated videos: better than the nearest neighbour on the same words and events, with
hardly a sentence that no cook would write.
"""

from pathlib import Path

import numpy as np

from cookscribe.bundle import find_bundle
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.narrated.run import Narrated
from cookscribe.learning.story_task import story_events
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import faulty_share
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe_lab.nearest import NearestNeighbourCaptioner

VIDEOS, REMEMBERED = 30, 300
READ = 3  # videos that the language model writes: each takes it some seconds


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


def test_the_language_model_writes_hardly_a_faulty_sentence(data_folder: Path) -> None:
    pipeline = SpeechPipeline.load(find_bundle("youcook2-speech"))
    assert pipeline.language is not None, pipeline.missing
    validation = Narrated.read(YouCook2(data_folder), "validation")
    recipes, drafts = [], []
    for key in sorted(validation.videos)[:READ]:
        transcript, duration = validation.transcripts[key], validation.videos[key].duration
        recipes.append([step.sentence for step in pipeline.draft_of(transcript, duration).steps])
        heard = pipeline.reader.listen(transcript, duration)
        spans = pipeline.finder.find(heard.track, transcript).spans
        (story,) = pipeline.writer.write([pipeline.reader.input(heard, spans)])
        drafts.append([step.sentence for step in story.steps])
    assert [len(recipe) for recipe in recipes] == [len(draft) for draft in drafts]
    assert faulty_share(recipes, packaged_verbs()) < 0.02
    assert recipes != drafts, "it does more than to copy the drafts"


def test_most_of_a_list_is_used(data_folder: Path) -> None:
    """More of it than by the recipe models, which choose each sentence alone."""
    pipeline = SpeechPipeline.load(find_bundle("youcook2-speech"))
    validation = Narrated.read(YouCook2(data_folder), "validation")
    used, drafted, count = 0, 0, 0
    for key in sorted(validation.videos)[:READ]:
        transcript, duration = validation.transcripts[key], validation.videos[key].duration
        names = sorted(validation.videos[key].ingredients)
        matcher = IngredientMatcher(names)
        steps = pipeline.draft_of(transcript, duration, names).steps
        heard = pipeline.reader.listen(transcript, duration)
        spans = pipeline.finder.find(heard.track, transcript).spans
        (story,) = pipeline.writer.write([pipeline.reader.input(heard, spans, names)])
        used += len(set().union(*(matcher.named(step.sentence) for step in steps)))
        drafted += len(set().union(*(matcher.named(step.sentence) for step in story.steps)))
        count += len(names)
    assert used > drafted
    assert used > 0.7 * count
