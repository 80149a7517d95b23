"""`tinyvit` and `dinov2`: published ONNX graphs that look at one still a second, run by onnxruntime."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.encoders.base import StillEncoder
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError, MissingDependencyError
from cookscribe.video import Frame

RATE = 1.0
ALIKE = 2.0  # of 255: less than what a hand at work changes, more than the noise of a coded still
THUMBNAIL = 14  # pixels between those that are compared
# ImageNet's colours.
MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)


@dataclass(frozen=True)
class Graph:
    """A published graph.

    Attributes:
        output: name of the tensor that is read; an inner one is made an output.
        width: numbers of a row; where the tensor has rows per patch, the first row is that of the whole picture.
        whole: it looks at the whole picture, squeezed into a square; else at the middle. Of a wide film the middle is
            little more than half, and two networks that look at different parts see more than at the same.
    """

    output: str
    width: int
    whole: bool = False


GRAPHS = {"tinyvit": Graph("output", 320), "dinov2": Graph("/norm/Add_1_output_0", 384, whole=True)}


class GraphEncoder(StillEncoder):
    """A published graph at work.

    Args:
        name: of the graph.
        weights: path of the file, or its folder; None searches for it.
        rate: stills a second.
    """

    def __init__(self, name: str, weights: Path | None = None, rate: float = RATE) -> None:
        self.name, self.rate = name, rate
        self.graph = GRAPHS[name]
        self.width, self.whole = self.graph.width, self.graph.whole
        try:
            import onnxruntime
        except ImportError:
            raise MissingDependencyError(name, "needs onnxruntime", "pip install onnxruntime") from None
        found = locate(name, weights)
        path = found.file(next(iter(found.weights.files)))
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads, settings.inter_op_num_threads = torch.get_num_threads(), 1
        settings.log_severity_level = 4  # what is wrong is told by our own error
        try:
            with TemporaryDirectory() as folder:
                # A session keeps the bytes that it is given, but not the file.
                changed = Path(folder) / path.name
                changed.write_bytes(with_output(path.read_bytes(), self.graph.output))
                self.session = onnxruntime.InferenceSession(changed, settings, providers=["CPUExecutionProvider"])
            self.input = self.session.get_inputs()[0].name
            rows = self.features(np.zeros((1, self.side, self.side, 3), np.uint8))
        except OSError as error:
            raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None
        except Exception as error:
            # onnxruntime raises a dozen kinds for a damaged or a different graph, none with a common base.
            raise BadFileError(path, f"is not the graph of {name}: {error}", found.weights.advice) from None
        if rows.shape != (1, self.width):
            raise BadFileError(path, f"gives rows of {rows.shape[1:]}, not of {self.width} numbers")

    def same(self, frame: Frame, last: Frame) -> bool:
        """Stills whose colours (0 to 255) differ by little on average share a row, too: the network is slow."""
        one, other = (image[::THUMBNAIL, ::THUMBNAIL].astype(np.int16) for image in (frame.image, last.image))
        return super().same(frame, last) or float(np.abs(one - other).mean()) < ALIKE

    def features(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, 224, 224, 3) RGB -> (B, width)."""
        pixels = ((images.astype(np.float32) / 255 - MEAN) / DEVIATION).transpose(0, 3, 1, 2)
        rows: NDArray[np.float32] = self.session.run([self.graph.output], {self.input: pixels})[0]
        return rows if rows.ndim == 2 else np.ascontiguousarray(rows[:, 0])


def with_output(graph: bytes, name: str) -> bytes:
    """The ONNX file with the tensor `name` among its outputs.

    Messages of this format that follow each other are read as one, and lists in them are joined. So a second graph
    (field 7 of the model) that holds an output (field 12) with only a name (field 1) is added to the first.
    """
    if name == "output":
        return graph

    def field(number: int, content: bytes) -> bytes:
        assert len(content) < 128, "one byte of length"
        return bytes([number << 3 | 2, len(content)]) + content

    return graph + field(7, field(12, field(1, name.encode())))
