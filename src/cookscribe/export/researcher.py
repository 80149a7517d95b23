"""The prediction file that dense-captioning evaluators read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cookscribe.text.printable import one_line


def as_predictions(events: Mapping[str, Iterable[tuple[Sequence[float], str]]]) -> dict[str, Any]:
    """Events by video id, each with start and end in seconds and a sentence, in the challenges' format.

    `{"version", "results": {id: [{"sentence", "timestamp"}]}, "external_data"}`; a video without any event has an empty
    list.
    """
    return {
        "version": "VERSION 1.0",
        "results": {
            video_id: [{"sentence": one_line(sentence), "timestamp": list(span)} for span, sentence in found]
            for video_id, found in events.items()
        },
        "external_data": {"used": True, "details": "cookscribe"},
    }
