"""How the writer learns: which evidence it is shown, the loss against plain sums, and that it learns at all."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from cookscribe.files import read_json, write_text
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import Tag
from cookscribe.learning.narrated.reward import SentenceReward
from cookscribe.learning.narrated.task import RewardConfig
from cookscribe.learning.writer.examples import (
    ExampleSampler,
    Glimpses,
    WriterAugmentation,
    WriterData,
    WriterExample,
    captions,
    drafted_versions,
    read_glimpses,
)
from cookscribe.learning.writer.reward import Trial, event_places, rewarded_words, shared_words, try_sentences, weigh
from cookscribe.learning.writer.run import WriterRun, make_task, train_language_writer
from cookscribe.pipelines.language import load_language_writer
from cookscribe.seeds import generator
from cookscribe.writer.evidence import EventEvidence, FilmEvidence, event_lines
from cookscribe.writer.llama import AdapterConfig
from tests.writer.small import published_folder

PLAIN = {"moved": 0.0, "proposed": 0.0, "skipped": 0.0}
RUN = WriterRun(adapter=AdapterConfig(rank=4), most_tokens=900, precision="float32", data=WriterData(development=0.2))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(published_folder(tmp_path_factory.mktemp("base") / "model"))


def example(number: int, words: bool = True) -> WriterExample:
    video = AnnotatedVideo(
        f"v{number}", 60.0, np.array([[5.0, 20.0], [30.0, 50.0]]), ("add the salt", "stir it"), ("salt", "onion")
    )
    said = ("so", "now", "add", "the", "salt", "then", "stir", "it", "well") if words else ()
    tags = ((Tag("add", "Ac"), Tag("two pinches", "Q"), Tag("salt", "F")), (Tag("stir", "Ac"),))
    times = np.linspace(6, 48, len(said))
    return WriterExample(video, "soup", said, times, True, ("salt",), None, tags)


def drawn(silent: bool, **shares: float) -> list[FilmEvidence]:
    glimpses = Glimpses({("v0", 0): [("salt", 0.9)], ("other", 3): [("spoon", 0.6)]}, ["add the salt", "stir it"])
    sampler = ExampleSampler(WriterAugmentation(**(PLAIN | shares)), glimpses)
    found = [sampler.draw(example(0), generator("t", n), silent=silent) for n in range(100)]
    assert all(sentences == ("add the salt", "stir it") for _, sentences in found)
    return [film for film, _ in found]


def test_every_source_is_there_at_times_and_missing_at_times() -> None:
    for film in drawn(False, titled=0, listed=0, heard_names=0, seen=0, captioned=0):
        assert film == FilmEvidence((EventEvidence("so now add the"), EventEvidence("salt then stir it well")))
    for film in drawn(True, titled_silent=1, listed_silent=1, seen_silent=0, captioned=0, forgotten=0):
        assert not any(event.heard or event.seen or event.read for event in film.events)
        assert film.title == "soup"
        assert film.given
        assert set(film.ingredients) == {"salt", "onion"}
    lists = {film.ingredients for film in drawn(True, listed_silent=1, forgotten=0)}
    assert lists == {("salt", "onion"), ("onion", "salt")}, "lists come in any order"
    looks = [film.events for film in drawn(True, seen_silent=1)]
    assert {events[0].seen for events in looks} == {("salt",), ()}
    assert {events[1].seen for events in looks} == {("spoon",), ()}, "a step without a frame borrows a similar step's"
    shown = {events[0].read for events in (film.events for film in drawn(True, captioned=1))}
    assert shown == {("two pinches salt",), ()}
    heard = drawn(False, listed=0, heard_names=1)
    assert {(film.ingredients, film.given) for film in heard} == {(("salt",), False)}


def test_a_draft_stands_beside_the_events_it_was_written_for() -> None:
    choices = WriterAugmentation(moved=1.0, proposed=0.0, skipped=0.4, drafted=0.5, listed=0.5)
    shown = example(0)
    versions = drafted_versions(shown, choices)
    drafts = {"v0": [[f"draft {n} of step {step}" for step in one.steps] for n, one in enumerate(versions)]}
    sampler = ExampleSampler(choices, Glimpses({}, []), drafts)
    found: set[str] = set()
    for n in range(60):
        film, sentences = sampler.draw(shown, generator("t", n), silent=False)
        for event, sentence in zip(film.events, sentences, strict=True):
            found.add(event.draft)
            if event.draft:
                version = versions[int(event.draft.split()[1])]
                assert sentence == shown.truth.sentences[int(event.draft[-1])]
                assert (film.ingredients, film.given) == (version.names, version.given)
        assert not any(event.draft for event in sampler.draw(shown, generator("t", n), silent=True)[0].events)
    assert found == {"", *(line for lines in drafts["v0"] for line in lines)}
    assert event_lines(EventEvidence("so", draft="add salt"), 1, 2) == "heard: so\ndraft: add salt\nstep 1/2:"


def test_captions_are_foods_with_their_quantities() -> None:
    tags = [Tag("1 cup", "Q"), Tag("flour", "F"), Tag("salt", "F"), Tag("bowl", "T")]
    assert captions(tags) == ("1 cup flour", "salt")


def test_glimpses_are_read_for_one_split(tmp_path: Path) -> None:
    row = '{"video_id": "a", "event_index": 1, "split": "%s", "sentence": "x", "tags": [["pan", 0.5, "tool"]]}\n'
    write_text(tmp_path / "seen.jsonl", row % "training" + (row % "validation").replace('"a"', '"b"'))
    assert read_glimpses(tmp_path / "seen.jsonl").seen == {("a", 1): [("pan", 0.5)]}
    assert read_glimpses(None).keys == []


def test_the_loss_is_that_of_the_sentences_alone(base: str) -> None:
    task = make_task(RUN, [example(n) for n in range(4)], base, None, 0)
    story = task.encoder.story(FilmEvidence((EventEvidence("salt"), EventEvidence())), ("add", "stir it"))
    other = task.encoder.story(FilmEvidence((EventEvidence(seen=("a long line",)),)), ("then",))
    wanted, count = 0.0, 0
    with torch.no_grad():
        for tokens, written in (story, other):
            chances = task.model.logits(task.model(torch.tensor([tokens]))).log_softmax(-1)[0]
            for n, mark in enumerate(written):
                if mark:
                    wanted -= float(chances[n - 1, tokens[n]])
                    count += 1
        total, tokens_counted = task._nats([story, other])
    assert tokens_counted == count
    assert abs(float(total) - wanted) < 1e-3


def test_an_epoch_tells_every_narrated_video_once(base: str) -> None:
    task = make_task(RUN, [*(example(n) for n in range(9)), example(9, words=False)], base, None, 0)
    batches = task.batches(0)
    assert batches == task.batches(0)
    items = [item for batch in batches for item in batch]
    count = len(task.examples)
    assert sorted(item for item in items if item < count) == [n for n, one in enumerate(task.examples) if one.words]
    assert len(items) == len(set(items))
    for batch in batches:
        longest = max(len(task._drawn(item, 0)[0]) for item in batch)
        assert len(batch) <= 2 or longest * len(batch) <= RUN.most_tokens
    assert sum(len(batch) % 2 for batch in batches) <= 1, "two processes share a batch evenly"


def test_the_writer_learns_and_its_folder_writes(base: str, tmp_path: Path) -> None:
    training = {"epochs": 25, "learning_rate": 0.03, "ema": 0.5, "evaluate_every": 25}
    run = RUN.model_copy(update={"training": training, "adapter": AdapterConfig(rank=8), "most_tokens": 300})
    history = train_language_writer(run, [example(n) for n in range(10)], base, tmp_path, quiet=True)
    first, last = (history.epochs[n].losses["nats"] for n in (0, -1))
    assert last < 0.5 * first
    assert read_json(tmp_path / "config.json")["config"]["base"] == base
    film = FilmEvidence((EventEvidence("so now add the"), EventEvidence("salt then stir it well")))
    assert event_lines(film.events[0], 1, 2).startswith("heard: so now")
    sentences = [one.sentence for one in load_language_writer(tmp_path).write([film])[0]]
    assert sentences == ["add the salt", "stir it"]


def test_drawn_sentences_are_weighed_as_if_read_alone(base: str) -> None:
    task = make_task(RUN, [example(n) for n in range(4)], base, None, 0)
    film, sentences = FilmEvidence((EventEvidence("salt"), EventEvidence("stir"))), ("add", "stir it")
    tokens, _ = task.encoder.story(film, sentences)
    places = event_places(task.encoder, film, sentences)
    said = task.encoder.sentence("then")
    trials = [Trial(places[0], tuple(said), 1.0), Trial(places[1], (*said[:3], 9, 8), 0.0), Trial(places[1], (4,), 0.5)]
    with torch.no_grad():
        hidden, totals = weigh(task.model, tokens, trials)
        assert torch.allclose(hidden, task.model(torch.tensor([tokens]))[0], atol=1e-5)
        for trial, total in zip(trials, totals, strict=True):
            alone = torch.tensor([[*tokens[: trial.place + 1], *trial.tokens]])
            chances = task.model.logits(task.model(alone)).log_softmax(-1)[0]
            wanted = sum(float(chances[trial.place + n, token]) for n, token in enumerate(trial.tokens))
            assert abs(float(total) - wanted) < 1e-4


def test_advantages_of_an_event_sum_to_nothing_and_favour_the_truth(base: str) -> None:
    task = make_task(RUN, [example(n) for n in range(4)], base, None, 0)
    film, sentences = FilmEvidence((EventEvidence("salt"), EventEvidence("stir"))), ("add the salt", "stir it")
    reward = SentenceReward([["add", "the", "salt"], ["stir", "it"], ["cut", "the", "bread"]])
    torch.manual_seed(0)
    trials = try_sentences(task.model, task.encoder, film, sentences, [0, 1], reward, 4)
    assert [trial.place for trial in trials] == [
        place for place in event_places(task.encoder, film, sentences) for _ in range(4)
    ]
    for event in (trials[:4], trials[4:]):
        assert abs(sum(trial.advantage for trial in event)) < 1e-6
    good, bad = reward.of([["add", "the", "salt"], ["cut"]], ["add", "the", "salt"])
    assert good > bad


def test_sentences_are_drawn_as_if_each_event_were_read_alone(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cookscribe.learning.writer.reward.LIKELIEST", 1)
    monkeypatch.setattr("cookscribe.learning.writer.reward.LONGEST", 6)
    task = make_task(RUN, [example(n) for n in range(4)], base, None, 0)
    film = FilmEvidence((EventEvidence("salt"), EventEvidence("stir"), EventEvidence("serve it")))
    sentences = ("add the salt", "stir it", "serve")
    reward = SentenceReward([["add"], ["stir"]])
    trials = try_sentences(task.model, task.encoder, film, sentences, [0, 2], reward, 2)
    assert len(trials) == 4
    tokens, _ = task.encoder.story(film, sentences)
    for trial in trials:
        written: list[int] = []
        while len(written) < 6 and written[-1:] != [task.encoder.end]:
            with torch.no_grad():
                logits = task.model.logits(task.model(torch.tensor([[*tokens[: trial.place + 1], *written]])))[0, -1]
            if not written:
                logits[task.encoder.end] = -torch.inf
            written.append(int(logits.argmax()))
        assert trial.tokens == tuple(written)


def test_a_sentence_that_breaks_off_earns_less() -> None:
    wanted = rewarded_words("add the salt\n")
    reward = SentenceReward([wanted, rewarded_words("stir the soup\n"), rewarded_words("cut the bread\n")])
    whole, broken = reward.of([wanted, rewarded_words("add the salt")], wanted)
    assert whole > broken
    assert rewarded_words("add the salt") == wanted[:-1]


def test_the_second_stage_goes_on_from_the_first(base: str, tmp_path: Path) -> None:
    run = RUN.model_copy(
        update={
            "training": {"epochs": 1, "learning_rate": 0.01},
            "rewarded": {"epochs": 1},
            "reward": RewardConfig(epochs=1, trials=2, share=1.0),
        }
    )
    examples = [example(n) for n in range(10)]
    train_language_writer(run, examples, base, tmp_path / "first", quiet=True)
    history = train_language_writer(run, examples, base, tmp_path / "second", start=tmp_path / "first", quiet=True)
    assert set(history.epochs[0].losses) == {"nats", "reward", "loss"}
    before, after = (load_file(tmp_path / name / "weights.safetensors") for name in ("first", "second"))
    assert before.keys() == after.keys()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    moved = max(float((before[name] - after[name]).abs().max()) for name in before)
    assert moved < 0.05, "it starts from the first stage's adapters"


def test_true_words_left_out_cost_more_than_words_too_many() -> None:
    wanted = ["add", "the", "salt", "and", "the", "oil"]
    short, long = shared_words(wanted[:3], wanted), shared_words([*wanted, "in", "a", "pan"], wanted)
    # METEOR's mean: P R / (0.85 P + 0.15 R), of P = 1, R = 3/6 and of P = 6/9, R = 1.
    assert abs(short - 0.5 / (0.85 + 0.15 * 0.5)) < 1e-9
    assert abs(long - (6 / 9) / (0.85 * 6 / 9 + 0.15)) < 1e-9
    assert shared_words(["bread"], wanted) == 0 < short < long < shared_words(wanted, wanted) == 1
