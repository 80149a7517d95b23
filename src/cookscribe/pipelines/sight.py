"""Silent films: what is seen becomes a draft of a recipe. What little is heard, a title and a list are evidence too."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cookscribe.bundle import Bundle
from cookscribe.candidates import Candidates
from cookscribe.cues import Cue, Cues
from cookscribe.encoders import Encoder, EncoderOptions, load_encoder
from cookscribe.errors import MissingDependencyError
from cookscribe.pipelines.base import Draft, Request, give_back_memory, make_room
from cookscribe.pipelines.language import film_evidence, installed_writer, load_language_writer
from cookscribe.pipelines.plain_sentences import LISTED_SAID, SAID, plain_sentence
from cookscribe.pipelines.speech import named_in, told_steps
from cookscribe.pipelines.visual import merge_continuations
from cookscribe.proposals.scenes import PRIOR, StepPrior, find_steps
from cookscribe.recipe import Influence, Span, StepEvidence
from cookscribe.senses.listed import ingredients_in_steps
from cookscribe.senses.sight import LEAST, SCENES, Seen, Sight
from cookscribe.senses.transcripts import Transcript
from cookscribe.text.actions import packaged_verbs
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.video import Size, VideoFile
from cookscribe.writer.choosing import Judge
from cookscribe.writer.evidence import DOUBTFUL
from cookscribe.writer.language_writer import LanguageWriter, Written

if TYPE_CHECKING:
    from cookscribe.encoders.minilm import SentenceVectors

Floats = NDArray[np.float64]

BOTH, FAST = "sight", "sight-fast"  # folders of the heads that read both encoders, and of those that read one
LEAST_COOKING = 0.25  # share of pictures that look like cooking in a film that is about it
# Log odds of work against rest. No film with annotated pictures is at hand: these are set, not learnt.
AT_WORK, NO_COOKING, NOT_WORK = 0.3, -2.0, -1.1
PLAIN = 6.0  # deviation of the colours of a picture, of 255
STRONGEST = 5  # things seen that are shown per step
# Beside a sentence's mean log-probability: of the log odds that it fits the picture, and of each food in it that is not
# seen. Chosen on development stills.
FIT, UNSEEN = 0.5, 3.0


class SightPipeline:
    """Encoder, heads, prior on steps and writer of one bundle."""

    def __init__(
        self,
        bundle: Bundle,
        open_encoder: Callable[[], Encoder],
        sight: Sight,
        prior: StepPrior,
        device: str = "cpu",
        missing: Sequence[str] = (),
    ) -> None:
        """Put together; `missing` says what is not installed, and how to get it."""
        self.bundle, self.open_encoder, self.sight, self.prior = bundle, open_encoder, sight, prior
        self.device, self.missing = device, list(missing)
        self.actions = packaged_verbs()

    @classmethod
    def load(cls, bundle: Bundle, device: str = "cpu") -> SightPipeline:
        """Open the models of a bundle; where only one of its two encoders is installed, that one looks alone."""
        prior = StepPrior.load(bundle.folder / PRIOR)
        options = EncoderOptions(device=device)
        sight = Sight.load(bundle.folder / BOTH)
        made = cls(bundle, partial(load_encoder, sight.config.encoder, options), sight, prior, device)
        try:
            made.encoder  # noqa: B018 (it is opened)
        except MissingDependencyError as error:
            if not (bundle.folder / FAST).is_dir():
                raise
            missing = [f"one of the two networks that look at pictures is not installed: {error.advice}"]
            sight = Sight.load(bundle.folder / FAST, bundle.folder / BOTH)
            made = cls(bundle, partial(load_encoder, sight.config.encoder, options), sight, prior, device, missing)
            made.encoder  # noqa: B018
        return made

    @cached_property
    def encoder(self) -> Encoder:
        """The networks that look at pictures. They and the language model together would take too much memory, so
        they go when a film is looked at; loading them again is quick."""
        return self.open_encoder()

    def watch(self, request: Request) -> Seen:
        """What is to be seen in the film; it is looked at once."""
        if request.seen is None:
            track = self.encoder.encode(request.film, lambda seconds: request.stage("watching", request.share(seconds)))
            del self.encoder
            give_back_memory()
            seen = self.sight.look(track)
            request.seen = replace(seen, cooking=seen.cooking & ~plain_pictures(request.film, track.times))
        return request.seen

    def without_cooking(self, request: Request) -> str | None:
        """Why nothing can be made of the pictures, as the rest of a sentence about the film; None if something can."""
        if request.film.info.video is None:
            return "has no picture"
        share = self.watch(request).share_cooking
        if share < LEAST_COOKING:
            much = "no food or cooking" if share < LEAST_COOKING / 5 else "hardly any food or cooking"
            return f"{much} is seen in it"
        return None

    def draft(self, request: Request) -> Draft:
        """Look at the film, find the steps and write."""
        reason = self.without_cooking(request)
        if reason is not None:
            notes = [f"no recipe was found: {reason}"]
            return Draft((), (), None, (), request.ingredients, self.actions, notes)
        seen = self.watch(request)
        heard = request.transcript if "transcript" in vars(request) and len(request.transcript) else None
        read = request.read
        request.stage("writing", 0.0)
        if "language" not in vars(self):  # all at once would take too much memory
            make_room(request)
        return self.draft_of(seen, request.ingredients, request.title, heard, read)

    def draft_of(
        self,
        seen: Seen,
        ingredients: Sequence[str] = (),
        title: str = "",
        heard: Transcript | None = None,
        read: Cues | None = None,
    ) -> Draft:
        """The draft of a film that was looked at, and of which this much was heard and read."""
        read = read or Cues()
        events = find_steps(seen.track, work_odds(seen), self.prior)
        names = list(ingredients) or foods_in(title, self.sight)
        shown = self.shown(seen, events, names, listed=bool(ingredients))
        written, confidences = self.sentences(seen, events, shown, ingredients, title, heard, read)
        steps = merge_continuations(told_steps(events, written))
        confidences = [confidences[step.choice] for step in steps]
        shown = [shown[step.choice] for step in steps]
        kinds = zip(seen.config.words, seen.config.kinds, strict=True)
        # The roll of "roll the dough" is no food.
        foods = [word for word, kind in kinds if kind == "food" and word not in self.actions]
        named = list(ingredients) or named_in(steps, list(dict.fromkeys((*names, *foods))))
        matcher = IngredientMatcher(named)
        return Draft(
            steps=steps,
            confidences=confidences,
            candidates=events,
            evidence=[
                StepEvidence(
                    event_probability=float(np.clip(events.scores[step.choice], 0, 1)),
                    actions=_influences(shown[n], "action"),
                    ingredients=tuple(
                        Influence(name=named[i], weight=1.0) for i in sorted(matcher.named(step.sentence))
                    ),
                )
                for n, step in enumerate(steps)
            ],
            ingredients=named,
            actions=self.actions,
            notes=self._notes(ingredients, title, heard),
            cues=seen.cues() + read,
        )

    def shown(
        self, seen: Seen, events: Candidates, names: Sequence[str], *, listed: bool
    ) -> list[list[tuple[str, float, str]]]:
        """Per event the words that are seen, how likely each is, and their kinds.

        Args:
            names: ingredients that are looked for by name; where they are `listed`, no other food is reported.
        """
        words, guesses = seen.over(np.asarray(events.spans, dtype=np.float64))
        config = seen.config
        used = ingredients_in_steps(self.sight, words, guesses, names, self._vectors(names)) if names else None
        found = []
        for n, row in enumerate(words):
            things = [
                (config.words[w], float(row[w]), str(config.kinds[w]))
                for w in np.flatnonzero(row >= LEAST)
                if not (listed and config.kinds[w] == "food")
            ]
            if used is not None:
                known = {name for name, _, _ in things}
                things += [
                    (name, float(used[n, m]), "food")
                    for m, name in enumerate(names)
                    if used[n, m] >= LEAST and name not in known
                ]
            found.append(sorted(things, key=lambda one: -one[1]))
        return found

    @cached_property
    def language(self) -> LanguageWriter | None:
        """The language model, where it is installed; loaded when the first film is looked at."""
        folder, missing = installed_writer(self.bundle)
        self.missing += [missing] if missing else []
        return None if folder is None else load_language_writer(folder, self.device)

    @cached_property
    def vectors(self) -> SentenceVectors | None:
        """MiniLM, where it is installed; without it, names are known by their words, and no sentence is judged."""
        from cookscribe.encoders.minilm import SentenceVectors

        try:
            return SentenceVectors()
        except MissingDependencyError:
            return None

    def _vectors(self, names: Sequence[str]) -> Floats | None:
        """(M, D) of names, in the space of sentences."""
        return None if self.vectors is None else self.sight.model.space(names, self.vectors(list(names)))

    def sentences(
        self,
        seen: Seen,
        events: Candidates,
        shown: Sequence[Sequence[tuple[str, float, str]]],
        ingredients: Sequence[str],
        title: str,
        heard: Transcript | None,
        read: Cues,
    ) -> tuple[list[Written], list[float]]:
        """A sentence for each event, and how sure each is in the model's own measure.

        The language model is asked of an event only if a food is clearly seen in it, heard or read: out of nothing it
        would make something up.
        """
        plain = [plain_sentence(things, listed=bool(ingredients)) for things in shown]
        written = [Written(text, math.log(max(sure, 1e-6))) for text, sure in plain]
        cues = Cues(
            tuple(
                Cue(Span(start=float(start), end=float(end)), "seen", word, sure)
                for (start, end), things in zip(events.spans, shown, strict=True)
                for word, sure, _ in things
            )
        )
        cues += read
        film = film_evidence(
            events.spans, transcript=heard, cues=cues, title=title, ingredients=ingredients, given=bool(ingredients)
        )
        words = [f"{one.heard} {' '.join(one.read)}" for one in film.events]
        asked = [
            n
            for n, (things, text) in enumerate(zip(shown, words, strict=True))
            if clearly_seen(things, listed=bool(ingredients)) or foods_in(text, self.sight)
        ]
        if not asked or self.language is None:
            return written, [sure for _, sure in plain]
        judges = []
        if self.vectors is not None:
            told = (title, *ingredients, *words)
            spans = np.asarray(events.spans, dtype=np.float64)[asked]
            judges.append(judge_of(self.sight, *seen.over(spans), self.vectors, ", ".join(told)))
        film = replace(film, events=tuple(film.events[n] for n in asked))
        beam = self.language.config.picture_beam if judges else None
        for n, one in zip(asked, self.language.write([film], judges, beam, whole=False)[0], strict=True):
            written[n] = one
        return written, [math.exp(min(0.0, one.score)) for one in written]

    def _notes(self, ingredients: Sequence[str], title: str, heard: Transcript | None) -> list[str]:
        spoken = "hardly anything about cooking is said" if heard is not None else "nobody explains anything"
        notes = [
            f"this is a draft from pictures, because {spoken} in the film: the times follow what changes in the "
            "picture, and the foods and actions are what it looks like, often not what it is; check every step"
        ]
        if lacking := [name for name, there in (("--title", title), ("--ingredients", ingredients)) if not there]:
            notes.append(f"what would help: {', '.join(lacking)}, or subtitles beside the film")
        return notes + self.missing


def clearly_seen(things: Sequence[tuple[str, float, str]], *, listed: bool) -> bool:
    """Whether one of these is a food that may be said to be there, as in plain sentences."""
    least = LISTED_SAID if listed else SAID["food"]
    return any(kind == "food" and sure >= least for _, sure, kind in things)


def judge_of(sight: Sight, words: Floats, guesses: Floats, vectors: SentenceVectors, told: str = "") -> Judge:
    """Which sentences fit what is seen in events. A food that is neither seen nor told costs `UNSEEN`.

    Args:
        words: (N, W) how likely each word is; guesses: (N, D) vectors of sentences.
        told: all that is known otherwise: title, list, what is heard and read.
    """
    foods = [n for n, kind in enumerate(sight.config.kinds) if kind == "food"]
    matcher = IngredientMatcher([sight.config.words[n] for n in foods], partial=False)
    known = matcher.named(told)

    def judge(event: int, sentences: Sequence[str]) -> Sequence[float]:
        odds = sight.sentence_odds(guesses[event : event + 1], sight.model.space(sentences, vectors(list(sentences))))[
            0
        ]
        unseen = [
            sum(words[event, foods[n]] < DOUBTFUL for n in matcher.named(text) if n not in known) for text in sentences
        ]
        fits: list[float] = (FIT * odds - UNSEEN * np.array(unseen)).tolist()
        return fits

    return judge


def plain_pictures(film: VideoFile, times: NDArray[np.floating]) -> NDArray[np.bool_]:
    """(T,) whether the picture has hardly more than one colour: black, faded out, or a card. The heads cannot tell."""
    found = [(frame.time, float(frame.image.std(axis=(0, 1)).max())) for frame in film.frames(1.0, Size.square(32))]
    known = np.array([time for time, _ in found])
    nearest = np.abs(known[None, :] - np.asarray(times)[:, None]).argmin(axis=1)
    return np.asarray(np.array([spread for _, spread in found])[nearest] < PLAIN)


def work_odds(seen: Seen) -> Floats:
    """(T,) log odds that somebody is at work: less where the cook is shown, a dish is served, or no cooking is seen."""
    odds = np.where(seen.cooking, AT_WORK, NO_COOKING)
    for column in range(len(SCENES)):
        odds = odds + NOT_WORK * seen.scenes[:, column]
    return np.asarray(odds, dtype=np.float64)


def foods_in(text: str, sight: Sight) -> list[str]:
    """Foods that a text names: the tofu of "mapo tofu"."""
    foods = [w for w, kind in zip(sight.config.words, sight.config.kinds, strict=True) if kind == "food"]
    return [foods[n] for n in sorted(IngredientMatcher(foods, partial=False).named(text))]


def _influences(things: Sequence[tuple[str, float, str]], kind: str) -> tuple[Influence, ...]:
    return tuple(Influence(name=name, weight=sure) for name, sure, one in things if one == kind)[:STRONGEST]
