"""Language models on disk: a GGUF file, or a folder as published (`config.json`, `*.safetensors`, `tokenizer.json`).

A GGUF file is turned into such a folder once, in bfloat16, because taking its numbers apart takes many seconds. After
that loading is mapping a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.files import MOST_DESCRIPTION, read_json, write_json, write_text
from cookscribe.model_folder import write_tensors
from cookscribe.writer.llama import AdapterConfig, Llama, LlamaConfig

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"

# Our sizes by the names of published configurations.
SIZES = {
    "num_hidden_layers": "layers",
    "hidden_size": "width",
    "num_attention_heads": "heads",
    "num_key_value_heads": "key_value_heads",
    "intermediate_size": "feed_forward",
    "vocab_size": "vocabulary",
    "rope_theta": "theta",
    "rms_norm_eps": "epsilon",
    "tie_word_embeddings": "tied",
}
GGUF_SIZES = {
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "feed_forward_length": "intermediate_size",
    "rope.freq_base": "rope_theta",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
}
GGUF_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def load_language_model(
    path: Path, adapter: AdapterConfig | None = None, dtype: torch.dtype = torch.bfloat16, cache: Path | None = None
) -> tuple[Llama, Tokenizer]:
    """The frozen network and its tokenizer.

    Args:
        path: a GGUF file or a folder of a Llama-style model.
        adapter: size of the adapters; they begin without effect.
        dtype: of the weights and of all products.
        cache: where a GGUF file's folder is kept; beside the file by default.
    """
    path = Path(path)
    folder = converted(path, cache) if path.is_file() else path
    config = read_sizes(folder)
    model = Llama(config, adapter, dtype)
    put_base_weights(model, folder)
    return model.eval(), load_tokenizer(folder / TOKENIZER)


def load_tokenizer(path: Path) -> Tokenizer:
    """Byte pairs as published."""
    from tokenizers import Tokenizer

    if not path.is_file():
        raise MissingFileError(path, "the language model has no tokenizer", "take the whole folder of the model")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise BadFileError(path, f"is no tokenizer: {error}", "take the whole folder of the model again") from None


def read_sizes(folder: Path) -> LlamaConfig:
    """The sizes in a published `config.json`."""
    path = folder / CONFIG
    if not path.is_file():
        raise MissingFileError(path, "the language model has no description", "name a GGUF file or a model's folder")
    data = read_json(path, MOST_DESCRIPTION)
    if not isinstance(data, dict) or data.get("model_type") != "llama":
        raise BadFileError(path, "does not describe a Llama-style model", "name another model")
    known = {ours: data[theirs] for theirs, ours in SIZES.items() if data.get(theirs) is not None}
    if data.get("rope_scaling") or data.get("attention_bias") or data.get("mlp_bias"):
        raise BadFileError(path, "has biases or stretched positions, which are not supported", "name another model")
    return LlamaConfig.parse(known, path)


def put_base_weights(model: Llama, folder: Path) -> None:
    """Fill the frozen weights from the safetensors of a folder; every one must be there with its shape."""
    # Hidden files are those that another process is just writing.
    files = sorted(path for path in folder.glob("*.safetensors") if not path.name.startswith("."))
    if not files:
        raise MissingFileError(folder, "the language model has no safetensors", "take the whole folder of the model")
    found: dict[str, Path] = {}
    for path in files:
        try:
            with safe_open(path, framework="pt") as tensors:
                found |= dict.fromkeys(tensors.keys(), path)
        except (SafetensorError, OSError) as error:
            raise BadFileError(path, f"cannot be read: {error}", "fetch the model again") from None

    def read(name: str) -> Tensor:
        # What is read of a file stays in memory until it is closed.
        with safe_open(found[name], framework="pt") as tensors:
            value: Tensor = tensors.get_tensor(name)
        return value

    def put(place: Tensor, *names: str) -> None:
        missing = [name for name in names if name not in found]
        if missing:
            raise BadFileError(folder, f"the weight {missing[0]!r} is not there", "fetch the model again")
        value = torch.cat([read(name) for name in names])
        if value.shape != place.shape:
            raise BadFileError(folder, f"{names[0]!r} has the shape {tuple(value.shape)}", "fetch the model again")
        place.copy_(value)

    put(model.embedding, "model.embed_tokens.weight")
    put(model.norm.weight, "model.norm.weight")
    if not model.config.tied:
        put(model.head, "lm_head.weight")
    for number, block in enumerate(model.layers):
        here = f"model.layers.{number}."
        put(block.attention_norm.weight, here + "input_layernorm.weight")
        put(block.attention.qkv.weight, *(f"{here}self_attn.{part}_proj.weight" for part in "qkv"))
        put(block.attention.output.weight, here + "self_attn.o_proj.weight")
        put(block.feed_forward_norm.weight, here + "post_attention_layernorm.weight")
        put(block.gate_up.weight, *(f"{here}mlp.{part}_proj.weight" for part in ("gate", "up")))
        put(block.down.weight, here + "mlp.down_proj.weight")


def converted(path: Path, cache: Path | None = None) -> Path:
    """The folder of a GGUF file, made at the first call."""
    stamp = hashlib.sha256(f"{path.name} {path.stat().st_size}".encode()).hexdigest()[:12]
    folder = (cache or path.parent) / f"{path.stem}-{stamp}"
    # The configuration is written last: a folder that has one is whole.
    if not (folder / CONFIG).is_file():
        convert(path, folder)
    return folder


def convert(path: Path, folder: Path) -> None:
    """Write the published form of a GGUF file: weights in bfloat16, tokenizer, sizes."""
    from gguf import GGUFReader

    try:
        reader = GGUFReader(path)
        fields = reader.fields
        if fields["general.architecture"].contents() != "llama":
            raise BadFileError(path, "holds no Llama-style model", "name another model")
        sizes = {theirs: fields[f"llama.{name}"].contents() for name, theirs in GGUF_SIZES.items()}
        tokens = fields["tokenizer.ggml.tokens"].contents()
        kinds = fields["tokenizer.ggml.token_type"].contents()
        merges = fields["tokenizer.ggml.merges"].contents()
        heads, key_heads = sizes["num_attention_heads"], sizes["num_key_value_heads"]
        weights = dict(_tensors(reader, heads, key_heads))
    except BadFileError:
        raise
    except Exception as error:  # the reader raises whatever its parsing meets
        raise BadFileError(path, f"is no readable GGUF file: {error}", "fetch it again") from None
    sizes |= {"model_type": "llama", "vocab_size": len(tokens), "tie_word_embeddings": "lm_head.weight" not in weights}
    folder.mkdir(parents=True, exist_ok=True)
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == 3]
    write_text(folder / TOKENIZER, byte_pair_tokenizer(tokens, merges, special).to_str())
    write_tensors(folder / WEIGHTS, weights, {})
    write_json(folder / CONFIG, sizes)


def _tensors(reader: Any, heads: int, key_heads: int) -> Iterator[tuple[str, Tensor]]:
    from gguf import dequantize

    for entry in reader.tensors:
        values = torch.from_numpy(dequantize(entry.data, entry.tensor_type).copy())
        parts = entry.name.split(".")
        if parts[0] == "blk":
            if parts[2] in ("attn_q", "attn_k"):
                values = _halves(values, heads if parts[2] == "attn_q" else key_heads)
            name = f"model.layers.{parts[1]}.{GGUF_NAMES[parts[2]]}.weight"
        else:
            name = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}[parts[0]]
            name += ".weight"
        yield name, values.to(torch.bfloat16)


def _halves(weight: Tensor, heads: int) -> Tensor:
    """Rows of a GGUF query or key matrix, whose turned pairs are neighbours, in the published order of halves."""
    return weight.view(heads, -1, 2, weight.shape[1]).transpose(1, 2).reshape(weight.shape)


def byte_pair_tokenizer(tokens: list[str], merges: list[str], special: list[str]) -> Tokenizer:
    """The tokenizer of SmolLM2: digits stand alone, then GPT-2's byte pairs."""
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.decoders import ByteLevel as Decoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

    vocabulary: Mapping[str, int] = {token: number for number, token in enumerate(tokens)}
    pairs = [(first, second) for first, _, second in (merge.partition(" ") for merge in merges)]
    tokenizer = Tokenizer(BPE(vocab=dict(vocabulary), merges=pairs))
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in special])
    tokenizer.pre_tokenizer = Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = Decoder()
    return tokenizer
