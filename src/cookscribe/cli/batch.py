"""`cookscribe write --from`: recipes of any number of films."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from cookscribe.batch.engine import Crew
    from cookscribe.batch.films import Film
    from cookscribe.batch.job import WriteJob
    from cookscribe.batch.run import Job
    from cookscribe.video import Limits


def research_crew(engine: str, workers: int, threads: int, address: str) -> Crew | None:
    """Who works on videos that are encoded already; None is this process alone."""
    from cookscribe.batch.engine import Crew

    # A part of many videos is one item, so that signs of life are rarer than from films.
    crew = Crew(engine, workers, max(threads, 1), patience=1800.0, address=address)
    return None if engine == "local" and crew.size == 1 else crew


def only_for_a_few(videos: Any, ingredients: str, listed: Any, title: str, transcript: Any, embed_video: bool) -> None:
    """Refuse what is said of single films; a list says it of each."""
    from cookscribe.errors import BadValueError

    given = {
        "VIDEOS": videos,
        "--ingredients": ingredients,
        "--ingredients-file": listed,
        "--title": title,
        "--transcript": transcript,
        "--embed-video": embed_video,
    }
    for name, value in given.items():
        if value:
            advice = "a .jsonl list has title, ingredients and transcript of each film"
            raise BadValueError(name, "cannot be given together with --from", advice)


def write_many(
    place: str,
    out: Path,
    model: str,
    device: str,
    formats: str,
    limits: Limits,
    crew: Crew,
    *,
    again: bool = False,
    parquet: bool = False,
) -> None:
    """Do the job, show how it goes on, and say at the end what failed."""
    from cookscribe.batch.films import films_of
    from cookscribe.batch.job import WriteJob
    from cookscribe.batch.table import check_parquet
    from cookscribe.bundle import find_bundle
    from cookscribe.errors import BadValueError
    from cookscribe.export.writers import parse_formats

    if out == Path():
        raise BadValueError("--out", "must name a folder of its own for many films")
    if parquet:
        check_parquet()
    find_bundle(model)  # a wrong name is told before any worker starts
    names = parse_formats(formats) if formats else ()
    # Workers may have another working folder.
    place_of_model = str(Path(model).absolute()) if Path(model).is_dir() else model
    job = WriteJob(out.absolute(), place_of_model, device or None, names, limits)
    # A scheduler that takes the machine back says so first; what is in hand is then put back.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        failed = _work(job, films_of(place, out), crew, again=again, parquet=parquet)
    finally:
        signal.signal(signal.SIGTERM, before)
    if failed:
        raise typer.Exit(1)


def _work(job: WriteJob, films: Iterable[Film], crew: Crew, *, again: bool, parquet: bool) -> int:
    from cookscribe.batch.report import Report
    from cookscribe.batch.run import Job

    with Job(job) as opened:
        manifest = opened.manifest
        new = manifest.add(films)
        renewed = manifest.again() if again else 0
        there = sum(manifest.counts.values()) - new - renewed
        print(
            f"{len(manifest):,} films to do, {there:,} known from earlier runs: {job.out}", file=sys.stderr, flush=True
        )
        opened.work(crew.at_most(len(manifest)), Report())
        return conclude(opened, parquet=parquet)


def conclude(job: Job, *, parquet: bool) -> int:
    """Write the table's Parquet files, name what failed, print the sums; returns how many films have no recipe."""
    from cookscribe.batch.report import NAMED, named
    from cookscribe.batch.run import TABLE

    manifest = job.manifest
    job.table.close()
    if parquet:
        from cookscribe.batch.table import write_parquet

        write_parquet(job.table)
    failed = manifest.counts["failed"] + manifest.counts["aside"]
    for line in named(manifest.failures(NAMED), failed, str(manifest.path)):
        print(line, file=sys.stderr)
    done = manifest.counts["done"]
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in manifest.kinds().items())
    print(f"{done:,} recipes, {failed:,} films without one{f' ({kinds})' if kinds else ''}: {job.job.out / TABLE}")
    if done:
        shown = ", ".join(f"{name} {value / done:.2f}" for name, value in manifest.stage_seconds().items())
        print(f"seconds a film: {shown}")
    return failed
