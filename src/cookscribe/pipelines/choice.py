"""`auto`: which of the installed bundles fits a film, or why none does."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from cookscribe.bundle import Bundle, BundleConfig, find_bundle, shipped
from cookscribe.errors import MissingDependencyError, NoModelFitsError
from cookscribe.pipelines.base import Pipeline, Request, is_drawn_film
from cookscribe.video import VideoFile

DRAWN = "kitchen"  # the bundle of drawn films; it comes with the laboratory

ADVICE = (
    "if it is about cooking all the same, name the model: --model youcook2-sight writes from pictures, "
    "--model youcook2-speech from words; words that are written somewhere can be put beside the film as .vtt or .srt, "
    "or given with --transcript"
)


@runtime_checkable
class Watching(Protocol):
    """A pipeline that can say beforehand whether there is cooking to be seen."""

    def without_cooking(self, request: Request) -> str | None:
        """Why nothing can be made of the pictures, as the rest of a sentence about the film; None if something can."""


def choose(names: Sequence[str], request: Request, open_pipeline: Callable[[Bundle], Pipeline]) -> Pipeline:
    """The pipeline of the first bundle that can make something of a film.

    Raises:
        NoModelFitsError: there is none; the message says why and what can be done.
        MissingDependencyError: something that is needed is not installed.
    """
    reason = "no bundle is installed"
    for name in names:
        if name not in shipped():
            if name == DRAWN and is_drawn_film(request.film):
                cause = f"is a drawn film, but the bundle {name!r} is not installed"
                raise NoModelFitsError(request.film.path, cause, "install cookscribe-lab, or name a bundle")
            continue
        bundle = find_bundle(name)
        looks = bundle.config.kind == "sight"
        try:
            found = without_cooking(bundle, request, open_pipeline) if looks else unfit(bundle.config, request)
        except MissingDependencyError as error:
            task = f"{reason}, so it must be looked at" if looks else "must be listened to"
            raise MissingDependencyError(
                request.film.path,
                f"{task}, which cannot be done here: {error.subject}: {error.cause}",
                f"{error.advice}; or give --transcript, or name a model with --model",
            ) from None
        if found is None:
            return open_pipeline(bundle)
        reason = f"{reason}, and {found}" if looks else found
    raise refusal(request.film, reason)


def without_cooking(bundle: Bundle, request: Request, open_pipeline: Callable[[Bundle], Pipeline]) -> str | None:
    """Why a bundle that looks can make nothing of a film; a film without a picture is not looked at."""
    if request.film.info.video is None:
        return "it has no picture"
    pipeline = open_pipeline(bundle)
    assert isinstance(pipeline, Watching)
    return pipeline.without_cooking(request)


def unfit(config: BundleConfig, request: Request) -> str | None:
    """Why a bundle can make nothing of a film, as the rest of a sentence about the film; None if it can."""
    if config.kind == "speech":
        from cookscribe.pipelines.narration import without_narration

        return without_narration(request)
    if request.film.info.video is None:
        return "has no picture"
    return "is no drawn film" if config.simulated and not is_drawn_film(request.film) else None


def refusal(film: VideoFile, reason: str) -> NoModelFitsError:
    """Why no bundle reads this film; a damaged film is said to be damaged."""
    if film.warnings:
        cause = f"{'; '.join(film.warnings)}: the file is damaged or incomplete, and {reason}"
        return NoModelFitsError(film.path, cause, f"try another copy of the film; {ADVICE}")
    return NoModelFitsError(film.path, reason, ADVICE)
