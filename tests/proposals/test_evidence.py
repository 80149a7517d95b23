"""What the count head reads beside the queries."""

from __future__ import annotations

import math

import pytest
import torch

from cookscribe.proposals.pdvc.pdvc import EVIDENCE, USUAL_COUNT, evidence


def test_evidence_is_what_the_predictions_add_up_to() -> None:
    chances = torch.tensor([[0.5, 0.5, 1.0], [0.0, 0.0, 0.0]])
    boxes = torch.tensor([[[0.1, 0.2], [0.5, 0.4], [0.7, 0.1]]] * 2)
    found = evidence(chances, boxes, torch.tensor([300.0, 150.0]))
    assert found.shape == (2, EVIDENCE)
    # Two events in all, of mean length (0.5 x 0.2 + 0.5 x 0.4 + 1 x 0.1) / 2.
    assert found[0].tolist() == pytest.approx([2 / USUAL_COUNT, 1.5, 0.2 * USUAL_COUNT, 0.0])
    assert found[1].tolist() == pytest.approx([0.0, 0.0, 0.0, math.log(0.5)])
