"""The studies by name. A study joins by one entry here; its module is imported only when it runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path

from cookscribe.errors import BadValueError


@dataclass(frozen=True)
class StudyOptions:
    """What a study may be told; `Study.reads` names the options that it reads.

    Attributes:
        data: folder of the YouCook2 files.
        out: folder of the results: NAME.md, NAME.json, pictures.
        seeds: how many trainings of each kind; first_seed: of the first of them, so that several commands with one
            folder of parts can train side by side.
        smoke: True for the smallest run that still passes through every part; its figures mean nothing.
        features: feature tracks of the videos, or a folder with one such folder per encoder; None simulates them.
        candidates: folder with ready-made candidates, `training_n25.safetensors`, `validation_n25.safetensors` and so
            on for other N; None trains the proposal model.
        preset: "paper" (its design and size), "faithful" (its design, smaller) or "small" (ours).
        events: N, candidates per video; 0 takes 100 for the preset "paper" and 25 for the others.
        videos: how many training videos; 0 takes all.
        epochs, batch_size: of the recipe models; 0 takes the preset's.
        proposal_epochs: of the proposal models; 0 takes the preset's.
        captions: let the proposal models write; without, only the places of events are compared.
        meteor: ask METEOR too (Java); a smoke run never does.
        veil: of the simulation: how much of a food's look is hidden in all steps but the first, from 0 to 1; at 1 only
            what came before tells it. Features are then always simulated; ready-made candidates give their places only.
        true_events: give the models the true events, so that only their sentences are judged.
        writer: folder of a language model's adapters; its sentences are judged.
        bundle: names or folders of bundles that are judged as they are, trainings of the same kind; nothing is trained
            then.
        development: judge videos that training kept apart, to choose by, instead of the validation videos.
        only: train or judge these rows only; rows that are finished already are shown all the same. Empty for all.
        work: folder of finished parts, which studies share; beside `out` if None.
    """

    out: Path
    data: Path | None = None
    seeds: int = 3
    first_seed: int = 0
    smoke: bool = False
    features: Path | None = None
    candidates: Path | None = None
    preset: str = "small"
    events: int = 0
    veil: float = 0.0
    videos: int = 0
    epochs: int = 0
    batch_size: int = 0
    proposal_epochs: int = 0
    captions: bool = True
    meteor: bool = True
    true_events: bool = False
    writer: Path | None = None
    bundle: tuple[str, ...] = ()
    development: bool = False
    only: tuple[str, ...] = ()
    work: Path | None = None

    @property
    def parts(self) -> Path:
        """Where finished parts are kept."""
        return self.work if self.work is not None else self.out.parent / "work"

    @property
    def trainings(self) -> range:
        """Seeds of the trainings of each kind."""
        return range(self.first_seed, self.first_seed + self.seeds)

    @property
    def proposal_preset(self) -> str:
        """Of the proposal models: the paper's own size, or ours for one core."""
        return "paper" if self.preset == "paper" else "small"

    @property
    def usual_events(self) -> int:
        """N of rows that are not about N."""
        return self.events or (100 if self.preset == "paper" else 25)

    @property
    def asks_meteor(self) -> bool:
        """Whether METEOR is asked."""
        return self.meteor and not self.smoke

    def wants(self, row: str) -> bool:
        """Whether a row is trained if it is not finished."""
        return not self.only or row in self.only

    def check_only(self, rows: Iterable[str]) -> None:
        """Refuse names in `only` that are none of the study's rows."""
        known = list(rows)
        for name in self.only:
            if name not in known:
                raise BadValueError(f"--only {name}", "no such row can be made here", f"there are: {'; '.join(known)}")


