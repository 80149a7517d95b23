"""Some videos of a batch, of whatever the model keeps for it."""

import torch

from cookscribe.model.batch import first, take
from cookscribe.model.recipe_model import State
from tests.model.examples import build, inputs_of, some_videos, tiny


@torch.no_grad()
def test_taking_videos_is_encoding_them_alone() -> None:
    model, inputs = build(tiny("bivt", action_states="residual")), inputs_of(some_videos())
    index = torch.tensor([2, 0])
    encoded = model.encode(inputs)
    selection = model.select(encoded, State())
    few, alone = take(encoded, index), model.encode(take(inputs, index))
    torch.testing.assert_close(few.events.rows.hidden, alone.events.rows.hidden)
    torch.testing.assert_close(few.raw_ingredients, alone.raw_ingredients)
    assert few.events.slots == encoded.events.slots
    assert few.actions is encoded.actions, "the action table belongs to all videos"
    found = take(selection, index)
    expected = model.select(alone, State())
    torch.testing.assert_close(found.logits, expected.logits)
    torch.testing.assert_close(found.memory, expected.memory)
    torch.testing.assert_close(found.simulation.action_states(), expected.simulation.action_states())


def test_the_first_videos_are_cut_and_whole_batches_left_alone() -> None:
    inputs = inputs_of(some_videos())
    assert torch.equal(first(inputs, 2).features, inputs.features[:2])
    assert first(inputs, 3).features is inputs.features
    assert first(State(), 2) == State()
