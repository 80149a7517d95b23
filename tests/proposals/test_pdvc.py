"""The whole model: batches, padding, captions, counts, presets."""

import math

import pytest
import torch

from cookscribe.errors import BadValueError
from cookscribe.learning.proposals.criterion import Criterion, Truth
from cookscribe.proposals.pdvc.caption import Rows
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import EVIDENCE, PDVC, USUAL_COUNT, Layer, anchor_grid, evidence
from cookscribe.proposals.pdvc.propose import decode_captions
from cookscribe.text.vocabulary import EOS, PAD

SMALL = {"feature_size": 6, "width": 16, "heads": 2, "frames": 12, "queries": 5, "words": 20, "caption_width": 8}


def build(**changes: object) -> PDVC:
    torch.manual_seed(0)
    model = PDVC(ProposalConfig.preset("small", **(SMALL | {"caption_length": 6} | changes))).eval()
    # Fresh offsets and heads are zero; spread them so that a wrong reference or mask would show.
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "offsets.weight" in name or "box_heads" in name or "count_heads" in name:
                value.add_(torch.randn(value.shape, generator=torch.Generator().manual_seed(len(name))) * 0.2)
    return model


def inputs(batch: int, length: int = 12, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    frames = torch.randn(batch, length, 6, generator=draw)
    return frames, torch.ones(batch, length, dtype=torch.bool), torch.rand(batch, generator=draw) * 100 + 30


@pytest.mark.parametrize("references", ["anchors", "learned"])
@pytest.mark.parametrize("length", [1, 2, 7, 12])
def test_padding_and_company_change_nothing(references: str, length: int) -> None:
    model = build(references=references)
    frames, mask, durations = inputs(1, length)
    alone, encoded = model(frames, mask, durations)
    others, _, long = inputs(2, 12, seed=2)
    together = torch.cat([others[:1], torch.full((1, 12, 6), 50.0), others[1:]])
    together[1, :length] = frames[0]
    real = torch.ones(3, 12, dtype=torch.bool)
    real[1, length:] = False
    batch, encoded_batch = model(together, real, torch.cat([long[:1], durations, long[1:]]))
    for one, many in zip(alone, batch, strict=True):
        for a, b in zip(one, many, strict=True):
            torch.testing.assert_close(b[1:2], a, rtol=1e-4, atol=1e-5)
    written, company = decode_captions(model, alone[-1], encoded), decode_captions(model, batch[-1], encoded_batch)
    mine = company.tokens[5:10]
    assert torch.equal(mine[:, : written.tokens.shape[1]], written.tokens)
    torch.testing.assert_close(company.log_probability[5:10], written.log_probability, rtol=1e-3, atol=1e-4)


def test_layers_refine_the_references_they_were_given() -> None:
    model = build()
    layers, _ = model(*inputs(2))
    assert layers[0].boxes.shape == (2, 5, 2)
    assert not torch.allclose(layers[0].boxes, layers[1].boxes)
    # The second layer's boxes must not send a gradient into the first layer's box head.
    model.zero_grad()
    torch.autograd.backward(layers[1].boxes.sum())
    assert all(value.grad is None for value in model.box_heads[0].parameters())


def test_batched_captions_are_those_of_one_query_at_a_time() -> None:
    model = build()
    layers, encoded = model(*inputs(2))
    head = model.caption_head(-1)
    together = decode_captions(model, layers[-1], encoded)
    for row in range(10):
        video, query = divmod(row, 5)
        hidden, boxes = (part[video, query : query + 1] for part in (layers[-1].hidden, layers[-1].boxes))
        one = head.decode(encoded, Rows(torch.tensor([video]), hidden, boxes))
        width = one.tokens.shape[1]
        assert torch.equal(together.tokens[row, :width], one.tokens[0])
        assert (together.tokens[row, width:] == PAD).all()
        torch.testing.assert_close(together.log_probability[row], one.log_probability[0], rtol=1e-4, atol=1e-5)


def test_teacher_forcing_and_decoding_agree_on_the_likelihood() -> None:
    model = build()
    layers, encoded = model(*inputs(2))
    head = model.caption_head(-1)
    last = layers[-1]
    result = decode_captions(model, last, encoded)
    rows = Rows(torch.arange(2).repeat_interleave(5), last.hidden.flatten(0, 1), last.boxes.flatten(0, 1))
    # Decoding never says the three forbidden tokens, so give them no probability in the other way either.
    with torch.no_grad():
        head.output.bias[[0, 1, 3]] = -1e9
    forced = head(encoded, rows, result.tokens)
    torch.testing.assert_close(
        forced, -decode_captions(model, last, encoded).log_probability.sum(), rtol=1e-4, atol=1e-3
    )
    assert ((result.tokens == EOS).sum(dim=1) <= 1).all()


def test_every_loss_reaches_its_head_and_weights_cover_all_terms() -> None:
    model = build(caption_layers="all").train()
    criterion = Criterion(model.config)
    layers, encoded = model(*inputs(3))
    truth = Truth(
        [torch.tensor([[0.2, 0.1], [0.7, 0.2]]), torch.zeros(0, 2), torch.tensor([[0.5, 0.3]])],
        [torch.tensor([[5, 6, EOS], [7, EOS, PAD]]), torch.zeros(0, 0, dtype=torch.long), torch.tensor([[8, EOS]])],
    )
    terms = criterion(model, layers, encoded, truth)
    assert terms.keys() == criterion.weights.keys()
    assert {name.split(".")[0] for name in terms} == {"class", "giou", "count", "caption", "inside"}
    assert terms["caption.0"].divisor == 7
    torch.autograd.backward(sum(criterion.weights[name] * term.total for name, term in terms.items()))
    missing = [name for name, value in model.named_parameters() if value.grad is None]
    assert not missing


def test_counts_have_no_ceiling_unless_asked_for() -> None:
    layers, _ = (model := build())(*inputs(1))
    free = model.expected_count(layers[-1]._replace(counter=torch.tensor([[3.7]])))
    assert free.item() == pytest.approx(40.4, abs=0.1)
    model = build(count_head="classes")
    layers, _ = model(*inputs(1))
    assert layers[-1].counter.shape == (1, 11)
    assert model.expected_count(layers[-1]).item() <= 10


def test_presets() -> None:
    paper = ProposalConfig.preset("paper", words=1000)
    assert (paper.width, paper.queries, paper.frames, paper.points, paper.references) == (512, 100, 200, 4, "learned")
    model = PDVC(paper)
    with torch.no_grad():
        layers, encoded = model(torch.randn(1, 200, 512), torch.ones(1, 200, dtype=torch.bool), torch.tensor([300.0]))
    assert encoded.pyramid.sizes == (200, 100, 50, 25)
    assert layers[-1].boxes.shape == (1, 100, 2)
    # Before any training nothing is an event, and events are expected to be short.
    assert layers[-1].logits.sigmoid().mean().item() < 0.1
    assert layers[-1].boxes[..., 1].mean().item() < 0.3
    with pytest.raises(BadValueError, match="no preset 'large'"):
        ProposalConfig.preset("large")
    with pytest.raises(BadValueError, match="must be a multiple"):
        ProposalConfig.preset("small", width=130)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 25, 100, 200])
