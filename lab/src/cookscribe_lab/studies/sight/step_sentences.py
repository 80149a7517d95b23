"""Sentences for the true steps of stills: what the writer makes of one picture, beside what it writes without.

The stills of a video are told as one story, in order, each with its step's true number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.minilm import SentenceVectors
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.files import read_json, write_json
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.sight.ingredients import fit_list
from cookscribe.learning.sight.run import HELD_OUT, SightData
from cookscribe.learning.writer.examples import WriterData
from cookscribe.model_folder import WEIGHTS, read_tensors
from cookscribe.pipelines.language import load_language_writer, writer_config
from cookscribe.pipelines.sight import FIT, UNSEEN, judge_of
from cookscribe.seeds import generator
from cookscribe.senses.sight import Sight
from cookscribe.senses.word_space import said_at
from cookscribe.writer.evidence import EventEvidence, FilmEvidence, event_lines, heard_lines, seen_names
from cookscribe.writer.language_writer import LanguageWriter
from cookscribe.writer.texts import Encoder
from cookscribe_lab.nearest import NearestNeighbourCaptioner
from cookscribe_lab.studies.core.plain_rows import NEAREST
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.tables import Row, as_markdown
from cookscribe_lab.studies.sight.sentence_scores import CIDER, INGREDIENTS, METEOR, Step, cider, compared, scored

Floats = NDArray[np.float64]
NOTHING, POSITION, LISTED = "no evidence", "position only", "list only"
SEEN, SEEN_LISTED = "seen", "seen + list"
FREQUENT = 50  # sentences of which one is told of all steps
HEARD, HEARD_SEEN = "heard", "heard + seen"
ROWS = (NOTHING, POSITION, NEAREST, LISTED, SEEN, SEEN_LISTED)
NARRATED = (HEARD, HEARD_SEEN)  # of development videos only, to see whether sight helps where somebody speaks
PAIRS = ((SEEN, NOTHING), (SEEN, POSITION), (SEEN, NEAREST), (SEEN_LISTED, LISTED), (HEARD_SEEN, HEARD))


@dataclass(frozen=True)
class PlacedFilm(FilmEvidence):
    """Some of a film's events: which (from 0), and how many it has."""

    places: tuple[int, ...] = ()
    count: int = 0


class PlacedEncoder(Encoder):
    """Gives events their numbers in the whole film."""

    def event(self, film: FilmEvidence, number: int) -> list[int]:
        """Tokens of an event up to its sentence."""
        assert isinstance(film, PlacedFilm)
        return self.tokens(event_lines(film.events[number], film.places[number] + 1, film.count))


