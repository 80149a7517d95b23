"""Beam search against trying all sentences, batches against single films, and no run of tokens twice."""

from collections.abc import Sequence
from itertools import product

import pytest
import torch
from torch import Tensor

from cookscribe.writer.evidence import EventEvidence, FilmEvidence
from cookscribe.writer.generation import GenerationConfig, Hypothesis, Runs, beam_search
from cookscribe.writer.language_writer import LanguageWriter, WriterConfig
from cookscribe.writer.llama import Cache, Llama
from cookscribe.writer.texts import Encoder
from tests.writer.small import tokenizer

END = 3


def searching(**changes: int) -> WriterConfig:
    return WriterConfig(generation=GenerationConfig(**changes))


@torch.no_grad()
def test_a_wide_beam_finds_the_best_of_all_sentences(model: Llama) -> None:
    """Of a model that can only say four tokens, every sentence of up to three is tried."""
    allowed = [2, END, 7, 11]

    class Few(Llama):
        def logits(self, hidden: torch.Tensor) -> torch.Tensor:
            full = super().logits(hidden)
            blocked = torch.full_like(full, -1e9)
            blocked[..., allowed] = full[..., allowed]
            return blocked

    model.__class__ = Few
    read = torch.tensor([[5, 17, 200], [8, 3, 1]])
    cache = Cache()
    last = model.read(read, torch.ones_like(read, dtype=torch.bool), cache)[:, -1]
    config = GenerationConfig(beam=30, most_tokens=3, no_repeat_ngram=0, length_power=0)
    found = beam_search(model, cache, last, [Runs(0), Runs(0)], END, config)
    for film in range(2):
        scores = {}
        for length in (1, 2, 3):
            for words in product([2, 7, 11], repeat=length):
                tokens = torch.tensor([[*read[film].tolist(), *words, END]])
                logits = model.logits(model(tokens)).log_softmax(-1)[0]
                # The end cannot come first, and what it had is not handed to the others.
                scores[words] = sum(float(logits[2 + n, token]) for n, token in enumerate((*words, END)))
        best = max(scores, key=scores.__getitem__)
        assert found[film][0].tokens == best
        assert abs(found[film][0].log_probability - scores[best]) < 1e-4


def test_no_run_of_tokens_comes_twice() -> None:
    runs = Runs(3)
    runs.add([1, 2, 3, 4])
    assert runs.forbidden([9, 1, 2]) == {3}
    assert runs.forbidden([2, 3]) == {4}
    assert runs.forbidden([5, 6, 7, 5, 6]) == {7}, "within one sentence, too"
    assert runs.forbidden([1]) == set()
    assert Runs(0).forbidden([1, 2, 3]) == set()


def test_films_of_a_batch_are_written_as_if_alone(model: Llama) -> None:
    writer = LanguageWriter(model, Encoder(tokenizer()), searching(beam=3, most_tokens=6, no_repeat_ngram=3))
    films = [
        FilmEvidence((EventEvidence("add salt"),), "soup"),
        FilmEvidence((EventEvidence("the onion then"), EventEvidence(seen=("pan",)), EventEvidence()), "", ("salt",)),
        FilmEvidence(()),
        FilmEvidence((EventEvidence(read=("2 eggs",)), EventEvidence("stir it in"))),
    ]
    together = writer.write(films)
    assert [len(story) for story in together] == [1, 3, 0, 2]
    for film, story in zip(films, together, strict=True):
        for one, alone in zip(story, writer.write([film])[0], strict=True):
            assert one.sentence == alone.sentence
            assert abs(one.score - alone.score) < 1e-4
            assert one.score <= 0


