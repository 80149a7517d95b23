"""All that makes the bundle of narrated videos, from a YouCook2 folder to a folder that `cookscribe write` opens.

    OUT/listener/                  word vectors and ingredient names
    OUT/spans/                     where the steps are; fold-1, fold-2: the same without a half of the videos
    OUT/out_of_fold.safetensors    the events these find in the videos they did not see
    OUT/seed-0/, seed-1/, ...      writers
    OUT/bundle/                    reader, spans and writers, ready to use

What is finished stays; the same command goes on after an interrupt.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.bundle import CARD, DESCRIPTION, LISTENER, SPANS, STORY, Bundle, BundleConfig, member_folder
from cookscribe.candidates import Candidates
from cookscribe.files import copy_file, read_json, write_text
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.loop import HISTORY, History
from cookscribe.learning.narrated.calibrate import ALIKE, Calibration, fit_confidence, judge, measure
from cookscribe.learning.narrated.run import INFERENCE_DECODING, Narrated, SpeechRun, train_writer
from cookscribe.learning.narrated.span_task import train_spans
from cookscribe.learning.packing import pack_model, store_decoding, unfinished
from cookscribe.model_folder import VOCABULARY
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.pipelines.step_signs import CONFIDENCE
from cookscribe.pipelines.transcript_reader import NAMES, TranscriptReader
from cookscribe.proposals.spans import SpanFinder, load_finder
from cookscribe.proposals.store import read_candidate_store, write_candidate_store
from cookscribe.senses.word_space import ENCODER, VECTORS, WORDS
from cookscribe.text.vocabulary import SPECIALS, Vocabulary

OUT_OF_FOLD, BUNDLE = "out_of_fold.safetensors", "bundle"
FOLDS = 2
MEMBERS = 2

FILMS = "real cooking videos in which somebody explains in English what is done"
# Below this mean confidence a recipe says that its evidence is weak: nearly all cooking videos of the development
# part lie above it, and talk of other things lies below.
WEAK = 0.25

CARD_TEXT = """# {name}

{films}

