"""`cookscribe serve`: the web application; `cookscribe library`: what can be done with its recipes elsewhere."""

from pathlib import Path

import typer

library = typer.Typer(help="The recipes of the web application.", no_args_is_help=True, rich_markup_mode=None)
_LIBRARY = typer.Option(
    Path("cookscribe-library"), envvar="COOKSCRIBE_LIBRARY", help="Folder of films, recipes and their revisions."
)


def serve(
    library: Path = _LIBRARY,
    host: str = typer.Option("127.0.0.1", help="Address to listen on; 0.0.0.0 lets others in, with a password."),
    port: int = typer.Option(8420, min=0, max=65535, help="Port; 0 takes any that is free."),
    password: str = typer.Option(
        "", envvar="COOKSCRIBE_PASSWORD", help="Password; made up and printed if others can reach the server."
    ),
    allow_host: list[str] = typer.Option([], help="A further name by which browsers call this server."),
    max_upload: float = typer.Option(8.0, min=0.001, help="Largest film, in GiB."),
    model: str = typer.Option("auto", help="Name of a shipped bundle, or a bundle's folder."),
    recogniser: str = typer.Option("", help="What hears speech, as for `cookscribe write`; the smallest if left out."),
) -> None:
    """Start the web application: drop a film in, watch its recipe appear, correct it, keep it."""
    from cookscribe.errors import MissingDependencyError

    try:
        from cookscribe.web.services import Settings
        from cookscribe.web.serving import serve
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette", "anyio"):
            raise
        raise MissingDependencyError(
            "cookscribe serve", f"the package {error.name} is not installed", "pip install 'cookscribe[web]'"
        ) from None
    if recogniser:
        from cookscribe.senses.recogniser import check_recogniser

        check_recogniser(recogniser)
    size = int(max_upload * 2**30)
    serve(Settings(library, host, tuple(allow_host), password or None, size, model, recogniser or None), port)


@library.command(name="export")
def export_library(
    library: Path = _LIBRARY,
    out: Path = typer.Option(..., help="File to write."),
    for_training: bool = typer.Option(
        False, "--for-training", help="Corrected recipes as an annotation file, the `data` of `cookscribe train`."
    ),
    partly: bool = typer.Option(False, "--partly", help="Also recipes of which a person saw to some steps only."),
) -> None:
    """Write the recipes that a person has corrected."""
    import numpy as np

    from cookscribe.errors import BadValueError, MissingFileError
    from cookscribe.learning.datasets.records import AnnotatedVideo
    from cookscribe.learning.datasets.youcook2 import write_truth
    from cookscribe.web.library import Library
    from cookscribe.web.places import Places

    if not for_training:
        raise BadValueError("library export", "there is one purpose so far", "give --for-training")
    if not Places(library).database.is_file():
        raise MissingFileError(library, "is no library of cookscribe", "name its folder with --library")
    videos = []
    for kept in Library(library).checked(partly=partly):
        recipe = kept.marked.recipe
        videos.append(
            AnnotatedVideo(
                id=kept.id,
                duration=recipe.video.duration,
                spans=np.array([(step.span.start, step.span.end) for step in recipe.steps]).reshape(-1, 2),
                sentences=tuple(step.sentence for step in recipe.steps),
                ingredients=recipe.ingredients,
            )
        )
    if not videos:
        raise MissingFileError(
            library, "holds no recipe whose steps were all corrected or marked as right", "try --partly"
        )
    write_truth(out, videos)
    print(f"{out}: {len(videos)} recipes, {sum(len(video.sentences) for video in videos)} steps")
