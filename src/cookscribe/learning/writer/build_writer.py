"""The language-model writer of narrated films, trained beside the parts of a speech bundle and packed into it.

    OUT/...                        the parts of `narrated.build_bundle`
    OUT/drafts.json                sentences of recipe models that did not see the videos, in seed-0/fold-1, ...
    OUT/writer-0/, writer-1/, ...  adapters, after the second stage if there is one, which learns from the scores of
                                   drawn sentences
    OUT/likelihood-0/, ...         then those after the first stage, which learns the true ones
    OUT/bundle/writer/             the adapters of one seed, half precision, with their calibration

What is finished stays; the same command goes on after an interrupt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cookscribe.bundle import WRITER, Bundle
from cookscribe.errors import BadValueError
from cookscribe.files import read_json, write_json
from cookscribe.learning.loop import HISTORY
from cookscribe.learning.narrated.build_bundle import SpeechFolder, learn_confidence
from cookscribe.learning.narrated.run import Narrated
from cookscribe.learning.packing import pack_model
from cookscribe.learning.writer.drafts import write_drafts
from cookscribe.learning.writer.run import WriterRun, read_examples, train_language_writer
from cookscribe.model_folder import CONFIG
from cookscribe.pipelines.language import base_model, writer_config, writer_folder
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.writer.language_writer import WriterConfig

FIRST = "likelihood"  # folders of the first stage
DRAFTS = "drafts.json"


@dataclass(frozen=True)
class WriterFolder:
    """One training of the writer.

    Attributes:
        speech: the other parts of the bundle, and the out-of-fold events that the writer learns on.
        run: how the writer is trained.
        base: name or path of the language model.
        sight: out-of-fold predictions of `cookscribe train sight`, if there are some.
    """

    speech: SpeechFolder
    run: WriterRun = field(default_factory=WriterRun)
    base: str = WriterConfig().base
    sight: Path | None = None

    def writer(self, seed: int) -> Path:
        """Folder of the adapters of a seed, trained in one stage or two."""
        first, folder = self.speech.out / f"{FIRST}-{seed}", self.speech.out / f"{WRITER}-{seed}"
        if not self.run.reward.epochs:
            return self._trained(folder, seed, None)
        return self._trained(folder, seed, self._trained(first, seed, None))

    def _trained(self, folder: Path, seed: int, start: Path | None) -> Path:
        if not (folder / HISTORY).is_file() or not read_json(folder / HISTORY).get("stopped"):
            examples = read_examples(self.speech.data, self.speech.out_of_fold)
            drafts = write_drafts(self.speech, examples, self.run.data.augmentation, self.speech.out / DRAFTS)
            train_language_writer(
                self.run,
                examples,
                self.base,
                folder,
                glimpses=self.sight,
                seed=seed,
                start=start,
                drafts=drafts,
                quiet=self.speech.quiet,
            )
        return folder

    def pack(self, bundle: Bundle, seed: int) -> Bundle:
        """Put the writer of a seed into a speech bundle, with its calibration."""
        pack_model(self.writer(seed), bundle.folder / WRITER)
        calibrate_writer(bundle, self.speech.narrated, self.speech.run.development)
        return bundle


def calibrate_writer(bundle: Bundle, narrated: Narrated, development: float) -> None:
    """Store learnt and calibrated confidences of a bundle's language-model writer in the writer's folder.

    Raises:
        BadValueError: the bundle has no such writer.
        MissingDependencyError: the writer or its language model is not installed.
    """
    folder = writer_folder(bundle)
    if folder is None:
        raise BadValueError(bundle.folder, "has no language-model writer", "calibrate its recipe models")
    base_model(writer_config(folder).base)
    found = learn_confidence(SpeechPipeline.load(bundle), narrated, development, folder)
    saved = read_json(folder / CONFIG)
    saved["config"] |= {
        "calibration": list(found[True].line),
        "calibration_without_ingredients": list(found[False].line),
    }
    WriterConfig.parse(saved["config"], folder / CONFIG)
    write_json(folder / CONFIG, saved)