def test_a_long_film_takes_no_more_memory_and_is_told_from_its_last_sentences(
    model: Llama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cookscribe.writer.language_writer.MOST_READ", 120)
    monkeypatch.setattr("cookscribe.writer.language_writer.REMEMBERED", 2)
    encoder, sizes, read = Encoder(tokenizer()), [], Llama.read

    def measured(model: Llama, tokens: Tensor, mask: Tensor, cache: Cache) -> Tensor:
        sizes.append(0 if cache.valid is None else int(cache.valid.sum(dim=1).max()))
        return read(model, tokens, mask, cache)

    monkeypatch.setattr(Llama, "read", measured)
    writer = LanguageWriter(model, encoder, searching(beam=2, most_tokens=6, no_repeat_ngram=0))
    films = [
        FilmEvidence(tuple(EventEvidence(f"add salt {n} times") for n in range(9)), "soup"),
        FilmEvidence((EventEvidence("stir"), EventEvidence("serve it"))),
    ]
    alone = [one.sentence for one in writer.write(films[:1])[0]]
    restarts = [n for n in range(1, 9) if sizes[n] == 0]
    assert restarts
    assert max(sizes) <= 120
    assert [one.sentence for one in writer.write(films)[0]] == alone
    first = restarts[0]
    words = encoder.told(films[0], alone[:first], 2) + encoder.event(films[0], first)
    text = encoder.tokenizer.decode(words)
    assert f"step {first}/9: {alone[first - 1]}" in text
    assert f"step {first - 2}/9:" not in text
    cache, tokens = Cache(), torch.tensor([words])
    last = model.read(tokens, torch.ones_like(tokens, dtype=torch.bool), cache)[:, -1]
    best = beam_search(model, cache, last, [Runs(0)], encoder.end, writer.config.generation)[0]
    assert alone[first] in {" ".join(encoder.tokenizer.decode(list(one.tokens)).split()) for one in best}


def test_sentences_of_a_film_share_no_long_run(model: Llama, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[int, ...]] = []
    plain = Runs.add
    monkeypatch.setattr(Runs, "add", lambda runs, tokens: (said.append(tuple(tokens)), plain(runs, tokens)))
    config = searching(beam=2, most_tokens=12, no_repeat_ngram=4)
    film = FilmEvidence(tuple(EventEvidence("add salt") for _ in range(6)))
    LanguageWriter(model, Encoder(tokenizer()), config).write([film])
    runs = [tokens[n : n + 4] for tokens in said for n in range(len(tokens) - 3)]
    assert len(runs) > 6
    assert len(runs) == len(set(runs))


def test_the_sentence_that_its_judge_prefers_is_written(model: Llama, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [("add the salt", -0.1), ("stir the onion", -0.4), ("stir it", -0.5)]
    texts = {Hypothesis((n,), 2 * score): text for n, (text, score) in enumerate(found)}
    widths: list[int] = []

    def search(*args: object) -> list[list[Hypothesis]]:
        assert isinstance(args[-1], GenerationConfig)
        widths.append(args[-1].beam)
        return [list(texts)]

    monkeypatch.setattr("cookscribe.writer.language_writer.beam_search", search)
    monkeypatch.setattr(LanguageWriter, "_text", lambda _, one: texts[one])
    writer = LanguageWriter(model, Encoder(tokenizer()), WriterConfig(network=model.config))
    film = FilmEvidence((EventEvidence("salt"),))
    assert writer.write([film])[0][0].sentence == "add the salt"
    asked: list[tuple[int, list[str]]] = []

    def judge(number: int, sentences: Sequence[str]) -> list[float]:
        asked.append((number, list(sentences)))
        return [-1.0, 0.0, -0.2]

    assert writer.write([film], [judge], beam=9)[0][0].sentence == "stir the onion"
    assert asked == [(0, [text for text, _ in found])]
    assert widths == [writer.config.generation.beam, 9]


def test_the_sentences_of_a_whole_film_are_chosen_together(model: Llama, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first event might use the salt or the onion; that the second one is about salt only, it cannot know."""
    found = [[("add the salt", -0.1), ("add the onion", -0.2)], [("stir the salt", -0.1), ("cover the pot", -0.5)]]
    texts = {Hypothesis((5 * n + m,), 2 * one[1]): one[0] for n, beam in enumerate(found) for m, one in enumerate(beam)}
    beams = [list(texts)[:2], list(texts)[2:]]
    calls: list[int] = []

    def search(*_: object) -> list[list[Hypothesis]]:
        calls.append(0)
        return [beams[(len(calls) - 1) % 2]]

    monkeypatch.setattr("cookscribe.writer.language_writer.beam_search", search)
    monkeypatch.setattr(LanguageWriter, "_text", lambda _, one: texts[one])
    writer = LanguageWriter(model, Encoder(tokenizer()), WriterConfig(network=model.config))
    film = FilmEvidence((EventEvidence("salt"), EventEvidence()), ingredients=("salt", "onion"))
    together = writer.write([film])[0]
    assert [one.sentence for one in together] == ["add the onion", "stir the salt"]
    assert [one.score for one in together] == [-0.2, -0.1], "the language model's own, whatever else counted"
    assert [one.sentence for one in writer.write([film], whole=False)[0]] == ["add the salt", "stir the salt"]
