"""Recipes of the real narrated validation videos: the writer that listens, beside PDVC's captions and the nearest
neighbour, on events found by listening and on the published candidates.

Videos: those of the validation split that have a transcript; once more those whose words have a recogniser's times.
Events: "heard" are found by our span model; "published" are the public PDVC candidates (N = 25) after non-maximum
suppression, as many as PDVC counted. Nothing is trained on validation videos. `--development` takes the training videos
that no model learnt from instead, to choose by; there are no published candidates for them.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cookscribe.bundle import find_bundle
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.report import evaluate
from cookscribe.evaluation.soda import SodaScorer, soda_tiou
from cookscribe.files import read_json, write_json, write_text
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.learning.narrated.run import Narrated, SpeechRun, inference_decoding
from cookscribe.learning.story_task import story_events
from cookscribe.model.story_input import StoryInput
from cookscribe.pipelines.language import film_evidence, load_language_writer
from cookscribe.pipelines.recipe_judge import RecipeJudge
from cookscribe.pipelines.transcript_reader import NarratedVideo
from cookscribe.proposals.plain import reranked, suppressed, uniform
from cookscribe.seeds import generator
from cookscribe.senses.event_words import distinct_names
from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import faulty_share
from cookscribe_lab.nearest import NearestNeighbourCaptioner
from cookscribe_lab.studies.core import tables
from cookscribe_lab.studies.core.candidate_sets import open_youcook2
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import bootstrap_interval, markdown_table
from cookscribe_lab.studies.core.tables import Row, as_markdown, figures_of
from cookscribe_lab.studies.narrated.parts import BundleParts, TrainedParts
from cookscribe_lab.studies.paper.paper import CANDIDATES, MAIN

Told = Mapping[str, Events]
Spans = NDArray[np.float64]

OVERLAP = 0.3
EQUAL = 8
# In the order of the table.
HEADINGS = (
    *("SODA METEOR", "SODA CIDEr-D", "strict METEOR", "strict CIDEr-D", "SODA tIoU"),
    *("dvc BLEU4", "dvc METEOR", "dvc CIDEr-D", "ingredient F1", "distinct", "faulty", "steps"),
)
FIGURES = {**tables.FIGURES, "distinct": ("distinct",), "faulty": ("faulty",)}
# Scores of single videos, which intervals are drawn from.
SINGLE: tuple[SodaScorer, ...] = ("METEOR", "CIDEr")
SETS = ("all", "timed")
# Where the events of a row come from, and what is known of the ingredients. YouCook2 lists them in the order of use,
# which tells much; nobody has to.
OURS = (
    ("published", "no list"),
    ("published", "ingredient list"),
    ("published", "shuffled list"),
    ("heard", "no list"),
    ("heard", "ingredient list"),
)


def distinct_share(told: Told) -> float:
    """Mean over the videos of the share of sentences (in percent) that the video has not said before."""
    shares = [len(set(events.sentences)) / len(events) for events in told.values() if len(events)]
    return 100 * float(np.mean(shares)) if shares else 0.0


class NarratedStudy:
    """Videos, events and captioners, and the scores of what they tell.

    Args:
        parts: the models.
        out: folder of the reports; those of a bundle, and of the development videos, lie in folders of their own.
        development: judge the training videos kept apart, not the validation videos.
    """

    def __init__(
        self,
        data: YouCook2,
        parts: TrainedParts | BundleParts,
        out: Path,
        *,
        meteor: bool = True,
        development: bool = False,
    ) -> None:
        self.data, self.parts, self.development = data, parts, development
        self.out = parts.reports(out) / "development" if development else parts.reports(out)
        self.training = Narrated.read(data, "training")
        self.judged = Narrated.read(data, "validation")
        if development:
            rest, apart = development_split(self.training.videos, SpeechRun().development)
            videos = self.training.videos
            self.judged = replace(self.training, videos={key: videos[key] for key in apart})
            self.training = replace(self.training, videos={key: videos[key] for key in rest})
        self.truth = {key: Events(video.spans, video.sentences) for key, video in self.judged.videos.items()}
        self.ingredients = {key: video.ingredients for key, video in self.judged.videos.items()}
        self.meteor: MeteorTable | bool = MeteorTable() if meteor else False

    @cached_property
    def heard(self) -> dict[str, NarratedVideo]:
        """What is read of every video."""
        return replace(self.judged, reader=self.parts.reader).heard

    @cached_property
    def events(self) -> dict[str, dict[str, Spans]]:
        """Spans of every video, by where they come from."""
        finder = self.parts.finder()
        found = {
            "heard": {
                key: _spans(finder.find(video.track, self.judged.transcripts[key]).spans)
                for key, video in self.heard.items()
            }
        }
        if not self.development:
            candidates = self.data.candidates()
            found["published"] = {key: _spans(suppressed(candidates[key], OVERLAP).spans) for key in self.truth}
        return found

    @cached_property
    def neighbours(self) -> NearestNeighbourCaptioner:
        """The true steps of the training videos by what is said in them."""
        heard = replace(self.training, reader=self.parts.reader).heard
        videos = self.training.videos
        pooled = np.concatenate([heard[key].track.over(video.spans) for key, video in videos.items()])
        return NearestNeighbourCaptioner.fit(pooled, [text for video in videos.values() for text in video.sentences])

    def nearest(self, source: str) -> Told:
        """Sentences of the nearest training steps."""
        return {
            key: Events(spans, tuple(self.neighbours.caption(self.heard[key].track.over(spans))))
            for key, spans in self.events[source].items()
        }

    def published(self, *, rank: bool) -> Told:
        """PDVC's own captions: as it ranks them, or without telling an event twice."""
        candidates = self.data.candidates()
        chosen = {
            key: reranked(candidates[key]) if rank else suppressed(candidates[key], OVERLAP) for key in self.truth
        }
        return {key: Events(_spans(found.spans), found.captions or ()) for key, found in chosen.items()}

    def written(self, seed: int, source: str, listing: str) -> Told:
        """Our sentences, with the ingredient list (in its order or in any) or with the ingredients heard."""
        writer, inputs = self.parts.story_writer(seed), self.inputs(source, listing)
        stories = writer.write(list(inputs.values()), inference_decoding(writer.config.decoding))
        return {key: story_events(story) for key, story in zip(inputs, stories, strict=True)}

    def inputs(self, source: str, listing: str) -> dict[str, StoryInput]:
        """What the recipe model reads of every video."""
        reader = self.parts.reader
        return {
            key: reader.input(self.heard[key], spans, self.listed(key, listing))
            for key, spans in self.events[source].items()
        }

    def told_by_language(self, seed: int, source: str, listing: str) -> Told:
        """Sentences of the language-model writer of a seed."""
        writer = load_language_writer(self.parts.adapters()[seed])
        story_writer, inputs = self.parts.story_writer(seed), self.inputs(source, listing)
        told = self.ours(seed, source, listing)["told"]
        films, judges = [], []
        for key, spans in self.events[source].items():
            drafts = [text for *_, text in told[key]]
            judges.append(RecipeJudge(story_writer, inputs[key], drafts, writer.config.recipe_model_weight))
            given = self.listed(key, listing)
            names = distinct_names(self.heard[key].ingredients) if given is None else given
            films.append(
                film_evidence(
                    spans,
                    transcript=self.judged.transcripts[key],
                    ingredients=names,
                    given=given is not None,
                    drafts=drafts,
                )
            )
        return {
            key: Events(spans, tuple(one.sentence for one in written))
            for (key, spans), written in zip(self.events[source].items(), writer.write(films, judges), strict=True)
        }

    def listed(self, key: str, listing: str) -> Sequence[str] | None:
        """The ingredient list of a video as a row of the table gives it."""
        names = self.ingredients[key]
        if listing == "no list":
            return None
        if listing == "shuffled list":
            return [names[i] for i in generator("shuffled list", key).permutation(len(names))]
        return names

    def event_scores(self) -> dict[str, dict[str, float]]:
        """SODA tIoU of the events alone by where they come from, for videos whose words have times and for others."""
        videos = self.judged.videos.items()
        equal = {key: _spans(uniform(video.duration, EQUAL).spans) for key, video in videos}
        scores = {}
        for name, found in ({f"{EQUAL} equal segments": equal} | self.events).items():
            scores[name] = {"steps": float(np.mean([len(spans) for spans in found.values()]))}
            for heading, kinds in {"all": (True, False), "timed": (True,), "untimed": (False,)}.items():
                keys = [key for key in self.truth if self.judged.transcripts[key].timed in kinds]
                if keys:
                    truth = {key: self.truth[key].spans for key in keys}
                    scores[name][heading] = soda_tiou(truth, {key: found[key] for key in keys}, "released")
        return scores

    def report_file(self, name: str) -> Path:
        """Where the scores of a row are kept."""
        return self.out / "reports" / f"{name.replace(' ', '-').replace(',', '')}.json"

    def report(self, name: str, tell: Callable[[], Told]) -> Mapping[str, Any]:
        """The scores of what is told, kept in a file."""
        path = self.report_file(name)
        if path.is_file():
            found: Mapping[str, Any] = read_json(path)
            return found
        print(name, file=sys.stderr, flush=True)
        told = tell()
        timed = [key for key in self.truth if self.judged.transcripts[key].timed]
        reports: dict[str, Any] = {}
        for videos, keys in zip(SETS, (list(self.truth), timed), strict=True):
            truth = {key: self.truth[key] for key in keys}
            some = {key: told[key] for key in keys}
            if not truth:
                continue
            report = evaluate(truth, some, meteor=self.meteor, ingredients=self.ingredients)
            recipes = [events.sentences for events in some.values()]
            reports[videos] = report.as_json() | {
                "distinct": distinct_share(some),
                "faulty": 100 * faulty_share(recipes, packaged_verbs()),
                "single": {name: scores.tolist() for name, scores in report.soda["released"].items()},
            }
        reports["told"] = {
            key: [[*span.tolist(), text] for span, text in zip(events.spans, events.sentences, strict=True)]
            for key, events in told.items()
        }
        write_json(path, reports)
        return reports

    def ours(self, seed: int, source: str, listing: str) -> Mapping[str, Any]:
        """The report of the recipe model of a seed."""
        return self.report(
            f"ours, {source} events, {listing} seed {seed}", partial(self.written, seed, source, listing)
        )

    def rows(self, seeds: Sequence[int], options: StudyOptions) -> dict[str, list[Mapping[str, Any]]]:
        """The reports of every row's seeds, by its name; baselines first. What is not wanted is not made."""
        tellers: dict[str, dict[str, Callable[[], Told]]] = {}
        if "published" in self.events:
            tellers["PDVC, its own ranking"] = {"PDVC ranked": partial(self.published, rank=True)}
            tellers["PDVC, published events"] = {"PDVC published": partial(self.published, rank=False)}
        for source in self.events:
            name = f"nearest neighbour, {source} events"
            tellers[name] = {name: partial(self.nearest, source)}
        for who, tell, trained in (
            ("ours", self.written, list(seeds)),
            ("language model", self.told_by_language, list(self.parts.adapters())),
        ):
            for source, listing in OURS if trained else ():
                if source in self.events:
                    name = f"{who}, {source} events, {listing}"
                    tellers[name] = {f"{name} seed {seed}": partial(tell, seed, source, listing) for seed in trained}
        options.check_only(tellers)
        # The last rows first: what they need of others is finished then, and shown.
        found = {
            name: [self.report(file, tell) for file, tell in row.items()]
            for name, row in reversed(tellers.items())
            if options.wants(name) or all(self.report_file(file).is_file() for file in row)
        }
        return dict(reversed(found.items()))


