"""A small language model with made-up weights and words, on disk in both published forms."""

from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from cookscribe.files import write_json
from cookscribe.model_folder import write_tensors
from cookscribe.writer.checkpoint import CONFIG, TOKENIZER, WEIGHTS, byte_pair_tokenizer
from cookscribe.writer.checkpoint import SIZES as PUBLISHED_NAMES
from cookscribe.writer.llama import LlamaConfig

SIZES = LlamaConfig(layers=2, width=16, heads=4, key_value_heads=2, feed_forward=24, vocabulary=270)
SPECIAL = ["<|endoftext|>"]


def tokens() -> tuple[list[str], list[str]]:
    """All bytes as letters of their own, some pairs, and the merges that make them."""
    from tokenizers.pre_tokenizers import ByteLevel

    letters = sorted(ByteLevel.alphabet())
    merges = ["a d", "ad d", "Ġ t", "h e", "Ġt he", "s a", "l t", "sa lt", "Ġ s", "o n", "e n", "i n"]
    words = [*SPECIAL, *letters, *(merge.replace(" ", "") for merge in merges)]
    return words + [f"<{n}>" for n in range(SIZES.vocabulary - len(words))], merges


def tokenizer() -> Tokenizer:
    words, merges = tokens()
    return byte_pair_tokenizer(words, merges, SPECIAL)


def published_folder(folder: Path, seed: int = 0) -> Path:
    """A random model as published models are laid out. Gains near 1 and long word vectors: it can be sure of a word."""
    rng = np.random.default_rng(seed)
    narrow = SIZES.key_value_heads * SIZES.head_width
    shapes = {
        "self_attn.q_proj": (SIZES.width, SIZES.width),
        "self_attn.k_proj": (narrow, SIZES.width),
        "self_attn.v_proj": (narrow, SIZES.width),
        "self_attn.o_proj": (SIZES.width, SIZES.width),
        "mlp.gate_proj": (SIZES.feed_forward, SIZES.width),
        "mlp.up_proj": (SIZES.feed_forward, SIZES.width),
        "mlp.down_proj": (SIZES.width, SIZES.feed_forward),
    }
    weights = {
        "model.embed_tokens.weight": rng.normal(0, 1, (SIZES.vocabulary, SIZES.width)),
        "model.norm.weight": rng.normal(1, 0.2, SIZES.width),
    }
    for layer in range(SIZES.layers):
        here = f"model.layers.{layer}."
        weights |= {f"{here}{name}.weight": rng.normal(0, 0.3, shape) for name, shape in shapes.items()}
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"{here}{name}.weight"] = rng.normal(1, 0.2, SIZES.width)
    tensors = {name: torch.from_numpy(value).float() for name, value in weights.items()}
    write_tensors(folder / WEIGHTS, tensors, {})
    sizes = {theirs: getattr(SIZES, ours) for theirs, ours in PUBLISHED_NAMES.items()}
    write_json(folder / CONFIG, sizes | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]})
    tokenizer().save(str(folder / TOKENIZER))
    return folder


def gguf_file(path: Path, folder: Path) -> Path:
    """The same model as llama.cpp stores it: pairs that are turned together stand beside each other."""
    from gguf import GGUFWriter
    from safetensors.torch import load_file

    weights = load_file(folder / WEIGHTS)
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(SIZES.layers)
    writer.add_embedding_length(SIZES.width)
    writer.add_head_count(SIZES.heads)
    writer.add_head_count_kv(SIZES.key_value_heads)
    writer.add_feed_forward_length(SIZES.feed_forward)
    writer.add_rope_freq_base(SIZES.theta)
    writer.add_layer_norm_rms_eps(SIZES.epsilon)
    words, merges = tokens()
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3 if word in SPECIAL else 1 for word in words])
    writer.add_token_merges(merges)
    short = {
        "input_layernorm": "attn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"].numpy())
    for layer in range(SIZES.layers):
        for theirs, name in short.items():
            value = weights[f"model.layers.{layer}.{theirs}.weight"].numpy()
            heads = {"attn_q": SIZES.heads, "attn_k": SIZES.key_value_heads}.get(name)
            if heads:
                halves = value.reshape(heads, 2, -1, value.shape[1])
                value = np.ascontiguousarray(halves.swapaxes(1, 2).reshape(value.shape))
            writer.add_tensor(f"blk.{layer}.{name}.weight", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
