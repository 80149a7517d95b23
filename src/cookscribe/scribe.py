"""The main job: a film in, a `Recipe` out.

scribe = cookscribe.load()                                     # looks at each film and picks the bundle that fits
recipe = scribe.write("soup.mp4", ingredients=["onion", "butter", "stock"])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cookscribe import __version__
from cookscribe.bundle import Bundle, BundleConfig, find_bundle
from cookscribe.errors import BadValueError
from cookscribe.pipelines.base import Draft, Pipeline, Request, Stage, silent_stage
from cookscribe.recipe import Candidate, Evidence, MadeBy, Recipe, Span, Step, Video
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.printable import one_line
from cookscribe.video import VideoFile

if TYPE_CHECKING:
    from cookscribe.senses.listening import Listening
    from cookscribe.senses.recogniser import Recogniser
    from cookscribe.senses.screen_text import ScreenText
    from cookscribe.senses.transcripts import Transcript

MOST_INGREDIENTS = 60
LONGEST_INGREDIENT = 120  # characters

_actions = cache(ActionMatcher)  # a bundle's list is that of all its films, and its forms take 20 ms


class Scribe:
    """Writes recipes with one bundle; the bundle `auto` stands for the first of several that fits a film.

    Args:
        bundle: what was asked for.
        device: where the networks run; None takes a GPU if there is one.
        recogniser: where the words of films come from; None reads subtitles beside a film, else recognises speech; a
            name chooses the speech recogniser ("tiny", "base").
        open_pipeline: loads the models of a bundle; each is loaded when it is first needed, and kept.
        screen_text: whether to read the text that films show; None: if what reads it is installed.
    """

    def __init__(
        self,
        bundle: Bundle,
        device: str | None = None,
        recogniser: Recogniser | str | None = None,
        open_pipeline: Callable[[Bundle, str | None], Pipeline] | None = None,
        screen_text: bool | None = None,
    ) -> None:
        self.bundle, self.device, self.recogniser = bundle, device, recogniser
        self.screen_text = screen_text
        self._open = open_pipeline or load_pipeline
        self._pipelines: dict[str, Pipeline] = {}

    @cached_property
    def listening(self) -> Listening:
        """What hears the words of films; a bundle that only watches never asks for it."""
        from cookscribe.senses.listening import Listening

        return Listening(self.recogniser, self.device)

    @cached_property
    def reading(self) -> ScreenText | None:
        """What reads the text that films show; None: it is not read."""
        from cookscribe.senses.screen_text import ScreenText, can_read

        wanted = can_read() if self.screen_text is None else self.screen_text
        return ScreenText() if wanted else None

    def _rest(self) -> None:
        for sense in ("listening", "reading"):
            vars(self).pop(sense, None)

    def pipeline(self, bundle: Bundle) -> Pipeline:
        """The models of a bundle."""
        name = bundle.config.name
        if name not in self._pipelines:
            self._pipelines[name] = self._open(bundle, self.device)
        return self._pipelines[name]

    def write(
        self,
        video: str | Path | VideoFile,
        ingredients: Sequence[str] | None = None,
        title: str | None = None,
        *,
        transcript: Transcript | None = None,
        stage: Stage = silent_stage,
    ) -> Recipe:
        """Take in a film and write its recipe.

        Args:
            video: a local film, or one that is open.
            ingredients: what is used, if known; it makes the sentences better.
            title: of the recipe; by default what the film says it makes, or else made from the file's name.
            transcript: what is said, if it is known.
            stage: called with how far the work is.

        Raises:
            NoModelFitsError: no bundle can read this film; the message says why and what can be done.
            MissingDependencyError: something that is needed is not installed.
        """
        film = VideoFile.of(video)
        listed = clean_ingredients(ingredients or ())
        request = Request(
            film, listed, lambda: self.listening, stage, one_line(title or ""), lambda: self.reading, rest=self._rest
        )
        if transcript is not None:
            from cookscribe.senses.listening import readable_words

            request.transcript = readable_words(transcript, film)
        if self.bundle.config.kind == "auto":
            from cookscribe.pipelines.choice import choose

            pipeline = choose(self.bundle.config.choices, request, self.pipeline)
        else:  # who names a bundle gets it, whatever the film
            pipeline = self.pipeline(self.bundle)
        draft = pipeline.draft(request)
        stage("writing", 1.0)
        config = pipeline.bundle.config
        return assemble(draft, config, described(film), title, listed=bool(listed), warnings=film.warnings)


def load(
    name: str | Path = "auto",
    device: str | None = None,
    recogniser: Recogniser | str | None = None,
    screen_text: bool | None = None,
) -> Scribe:
    """The scribe of an installed bundle (by name) or of any bundle (by folder).

    Args:
        name: "auto" looks at each film and takes the bundle that fits.
        device: where the networks run, e.g. "cuda"; None takes a GPU if there is one.
        recogniser, screen_text: see `Scribe`.
    """
    return Scribe(find_bundle(name), device, recogniser, screen_text=screen_text)


def load_pipeline(bundle: Bundle, device: str | None = None) -> Pipeline:
    """Load the models of a bundle."""
    import torch

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise BadValueError("device", f"{device!r} cannot be used here: {error}", "use cpu") from None
    if bundle.config.kind == "speech":
        from cookscribe.pipelines.speech import SpeechPipeline

        return SpeechPipeline.load(bundle, device)
    if bundle.config.kind == "sight":
        from cookscribe.pipelines.sight import SightPipeline

        return SightPipeline.load(bundle, device)
    from cookscribe.pipelines.visual import VisualPipeline

    return VisualPipeline.load(bundle, device)


def described(film: VideoFile) -> Video:
    """What the recipe says of its film."""
    width, height = film.info.upright or (None, None)
    # Some systems allow in a name what elsewhere separates folders.
    return Video(name=film.path.name.replace("\\", "_"), duration=film.duration, width=width, height=height)


def assemble(
    draft: Draft, config: BundleConfig, video: Video, title: str | None, *, listed: bool, warnings: Sequence[str] = ()
) -> Recipe:
    """The recipe of a draft: steps in order of time, with calibrated confidences, names, evidence and warnings.

    What the cues tell beside the steps (amounts, times, temperatures, servings) becomes part of it. Where there are
    cues, which the paper's models have none of, commas stand between the ingredients of a series.

    Args:
        title: None takes the dish that is announced in the film, or else the name of its file.
        listed: whether somebody gave the ingredients; confidences are calibrated for either case.
        warnings: what was found wrong with the film.
    """
    # Where one of several readers found out that the film ends early, another may have seen more of it.
    order = [n for n, step in enumerate(draft.steps) if step.span[0] < video.duration]
    order.sort(key=lambda n: (draft.steps[n].span[0], draft.steps[n].span[1]))
    ingredients, actions = IngredientMatcher(draft.ingredients), _actions(tuple(draft.actions))
    steps = tuple(
        Step(
            span=Span(start=float(step.span[0]), end=min(float(step.span[1]), video.duration)),
            sentence=step.sentence or "(no words)",
            confidence=config.calibrated(draft.confidences[n], listed=listed),
            ingredients=tuple(draft.ingredients[i] for i in sorted(ingredients.named(step.sentence))),
            actions=tuple(draft.actions[i] for i in sorted(actions.named(step.sentence))),
        )
        for n, step in ((n, draft.steps[n]) for n in order)
    )
    notes = [*warnings, *draft.notes]
    if steps:
        mean = float(np.mean([step.confidence for step in steps]))
        if mean < config.weak:
            notes.append(f"the evidence is weak (mean confidence {mean:.0%}): take this as a draft")
    recipe = Recipe(
        title=title or title_of(Path(video.name)),
        ingredients=tuple(draft.ingredients),
        steps=steps,
        video=video,
        made_by=MadeBy(version=__version__, model=config.name, simulated=config.simulated),
        evidence=None if draft.candidates is None else _evidence(draft, order),
        warnings=tuple(notes),
    )
    if not draft.cues:
        return recipe
    from cookscribe.pipelines.told import with_what_is_told
    from cookscribe.text.series import with_commas

    punctuated = tuple(
        step.model_copy(update={"sentence": with_commas(step.sentence, draft.ingredients)}) for step in steps
    )
    recipe = recipe.model_copy(update={"steps": punctuated})
    return with_what_is_told(recipe, draft.cues, listed=listed, titled=bool(title))


def _evidence(draft: Draft, order: Sequence[int]) -> Evidence:
    candidates = draft.candidates
    assert candidates is not None
    chosen = {draft.steps[n].choice: number for number, n in enumerate(order)}
    captions = candidates.captions or ("",) * len(candidates)
    return Evidence(
        candidates=tuple(
            Candidate(
                span=Span(start=float(start), end=float(end)),
                score=float(np.clip(candidates.scores[n], 0.0, 1.0)),
                step=chosen.get(n),
                caption=captions[n],
            )
            for n, (start, end) in enumerate(candidates.spans)
        ),
        steps=tuple(draft.evidence[n] for n in order),
    )


def clean_ingredients(names: Sequence[str]) -> list[str]:
    """Names in printable characters, without blanks at the ends, empty ones and repetitions.

    Raises:
        BadValueError: more or longer names than any recipe has, which means that a wrong text was given.
    """
    cleaned = [name for name in dict.fromkeys(map(one_line, names)) if name]
    if (longest := max(cleaned, key=len, default="")) and len(longest) > LONGEST_INGREDIENT:
        raise BadValueError(
            "ingredients", f"the name {longest[:40]!r}... has {len(longest)} characters", "separate by commas"
        )
    if len(cleaned) > MOST_INGREDIENTS:
        raise BadValueError("ingredients", f"{len(cleaned)} names, more than {MOST_INGREDIENTS}", "separate by commas")
    return cleaned


def title_of(path: Path) -> str:
    """`my_tomato-soup.mp4` becomes `My tomato soup`."""
    words = one_line(path.stem.replace("_", " ").replace("-", " "))
    return words[:1].upper() + words[1:] if words else "Recipe"
