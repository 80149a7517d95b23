"""Published Whisper graphs (ONNX, weights of one byte) become a model for faster-whisper (CTranslate2).

CTranslate2 has what the graphs lack: decoding, times of words, and products of bytes. Only numbers are carried over:
the tensors of the two graphs, by the names of the modules they belong to.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadFileError, MissingDependencyError
from cookscribe.files import read_json

Array = NDArray[Any]
Tensors = Mapping[str, Array]

ENCODER, DECODER = "encoder_model_quantized.onnx", "decoder_model_merged_quantized.onnx"
CONFIG, GENERATION, TOKENIZER = "config.json", "generation_config.json", "tokenizer.json"
# Files of a published folder that are read.
GRAPHS = (ENCODER, DECODER)
SOURCES = (*GRAPHS, CONFIG, GENERATION, TOKENIZER)
# Element types of ONNX tensors that weights have, and the fields of a tensor that values stand in.
_TYPES: dict[int, type[np.generic]] = {1: np.float32, 2: np.uint8, 3: np.int8}
_RAW, _FLOATS, _INTEGERS = 9, 4, 5


def convert_whisper(source: Path, target: Path) -> None:
    """Write a CTranslate2 model with weights of one byte.

    Args:
        source: folder with the files of `SOURCES`.
        target: folder, made here, that `faster_whisper.WhisperModel` opens; it must not exist.
    """
    try:
        from ctranslate2.specs import WhisperSpec
    except ImportError:
        raise MissingDependencyError(
            "whisper conversion", "ctranslate2 is not installed", "pip install 'cookscribe[speech]'"
        ) from None
    config, generation = (read_json(source / name, 2**20) for name in (CONFIG, GENERATION))
    try:
        spec = WhisperSpec(
            *(config[f"{part}_{what}"] for part in ("encoder", "decoder") for what in ("layers", "attention_heads"))
        )
        _set_encoder(spec.encoder, module_tensors(source / ENCODER))
        _set_decoder(spec.decoder, module_tensors(source / DECODER))
        spec.config.suppress_ids = generation["suppress_tokens"]
        spec.config.suppress_ids_begin = generation["begin_suppress_tokens"]
        spec.config.alignment_heads = generation["alignment_heads"]
        spec.config.lang_ids = sorted(generation["lang_to_id"].values())
        spec.register_vocabulary(_vocabulary(read_json(source / TOKENIZER, 2**24), config["vocab_size"]))
    except (KeyError, TypeError, IndexError) as error:
        raise BadFileError(source, f"is not a published Whisper model: {error!r}") from None
    spec.validate()
    spec.optimize(quantization="int8")
    target.mkdir()
    spec.save(str(target))
    (target / TOKENIZER).write_bytes((source / TOKENIZER).read_bytes())


def _vocabulary(tokenizer: Mapping[str, Any], size: int) -> list[str]:
    """Tokens in the order of their ids; times of 0.02 s each fill it up."""
    ids = {**tokenizer["model"]["vocab"], **{token["content"]: token["id"] for token in tokenizer["added_tokens"]}}
    tokens = sorted(ids, key=ids.__getitem__)
    return tokens + [f"<|{0.02 * n:.2f}|>" for n in range(size - len(tokens))]


def _set_encoder(spec: Any, tensors: Tensors) -> None:
    for name in ("conv1", "conv2"):
        _set(getattr(spec, name), tensors, name)
    spec.position_encodings.encodings = tensors["embed_positions.weight"]
    _set_norm(spec.layer_norm, tensors, "layer_norm")
    for number, layer in enumerate(spec.layer):
        name = f"layers.{number}"
        _set_attention(layer.self_attention, tensors, f"{name}.self_attn", joined=3)
        _set_feed_forward(layer.ffn, tensors, name)


def _set_decoder(spec: Any, tensors: Tensors) -> None:
    inside = "model.decoder"
    spec.embeddings.weight = tensors[f"{inside}.embed_tokens.weight"]
    # The words that are read and those that are written share one table.
    spec.projection.weight = spec.embeddings.weight
    spec.position_encodings.encodings = tensors[f"{inside}.embed_positions.weight"]
    _set_norm(spec.layer_norm, tensors, f"{inside}.layer_norm")
    for number, layer in enumerate(spec.layer):
        name = f"{inside}.layers.{number}"
        _set_attention(layer.self_attention, tensors, f"{name}.self_attn", joined=3)
        _set_attention(layer.attention, tensors, f"{name}.encoder_attn", joined=2)
        _set_feed_forward(layer.ffn, tensors, name)


def _set(spec: Any, tensors: Tensors, name: str) -> None:
    spec.weight, spec.bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _set_norm(spec: Any, tensors: Tensors, name: str) -> None:
    spec.gamma, spec.beta = tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _set_feed_forward(spec: Any, tensors: Tensors, name: str) -> None:
    _set(spec.linear_0, tensors, f"{name}.fc1")
    _set(spec.linear_1, tensors, f"{name}.fc2")
    _set_norm(spec.layer_norm, tensors, f"{name}.final_layer_norm")


def _set_attention(spec: Any, tensors: Tensors, name: str, joined: int) -> None:
    """Projections of an attention; the last `joined` of query, keys and values are one matrix in CTranslate2."""
    weights = [tensors[f"{name}.{part}_proj.weight"] for part in "qkv"]
    # Keys have no bias.
    zeros = np.zeros(len(weights[1]), np.float32)
    biases = [tensors[f"{name}.q_proj.bias"], zeros, tensors[f"{name}.v_proj.bias"]]
    alone = 3 - joined
    for place in range(alone):
        spec.linear[place].weight, spec.linear[place].bias = weights[place], biases[place]
    spec.linear[alone].weight, spec.linear[alone].bias = (np.concatenate(some[alone:]) for some in (weights, biases))
    _set(spec.linear[-1], tensors, f"{name}.out_proj")
    _set_norm(spec.layer_norm, tensors, f"{name}_layer_norm")


def module_tensors(path: Path) -> dict[str, Array]:
    """The weights of a quantised graph by module, `layers.0.fc1.weight` as (out, in), in float32."""
    found: dict[str, Array] = {}
    modules: dict[str, str] = {}
    try:
        for message in _graphs(memoryview(path.read_bytes())):
            for number, content in _fields(message):
                if number == 1:
                    modules.update(_matrix_of_node(content))
                elif number == 5:
                    name, values = _tensor(content)
                    found[name.replace("_merged_0", "")] = values
    except OSError as error:
        raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None
    except (IndexError, KeyError, ValueError, TypeError) as error:
        raise BadFileError(path, f"is not a quantised ONNX graph: {error!r}") from None
    named = {name: values for name, values in found.items() if values.dtype == np.float32 and values.ndim}
    for stem in (name.removesuffix("_quantized") for name in found if name.endswith("_quantized")):
        shift = found[f"{stem}_zero_point"].astype(np.float32)
        values = (found[f"{stem}_quantized"].astype(np.float32) - shift) * found[f"{stem}_scale"]
        # Products take a matrix from the right, so it lies there transposed; convolutions and tables have names.
        matrix = stem in modules
        named[modules.get(stem, stem)] = np.ascontiguousarray(values.T) if matrix else values
    return named


def _matrix_of_node(message: memoryview) -> Iterator[tuple[str, str]]:
    """(name of the matrix, name of the weight) of a product of bytes."""
    inputs: list[str] = []
    name = kind = ""
    for number, content in _fields(message):
        if number == 1:
            inputs.append(bytes(content).decode())
        elif number == 3:
            name = bytes(content).decode()
        elif number == 4:
            kind = bytes(content).decode()
    if kind == "MatMulInteger" and name.endswith("/MatMul_quant") and inputs[1].endswith("_quantized"):
        matrix = inputs[1].removesuffix("_quantized").replace("_merged_0", "")
        yield matrix, name.removesuffix("/MatMul_quant").strip("/").replace("/", ".") + ".weight"


def _graphs(model: memoryview) -> Iterator[memoryview]:
    """The graph of a model and the graphs that its nodes choose between."""
    waiting = [content for number, content in _fields(model) if number == 7]
    while waiting:
        graph = waiting.pop()
        yield graph
        for number, node in _fields(graph):
            if number == 1:
                attributes = (content for place, content in _fields(node) if place == 5)
                waiting += [content for one in attributes for place, content in _fields(one) if place == 6]


def _tensor(message: memoryview) -> tuple[str, Array]:
    shape: list[int] = []
    values: Array = np.zeros(0)
    name, kind, numbers = "", 0, []
    for number, content in _fields(message):
        if number == 1:
            shape += _integers(content)
        elif number == 2:
            kind = content
        elif number == 8:
            name = bytes(content).decode()
        elif number == _RAW:
            values = np.frombuffer(content, np.uint8)
        elif number == _FLOATS:
            values = np.frombuffer(content, np.float32)
        elif number == _INTEGERS:
            numbers += _integers(content)
    if kind not in _TYPES:  # a constant of the graph, no weight
        return name, np.zeros(0, bool)
    return name, (np.array(numbers, _TYPES[kind]) if numbers else values.view(_TYPES[kind])).reshape(shape)


def _integers(content: Any) -> list[int]:
    """Integers of a field that may hold one or many; negative ones have 64 bits."""
    found, place = [content] if isinstance(content, int) else [], 0
    while not isinstance(content, int) and place < len(content):
        value, place = _varint(content, place)
        found.append(value)
    return [value - 2**64 if value >> 63 else value for value in found]


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """(number, content) of a message in the wire format of protocol buffers: an integer or bytes."""
    content: Any
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, wire = key >> 3, key & 7
        if wire == 0:
            content, place = _varint(message, place)
        else:
            if wire == 2:
                length, place = _varint(message, place)
            else:
                length = {1: 8, 5: 4}[wire]
            content, place = message[place : place + length], place + length
        yield number, content


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value, place, shift = value | (byte & 127) << shift, place + 1, shift + 7
        if byte < 128:
            return value, place
