"""`Job`: the whole job for any number of films, from where an earlier run left it."""

from __future__ import annotations

from contextlib import closing
from typing import Self

from cookscribe.batch.engine import Crew, run
from cookscribe.batch.films import Film
from cookscribe.batch.job import RECEIPTS, Receipt, WriteJob
from cookscribe.batch.manifest import ENDED, Manifest
from cookscribe.batch.outcomes import Outcome
from cookscribe.batch.report import Report
from cookscribe.batch.table import RecipeTable
from cookscribe.errors import BadFileError, CookscribeError, MissingFileError, UnwritableError

TABLE = "table"


class Job:
    """A job that is open: its manifest, its table of recipes, and what to do with an outcome.

    Opening it settles what a killed run left: films that were finished are entered, those in hand are tried again.

    Args:
        job: what to do with each film.
    """

    def __init__(self, job: WriteJob) -> None:
        self.job = job
        self.manifest = Manifest(job.out, job.described())
        try:
            end = self.manifest.table_end()
            self.table = RecipeTable(job.out / TABLE, end)
            if (size := self.table.size(end.part)) < end.bytes:
                self.manifest.forget_after(end.part, size)
                self.table = RecipeTable(job.out / TABLE, self.manifest.table_end())
            for film in self.manifest.running():
                if not self._finished(film, "a run that was killed"):
                    cause = "the run was killed while it was in hand"
                    self.manifest.fail(film, ENDED, CookscribeError(film.path, cause), "", final=False)
            # Whatever still lies there is in the table: the run was killed before it could tidy up.
            for path in (job.out / RECEIPTS).glob("*"):
                path.unlink(missing_ok=True)
        except BaseException:
            self.manifest.close()
            raise

    def work(self, crew: Crew, report: Report) -> None:
        """Write the recipes of all films that wait; after an exception, the interrupt's too, the same call goes on.

        Raises:
            UnwritableError: there is no room for recipes.
        """
        # The crew is stopped before anything is put back, so that nobody works on a film that waits.
        with closing(run(self.job, self.manifest, crew)) as outcomes:  # type: ignore[type-var]
            for outcome in outcomes:
                self.settle(outcome)
                report.settled(outcome, self.manifest)

    def settle(self, outcome: Outcome[Film, Receipt]) -> None:
        """Enter what became of a film. The error of a place that cannot be written to is raised: all would meet it."""
        film, error = outcome.item, outcome.error
        if outcome.result is not None:
            self._done(film, outcome.result, outcome.worker)
        elif isinstance(error, UnwritableError):
            self.manifest.put_back(film)
            raise error
        elif self._finished(film, outcome.worker):
            pass  # its worker died after the last stroke
        elif outcome.kind == "lost":
            self.manifest.put_back(film)
        else:
            assert error is not None
            self.manifest.fail(film, outcome.kind, error, outcome.worker, final=outcome.kind == "refused")

    def _done(self, film: Film, receipt: Receipt, worker: str) -> None:
        self.manifest.done(film, receipt.seconds, worker, self.table.add(receipt.row))
        self.job.receipt(film.key).unlink(missing_ok=True)

    def _finished(self, film: Film, worker: str) -> bool:
        """Whether a film in hand has its receipt; it is then done. A power cut may have emptied it."""
        try:
            receipt = Receipt.read(self.job.receipt(film.key))
        except (MissingFileError, BadFileError):
            return False
        self._done(film, receipt, worker)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        try:
            for film in self.manifest.running():
                if not self._finished(film, "an interrupted run"):
                    self.manifest.put_back(film)
            self.table.close()
        finally:
            self.manifest.close()
