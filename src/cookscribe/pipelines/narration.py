"""Is a film narrated? Nothing is loaded to find out but what hears."""

from cookscribe.pipelines.base import Request
from cookscribe.text.actions import ActionMatcher, packaged_verbs

# Somebody who cooks and explains it says this much at least. Greetings, songs and words that were imagined into the
# noise of a pan have fewer words, or none about cooking.
FEWEST_WORDS, FEWEST_ACTIONS = 20, 3


def without_narration(request: Request) -> str | None:
    """Why nothing can be made of the words of a film, as the rest of a sentence about it; None if something can."""
    if request.film.info.sound is None and request.listen().needs_sound(request.film):
        return "has no sound"
    words = len(request.transcript)
    if not words:
        # In a damaged film somebody may well speak in what is lost.
        damaged = "no word can be made out in what can be read of it"
        return damaged if request.film.warnings else "nobody speaks in it"
    if words < FEWEST_WORDS:
        return f"only {words} words were heard in it"
    if len(ActionMatcher(packaged_verbs()).named(request.transcript.text)) < FEWEST_ACTIONS:
        return f"{words} words were heard in it, but hardly any about cooking"
    return None
