"""Captions after events: the rest of the model stays as it is, sentences become right, the head sees rows itself."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.learning.datasets.youcook2 import write_truth
from cookscribe.learning.proposals.run import EVENTS, ProposalRun, train_proposals
from cookscribe.proposals.pdvc.caption import CaptionHead, Rows, pooled_levels
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.deformable import Pyramid
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.proposals.pdvc.transformer import Encoded
from cookscribe.text.vocabulary import EOS, PAD, Vocabulary
from tests.learning.proposals.videos import made_up

MODEL = {"width": 32, "feedforward": 32, "frames": 32, "queries": 8, "groups": 2, "caption_width": 32}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of sixteen videos, events first and captions afterwards."""
    folder = tmp_path_factory.mktemp("after")
    videos, _ = made_up(16, folder / "features")
    write_truth(folder / "truth.json", videos)
    run = ProposalRun(
        data="truth.json",
        features="features",
        model=MODEL,
        training={"epochs": 6, "batch_size": 4},
        caption_training={"epochs": 14, "batch_size": 4, "learning_rate": 1e-2},
        min_count=1,
    )
    histories = train_proposals(run, folder, folder / "model", quiet=True)
    assert list(histories) == ["model", "model captions"]
    first, last = (histories["model captions"].epochs[n].scores["likelihood"] for n in (0, -1))
    assert last > first
    return folder


def test_only_the_caption_head_is_trained(trained: Path) -> None:
    silent, speaking = Proposer.load(trained / "model" / EVENTS), Proposer.load(trained / "model")
    assert silent.vocabulary is None
    assert speaking.vocabulary is not None
    after = speaking.model.state_dict()
    for name, value in silent.model.state_dict().items():
        torch.testing.assert_close(after[name], value, rtol=0, atol=0, msg=name)
    assert all(name.startswith("caption_heads") for name in after.keys() - silent.model.state_dict().keys())


def test_the_sentences_name_what_happens(trained: Path) -> None:
    videos, store = made_up(16, trained / "features")
    proposer = Proposer.load(trained / "model")
    right, said = [], set()
    for video in videos:
        candidates = proposer.propose(store.read(video.id))
        middles = candidates.spans.mean(axis=1)
        for span, sentence in zip(video.spans, video.sentences, strict=True):
            nearest = candidates.captions[int(np.abs(middles - span.mean()).argmin())]
            right.append(nearest.split()[:1] == sentence.split()[:1])
            said.add(nearest)
    # Six verbs: one phrase for everything would be right about once in six.
    assert np.mean(right) > 0.45
    assert len(said) > 6


def test_a_head_that_draws_once_decodes_what_it_scores() -> None:
    torch.manual_seed(0)
    config = ProposalConfig.preset("small", **MODEL, words=12, feature_size=5, levels=2, caption_length=6)
    head = CaptionHead(config).eval()
    assert head.state_offsets is None
    pyramid = Pyramid((8, 4), torch.tensor([[8.0, 4.0], [5.0, 3.0]]))
    encoded = Encoded(torch.randn(2, 12, 32), pyramid, torch.randn(2, 8, 5))
    rows = Rows(torch.tensor([0, 1, 1]), torch.randn(3, 32), torch.rand(3, 2))
    head.query_offsets.weight.data.normal_(std=0.3)
    captions = head.decode(encoded, rows)
    for n in range(3):
        one = Rows(*(part[n : n + 1] for part in rows))
        words = captions.tokens[n : n + 1]
        # Greedy decoding leaves three words out, so that it can only be surer than the plain likelihood.
        likelihood = -head(encoded, one, words[:, : int((words != PAD).sum())]).item()
        assert likelihood <= captions.log_probability[n].item() + 1e-4
    # Padding is never looked at.
    changed = Encoded(encoded.tokens.clone(), pyramid, encoded.frames.clone())
    changed.tokens[1, 5:8] += 9.0
    changed.tokens[1, 11:] += 9.0
    changed.frames[1, 5:] += 9.0
    torch.testing.assert_close(head.decode(changed, rows).log_probability, captions.log_probability)


def test_pooled_levels_are_means_of_real_rows() -> None:
    pyramid = Pyramid((5, 3, 2), torch.tensor([[5.0, 3.0, 2.0], [3.0, 2.0, 1.0]]))
    rows = torch.arange(10.0).view(2, 5, 1)
    first, second = pooled_levels(rows, pyramid)[..., 0]
    assert first.tolist() == [0, 1, 2, 3, 4, 0.5, 2.5, 4, 1.5, 4]
    assert second.tolist() == [5, 6, 7, 0, 0, 5.5, 7, 0, 6.25, 0]


def test_the_first_guess_is_how_often_words_are_used() -> None:
    words = Vocabulary.build(["cut the rice", "cut the fish"], min_count=1)
    head = CaptionHead(ProposalConfig.preset("small", **MODEL, words=len(words)))
    counts = torch.zeros(len(words))
    for sentence in ("cut the rice", "cut the fish"):
        for token in words.encode(sentence)[1:]:
            counts[token] += 1
    head.expect(counts)
    chance = head.output.bias.softmax(dim=0)
    assert chance.sum().item() == pytest.approx(1.0)
    assert chance[EOS].item() == pytest.approx(3 / (8 + len(words)))
    assert chance[PAD].item() == pytest.approx(1 / (8 + len(words)))