def _spans(spans: NDArray[np.floating]) -> Spans:
    return np.asarray(spans, dtype=np.float64).reshape(-1, 2)


def event_table(studies: Sequence[NarratedStudy]) -> str:
    """The events of one or several trainings alone."""
    scores = [study.event_scores() for study in studies]
    rows = [Row(name, {key: [one[name][key] for one in scores] for key in line}) for name, line in scores[0].items()]
    return as_markdown(rows, "SODA tIoU of events", ("all", "timed", "untimed", "steps"))


def table(found: Mapping[str, Sequence[Mapping[str, Any]]], videos: str) -> str:
    """The table of one set of videos; the paper's rows below (other input, 457 videos)."""
    rows = [Row(name, figures_of([report[videos] for report in reports], FIGURES)) for name, reports in found.items()]
    if videos == "all":
        printed = {
            "paper: PDVC (TSN)": MAIN["PDVC"],
            "paper: B (MIL-NCE, N = 100)": MAIN["B"],
            "paper: BIVT (MIL-NCE and list, N = 100)": MAIN["BIVT"],
            "paper: BIVT (MIL-NCE and list, N = 25)": CANDIDATES["BIVT"][25],
        }
        rows += [Row(name, {heading: [value] for heading, value in line.items()}) for name, line in printed.items()]
    return as_markdown(rows, "", HEADINGS)


