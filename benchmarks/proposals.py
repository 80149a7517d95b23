"""Speed and memory of the proposal model.

    python benchmarks/proposals.py              # the preset `small`, N = 25, 50, 100, 200
    python benchmarks/proposals.py --quick      # fewer repetitions, N = 25 and 100; under a minute

Baselines run in the same process on the same inputs: captions one query at a time (what a caption head without batching
does) beside all N at once, and deformable sampling by `grid_sample` beside ours. Inputs are random; speed does not
depend on what they show. Times are CPU seconds of one thread, so that other work on the machine disturbs them little.
Memory is the growth of the peak of a fresh process per N. The last line is one JSON object.
"""

import sys
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

from cookscribe.learning.proposals.criterion import Criterion, Truth
from cookscribe.proposals.pdvc.caption import Rows
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.deformable import Pyramid, attend
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe.proposals.pdvc.propose import decode_captions
from frame import finish, memory_of, options, timed

WORDS, EVENTS, SENTENCE = 1000, 8, 10


def best_seconds(work: Callable[[], object], repeat: int) -> float:
    """Shortest of some runs after one to warm up."""
    work()
    return timed(work, repeat)[0]


def build(queries: int, batch: int) -> tuple[PDVC, tuple[Tensor, Tensor, Tensor], Truth]:
    """A fresh model and a random batch with truth."""
    torch.manual_seed(0)
    config = ProposalConfig.preset("small", queries=queries, words=WORDS)
    frames = torch.randn(batch, config.frames, config.feature_size)
    inputs = (frames, torch.ones(batch, config.frames, dtype=torch.bool), torch.full((batch,), 300.0))
    boxes = [torch.rand(EVENTS, 2) * torch.tensor([1.0, 0.1]) for _ in range(batch)]
    words = [torch.randint(4, WORDS, (EVENTS, SENTENCE)) for _ in range(batch)]
    return PDVC(config), inputs, Truth(boxes, words)


def training_step(model: PDVC, inputs: tuple[Tensor, Tensor, Tensor], truth: Truth) -> Callable[[], None]:
    criterion = Criterion(model.config)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step() -> None:
        layers, encoded = model(*inputs)
        terms = criterion(model, layers, encoded, truth)
        loss = sum(criterion.weights[name] * term.total / max(term.divisor, 1) for name, term in terms.items())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def captions_one_by_one(model: PDVC, last: object, encoded: object) -> None:
    head = model.caption_head(-1)
    for query in range(model.config.queries):
        rows = Rows(
            torch.zeros(1, dtype=torch.long), last.hidden[0, query : query + 1], last.boxes[0, query : query + 1]
        )
        head.decode(encoded, rows)


def by_grid_sample(values: Tensor, pyramid: Pyramid, locations: Tensor, weights: Tensor) -> Tensor:
    """The usual way: every level by `grid_sample`, all samples in memory, then the weighted sum."""
    batch, heads, queries, levels, points = locations.shape
    parts = values.split(list(pyramid.sizes), dim=2)
    read = []
    for level, part in enumerate(parts):
        grid = locations[:, :, :, level].reshape(batch * heads, queries, points) * 2 - 1
        image = part.transpose(2, 3).reshape(batch * heads, -1, 1, part.shape[2])
        place = torch.stack([grid, torch.zeros_like(grid)], dim=-1)
        read.append(functional.grid_sample(image, place, align_corners=False))
    samples = torch.cat(read, dim=-1) * weights.reshape(batch * heads, 1, queries, levels * points)
    return samples.sum(dim=-1).view(batch, heads, -1, queries).transpose(2, 3)


def sampling_speedup(repeat: int) -> float:
    """How much faster our sampling is than `grid_sample`, forward and backward, on the encoder's sizes."""
    torch.manual_seed(0)
    sizes = (200, 100, 50, 25)
    pyramid = Pyramid(sizes, torch.tensor([[float(size) for size in sizes]] * 8))
    values = torch.randn(8, 4, sum(sizes), 32, requires_grad=True)
    locations = torch.rand(8, 4, sum(sizes), 4, 4, requires_grad=True)
    weights = torch.rand(8, 4, sum(sizes), 4, 4, requires_grad=True)
    ours = best_seconds(lambda: attend(values, pyramid, locations, weights).sum().backward(), repeat)
    usual = best_seconds(lambda: by_grid_sample(values, pyramid, locations, weights).sum().backward(), repeat)
    return usual / ours


def train_once(queries: int) -> None:
    """A step of 16 videos."""
    torch.set_num_threads(1)
    training_step(*build(queries, 16))()


def main() -> None:
    quick = options(__doc__, "fewer repetitions, N = 25 and 100").quick
    repeat = 2 if quick else 5
    sampling = round(sampling_speedup(repeat), 2)
    rows = []
    for queries in (25, 100) if quick else (25, 50, 100, 200):
        model, inputs, truth = build(queries, 16)
        step = best_seconds(training_step(model, inputs, truth), repeat)
        model.eval()
        with torch.no_grad():
            forward = best_seconds(partial(model, *inputs), repeat)
            layers, encoded = model(*(part[:1] for part in inputs))
            batched = best_seconds(partial(decode_captions, model, layers[-1], encoded), repeat)
            single = best_seconds(partial(captions_one_by_one, model, layers[-1], encoded), 1)
        before, after = memory_of("proposals", f"train_once({queries})")
        row = {
            "queries": queries,
            "training_videos_per_second": round(16 / step, 1),
            "proposals_per_second": round(16 * queries / forward),
            "videos_per_second": round(16 / forward, 1),
            "caption_speedup": round(single / batched, 1),
            "training_peak_megabytes": round(after - before),
        }
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    finish(
        threads=1,
        preset="small",
        sampling_speedup=sampling,
        by_queries=rows,
        caption_speedup=min(row["caption_speedup"] for row in rows),
        training_videos_per_second=rows[0]["training_videos_per_second"],
        proposals_per_second=rows[0]["proposals_per_second"],
    )


if __name__ == "__main__":
    main()
