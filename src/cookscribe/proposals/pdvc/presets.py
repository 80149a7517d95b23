"""The presets of the proposal model: as published, and small ones for one core."""

from typing import Any

# Queries of all groups together that fit a training on one core.
SMALL_QUERIES = 150


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "padding": "border",
        "duration": "thermometer",
        "count_head": "gaussian",
        "caption_shared": True,
        "caption_around": "previous",
        "caption_loss": "caption",
        "rank_eos": False,
    },
    "small": {
        "width": 128,
        "feedforward": 128,
        "heads": 4,
        "encoder_layers": 1,
        "dropout": 0.0,
        "frames": 128,
        "queries": 25,
        "references": "anchors",
        "caption_width": 128,
        "caption_dropout": 0.3,
        "caption_layers": "last",
        "caption_sampling": "event",
        "caption_frames": True,
        "loss_inside": 1.0,
        "count_evidence": True,
        "loss_count": 0.1,
        "rank_alpha": 0.0,
        "rank_overlap": 0.2,
    },
}
