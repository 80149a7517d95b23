"""What recipe models think of sentences: the same as when they write them themselves."""

import numpy as np
import pytest

from cookscribe.bundle import Bundle, find_bundle
from cookscribe.model.story_input import StoryInput
from cookscribe.pipelines.recipe_judge import RecipeJudge
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.senses.transcripts import Transcript

TALK = (
    (10.0, "cut the tomatoes and the mozzarella into slices"),
    (30.0, "put them on a plate with some basil leaves"),
    (50.0, "then drizzle olive oil and balsamic vinegar over it"),
    (70.0, "add salt and pepper and serve the salad"),
)
SPANS = np.array([(start, start + 15.0) for start, _ in TALK])


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return find_bundle("youcook2-speech")


@pytest.fixture(scope="module")
def video(bundle: Bundle) -> StoryInput:
    transcript = Transcript.from_segments((start, start + 12.0, text) for start, text in TALK)
    reader = SpeechPipeline.load(bundle).reader
    return reader.input(reader.listen(transcript, 90.0), SPANS, None)


@pytest.mark.parametrize("together", [False, True])
def test_drafts_are_as_likely_as_when_they_were_written(bundle: Bundle, video: StoryInput, together: bool) -> None:
    writer = StoryWriter.load(bundle.story, members=bundle.members if together else ())
    assert bool(writer.members) == together
    steps = writer.write([video])[0].steps
    drafts = [step.sentence for step in steps]
    judge = RecipeJudge(writer, video, drafts, 0.5)
    for number, step in enumerate(steps):
        fits = judge(number, ["stir it and stir it again and again", step.sentence, "xylophone"])
        assert fits[1] == pytest.approx(0.5 * step.sentence_score, abs=1e-4)
        assert max(fits) == fits[1], "nobody finds nonsense likelier than the own sentence"


def test_a_sentence_is_judged_by_what_went_before(bundle: Bundle, video: StoryInput) -> None:
    writer = StoryWriter.load(bundle.story)
    drafts = [step.sentence for step in writer.write([video])[0].steps]
    others = ["heat oil in a pan", *drafts[1:]]
    for number, same in ((0, True), (1, False)):
        mine, theirs = (RecipeJudge(writer, video, told, 1.0)(number, [drafts[number]]) for told in (drafts, others))
        assert (mine == theirs) == same


def test_words_have_the_ids_that_decoding_gives_them(bundle: Bundle) -> None:
    writer = StoryWriter.load(bundle.story)
    copied = next(word for word in writer.config.read_words[2:] if word not in writer.vocabulary)
    words = (*writer.vocabulary.words, *writer.config.read_words)
    known, rare, unknown = writer.word_ids(f"salt {copied} qqqq")
    assert (words[known], words[rare], words[unknown]) == ("salt", copied, "[UNK]")
    silent = writer.config.model.model_copy(update={"copying": False})
    writer.config = writer.config.model_copy(update={"model": silent})
    assert writer.word_ids(copied) == [unknown], "a model that does not copy cannot say it"
