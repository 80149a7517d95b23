"""The language-model writer of a bundle, and the evidence it reads."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.bundle import WRITER, Bundle
from cookscribe.cues import Cue, Cues
from cookscribe.encoders.weights import cache_folder, locate
from cookscribe.errors import MissingDependencyError
from cookscribe.model_folder import WEIGHTS, open_model, put_weights, read_tensors
from cookscribe.pipelines.base import give_back_memory
from cookscribe.recipe import Span
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import said_at
from cookscribe.writer.checkpoint import load_language_model
from cookscribe.writer.evidence import EventEvidence, FilmEvidence, heard_lines, seen_names
from cookscribe.writer.language_writer import KIND, LanguageWriter, WriterConfig
from cookscribe.writer.texts import Encoder

# A package announces a package of writers' folders under this group of entry points.
ENTRY_POINTS = "cookscribe.writers"
BESIDE = 2.0  # seconds beside an event in which a line on the screen still belongs to it


def base_model(name: str) -> tuple[Path, Path | None]:
    """The language model of this name or path, and where it is taken apart: in the cache, or beside itself.

    Raises:
        MissingDependencyError: it is not on this machine; the message names the command that gets it.
    """
    if Path(name).exists():
        return Path(name), None
    found = locate(name)
    return found.file(next(iter(found.weights.files))), cache_folder() / name


def writer_folder(bundle: Bundle) -> Path | None:
    """Folder of the language-model writer that a bundle has or names; None if it has none.

    Raises:
        MissingDependencyError: the bundle names a writer of another package, which is not installed.
    """
    name = bundle.config.writer
    packages = (Path(str(files(entry.value))) for entry in entry_points(group=ENTRY_POINTS))
    found = next((place / name for place in (bundle.folder, *packages) if (place / name).is_dir()), None)
    if found is None and name != WRITER:
        raise MissingDependencyError(f"writer {name}", "is not installed", "pip install ./adapters")
    return found


def installed_writer(bundle: Bundle) -> tuple[Path | None, str]:
    """`writer_folder`, if it and its language model are installed; else what is missing, and how to get it."""
    try:
        if (folder := writer_folder(bundle)) is not None:
            base_model(writer_config(folder).base)
    except MissingDependencyError as error:
        return None, f"the better writer is not installed: {error.advice}"
    return folder, ""


def writer_config(folder: Path) -> WriterConfig:
    """What the folder of a writer says of it."""
    return WriterConfig.parse(open_model(folder, KIND).config, folder)


def load_language_writer(folder: Path, device: str = "cpu") -> LanguageWriter:
    """The writer of a model folder, its adapters added to the weights of its language model.

    Raises:
        MissingDependencyError: the language model is not on this machine; the message names the command that gets it.
    """
    config = writer_config(folder)
    base, cache = base_model(config.base)
    model, tokenizer = load_language_model(base, config.adapter, best_type(device), cache)
    weights, _ = read_tensors(folder / WEIGHTS, model.state_dict())
    put_weights(model, weights, folder / WEIGHTS)
    writer = LanguageWriter(model.merge().to(device).pack(), Encoder(tokenizer), config)
    give_back_memory()
    return writer


def best_type(device: str) -> torch.dtype:
    """bfloat16 where products in it are fast, float32 elsewhere."""
    fast = torch.cuda.is_bf16_supported() if device.startswith("cuda") else torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if fast else torch.float32


def film_evidence(
    spans: NDArray[np.floating],
    *,
    transcript: Transcript | None = None,
    cues: Cues | None = None,
    title: str = "",
    ingredients: Sequence[str] = (),
    given: bool = False,
    drafts: Sequence[str] = (),
) -> FilmEvidence:
    """What the writer reads of (N, 2) events in order of start.

    Args:
        transcript: what is said; cues: what is read on the screen and seen (what is heard comes from the transcript).
        title: if somebody gave one; ingredients: given, or heard.
        drafts: the sentence of a recipe model for every event, if there are some.
    """
    spans = np.asarray(spans, dtype=np.float64).reshape(-1, 2)
    cues = cues or Cues()
    heard = [""] * len(spans)
    if transcript is not None and len(transcript):
        heard = heard_lines(transcript.words, said_at(transcript), spans, timed=transcript.timed)
    shown: set[str] = set()
    events = []
    for words, (start, end), draft in zip(heard, spans.tolist(), drafts or [""] * len(spans), strict=True):
        span = Span(start=start, end=end)
        lines = [cue.text for cue in cues.of("read").near(span, BESIDE, BESIDE) if cue.text not in shown]
        shown.update(lines)
        seen = seen_names(_tags(cues.of("seen").near(span), span))
        events.append(EventEvidence(words, tuple(dict.fromkeys(lines)), seen, draft))
    return FilmEvidence(tuple(events), title, tuple(ingredients), given)


def _tags(seen: Sequence[Cue] | Cues, span: Span) -> list[tuple[str, float]]:
    """Each thing seen in an event with its confidence: the mean over the event of when it is seen."""
    found: dict[str, float] = {}
    for cue in seen:
        shared = min(cue.span.end, span.end) - max(cue.span.start, span.start)
        share = max(shared, 0.0) / span.length if span.length > 0 else 1.0
        # Things are shown for moments; a thing that is clearly seen for a third of the event is in it.
        found[cue.text] = found.get(cue.text, 0.0) + cue.confidence * min(1.0, 3 * share)
    return [(text, min(1.0, sure)) for text, sure in found.items()]
