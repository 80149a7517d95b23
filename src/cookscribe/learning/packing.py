"""Making bundles: trained model folders, put together for `cookscribe write`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from cookscribe.bundle import (
    CARD,
    DESCRIPTION,
    PROPOSALS,
    STORY,
    WITHOUT_INGREDIENTS,
    Bundle,
    BundleConfig,
    member_folder,
)
from cookscribe.errors import BadValueError
from cookscribe.files import copy_file, read_json, unwritable, write_json, write_text
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model_folder import CONFIG, VOCABULARY, WEIGHTS, read_tensors, write_tensors
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.proposals.pdvc.propose import Proposer


def bundle_models(
    name: str, films: str, proposals: Path, story: Path, target: Path, members: Sequence[Path] = ()
) -> Bundle:
    """Make a bundle of model folders that read the same features; its card says what it was made of.

    Raises:
        BadValueError: the models read different features, the words of `members` are not those of
            `story`, or `target` is not empty.
    """
    proposer, writer = Proposer.load(proposals), StoryWriter.load(story, members=members)
    if target.exists() and any(target.iterdir()):
        raise BadValueError(target, "is not empty", "choose a new folder")
    encoder, width = writer.config.encoder, writer.config.track_width
    if proposer.config.encoder != encoder or proposer.config.feature_size != width:
        raise BadValueError(
            story,
            f"reads {width} columns of {encoder!r}, the proposal model {proposer.config.feature_size} "
            f"of {proposer.config.encoder!r}",
            "train both on the same features",
        )
    config = BundleConfig(name=name, encoder=encoder, films=films, simulated=writer.config.simulated)
    learnt = "the simulated kitchen only" if config.simulated else "film"
    model = writer.config.model
    together = f", {1 + len(members)} that write together" if members else ""
    card = f"""# {name}

{films or "A recipe model for cooking videos."}

- Reads {encoder} features ({width} columns); learnt from {learnt}.
- Proposals: PDVC, {proposer.config.queries} candidates. Recipe model: {model.letters}, {model.width} units{together}.
- {len(writer.vocabulary)} words, {len(writer.config.actions)} actions. Weights in half precision.
"""
    return pack(config, proposals, story, card, target, members=members)


def pack(
    config: BundleConfig,
    proposals: Path,
    story: Path,
    card: str,
    target: Path,
    without_ingredients: Path | None = None,
    members: Sequence[Path] = (),
    decodings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Bundle:
    """Make a bundle of trained models; weights are stored in half precision, training states are left behind.

    Args:
        decodings: changes to how recipe models decode, by folder of the bundle (`STORY`, `WITHOUT_INGREDIENTS`).
    """
    unfinished(target)
    pack_model(proposals, target / PROPOSALS)
    pack_model(story, target / STORY)
    for number, other in enumerate(members, 2):
        pack_model(other, member_folder(target, number))
    if without_ingredients is not None:
        pack_model(without_ingredients, target / WITHOUT_INGREDIENTS)
    for part, changes in (decodings or {}).items():
        store_decoding(target / part, changes)
    write_text(target / CARD, card)
    # Last, because a folder with this file counts as a bundle.
    config.save(target / DESCRIPTION)
    return Bundle(target, config)


def unfinished(target: Path) -> None:
    """Let a folder no longer count as a bundle, because its parts are about to be replaced one after another."""
    try:
        (target / DESCRIPTION).unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(target / DESCRIPTION, error) from None


def pack_model(source: Path, folder: Path) -> None:
    """Copy what a trained model needs to be used; weights in half precision, the training's state left behind."""
    for file in (CONFIG, VOCABULARY):
        if (source / file).is_file():
            copy_file(source / file, folder / file)
    tensors, header = read_tensors(source / WEIGHTS)
    halved = {key: value.half() if value.dtype == torch.float32 else value for key, value in tensors.items()}
    write_tensors(folder / WEIGHTS, halved, header)


def store_decoding(folder: Path, changes: Mapping[str, Any]) -> None:
    """Change how the trained model of a folder writes; its weights stay as they are."""
    saved = read_json(folder / CONFIG)
    saved["config"]["decoding"] |= changes
    DecodingConfig.parse(saved["config"]["decoding"], folder / CONFIG)
    write_json(folder / CONFIG, saved)
