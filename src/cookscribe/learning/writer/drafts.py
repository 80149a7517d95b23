"""Drafts that the writer learns to correct: what recipe models wrote for videos that they did not see.

A recipe model knows how YouCook2's sentences are put together, the language model knows the world. The writer reads
the sentence of the former as one more line of evidence. In training that sentence must be as good and as bad as it
will be later, so it comes from models trained without the video.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cookscribe.errors import BadFileError
from cookscribe.files import read_json, write_json
from cookscribe.learning.folds import answers_out_of_fold, train_with_folds
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.learning.narrated.run import inference_decoding, train_writer
from cookscribe.learning.writer.examples import Drafts, WriterAugmentation, WriterExample, drafted_versions
from cookscribe.pipelines.story_writer import StoryWriter

FOLDS = 3
SEED = 0
MOST_BYTES = 64 * 2**20


def write_drafts(
    speech: SpeechFolder, examples: Sequence[WriterExample], augmentation: WriterAugmentation, path: Path
) -> Drafts:
    """The drafts of every narrated example, from the file if it is there; the same call goes on after an interrupt.

    Args:
        speech: recipe models are trained in its folder: the one of the first seed, and one more for each fold.
        augmentation: how the versions of a video are drawn.
    """
    if path.is_file():
        return read_drafts(path)
    material, narrated = speech.material, {one.truth.id: one for one in examples if len(one.words)}

    def train(keys: list[str], folder: Path) -> None:
        videos = {key: material.videos[key] for key in keys}
        train_writer(speech.run, replace(material, videos=videos), folder, SEED, quiet=speech.quiet)

    whole = speech.out / f"seed-{SEED}"
    train_with_folds(sorted(narrated), FOLDS, whole, train)

    def answer(folder: Path, keys: list[str]) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        writer, reader = StoryWriter.load(folder), speech.reader
        versions = {key: drafted_versions(narrated[key], augmentation) for key in keys}
        inputs = [
            reader.input(material.heard[key], version.spans, version.names if version.given else None)
            for key in keys
            for version in versions[key]
        ]
        stories = iter(writer.write(inputs, inference_decoding(writer.config.decoding)))
        return {key: tuple(tuple(step.sentence for step in next(stories).steps) for _ in versions[key]) for key in keys}

    found = answers_out_of_fold(whole, sorted(narrated), answer)
    write_json(path, found, indent=None)
    return found


def read_drafts(path: Path) -> Drafts:
    """Read what `write_drafts` wrote."""
    found = read_json(path, MOST_BYTES)
    if not isinstance(found, dict) or not all(isinstance(versions, list) for versions in found.values()):
        raise BadFileError(path, "is not a table of drafts", "remove it; it is made anew")
    return {key: tuple(tuple(lines) for lines in versions) for key, versions in found.items()}
