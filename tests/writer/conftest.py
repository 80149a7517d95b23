"""The small language model, made once."""

from pathlib import Path

import pytest
import torch

from cookscribe.writer.checkpoint import load_language_model
from cookscribe.writer.llama import AdapterConfig, Llama
from tests.writer.small import published_folder


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published_folder(tmp_path_factory.mktemp("language") / "model")


@pytest.fixture
def model(published: Path) -> Llama:
    """With adapters that do something."""
    found, _ = load_language_model(published, AdapterConfig(rank=3), torch.float32)
    torch.manual_seed(1)
    for parameter in found.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return found
