"""What a selector may know of the published candidates: timing and scores; captions; words heard; ingredients."""

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.senses.transcripts import Transcript
from cookscribe_lab.studies.selection.caption_numbers import CaptionNumbers, ingredient_numbers
from cookscribe_lab.studies.selection.videos import SelectionVideo
from cookscribe_lab.studies.selection.words_heard import CountGuess, WordsHeard, candidate_numbers

Floats = NDArray[np.float64]
Extra = Literal["captions", "words heard", "ingredients"]


class SelectionInputs:
    """The validation videos of a YouCook2 folder as selectors see them.

    Everything that is learnt here (what words say of steps, which words are rare) is learnt from the training split,
    which shares no video with the candidates.
    """

    def __init__(self, data: YouCook2) -> None:
        self.data = data

    @cached_property
    def candidates(self) -> dict[str, Candidates]:
        return self.data.candidates()

    @cached_property
    def training(self) -> dict[str, AnnotatedVideo]:
        return self.data.videos("training")

    @cached_property
    def transcripts(self) -> dict[str, Transcript]:
        return self.data.transcripts()

    @cached_property
    def words_heard(self) -> WordsHeard:
        return WordsHeard.fit(self.training, self.transcripts)

    @cached_property
    def caption_numbers(self) -> CaptionNumbers:
        return CaptionNumbers.fit(self.training)

    def videos(self, extras: tuple[Extra, ...]) -> list[SelectionVideo]:
        """All videos with candidates, sorted by id, with timing, scores and `extras`."""
        truth = self.data.videos("validation")
        read, heard, known_ingredients = (name in extras for name in ("captions", "words heard", "ingredients"))
        guess = CountGuess.fit(
            self.training,
            self.transcripts if heard else {},
            self.words_heard.words if heard else {},
            ingredients=known_ingredients,
        )
        found = []
        for key in sorted(truth):
            video, candidates = truth[key], self.candidates[key]
            transcript = self.transcripts.get(key) if heard else None
            spans = np.asarray(candidates.spans, dtype=np.float64)
            captions = candidates.captions or ("",) * len(candidates)
            own = [_scores(candidates)]
            if read:
                own.append(self.caption_numbers.alone(captions, spans))
            if read and heard:
                own.append(self.caption_numbers.heard(captions, spans, transcript))
            if read and known_ingredients:
                own.append(ingredient_numbers(captions, video.ingredients))
            if heard:
                moments = self.words_heard.moments(transcript, video.duration)
                own.append(candidate_numbers(spans, video.duration, moments))
            expected = video_count(candidates)
            found.append(
                SelectionVideo(
                    id=key,
                    duration=video.duration,
                    spans=spans,
                    scores=np.clip(candidates.scores, 0.0, 1.0),
                    own=np.concatenate(own, axis=1),
                    whole=np.array([np.log(video.duration), expected, guess.guess(video, transcript)]),
                    truth=video.spans,
                )
            )
        return found


def video_count(candidates: Candidates) -> float:
    """The number of events the proposal model expects; the number of likely candidates if it does not say."""
    return float(candidates.scores.sum() if candidates.count is None else candidates.count)


def _scores(candidates: Candidates) -> Floats:
    """(N, 2) log-probability of the caption, and per word; zeros without captions."""
    if candidates.caption_scores is None or candidates.captions is None:
        return np.zeros((len(candidates), 2))
    words = np.array([max(len(caption.split()), 1) for caption in candidates.captions])
    return np.stack([candidates.caption_scores, candidates.caption_scores / words], axis=1)