class StepSentences:
    """The stills that are judged, and the sentences of every row.

    Args:
        held: all stills; sight: the heads of `folder`.
        folder: of `train_sight`; writer: folder of adapters.
        development: judge stills of the training videos that the writer's training kept apart, by heads that have not
            seen them; else those of the validation videos.
    """

    def __init__(self, held: SightData, sight: Sight, folder: Path, writer: Path, *, development: bool) -> None:
        self.held, self.sight, self.writer = held, sight, writer
        self.names = (*ROWS, *NARRATED) if development else ROWS
        videos = held.data.videos()
        if development:
            transcripts = held.data.transcripts()
            narrated = [key for key in held.data.videos("training") if len(transcripts.get(key, ()))]
            judged = set(development_split(narrated, WriterData().development)[1])
        else:
            judged = {still.video_id for still, fold in zip(held.stills, held.fold, strict=True) if fold < 0}
        chosen = [n for n, still in enumerate(held.stills) if still.video_id in judged]
        self.rows = sorted(chosen, key=lambda n: (held.stills[n].video_id, held.stills[n].event))
        self.steps = [
            Step(still.video_id, still.event, still.sentence, tuple(videos[still.video_id].ingredients))
            for still in (held.stills[n] for n in self.rows)
        ]
        self.counts = {step.video_id: len(videos[step.video_id].sentences) for step in self.steps}
        tensors, _ = read_tensors(folder / HELD_OUT)
        self.words, self.guesses = tensors["words"].numpy(), tensors["guesses"].numpy()

    @cached_property
    def language(self) -> LanguageWriter:
        """The writer, which is told where in its video a still is."""
        found = load_language_writer(self.writer)
        return LanguageWriter(found.model, PlacedEncoder(found.encoder.tokenizer), found.config)

    @cached_property
    def used(self) -> dict[int, list[tuple[str, float]]]:
        """By still, the listed ingredients and how likely each is used, judged by weights that have not seen it."""
        lists = fit_list(self.held, self.sight, self.words, self.guesses)[2]
        videos = self.held.data.videos()
        return {
            row: list(zip(sorted(set(videos[one.video_id].ingredients)), chances, strict=True))
            for one in lists
            for row, chances in zip(one.rows, (0.5 + 0.5 * np.tanh(one.odds / 2)).tolist(), strict=True)
        }

    def seen(self, row: int, *, listed: bool) -> tuple[str, ...]:
        """What is seen in a still; with a list, of foods those on it, as the pipeline has it."""
        config = self.held.config
        words = zip(config.words, config.kinds, self.words[row].tolist(), strict=True)
        tags = [(word, sure) for word, kind, sure in words if not (listed and kind == "food")]
        return seen_names(tags + (self.used.get(row, []) if listed else []))

    def written(self, *, looks: bool, listed: bool) -> list[str]:
        """The writer's sentences."""
        films, judges, order = [], [], []
        vectors = SentenceVectors() if looks else None
        for video_id, count in self.counts.items():
            mine = [n for n, step in enumerate(self.steps) if step.video_id == video_id]
            names = self.steps[mine[0]].ingredients
            # Published lists are in the order of use.
            shuffled = [names[n] for n in generator("shuffled list", video_id).permutation(len(names))]
            events = tuple(EventEvidence(seen=self.seen(self.rows[n], listed=listed) if looks else ()) for n in mine)
            places = tuple(self.steps[n].number for n in mine)
            films.append(PlacedFilm(events, "", tuple(shuffled) if listed else (), listed, places, count))
            if vectors is not None:
                rows, known = [self.rows[n] for n in mine], ", ".join(names) if listed else ""
                judges.append(judge_of(self.sight, self.words[rows], self.guesses[rows], vectors, known))
            order += mine
        beam = self.language.config.picture_beam if judges else None
        told = [one.sentence for film in self.language.write(films, judges, beam, whole=False) for one in film]
        return [told[order.index(n)] for n in range(len(self.steps))]

    def narrated(self, *, looks: bool) -> list[str]:
        """The writer's sentences of whole narrated videos, at their true steps; what is seen, only of those stills."""
        videos, transcripts = self.held.data.videos(), self.held.data.transcripts()
        films = []
        for video_id in self.counts:
            shown = {
                step.number: row for step, row in zip(self.steps, self.rows, strict=True) if step.video_id == video_id
            }
            known, heard = videos[video_id], transcripts[video_id]
            lines = heard_lines(heard.words, said_at(heard), known.spans, timed=heard.timed)
            events = tuple(
                EventEvidence(line, seen=self.seen(shown[n], listed=False) if looks and n in shown else ())
                for n, line in enumerate(lines)
            )
            films.append(PlacedFilm(events, places=tuple(range(len(events))), count=len(events)))
        told = dict(zip(self.counts, self.language.write(films), strict=True))
        return [told[step.video_id][step.number].sentence for step in self.steps]

    def nearest(self) -> list[str]:
        """Sentences of the nearest training stills of other videos, by normalised rows."""
        x = (self.held.rows - self.sight.model.mean.numpy()) / self.sight.model.scale.numpy()
        judged = {step.video_id for step in self.steps}
        known = [n for n in np.flatnonzero(self.held.training) if self.held.stills[n].video_id not in judged]
        memory = NearestNeighbourCaptioner.fit(x[known], [self.held.stills[n].sentence for n in known])
        return memory.caption(x[self.rows])

    def same(self) -> list[str]:
        """The one sentence that scores best for all training stills: nothing is known of any."""
        judged = {step.video_id for step in self.steps}
        stills = [
            s for s, f in zip(self.held.stills, self.held.fold, strict=True) if f >= 0 and s.video_id not in judged
        ]
        return [best_for_all([still.sentence for still in stills])] * len(self.steps)

    def row(self, name: str) -> list[str]:
        """The sentences of a row."""
        plain = {NOTHING: self.same, NEAREST: self.nearest}
        if name in plain:
            return plain[name]()
        if name in NARRATED:
            return self.narrated(looks=name == HEARD_SEEN)
        return self.written(looks=name in (SEEN, SEEN_LISTED), listed=name in (LISTED, SEEN_LISTED))

    def kept(self, name: str, parts: Path) -> list[str]:
        """The sentences of a row; once made, they are kept in the folder `parts`."""
        adapters = [(self.writer / WEIGHTS).read_bytes().hex(), writer_config(self.writer).model_dump_json()]
        made_of = [*adapters, self.held.config.encoder, FIT, UNSEEN, name]
        path = parts / f"sentences-{short_hash(*made_of, [step.sentence for step in self.steps])}.json"
        if not path.is_file():
            write_json(path, {"row": name, "sentences": self.row(name)})
        return [str(text) for text in read_json(path)["sentences"]]


def best_for_all(sentences: Sequence[str]) -> str:
    """Of the most frequent sentences the one with the highest mean CIDEr-D to all."""
    frequent = [text for text, _ in Counter(sentences).most_common(FREQUENT)]
    return max(frequent, key=lambda text: float(cider(sentences, [text] * len(sentences)).mean()))


def sentence_tables(
    found: StepSentences, parts: Path, *, meteor: bool
) -> tuple[str, list[Row], list[dict[str, object]]]:
    """Both tables as Markdown, the rows, and the comparisons."""
    table = MeteorTable() if meteor else None
    scores = {name: scored(found.steps, found.kept(name, parts), table) for name in found.names}
    rows = [Row(name, {key: [value] for key, value in one.figures().items()}) for name, one in scores.items()]
    paired, figures = compared(scores, [pair for pair in PAIRS if set(pair) <= set(scores)])
    caption = (
        f"Sentences for {len(found.steps)} true steps of {len(found.counts)} videos, from one still each; x 100. "
        "Paired differences with 95 % bootstrap intervals over videos."
    )
    return f"{caption}\n\n{as_markdown(rows, 'from', (CIDER, METEOR, INGREDIENTS), digits=1)}\n{paired}", rows, figures
