"""`cookscribe export`: an earlier, perhaps edited, recipe in other formats."""

from pathlib import Path

import typer


def export(
    recipe: Path = typer.Argument(..., help="A recipe.json, as written by `cookscribe write`; edit it as you like."),
    formats: str = typer.Option(
        "html",
        help="Comma-separated: json, md, html, vtt, srt, ffmetadata, youtube, mp4, jsonld, cooklang, researcher.",
    ),
    out: Path = typer.Option(None, help="Folder for the files; by default that of the recipe."),
    video: Path = typer.Option(None, help="The video: gives the pictures, and is needed for mp4 and --embed-video."),
    embed_video: bool = typer.Option(False, "--embed-video", help="Put the video into the page."),
) -> None:
    """Write a recipe in other formats."""
    from cookscribe.errors import BadValueError
    from cookscribe.export.pictures import step_pictures
    from cookscribe.export.writers import Media, export, parse_formats
    from cookscribe.recipe import Recipe
    from cookscribe.text.printable import printable

    names = parse_formats(formats)
    if embed_video and video is None:
        raise BadValueError("--embed-video", "there is no video to embed", "give it with --video")
    document = Recipe.load(recipe)
    pictured = video is not None and {"html", "md", "jsonld"} & set(names)
    media = Media(video, step_pictures(document, video) if pictured else (), embed_video)
    stem = recipe.name.removesuffix(".json").removesuffix(".recipe")
    written = export(document, (out or recipe.parent) / stem, names, media)
    for note in written.notes:
        typer.echo(note, err=True)
    for path in written.files:
        typer.echo(printable(str(path)))
