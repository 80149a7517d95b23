"""`FeatureStore`: one safetensors file per video, written atomically, memory-mapped on reading."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import replacing
from cookscribe.track import FeatureTrack

SUFFIX = ".safetensors"
FORMAT = "cookscribe-track-1"
VALUE_TYPES = {"F16": np.float16, "F32": np.float32}
TIME_TYPES = {"F64": np.float64, "F32": np.float32}


class FeatureStore:
    """A folder of feature tracks, one encoder's as a rule: `<folder>/<video id>.safetensors`.

    Args:
        folder: where the files are; it is made by the first `write`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def path(self, video_id: str) -> Path:
        """The file of a video. An id that could name a file elsewhere (`../x`, `a/b`, `.hidden`) is refused."""
        bad = set("/\\:\0") & set(video_id)
        if not video_id or bad or video_id.startswith(".") or not video_id.isprintable() or len(video_id) > 200:
            raise BadValueError(
                f"video id {video_id!r:.60}",
                "cannot be the name of a feature file",
                "use an id without slashes, colons, control characters or a leading dot",
            )
        return self.folder / f"{video_id}{SUFFIX}"

    def __contains__(self, video_id: str) -> bool:
        return self.path(video_id).is_file()

    def ids(self) -> list[str]:
        """Ids of all stored videos, sorted. Unfinished files of an interrupted writer are hidden and do not count."""
        if not self.folder.is_dir():
            raise MissingFileError(self.folder, "no such feature folder", "run `cookscribe encode` or check the path")
        names = (path.name for path in self.folder.iterdir() if path.suffix == SUFFIX and path.is_file())
        return sorted(name.removesuffix(SUFFIX) for name in names if not name.startswith("."))

    def __len__(self) -> int:
        return len(self.ids())

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids())

    def write(self, video_id: str, track: FeatureTrack) -> Path:
        """Store a track, replacing an older one; returns the file. Values keep float16, everything else is float32."""
        path = self.path(video_id)
        values = np.ascontiguousarray(track.values, dtype=np.float16 if track.values.dtype == np.float16 else "f4")
        if not np.isfinite(values).all():
            raise BadValueError(
                video_id, f"the {track.encoder} features hold values that are not finite", "encode again"
            )
        metadata = {
            "format": FORMAT,
            "encoder": track.encoder,
            "duration": repr(float(track.duration)),
            "simulated": "true" if track.simulated else "false",
        }
        times = np.ascontiguousarray(track.times, dtype=np.float64)
        with replacing(path) as temporary:
            temporary.write_bytes(_in_order(save({"times": times, "values": values}, metadata)))
        return path

    def read(self, video_id: str) -> FeatureTrack:
        """The track of a video; its values are a read-only view of the mapped file.

        A missing file, one that is damaged, or one that is not a feature track raises a typed error naming the file.
        """
        path = self.path(video_id)
        if not path.is_file():
            raise MissingFileError(path, f"no features for the video {video_id}", "encode the video first")
        header, start = _checked_header(path)
        metadata = header.get("__metadata__") or {}
        if metadata.get("format") != FORMAT:
            raise BadFileError(path, "is a safetensors file but not a feature track", f"its format should be {FORMAT}")
        try:
            track = FeatureTrack(
                times=_mapped(path, header, "times", TIME_TYPES, start),
                values=_mapped(path, header, "values", VALUE_TYPES, start),
                encoder=metadata["encoder"],
                duration=float(metadata["duration"]),
                simulated={"true": True, "false": False}[metadata["simulated"]],
            )
        except (KeyError, ValueError, OSError) as error:
            raise BadFileError(path, f"is not a whole feature track: {error}", "encode the video again") from None
        except BadValueError as error:
            raise BadFileError(path, error.cause, "encode the video again") from None
        if not np.isfinite(track.values).all():
            raise BadFileError(path, "holds values that are not finite", "encode the video again")
        return track


def _in_order(data: bytes) -> bytes:
    """The same file with its header in the order of names: the library's order is random, and so the bytes would be."""
    size = int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8 : 8 + size]), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    text = header.encode()
    text = text.ljust(-(-len(text) // 8) * 8)  # the format aligns the numbers that follow to eight bytes
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def _checked_header(path: Path) -> tuple[dict[str, Any], int]:
    """The header and the offset of the data. The library checks the sizes; its numpy reader would copy, ours maps."""
    try:
        with safe_open(path, framework="numpy"):
            pass
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            return json.loads(file.read(size)), 8 + size
    except (SafetensorError, ValueError, OSError) as error:
        raise BadFileError(path, f"is damaged or not a safetensors file: {error}", "encode the video again") from None


def _mapped(path: Path, header: dict[str, Any], name: str, types: dict[str, Any], start: int) -> NDArray[np.floating]:
    entry = header[name]
    if entry["dtype"] not in types:
        raise ValueError(f"{name} are {entry['dtype']}, not {' or '.join(types)}")
    shape = tuple(entry["shape"])
    if 0 in shape:
        raise ValueError(f"{name} have the shape {shape}")
    offset = start + entry["data_offsets"][0]
    return np.memmap(
        path, dtype=np.dtype(types[entry["dtype"]]).newbyteorder("<"), mode="r", offset=offset, shape=shape
    )