# Options that studies read together.
ALWAYS = ("out", "seeds", "smoke")
PROPOSALS = ("data", "features", "candidates", "preset", "videos", "proposal_epochs", "meteor", "only", "work")
MODELS = (*PROPOSALS, "first_seed", "events", "veil", "epochs", "batch_size")
SENTENCES = (*MODELS, "true_events")


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes:
        name: on the command line.
        explanation: one line.
        place: "module:function" below `cookscribe_lab.studies`: takes `StudyOptions`, returns the table as Markdown.
        reads: names of the options that it reads, beside those that all read.
    """

    name: str
    explanation: str
    place: str
    reads: tuple[str, ...] = MODELS

    @property
    def options(self) -> tuple[str, ...]:
        """Names of all options that it reads, in the order of `StudyOptions`."""
        return tuple(field.name for field in fields(StudyOptions) if field.name in {*ALWAYS, *self.reads})

    def run(self, options: StudyOptions) -> str:
        """Run it and return its table; an option that it would ignore is refused."""
        for field in fields(StudyOptions):
            if field.name not in self.options and vars(options)[field.name] != field.default:
                raise BadValueError(f"--{field.name}", f"is nothing that study {self.name} reads", "leave it out")
        module, _, function = f"cookscribe_lab.studies.{self.place}".partition(":")
        runner: Callable[[StudyOptions], str] = getattr(import_module(module), function)
        return runner(options)


STUDIES: tuple[Study, ...] = (
    Study("main", "B, BI, BIV, BIVT beside PDVC and plain baselines: scores and costs (main table).", "paper.main:run"),
    Study(
        "counts", "Is the number of steps right? Shares and histogram (paper: table and figure).", "paper.counts:run"
    ),
    Study("costs", "Parameters and operations in the paper's unit, beside the true ones.", "paper.costs:run", ()),
    Study(
        "oracle",
        "A perfect chooser among 25 to 200 candidates, PDVC's own choice, and how well it counts (paper).",
        "paper.oracle:run",
        (*PROPOSALS, "captions"),
    ),
    Study(
        "presegmented",
        "Sentences for true events on the published SVPC split: MART, SVPC, B to BIVT.",
        "paper.presegmented:run",
        (
            "data",
            "features",
            "preset",
            "veil",
            "videos",
            "first_seed",
            "epochs",
            "batch_size",
            "meteor",
            "only",
            "work",
        ),
    ),
    Study(
        "losses",
        "BIVT without some of its four additional losses, (a) to (g) (paper).",
        "paper.detailed:losses",
        SENTENCES,
    ),
    Study("memory", "Memories kept apart or mixed, by both mixers (paper).", "paper.detailed:memory", SENTENCES),
    Study(
        "modalities",
        "Video only, with the candidates' captions (paper), with the words heard.",
        "paper.detailed:modalities",
    ),
    Study(
        "encoders",
        "Candidates seen by tsn-like or milnce-like features (paper).",
        "paper.detailed:encoders",
        SENTENCES,
    ),
    Study(
        "candidates",
        "25 to 200 candidates to choose from (paper).",
        "paper.detailed:candidates",
        tuple(name for name in MODELS if name != "events"),
    ),
    Study("layers", "1, 2 or 4 layers in both transformers (paper).", "paper.detailed:layers", SENTENCES),
    Study("epochs", "The score after each epoch (paper: figure).", "paper.epochs:run"),
    Study(
        "examples", "Recipes side by side on a time line: truth, oracle, PDVC, B, BIVT (figure).", "paper.examples:run"
    ),
    Study(
        "decoding",
        "Ways to decode a model: argmax, no reuse, monotone, story, refined borders.",
        "paper.detailed:decoding",
    ),
    Study("teacher", "Words learnt from the sampled event or from the labelled one.", "paper.detailed:teacher"),
    Study("folds", "Training candidates out of fold or in fold.", "paper.detailed:folds"),
    Study(
        "noise",
        "How hard the simulation is.",
        "paper.detailed:noise",
        tuple(name for name in SENTENCES if name not in ("features", "candidates")),
    ),
    Study(
        "state",
        "Does the simulator know the true state of the ingredients? Linear probes.",
        "paper.state:run",
        ("preset", "videos", "epochs", "batch_size", "work"),
    ),
    Study(
        "narrated",
        "Recipes of the real narrated validation videos, from what is said in them.",
        "narrated.table:run",
        ("data", "bundle", "development", "meteor", "only"),
    ),
    Study(
        "real-candidates",
        "Choose events from the published PDVC candidates, cross-validated inside the validation split.",
        "selection.real_candidates:run",
        ("data",),
    ),
    Study(
        "real-frames",
        "What is seen in the real validation stills: sentences, listed ingredients, how sure sight may be.",
        "sight.real_frames:run",
        ("data", "writer", "development", "meteor", "work"),
    ),
)


def find_study(name: str) -> Study:
    """The study called `name`."""
    for study in STUDIES:
        if study.name == name:
            return study
    raise BadValueError(name, "is not a study", f"choose one of {', '.join(study.name for study in STUDIES)}")
