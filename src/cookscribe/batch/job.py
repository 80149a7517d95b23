"""`WriteJob`: all that a worker, here or on another machine, needs to write recipes of films."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from cookscribe.batch.films import Film
from cookscribe.batch.outcomes import Work
from cookscribe.batch.table import table_row
from cookscribe.encoders.base import Progress
from cookscribe.errors import BadFileError
from cookscribe.export.writers import export_film
from cookscribe.files import read_json, unwritable
from cookscribe.progress import StageClock
from cookscribe.scribe import Scribe, load
from cookscribe.video import Limits, VideoFile

FILES = "files"
RECEIPTS = "receipts"


@dataclass(frozen=True)
class Receipt:
    """What a worker leaves when a film is done: its row of the table, seconds by stage, and who did it.

    It is a file until the manifest knows of it. So nothing is lost, or done again, when the process that leads the job
    is killed between the end of a film and its entry.
    """

    row: dict[str, Any]
    seconds: dict[str, float]

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all. It need not survive a power cut, so nobody waits for the disk."""
        text = json.dumps(asdict(self), ensure_ascii=False, allow_nan=False) + "\n"
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            raise unwritable(path, error) from None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the file."""
        value = read_json(path)
        try:
            return cls(dict(value["row"]), {name: float(s) for name, s in value["seconds"].items()})
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadFileError(path, "is not a receipt") from None


@dataclass(frozen=True)
class WriteJob:
    """Writing recipes with one bundle into one folder.

    Attributes:
        out: folder of the job.
        model: name or folder of a bundle.
        device: where the networks run; None takes a GPU if there is one.
        formats: files to write of every film besides its row of the table.
        limits: for the films.
        load: makes the scribe in the worker instead; must be picklable.
    """

    # What takes a worker seconds to import; its models are read in a tenth of one.
    IMPORTS: ClassVar = ("cookscribe.batch.job", "cookscribe.pipelines.speech", "cookscribe.pipelines.told")

    out: Path
    model: str = "auto"
    device: str | None = None
    formats: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    load: Callable[[], Scribe] | None = None

    def described(self) -> dict[str, Any]:
        """What makes this job another one than others in the same folder."""
        return {"model": self.model, "formats": list(self.formats), "limits": self.limits.model_dump(mode="json")}

    def receipt(self, key: str) -> Path:
        """Where the receipt of a film lies."""
        return self.out / RECEIPTS / f"{key}.json"

    def __call__(self) -> Work[Film, Receipt]:
        """Load the models; returns the function that writes the recipe of one film."""
        scribe = (self.load or partial(load, self.model, self.device))()
        return partial(self._write, scribe)

    def _write(self, scribe: Scribe, film: Film, progress: Progress) -> Receipt:
        clock = StageClock()

        def stage(name: str, share: float) -> None:
            clock(name, share)
            progress(share)

        stage("opening", 0.0)
        video = VideoFile(film.path, self.limits, threads=1)
        transcript = None
        if film.transcript:
            from cookscribe.senses.subtitles import read_transcript

            transcript = read_transcript(Path(film.transcript), video.info.duration)
        recipe = scribe.write(video, film.ingredients, film.title or None, transcript=transcript, stage=stage)
        stage("exporting", 0.0)
        if self.formats:
            export_film(recipe, video, self.out / FILES / film.stem, self.formats)
        receipt = Receipt(table_row(film, recipe), clock.stop())
        receipt.save(self.receipt(film.key))
        return receipt
