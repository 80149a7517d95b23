"""`LanguageWriter`: the evidence of films in, a sentence for every event out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from cookscribe.config import Config
from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import FaultFinder
from cookscribe.writer.choosing import Judge, Naming, best_sentence, best_story
from cookscribe.writer.evidence import FilmEvidence
from cookscribe.writer.generation import GenerationConfig, Hypothesis, Runs, beam_search
from cookscribe.writer.llama import AdapterConfig, Cache, Llama, LlamaConfig
from cookscribe.writer.texts import Encoder, padded

KIND = "writer"  # of a model folder
# What of a configuration only says how sure sentences are, and changes none.
CALIBRATION = ("calibration", "calibration_without_ingredients", "weak")
BATCH = 16  # films that are written at once
# Tokens of a film that are remembered as they were read; stories of YouCook2 have fewer than 2,000. Of a longer film
# the writer then remembers this many of its last sentences, so that a film of any length takes the same memory.
MOST_READ, REMEMBERED = 4000, 12


class WriterConfig(Config):
    """What the folder of a writer says: the language model it adapts, the adapters' size, how sentences are searched.

    Attributes:
        picture_beam: width of the beam where a picture judges the sentences, too; wider, because it can only choose
            among what the beam has found.
        recipe_model_weight: how much the recipe model's mean log-probability of a sentence counts beside the writer's
            own, where there is a recipe model.
        naming, first_naming: how much a sentence of a whole film counts more for every ingredient that it names, and
            for one that no sentence before it names; see `Naming`.
        base: name of the language model among the weights, or its path; network: its sizes.
        calibration, calibration_without_ingredients, weak: of its sentences, see `BundleConfig`; None leaves those of
            the bundle, which are of its recipe model.
    """

    base: str = Field(default="smollm2", min_length=1, max_length=4000)
    network: LlamaConfig = LlamaConfig()
    adapter: AdapterConfig = AdapterConfig()
    generation: GenerationConfig = GenerationConfig()
    picture_beam: int = Field(default=16, ge=1, le=64)
    recipe_model_weight: float = Field(default=0.5, ge=0, le=100)
    naming: float = Field(default=0.1, ge=0, le=100)
    first_naming: float = Field(default=0.5, ge=0, le=100)
    calibration: tuple[float, float] | None = None
    calibration_without_ingredients: tuple[float, float] | None = None
    weak: float | None = Field(default=None, ge=0, le=1)


@dataclass(frozen=True)
class Written:
    """A sentence, the mean log-probability of its tokens, and all sentences it was chosen from, likeliest first."""

    sentence: str
    score: float
    choices: tuple[tuple[str, float], ...] = ()


class LanguageWriter:
    """Reads each film once, event by event; what it has written stays in its memory as text."""

    def __init__(self, model: Llama, encoder: Encoder, config: WriterConfig | None = None) -> None:
        self.model, self.encoder, self.config = model.eval(), encoder, config or WriterConfig()
        self.faults = FaultFinder(packaged_verbs())

    def write(
        self,
        films: Sequence[FilmEvidence],
        judges: Sequence[Judge] = (),
        beam: int | None = None,
        *,
        whole: bool = True,
    ) -> list[list[Written]]:
        """A sentence for every event of every film.

        Args:
            judges: what else says which sentences fit, one for each film; none at all if nothing does.
            beam: its width, if it is not the usual one.
            whole: the events are all those of their films, so their sentences are chosen together in the end.
        """
        search = self.config.generation
        if beam is not None:
            search = search.model_copy(update={"beam": beam})
        # Films of about the same number of events wait least for each other.
        order = sorted(range(len(films)), key=lambda n: -len(films[n].events))
        found: dict[int, list[Written]] = {}
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            batch = self._batch([films[n] for n in some], [judges[n] for n in some if judges], search, whole)
            found.update(zip(some, batch, strict=True))
        return [found[n] for n in range(len(films))]

    @torch.no_grad()
    def _batch(
        self, films: Sequence[FilmEvidence], judges: Sequence[Judge], search: GenerationConfig, whole: bool
    ) -> list[list[Written]]:
        """Of films in falling order of their number of events."""
        stories: list[list[Written]] = [[] for _ in films]
        beams: list[list[list[tuple[str, float]]]] = [[] for _ in films]  # with what the judges add
        runs = [Runs(search.no_repeat_ngram) for _ in films]
        pending = [self.encoder.beginning(film) for film in films]
        cache = Cache()
        for number in range(max((len(film.events) for film in films), default=0)):
            going = [n for n, film in enumerate(films) if len(film.events) > number]
            if cache.valid is not None and len(going) < len(cache.valid):
                cache = cache.rows(torch.arange(len(going), device=self.model.device))
            if cache.valid is not None:
                for row in (cache.valid.sum(dim=1) > MOST_READ).nonzero().flatten().tolist():
                    cache.valid[row] = False
                    told = [one.sentence for one in stories[going[row]]]
                    pending[going[row]] = self.encoder.told(films[going[row]], told, REMEMBERED)
                if not cache.valid.any():
                    cache = Cache()
            chunks = [pending[n] + self.encoder.event(films[n], number) for n in going]
            last = self._read(chunks, cache)
            some = [runs[n] for n in going]
            found = beam_search(self.model, cache, last, some, self.encoder.end, search)
            for n, hypotheses in zip(going, found, strict=True):
                texts = [(self._text(one), one.mean) for one in hypotheses]
                earlier = [one.sentence for one in stories[n]]
                fits = judges[n](number, [text for text, _ in texts]) if judges else [0.0] * len(texts)
                beams[n].append([(text, score + fit) for (text, score), fit in zip(texts, fits, strict=True)])
                best = best_sentence(beams[n][-1], earlier, self.faults)
                chosen = hypotheses[best]
                runs[n].add(chosen.tokens)
                pending[n] = [*chosen.tokens, self.encoder.end]
                stories[n].append(Written(*texts[best], tuple(texts)))
        if not whole:
            return stories
        return [self._together(film, story, own) for film, story, own in zip(films, stories, beams, strict=True)]

    def _together(
        self, film: FilmEvidence, story: Sequence[Written], beams: Sequence[Sequence[tuple[str, float]]]
    ) -> list[Written]:
        """The sentences of a film, chosen anew now that all beams are known."""
        naming = Naming(film.ingredients, self.config.naming, self.config.first_naming)
        places = best_story(beams, self.faults, naming)
        return [Written(*one.choices[place], one.choices) for one, place in zip(story, places, strict=True)]

    def _read(self, chunks: Sequence[Sequence[int]], cache: Cache) -> Tensor:
        """(B, width) the state behind the last token of each chunk."""
        tokens, mask = padded(chunks)
        device = self.model.device
        hidden = self.model.read(tokens.to(device), mask.to(device), cache)
        lengths = torch.tensor([len(chunk) - 1 for chunk in chunks], device=device)
        return hidden[torch.arange(len(chunks), device=device), lengths]

    def _text(self, hypothesis: Hypothesis) -> str:
        return " ".join(self.encoder.tokenizer.decode(list(hypothesis.tokens)).split())
