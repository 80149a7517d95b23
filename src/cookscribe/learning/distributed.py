"""Several training processes, started by torchrun: who am I, and sums over all of us.

Every process holds the whole model and works on its share of the same global batch. Losses arrive as sums, their
divisors are added up over the processes before anything is divided, and gradients are added, so that the step is the
one a single process would take on the whole batch. Nothing here pickles.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

# Evaluation runs in the first process while the others wait; it may take long.
PATIENCE = timedelta(hours=6)


@dataclass(frozen=True)
class Processes:
    """This process among `size`; with a size of 1 every method is a no-op."""

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def first(self) -> bool:
        """True in the process that writes files and prints."""
        return self.rank == 0

    def share(self, items: Sequence[int]) -> Sequence[int]:
        """The items of a global batch that this process works on; may be none."""
        return items[self.rank :: self.size]

    def add(self, value: Tensor) -> Tensor:
        """The sum of `value` over the processes (a new tensor)."""
        if self.size == 1:
            return value
        total = value.detach().clone()
        dist.all_reduce(total)
        return total

    def add_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Replace every gradient by its sum over the processes.

        A parameter without a gradient in any process keeps none, so that the optimiser leaves it alone as it would in
        one process.
        """
        if self.size == 1:
            return
        present = self.add(torch.tensor([float(p.grad is not None) for p in parameters], device=self.device))
        used = [p for p, seen in zip(parameters, present.tolist(), strict=True) if seen]
        if not used:
            return
        flat = torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).reshape(-1) for p in used])
        dist.all_reduce(flat)
        for parameter, part in zip(used, torch.split(flat, [p.numel() for p in used]), strict=True):
            parameter.grad = part.view_as(parameter).clone()

    def tell(self, value: Any) -> Any:
        """What the first process says (JSON), in every process."""
        if self.size == 1:
            return value
        data = json.dumps(value).encode() if self.first else b""
        length = torch.tensor([len(data)], device=self.device)
        dist.broadcast(length, 0)
        received = torch.zeros(int(length.item()), dtype=torch.uint8, device=self.device)
        if self.first:
            received.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        dist.broadcast(received, 0)
        return json.loads(bytes(received.cpu().tolist()))


def join(device: str = "cpu") -> Processes:
    """Join the processes torchrun started, on one machine or on several, or be alone. gloo connects CPUs, nccl GPUs.

    torchrun says who we are in the environment: RANK of WORLD_SIZE processes, the LOCAL_RANK of those on this machine,
    which is also the number of our GPU, and MASTER_ADDR and MASTER_PORT, where the first process waits for the others.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    place = torch.device(device, int(os.environ.get("LOCAL_RANK", "0"))) if device == "cuda" else torch.device(device)
    if size == 1:
        return Processes(device=place)
    if not dist.is_initialized():
        if device == "cuda":
            # nccl binds a process to the GPU that is current; without this all of a machine would take its first.
            torch.cuda.set_device(place)
            dist.init_process_group("nccl", timeout=PATIENCE, device_id=place)
        else:
            dist.init_process_group("gloo", timeout=PATIENCE)
    return Processes(dist.get_rank(), dist.get_world_size(), place)


def is_first() -> bool:
    """True in the process that prints, also before and after the processes are joined."""
    return os.environ.get("RANK", "0") == "0"


def leave() -> None:
    """Close the connections, if there are any."""
    if dist.is_initialized():
        dist.destroy_process_group()