- Reads what is said in a film (a transcript or subtitles; a speech recogniser otherwise), never its pictures.
- {words} words are read, {written} can be written from the vocabulary, and any word of the transcript can be copied.
- Weights in half precision.
"""


@dataclass(frozen=True)
class SpeechFolder:
    """The parts of one training, each made when it is first asked for.

    Attributes:
        data: the YouCook2 folder; out: where the parts are kept.
        run: how the writer is trained; spans: changes to the training of the span model.
        members: so many further writers, of the next seeds, write along in the bundle.
        quiet: no progress.
    """

    data: YouCook2
    out: Path
    run: SpeechRun = field(default_factory=SpeechRun)
    spans: Mapping[str, Any] | None = None
    members: int = MEMBERS
    quiet: bool = False

    @cached_property
    def narrated(self) -> Narrated:
        """The training videos that have a transcript."""
        return Narrated.read(self.data, "training")

    @cached_property
    def reader(self) -> TranscriptReader:
        """Words and names learnt from the training videos."""
        folder = self.out / LISTENER
        if not (folder / NAMES).is_file():
            self.narrated.fit_reader().save(folder)
        # As it will be read later, in half precision.
        return TranscriptReader.load(folder)

    @cached_property
    def out_of_fold(self) -> dict[str, Candidates]:
        """Events of the training videos, by span models that did not see them; the whole model is trained too."""
        path = self.out / OUT_OF_FOLD
        if not path.is_file():
            heard = replace(self.narrated, reader=self.reader).heard
            tracks = {key: video.track for key, video in heard.items()}
            found = train_spans(
                self.narrated.videos,
                tracks,
                self.narrated.transcripts,
                self.out / SPANS,
                parts=FOLDS,
                training=self.spans,
                quiet=self.quiet,
            )
            write_candidate_store(path, found, {"encoder": ENCODER})
        return read_candidate_store(path)[0]

    @cached_property
    def material(self) -> Narrated:
        """What the writers of all seeds learn from."""
        return replace(self.narrated, reader=self.reader, proposals=self.out_of_fold)

    def finder(self) -> SpanFinder:
        """The span model of all training videos, trained."""
        if not (self.out / OUT_OF_FOLD).is_file():
            assert self.out_of_fold
        return load_finder(self.out / SPANS)

    def writer(self, seed: int) -> Path:
        """Folder of the writer of a seed, trained."""
        folder = self.out / f"seed-{seed}"
        if not (folder / HISTORY).is_file() or not read_json(folder / HISTORY).get("stopped"):
            self.train(seed)
        return folder

    def train(self, seed: int) -> History:
        """Train the writer of a seed."""
        return train_writer(self.run, self.material, self.out / f"seed-{seed}", seed, quiet=self.quiet)

    def pack(self, seed: int, name: str, films: str, weak: float) -> Bundle:
        """Make the bundle: transcript reader, span model, writers from this seed on, with calibrated confidences."""
        writers, target = [self.writer(seed + n) for n in range(1 + self.members)], self.out / BUNDLE
        unfinished(target)
        for file in (WORDS, VECTORS, NAMES):
            copy_file(self.out / LISTENER / file, target / LISTENER / file)
        pack_model(self.out / SPANS, target / SPANS)
        folders = (target / STORY, *(member_folder(target, number + 1) for number in range(1, len(writers))))
        for writer, folder in zip(writers, folders, strict=True):
            pack_model(writer, folder)
            store_decoding(folder, INFERENCE_DECODING)
        if not (target / CARD).is_file():
            words = len(TranscriptReader.load(target / LISTENER).space.words) - 2
            written = len(Vocabulary.load(target / STORY / VOCABULARY)) - len(SPECIALS)
            write_text(target / CARD, CARD_TEXT.format(name=name, films=films, words=words, written=written))
        config = BundleConfig(kind="speech", name=name, encoder=ENCODER, films=films, weak=weak)
        return calibrated(Bundle(target, config), self.narrated, self.run.development)


def calibrated(bundle: Bundle, narrated: Narrated, development: float) -> Bundle:
    """The bundle with learnt and calibrated confidences of its recipe models; it counts as a bundle from now on."""
    pipeline = SpeechPipeline.load(bundle, language=False)
    found = learn_confidence(pipeline, narrated, development, bundle.folder)
    lines = {"calibration": found[True].line, "calibration_without_ingredients": found[False].line}
    config = bundle.config.model_copy(update=lines)
    # Last, because a folder with this file counts as a bundle.
    config.save(bundle.folder / DESCRIPTION)
    return Bundle(bundle.folder, config)


def learn_confidence(
    pipeline: SpeechPipeline, narrated: Narrated, development: float, folder: Path
) -> dict[bool, Calibration]:
    """Learn from the videos kept apart how sure a step is, store it in `folder` and print how well it tells.

    Returns:
        The calibration with the ingredient list (True) and without it (False).
    """
    judged = {listed: judge(pipeline, narrated, development, listed=listed) for listed in (True, False)}
    found = measure(judged)
    report(found)
    fit_confidence(judged.values()).save(folder / CONFIDENCE)
    return found


def report(found: Mapping[bool, Calibration]) -> None:
    """Print how often a bundle is right, and how well it knows."""
    for listed, one in found.items():
        low, middle = np.quantile(one.films, (0.02, 0.5))
        print(
            f"{'with' if listed else 'without'} the list: {one.right:.1%} of {one.steps} steps on videos kept apart "
            f"are right (tIoU and word F1 of at least {ALIKE}), calibration error {one.error:.3f}, a right step is "
            f"surer than a wrong one in {one.ranked:.1%}; mean confidence of a video: median {middle:.3f}, "
            f"98 % are above {low:.3f}"
        )
