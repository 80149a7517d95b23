"""The models that the study of narrated videos scores: those it trains, or those of a bundle as it is."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from cookscribe.bundle import LISTENER, SPANS, WRITER, Bundle
from cookscribe.encoders.weights import sha256
from cookscribe.errors import BadValueError
from cookscribe.files import read_json
from cookscribe.learning.loop import HISTORY
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.model_folder import WEIGHTS
from cookscribe.pipelines.language import installed_writer, writer_config
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.pipelines.transcript_reader import TranscriptReader
from cookscribe.proposals.spans import SpanFinder, load_finder
from cookscribe.writer.language_writer import CALIBRATION


@dataclass(frozen=True)
class TrainedParts:
    """The parts of a training, each trained when it is first asked for."""

    folder: SpeechFolder

    def reports(self, out: Path) -> Path:
        """Where the reports lie; the models are in `out`, too."""
        return out

    @property
    def reader(self) -> TranscriptReader:
        """Reads transcripts."""
        return self.folder.reader

    def finder(self) -> SpanFinder:
        """Finds the steps."""
        return self.folder.finder()

    def story_writer(self, seed: int) -> StoryWriter:
        """The recipe model of a seed."""
        return StoryWriter.load(self.folder.writer(seed))

    def adapters(self) -> dict[int, Path]:
        """Folders of the language-model writers that are trained (`cookscribe train writer`), by seed."""
        found = self.folder.out.glob(f"{WRITER}-*/{HISTORY}")
        done = [path.parent for path in found if read_json(path).get("stopped")]
        return {int(folder.name.rpartition("-")[2]): folder for folder in sorted(done)}


@dataclass(frozen=True)
class BundleParts:
    """The parts of a speech bundle, one of each, with the language-model writer that it names if it is installed."""

    bundle: Bundle

    def __post_init__(self) -> None:
        if self.bundle.config.kind != "speech":
            raise BadValueError(
                self.bundle.folder, f"is a {self.bundle.config.kind} bundle", "name one that reads transcripts"
            )

    def reports(self, out: Path) -> Path:
        """Where the reports lie: of this bundle alone, of these very weights and of this way to choose sentences."""
        folders = (self.bundle.folder / SPANS, self.bundle.story, *self.bundle.members, *self.adapters().values())
        marks = "".join(sha256(folder / WEIGHTS)[:4] for folder in folders)
        for folder in self.adapters().values():
            choices = writer_config(folder).model_dump_json(exclude=set(CALIBRATION))
            marks += hashlib.sha256(choices.encode()).hexdigest()[:4]
        return out / f"{self.bundle.config.name}-{marks}"

    @property
    def reader(self) -> TranscriptReader:
        """Reads transcripts."""
        return TranscriptReader.load(self.bundle.folder / LISTENER)

    def finder(self) -> SpanFinder:
        """Finds the steps."""
        return load_finder(self.bundle.folder / SPANS)

    def story_writer(self, _seed: int) -> StoryWriter:
        """The one recipe model, or those that write together."""
        return StoryWriter.load(self.bundle.story, members=self.bundle.members)

    def adapters(self) -> dict[int, Path]:
        """Folder of the one language-model writer."""
        folder, _ = installed_writer(self.bundle)
        return {} if folder is None else {0: folder}
