"""The encoders that run published graphs: on small made-up graphs, and on the real ones where they are."""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

import films
from cookscribe.encoders import load_encoder
from cookscribe.encoders.published_graphs import DEVIATION, MEAN, GraphEncoder, with_output
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError, CookscribeError, MissingDependencyError
from cookscribe.video import VideoFile


def message(*fields: tuple[int, int | bytes | str]) -> bytes:
    """A message of the format ONNX files are written in: numbers as varints, everything else with its length."""

    def varint(value: int) -> bytes:
        more = value >> 7
        return bytes([value & 127 | (128 if more else 0)]) + (varint(more) if more else b"")

    made = b""
    for number, value in fields:
        if isinstance(value, int):
            made += varint(number << 3) + varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            made += varint(number << 3 | 2) + varint(len(content)) + content
    return made


def tensor_type(*sizes: int) -> bytes:
    """The type of a float tensor; size 0 stands for the batch."""
    shape = b"".join(message((1, message((1, n)) if n else message((2, "batch")))) for n in sizes)
    return message((1, message((1, 1), (2, shape))))


def node(kind: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    return message(*((1, name) for name in inputs), (2, output), (4, kind), *((5, made) for made in attributes))


def made_up_graph(width: int, output: str = "output") -> bytes:
    """Mean colour of the picture times a (3, width) table, as the tensor `output`; declared is "output"."""
    table = np.arange(3 * width, dtype=np.float32).reshape(3, width) / width
    axes = message((1, "axes"), (8, 2), (8, 3), (20, 7))
    keep = message((1, "keepdims"), (3, 0), (20, 2))
    nodes = [node("ReduceMean", ["input"], "mean", axes, keep), node("MatMul", ["mean", "table"], output)]
    if output != "output":
        nodes.append(node("Relu", [output], "output"))
    graph = message(
        *((1, made) for made in nodes),
        (2, "made up"),
        (5, message((1, 3), (1, width), (2, 1), (8, "table"), (9, table.tobytes()))),
        (11, message((1, "input"), (2, tensor_type(0, 3, 224, 224)))),
        (12, message((1, "output"), (2, tensor_type(0, width)))),
    )
    return message((1, 7), (7, graph), (8, message((1, ""), (2, 12))))


def expected(images: np.ndarray, width: int) -> np.ndarray:
    table = np.arange(3 * width, dtype=np.float32).reshape(3, width) / width
    return ((images / 255 - MEAN) / DEVIATION).mean(axis=(1, 2)).astype(np.float32) @ table


def test_a_made_up_graph_gets_colours_as_imagenet_has_them(tmp_path: Path) -> None:
    path = tmp_path / "tiny_vit_5m_224_in22k.onnx"
    path.write_bytes(made_up_graph(320))
    encoder = GraphEncoder("tinyvit", path)
    images = np.random.default_rng(0).integers(0, 256, (3, 224, 224, 3)).astype(np.uint8)
    np.testing.assert_allclose(encoder.features(images), expected(images, 320), rtol=1e-4, atol=1e-4)


def test_an_inner_tensor_becomes_an_output(tmp_path: Path) -> None:
    inner = "/norm/Add_1_output_0"
    graph = made_up_graph(384, inner)
    session = onnxruntime.InferenceSession(with_output(graph, inner), providers=["CPUExecutionProvider"])
    assert [output.name for output in session.get_outputs()] == ["output", inner]
    (tmp_path / "dinov2_vits14_patch_8x8.onnx").write_bytes(graph)
    black = np.zeros((1, 224, 224, 3), np.uint8)
    rows = GraphEncoder("dinov2", tmp_path).features(black)
    np.testing.assert_allclose(rows, expected(black, 384), rtol=1e-4)
    assert rows.min() < 0, "before the last layer, which cuts off what is negative"


def test_a_film_is_looked_at_once_a_second_and_a_still_once(tmp_path: Path) -> None:
    (tmp_path / "tiny_vit_5m_224_in22k.onnx").write_bytes(made_up_graph(320))
    encoder = GraphEncoder("tinyvit", tmp_path)
    seen: list[int] = []
    through = encoder.features
    encoder.features = lambda images: (seen.append(len(images)), through(images))[1]  # type: ignore[method-assign]
    film = VideoFile(films.stills(tmp_path / "film.mp4", 12.0, each=5.0, sound=False))
    track = encoder.encode(film)
    assert len(track.times) == 12
    assert sum(seen) == 2, "each of the two pictures once"
    np.testing.assert_array_equal(track.values[0], track.values[4])
    assert not np.allclose(track.values[4], track.values[5], atol=0.05)


@pytest.mark.parametrize("content", [b"", b"no graph", made_up_graph(320)[:400], made_up_graph(321)])
def test_a_damaged_or_a_different_graph_is_a_typed_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tiny_vit_5m_224_in22k.onnx").write_bytes(content)
    with pytest.raises(BadFileError):
        GraphEncoder("tinyvit", tmp_path)


def test_without_onnxruntime_the_error_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingDependencyError, match="pip install onnxruntime"):
        load_encoder("tinyvit")
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("COOKSCRIBE_WEIGHTS", raising=False)
    with pytest.raises(MissingDependencyError, match="cookscribe weights get dinov2"):
        load_encoder("dinov2")


@pytest.mark.parametrize("name", ["tinyvit", "dinov2"])
def test_the_published_networks_tell_a_flower_from_a_temple(name: str) -> None:
    try:
        locate(name)
    except CookscribeError as error:
        pytest.skip(str(error))
    from sklearn.datasets import load_sample_images

    temple, flower = (image[20:420, 120:520] for image in load_sample_images().images)

    def small(image: np.ndarray, shift: int = 0) -> np.ndarray:
        return np.ascontiguousarray(image[shift : 224 + shift, shift : 224 + shift])

    encoder = load_encoder(name)
    assert isinstance(encoder, GraphEncoder)
    rows = encoder.features(np.stack([small(temple), small(temple, 6), small(flower), small(flower, 6)]))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    alike = rows @ rows.T
    assert min(alike[0, 1], alike[2, 3]) > max(alike[0, 2], alike[0, 3], alike[1, 2], alike[1, 3]) + 0.2