def test_anchors_cover_the_video(count: int) -> None:
    grid = anchor_grid(count)
    assert grid.shape == (count, 2)
    assert ((grid > 0) & (grid < 1)).all()
    assert grid[:, 0].min() < 0.51
    assert grid[:, 0].max() > 0.49


def test_groups_are_matched_each_by_itself_and_only_the_first_proposes() -> None:
    model = build(groups=3, caption_dropout=0.0).train()
    criterion = Criterion(model.config)
    truth = Truth(
        [torch.tensor([[0.2, 0.1], [0.7, 0.2]]), torch.tensor([[0.5, 0.3]])],
        [torch.tensor([[5, 6, EOS], [7, EOS, PAD]]), torch.tensor([[8, EOS]])],
    )
    layers, encoded = model(*inputs(2))
    assert layers[0].boxes.shape == (6, 5, 2)
    together = criterion(model, layers, encoded, truth)
    groups = [[Layer(*(values[g::3] for values in layer)) for layer in layers] for g in range(3)]
    apart = [criterion(model, found, encoded, truth) for found in groups]
    for name in ("class.0", "giou.1", "count.1"):
        torch.testing.assert_close(together[name].total, sum(terms[name].total for terms in apart))
        assert together[name].divisor == 3 * apart[0][name].divisor
    torch.testing.assert_close(together["caption.1"].total, apart[0]["caption.1"].total)
    assert together["caption.1"].divisor == 7
    torch.testing.assert_close(together["inside"].total, apart[0]["inside"].total)
    proposed, _ = model.eval()(*inputs(2))
    for alone, first in zip(proposed, groups[0], strict=True):
        for a, b in zip(alone, first, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_evidence_is_what_the_predictions_add_up_to() -> None:
    chances = torch.tensor([[0.5, 0.5, 1.0], [0.0, 0.0, 0.0]])
    boxes = torch.tensor([[[0.1, 0.2], [0.5, 0.4], [0.7, 0.1]]] * 2)
    found = evidence(chances, boxes, torch.tensor([300.0, 150.0]))
    assert found.shape == (2, EVIDENCE)
    # Two events in all, of mean length (0.5 x 0.2 + 0.5 x 0.4 + 1 x 0.1) / 2.
    assert found[0].tolist() == pytest.approx([2 / USUAL_COUNT, 1.5, 0.2 * USUAL_COUNT, 0.0])
    assert found[1].tolist() == pytest.approx([0.0, 0.0, 0.0, math.log(0.5)])


def as_published(**changes: object) -> PDVC:
    torch.manual_seed(0)
    sizes = SMALL | {"feedforward": 16, "caption_length": 6} | changes
    return PDVC(ProposalConfig.preset("paper", **sizes)).eval()


def test_the_published_preset_shares_one_caption_head_and_looks_around_what_it_was_given() -> None:
    model = as_published()
    layers, encoded = model(*inputs(2))
    assert len(model.caption_heads) == 1
    assert model.caption_head(0) is model.caption_head(1)
    # The first layer was given learned points, the second one the first one's spans.
    assert layers[0].references.shape == (2, 5, 1)
    assert torch.equal(model.caption_references(layers[1]), layers[0].boxes)
    moved = layers[1]._replace(boxes=torch.rand(2, 5, 2))
    assert torch.equal(decode_captions(model, moved, encoded).tokens, decode_captions(model, layers[1], encoded).tokens)
    criterion = Criterion(model.config)
    truth = Truth([torch.tensor([[0.2, 0.1]]), torch.tensor([[0.5, 0.3]])], [torch.tensor([[5, 6, EOS]])] * 2)
    terms = criterion(model.train(), layers, encoded, truth)
    assert terms.keys() == criterion.weights.keys()
    assert terms["caption.0"].divisor == 2  # captions, not words
    torch.autograd.backward(sum(criterion.weights[name] * term.total for name, term in terms.items()))
    assert not [name for name, value in model.named_parameters() if value.grad is None]


def test_each_caption_counts_the_same_in_the_published_loss() -> None:
    model = as_published()
    layers, encoded = model(*inputs(1))
    head, last = model.caption_head(-1), layers[-1]
    rows = Rows(torch.zeros(2, dtype=torch.long), last.hidden[0, :2], last.references[0, :2])
    both = head(encoded, rows, torch.tensor([[7, EOS, PAD, PAD], [5, 6, 8, EOS]]))
    one = head(encoded, Rows(*(part[:1] for part in rows)), torch.tensor([[7, EOS]]))
    other = head(encoded, Rows(*(part[1:] for part in rows)), torch.tensor([[5, 6, 8, EOS]]))
    torch.testing.assert_close(both, one + other)
    head.per_caption = False
    summed = head(encoded, rows, torch.tensor([[7, EOS, PAD, PAD], [5, 6, 8, EOS]]))
    torch.testing.assert_close(summed, 2 * one + 4 * other)


def test_the_published_ranking_does_not_count_the_end_of_a_caption() -> None:
    model = as_published()
    layers, encoded = model(*inputs(1))
    head = model.caption_head(-1)
    with torch.no_grad():
        head.output.bias[EOS] = 2.0
    without = decode_captions(model, layers[-1], encoded)
    head.rank_eos = True
    with_end = decode_captions(model, layers[-1], encoded)
    ended = (with_end.tokens == EOS).any(dim=1)
    assert ended.any()
    assert (with_end.log_probability[ended] < without.log_probability[ended]).all()


def test_a_thermometer_tells_seconds_up_to_its_end() -> None:
    model = as_published()
    _, encoded = model(*inputs(1))
    place = model.encoder.position
    told = [place(encoded.pyramid, torch.tensor([seconds])) for seconds in (30.0, 30.9, 31.0, 256.0, 900.0)]
    assert torch.equal(told[0], told[1])
    assert not torch.allclose(told[1], told[2])
    assert torch.equal(told[3], told[4])
