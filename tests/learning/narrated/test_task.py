"""What an epoch of narrated videos shows: events, ingredient lists, rewards, words beyond the vocabulary."""

import numpy as np
import pytest

from cookscribe.candidates import Candidates
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.learning.narrated.run import SpeechRun, make_task
from cookscribe.learning.narrated.task import Augmentation, RewardConfig, Sampler, SpeechExample, moved_spans
from cookscribe.senses.event_words import GIVEN, HEARD_NAME
from cookscribe.senses.transcripts import Transcript
from cookscribe.text.vocabulary import UNK, Vocabulary
from tests.learning.made_up_youcook2 import write_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> SpeechFolder:
    data = write_folder(tmp_path_factory.mktemp("narrated") / "data", training=26, validation=4)
    run = SpeechRun(model={"width": 32, "heads": 2, "dropout": 0.0}, min_count=1)
    return SpeechFolder(YouCook2(data), data.parent / "models", run, {"epochs": 2}, quiet=True)


def _sampler(folder: SpeechFolder, **augmentation: float) -> tuple[Sampler, SpeechExample]:
    reader = folder.reader
    transcript = Transcript.from_text("now chop the onion and boil the rice with saffron", 40.0)
    video = AnnotatedVideo(
        "v",
        40.0,
        np.array([[5.0, 15.0], [20.0, 30.0]]),
        ("chop the onion", "boil the rice with zzz"),
        ("onion", "rice"),
    )
    proposals = Candidates(np.array([[4.0, 14.0], [18.0, 33.0], [36.0, 39.0]]), np.full(3, 0.5), 40.0)
    example = SpeechExample(video, reader.listen(transcript, 40.0), proposals)
    vocabulary = Vocabulary.build(["chop the onion", "boil"], 1)
    return Sampler(reader, vocabulary, Augmentation(**augmentation), 20), example


def test_events_of_an_epoch(folder: SpeechFolder) -> None:
    rng = np.random.default_rng(0)
    sampler, example = _sampler(folder, moved=0.0, proposed=0.0, skipped=0.0)
    assert np.array_equal(sampler.draw(example, rng)[0].candidates.spans, example.truth.spans)
    sampler, _ = _sampler(folder, moved=0.0, proposed=1.0, skipped=0.0)
    assert sampler.draw(example, rng)[0].candidates.spans.tolist() == [[4.0, 14.0], [18.0, 33.0]]
    sampler, _ = _sampler(folder, moved=1.0, proposed=0.0, skipped=0.0)
    moved = sampler.draw(example, rng)[0].candidates.spans
    assert not np.allclose(moved, example.truth.spans)
    wild = moved_spans(example.truth.spans, 40.0, 5.0, rng)
    assert (wild >= 0).all()
    assert (wild <= 40).all()
    assert (wild[:, 1] > wild[:, 0]).all()


def test_ingredient_lists_are_dropped_as_often_as_asked(folder: SpeechFolder) -> None:
    sampler, example = _sampler(folder, without_ingredients=0.6, forgotten=0.0)
    rng = np.random.default_rng(1)
    listed = 0
    for _ in range(200):
        copy_words = sampler.draw(example, rng)[0].copy_words
        assert copy_words is not None
        given = (copy_words[..., 1] >= GIVEN) & (copy_words[..., 1] < HEARD_NAME)
        assert given.any() != (copy_words[..., 1] >= HEARD_NAME).any()
        listed += given.any()
    assert 55 <= listed <= 105


def test_lists_are_shuffled_as_often_as_asked(folder: SpeechFolder) -> None:
    def first_names(share: float) -> list[int]:
        sampler, example = _sampler(folder, without_ingredients=0.0, forgotten=0.0, shuffled=share)
        rng = np.random.default_rng(2)
        tables = [sampler.draw(example, rng)[0].copy_words for _ in range(60)]
        return [int(table[0, 0, 0]) for table in tables if table is not None]

    onion = folder.reader.space.number["onion"]
    assert set(first_names(0.0)) == {onion}
    assert 15 <= sum(name != onion for name in first_names(1.0)) <= 45


def test_only_the_last_epochs_are_rewarded(folder: SpeechFolder) -> None:
    def losses(epochs: int, epoch: int) -> set[str]:
        run = folder.run.model_copy(update={"training": {"epochs": epochs}, "reward": RewardConfig(epochs=2, trials=2)})
        task = make_task(run, folder.material, 0)
        return {name for name, term in task.losses([0, 1], epoch).items() if term.divisor}

    assert losses(6, 3) == {"sentence"}
    assert losses(6, 4) == {"sentence", "reward"}
    # A short training has no more than half of them, and one epoch has none.
    assert losses(3, 1) == {"sentence"}
    assert losses(1, 0) == {"sentence"}


def test_words_beyond_the_vocabulary_have_ids_behind_it(folder: SpeechFolder) -> None:
    sampler, _ = _sampler(folder)
    size, read = len(sampler.vocabulary), folder.reader.space.number
    number = sampler.vocabulary.number
    assert sampler.spelled("boil rice zzz")[1:-1] == (number["boil"], size + read["rice"], UNK)