def intervals(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """How far the language model is from the recipe model on the same events: 95 % intervals over the videos."""
    rows = []
    for source, listing in OURS:
        pair = [found.get(f"{who}, {source} events, {listing}") for who in ("language model", "ours")]
        if not all(pair):
            continue
        row = {"events": source, "ingredients": listing}
        for name in SINGLE:
            means = [[report["all"]["single"].get(name) for report in reports or ()] for reports in pair]
            if all(value is not None for values in means for value in values):
                better, plain = (100 * np.mean(values, axis=0) for values in means)
                low, high = bootstrap_interval(better - plain)
                row[f"SODA {name}"] = f"{(better - plain).mean():+.2f} ({low:+.2f} to {high:+.2f})"
        rows.append(row)
    return markdown_table(rows)


def run(options: StudyOptions) -> str:
    """Train what is missing, or take bundles as they are; score everything, and give the tables."""
    data = open_youcook2(options)
    trained: list[TrainedParts | BundleParts]
    if options.bundle:
        trained, seeds = [BundleParts(find_bundle(name)) for name in options.bundle], 1
    else:
        changes = SpeechRun(training={"epochs": 1}, model={"width": 16}) if options.smoke else SpeechRun()
        spans = {"epochs": 1} if options.smoke else None
        trained = [TrainedParts(SpeechFolder(data, options.out / "models", changes, spans))]
        seeds = 1 if options.smoke else options.seeds
    studies = [
        NarratedStudy(data, parts, options.out, meteor=options.asks_meteor, development=options.development)
        for parts in trained
    ]
    each = [study.rows(range(seeds), options) for study in studies]
    rows = {
        name: [report for found in each for report in found[name]]
        for name in each[0]
        if all(name in found for found in each)
    }
    first = studies[0]
    timed = {name: reports for name, reports in rows.items() if all("timed" in report for report in reports)}
    text = f"{len(first.truth)} videos with a transcript\n\n{event_table(studies)}\n\n{table(rows, 'all')}\n"
    if timed:
        count = sum(first.judged.transcripts[key].timed for key in first.truth)
        text += f"\n{count} of them whose words have times\n\n{table(timed, 'timed')}\n"
    if compared := intervals(rows):
        text += f"\nlanguage model minus recipe model, over videos\n\n{compared}\n"
    write_text((first.out if len(studies) == 1 else options.out) / "narrated.md", text)
    return text
