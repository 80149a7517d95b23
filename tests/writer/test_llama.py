"""The network against the transformers library, the cache against full reading, adapters against their equation."""

from pathlib import Path

import pytest
import torch

from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.files import read_json, replacing, write_json
from cookscribe.writer.checkpoint import CONFIG, WEIGHTS, converted, load_language_model
from cookscribe.writer.llama import AdaptedLinear, AdapterConfig, Cache, Llama, plain_attention
from tests.writer.small import SIZES, gguf_file, tokenizer

TOKENS = torch.tensor([[5, 17, 200, 31, 4, 99, 260, 12, 12, 7], [8, 3, 1, 250, 40, 41, 42, 6, 9, 2]])


def all_true(tokens: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(tokens, dtype=torch.bool)


def test_logits_are_those_of_an_independent_implementation(published: Path) -> None:
    from transformers import AutoModelForCausalLM

    model, _ = load_language_model(published, dtype=torch.float32)
    theirs = AutoModelForCausalLM.from_pretrained(published, dtype=torch.float32)
    with torch.no_grad():
        assert torch.allclose(model.logits(model(TOKENS)), theirs(TOKENS).logits, atol=1e-4)


def test_chunks_of_queries_give_plain_attention() -> None:
    q, k, v = torch.randn(3, 2, 2, 600, 8, dtype=torch.float64)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert torch.allclose(plain_attention(q, k, v), wanted)
    mask = (torch.rand(2, 1, 600, 600) < 0.5).tril() | torch.eye(600, dtype=torch.bool)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
    assert torch.allclose(plain_attention(q, k, v, mask), wanted)


@torch.no_grad()
def test_reading_on_equals_reading_at_once(model: Llama) -> None:
    whole = model(TOKENS)
    cache = Cache()
    parts = [model.read(TOKENS[:, a:b], all_true(TOKENS[:, a:b]), cache) for a, b in ((0, 4), (4, 5), (5, 10))]
    assert torch.allclose(torch.cat(parts, dim=1), whole, atol=1e-5)


@torch.no_grad()
def test_padding_in_the_middle_is_not_seen(model: Llama) -> None:
    """Rows of different lengths are padded chunk by chunk; each row is as if it were alone."""
    cache = Cache()
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    model.read(TOKENS[:, :4], mask, cache)
    hidden = model.read(TOKENS[:, 4:7], all_true(TOKENS[:, 4:7]), cache)
    alone = torch.cat((TOKENS[1:, :2], TOKENS[1:, 4:7]), dim=1)
    assert torch.allclose(hidden[1], model(alone)[0, 2:], atol=1e-5)
    assert torch.allclose(hidden[0], model(TOKENS[:1, :7])[0, 4:], atol=1e-5)


@torch.no_grad()
def test_branches_share_what_was_read(model: Llama) -> None:
    """Three sentences for each of two films, one of them shorter: every one as if read alone."""
    trunk, own = Cache(), Cache()
    mask = torch.tensor([[True] * 4, [True, True, True, False]])
    model.read(TOKENS[:, :4], mask, trunk)
    sentences = torch.tensor([[[9, 8], [7, 6], [5, 4]], [[1, 2], [3, 4], [5, 6]]])
    for place in range(2):
        hidden = model.branch(sentences[:, :, place].flatten(), trunk, own)
    for film, length in ((0, 4), (1, 3)):
        for branch in range(3):
            alone = torch.cat((TOKENS[film, :length], sentences[film, branch])).unsqueeze(0)
            assert torch.allclose(hidden[film * 3 + branch], model(alone)[0, -1], atol=1e-5)


@torch.no_grad()
def test_packed_weights_give_the_same_logits(published: Path) -> None:
    plain, packed = (load_language_model(published, AdapterConfig(rank=3), torch.bfloat16)[0].merge() for _ in range(2))
    packed.pack()
    assert packed.layers[0].down.packed is not None or not torch.ops.mkldnn._is_mkldnn_bf16_supported()
    cache = Cache()
    read = packed.read(TOKENS[:, :9], all_true(TOKENS[:, :9]), cache)
    last = packed.branch(TOKENS[:, 9], cache, Cache())
    found = torch.cat((read, last.unsqueeze(1)), dim=1)
    wanted = plain(TOKENS)
    assert torch.allclose(found.float(), wanted.float(), atol=0.05 * float(wanted.float().std()))


def test_weights_stay_as_they_are_where_they_cannot_be_packed(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cookscribe.writer.llama._product", lambda *tensors: tensors[0].undefined)
    model = load_language_model(published, None, torch.bfloat16)[0].merge().pack()
    assert model.layers[0].down.packed is None
    assert torch.isfinite(model(TOKENS)).all()


@torch.no_grad()
def test_adapters_follow_their_equation_and_can_be_merged(model: Llama) -> None:
    layer = model.layers[0].down
    x = torch.randn(5, SIZES.feed_forward)
    wanted = x @ (layer.weight + layer.scale * layer.up @ layer.down).T
    assert torch.allclose(layer(x), wanted, atol=1e-5)
    before = model(TOKENS)
    assert torch.allclose(model.merge()(TOKENS), before, atol=1e-4)


def test_adapters_begin_without_effect_and_are_all_that_is_saved(published: Path) -> None:
    model, _ = load_language_model(published, AdapterConfig(rank=2), torch.float32)
    layers = [module for module in model.modules() if isinstance(module, AdaptedLinear)]
    assert all(not layer.up.any() for layer in layers)
    assert len(layers) == 4 * SIZES.layers
    assert set(model.state_dict()) == {name for name, _ in model.named_parameters()}
    assert all(name.endswith((".up", ".down")) for name in model.state_dict())


def test_a_gguf_file_is_the_same_model(published: Path, tmp_path: Path) -> None:
    path = gguf_file(tmp_path / "small.gguf", published)
    ours, words = load_language_model(path, dtype=torch.float32, cache=tmp_path / "cache")
    theirs, _ = load_language_model(published, dtype=torch.float32)
    with torch.no_grad():
        # The folder made of it is in bfloat16.
        assert torch.allclose(ours(TOKENS), theirs(TOKENS), atol=0.15)
        assert (ours.logits(ours(TOKENS)).argmax(-1) == theirs.logits(theirs(TOKENS)).argmax(-1)).float().mean() > 0.8
    text = "add the salt, 250 g of it\n"
    assert words.encode(text).ids == tokenizer().encode(text).ids
    assert words.decode(words.encode(text).ids) == text
    made = converted(path, tmp_path / "cache") / WEIGHTS
    before = made.stat().st_mtime_ns
    load_language_model(path, cache=tmp_path / "cache")
    assert made.stat().st_mtime_ns == before, "a GGUF file is taken apart once"


def test_what_another_process_is_just_writing_is_not_read(published: Path, tmp_path: Path) -> None:
    """Two programs may take a GGUF file apart at once; the folder of the first is whole before the second has done."""
    path = gguf_file(tmp_path / "small.gguf", published)
    made = converted(path, tmp_path / "cache")
    with replacing(made / WEIGHTS) as half_written:
        half_written.write_bytes((made / WEIGHTS).read_bytes()[:-9])
        model, _ = load_language_model(path, cache=tmp_path / "cache")
    assert model.config.layers == SIZES.layers


@pytest.mark.parametrize("damage", ["cut", "text", "other"])
def test_a_damaged_file_is_a_typed_error(published: Path, tmp_path: Path, damage: str) -> None:
    path = gguf_file(tmp_path / "small.gguf", published)
    data = path.read_bytes()
    path.write_bytes({"cut": data[: len(data) // 2], "text": b"hello", "other": b"GGUF" + data[8:]}[damage])
    with pytest.raises(BadFileError, match=r"small\.gguf"):
        load_language_model(path, cache=tmp_path / "cache")
    assert not list((tmp_path / "cache").glob(f"*/{CONFIG}"))


def test_a_folder_that_is_no_such_model_is_a_typed_error(published: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="description"):
        load_language_model(tmp_path)
    write_json(tmp_path / CONFIG, read_json(published / CONFIG) | {"model_type": "bert"})
    with pytest.raises(BadFileError, match="Llama"):
        load_language_model(tmp_path)
    write_json(tmp_path / CONFIG, read_json(published / CONFIG))
    with pytest.raises(MissingFileError, match="safetensors"):
        load_language_model(tmp_path)
    (tmp_path / WEIGHTS).write_bytes((published / WEIGHTS).read_bytes())
    write_json(tmp_path / CONFIG, read_json(published / CONFIG) | {"num_hidden_layers": 3})
    with pytest.raises(BadFileError, match=r"layers\.2"):
        load_language_model(tmp_path)
