"""WebVTT and SRT: each step's sentence is shown while the step happens."""

from cookscribe.export.timestamps import milliseconds, timestamp
from cookscribe.recipe import Recipe, Span
from cookscribe.text.printable import full_sentence, one_line


def _cue_times(span: Span, point: str) -> str:
    # A cue must last: readers drop or refuse one whose end is not after its start.
    end = max(milliseconds(span.end), milliseconds(span.start) + 1) / 1000
    return f"{timestamp(span.start, point)} --> {timestamp(end, point)}"


def vtt_text(text: str) -> str:
    """Escape what WebVTT reads as markup; `-->` cannot survive because `>` is escaped."""
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def srt_text(text: str) -> str:
    """SRT has no escapes: an arrow would look like a time line, so it becomes a typographic one."""
    return one_line(text).replace("-->", "→")


def to_vtt(recipe: Recipe) -> str:
    """The recipe as a WebVTT file."""
    blocks = ["WEBVTT"]
    if recipe.made_by.simulated:
        blocks.append("NOTE simulated")
    for number, step in enumerate(recipe.steps, 1):
        blocks.append(f"{number}\n{_cue_times(step.span, '.')}\n{vtt_text(full_sentence(step.sentence))}")
    return "\n\n".join(blocks) + "\n"


def to_srt(recipe: Recipe) -> str:
    """The recipe as an SRT file."""
    return "".join(
        f"{number}\n{_cue_times(step.span, ',')}\n{srt_text(full_sentence(step.sentence))}\n\n"
        for number, step in enumerate(recipe.steps, 1)
    )
