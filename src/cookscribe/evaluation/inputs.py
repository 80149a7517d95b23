"""Reading prediction and truth files, strictly: what is wrong is named with its file, video and event."""

import math
from pathlib import Path
from typing import Any

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.evaluation.events import Events
from cookscribe.files import parse_json, read_text
from cookscribe.validation import bare_ids

# Reading must end soon and within some hundred megabytes, whatever is given.
MOST_BYTES = 160 * 2**20
MOST_ENTRIES = 1_000_000  # of a file: events or lists
MOST_EVENTS = 10_000  # of a video; dvc_eval reads 1,000
MOST_LETTERS = 10_000  # of a sentence
_PREDICTIONS_ADVICE = 'expected {"results": {video: [{"sentence": text, "timestamp": [start, end]}, ...]}}'
_TRUTH_ADVICE = 'expected {video: {"duration": seconds, "timestamps": [[start, end], ...], "sentences": [text, ...]}}'
_INGREDIENTS_ADVICE = 'expected {video: [name, ...]} or the annotation file that lists "ingredients"'


def _read(path: Path, mark: str) -> Any:
    """The content of a JSON file; one in which `mark` stands too often is refused before its values take their room."""
    text = read_text(path, MOST_BYTES)
    if (count := text.count(mark)) > MOST_ENTRIES:
        raise BadFileError(path, f"holds {count:,} events, more than {MOST_ENTRIES:,}", "score fewer videos at a time")
    return parse_json(text, path)


def _few(path: Path, video: str, count: int) -> None:
    if count > MOST_EVENTS:
        raise BadFileError(path, f"{video} has {count:,} events, more than {MOST_EVENTS:,}", "keep the best of them")


def read_predictions(path: Path) -> dict[str, Events]:
    """Predicted events by video, from the format of the dense-captioning challenges. Keys nobody needs are let pass."""
    content = _read(path, '"timestamp"')
    results = content.get("results") if isinstance(content, dict) else None
    if not isinstance(results, dict):
        raise BadFileError(path, "has no `results` object", _PREDICTIONS_ADVICE)
    return {_video_id(path, key): _predicted(path, key, value) for key, value in results.items()}


def _predicted(path: Path, video: str, value: Any) -> Events:
    if not isinstance(value, list):
        raise BadFileError(path, f"{video} is not a list of events", _PREDICTIONS_ADVICE)
    _few(path, video, len(value))
    spans, sentences = [], []
    for number, event in enumerate(value):
        place = f"{video}, event {number}"
        if not isinstance(event, dict) or not {"timestamp", "sentence"} <= event.keys():
            raise BadFileError(path, f"{place}: no `timestamp` and `sentence`", _PREDICTIONS_ADVICE)
        spans.append(_span(path, place, event["timestamp"], _PREDICTIONS_ADVICE))
        sentences.append(_text(path, place, event["sentence"], _PREDICTIONS_ADVICE))
    return _events(path, video, spans, sentences)


def read_truth(path: Path) -> dict[str, Events]:
    """True events by video, from an ActivityNet-style file."""
    content = _read(path, "[")
    if not isinstance(content, dict) or not content:
        raise BadFileError(path, "is not an object of videos", _TRUTH_ADVICE)
    return {_video_id(path, key): _true(path, key, value) for key, value in content.items()}


def _true(path: Path, video: str, value: Any) -> Events:
    spans = value.get("timestamps") if isinstance(value, dict) else None
    sentences = value.get("sentences") if isinstance(value, dict) else None
    if not isinstance(spans, list) or not isinstance(sentences, list):
        raise BadFileError(path, f"{video} has no lists `timestamps` and `sentences`", _TRUTH_ADVICE)
    _few(path, video, max(len(spans), len(sentences)))
    return _events(
        path,
        video,
        [_span(path, f"{video}, event {number}", span, _TRUTH_ADVICE) for number, span in enumerate(spans)],
        [_text(path, f"{video}, event {number}", text, _TRUTH_ADVICE) for number, text in enumerate(sentences)],
    )


def read_ingredients(path: Path) -> dict[str, tuple[str, ...]]:
    """Ingredient names by video.

    Reads `{video: [name, ...]}`, truth files whose videos list `ingredients`, and the YouCook2 annotation file with
    ingredients (`{"database": {video: {"ingredients": [...]}}}`).
    """
    content = _read(path, "[")
    if isinstance(content, dict) and isinstance(content.get("database"), dict):
        content = content["database"]
    if not isinstance(content, dict) or not content:
        raise BadFileError(path, "is not an object of videos", _INGREDIENTS_ADVICE)
    lists: dict[str, tuple[str, ...]] = {}
    for key, value in content.items():
        names = value.get("ingredients") if isinstance(value, dict) else value
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadFileError(path, f"{key} has no list of ingredient names", _INGREDIENTS_ADVICE)
        lists[_video_id(path, key)] = tuple(names)
    return {bare: lists[key] for key, bare in bare_ids(lists, path).items()}


def _video_id(path: Path, key: str) -> str:
    if not key.strip() or key == "v_" or not key.encode("utf-8", "ignore").decode("utf-8") == key:
        raise BadFileError(path, f"holds a video without an id that can be written: {key!r:.60}")
    return key


def _span(path: Path, place: str, value: Any, advice: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2 or not all(type(time) in (int, float) for time in value):
        raise BadFileError(path, f"{place}: the timestamp is not [start, end] in seconds, got {value!r:.60}", advice)
    try:
        start, end = float(value[0]), float(value[1])
    except OverflowError:
        start, end = math.inf, math.inf
    if not (math.isfinite(start) and math.isfinite(end)):
        raise BadFileError(path, f"{place}: a time is not finite")
    if start < 0 or end < start:
        raise BadFileError(path, f"{place}: the times are negative or reversed, got [{start}, {end}]")
    return start, end


def _text(path: Path, place: str, value: Any, advice: str) -> str:
    if not isinstance(value, str):
        raise BadFileError(path, f"{place}: the sentence is not text, got {value!r:.60}", advice)
    if len(value) > MOST_LETTERS:
        raise BadFileError(path, f"{place}: a sentence of {len(value):,} letters, more than {MOST_LETTERS:,}")
    return value


def _events(path: Path, video: str, spans: list[tuple[float, float]], sentences: list[str]) -> Events:
    try:
        return Events(spans, tuple(sentences))  # type: ignore[arg-type]  # checked and converted by Events
    except BadValueError as error:
        raise BadFileError(path, f"{video}: {error.cause}") from None
