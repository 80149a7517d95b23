"""What is called a film and is none, or is one that must not be opened: refused in one line, before any work."""

import os
import re
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import films
from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, left, refused, tidy
from faults.running import Broken, aside, run

TITLE = "disguises"
LIMIT = 4096 * 2304  # pixels of a frame, unless --max-pixels says otherwise


def cases(scale: Scale) -> list[Case]:
    folder = scale.material / "disguised"
    folder.mkdir()
    made = aside(lambda: {name: str(path) for name, path in films.disguised(folder).items()})
    found = [Case(name, partial(_named, target)) for name, target in made.items()]
    found += [Case(name, partial(_built, build)) for name, build in BUILT.items()]
    found += [Case("frame bomb", _bomb), Case("40 sound streams", partial(_streams, scale.material))]
    found += [Case(f"mp4 that declares {name}", partial(_declared, scale.material, value)) for name, value in LENGTHS]
    return found if not scale.quick else scale.some(found[:-4], 10) + found[-4:]


def _named(target: str, folder: Path) -> None:
    for arguments in (["write", target, "--formats", "json", "--out", "out"], ["probe", target]):
        result = run(arguments, folder)
        refused(result)
        left(folder / "out", (), result)
        tidy(folder, result)


def _built(build: Callable[[Path], object], folder: Path) -> None:
    path = folder / "film.mp4"
    build(path)
    _named(path.name, folder)


def _socket(path: Path) -> None:
    # The address of a socket holds hardly a hundred bytes.
    here = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 36)


def _nested(path: Path) -> None:
    """Boxes in boxes, a hundred thousand deep."""
    depth = 100_000
    boxes = b"".join((8 * (depth - n)).to_bytes(4, "big") + b"moov" for n in range(depth))
    path.write_bytes(b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + boxes)


BUILT: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("nowhere.mp4"),
    "link to an endless device": lambda path: path.symlink_to("/dev/zero"),
    "link to the empty device": lambda path: path.symlink_to("/dev/null"),
    "link to a terminal's place": lambda path: path.symlink_to("/dev/stdin"),
    "link to a folder": lambda path: path.symlink_to("/"),
    "socket": _socket,
    "64 GB of nothing": _sparse,
    "boxes nested 100,000 deep": _nested,
    "matroska header alone": lambda path: path.write_bytes(b"\x1a\x45\xdf\xa3" + b"\xff" * 4000),
    "transport stream of nothing": lambda path: path.write_bytes((b"\x47" + bytes(187)) * 400),
    "ogg header alone": lambda path: path.write_bytes(b"OggS" + bytes(4000)),
    "flv header alone": lambda path: path.write_bytes(b"FLV\x01\x05\0\0\0\x09" + bytes(4000)),
}


def _bomb(folder: Path) -> None:
    if aside(lambda: str(films.frame_bomb(folder / "bomb.mp4", frames=1))) is None:
        raise RuntimeError("the frame bomb could not be made")
    for model in ("auto", "kitchen"):
        result = run(["write", "bomb.mp4", "--model", model], folder)
        refused(result, "bomb.mp4", "--max-pixels", memory=400)
        if not re.search(rf"{LIMIT}|{LIMIT:,}|4096 ?[x×] ?2304", result.err):
            raise Broken("the error does not name the limit", result)


def _streams(source: Path, folder: Path) -> None:
    path = folder / "many.mkv"
    if aside(lambda: _many(material.film(source, "mkv"), path)) is None:
        raise RuntimeError("the film of many streams could not be made")
    refused(run(["write", path.name, "--model", "kitchen"], folder), path.name)


def _many(original: Path, path: Path) -> bool:
    import av

    with av.open(str(original)) as film, av.open(str(path), "w") as out:
        picture = out.add_stream_from_template(film.streams.video[0])
        voices = [out.add_stream_from_template(film.streams.audio[0]) for _ in range(40)]
        for packet in film.demux():
            if packet.dts is None:
                continue
            data = bytes(packet)
            for stream in [picture] if packet.stream.type == "video" else voices:
                copy = av.Packet(data)
                copy.pts, copy.dts, copy.time_base = packet.pts, packet.dts, packet.time_base
                copy.is_keyframe, copy.stream = packet.is_keyframe, stream
                out.mux_one(copy)
    return True


LENGTHS = (("no length", 0), ("136 years", 2**32 - 1))


def _declared(source: Path, value: int, folder: Path) -> None:
    """The length in the header of the whole film, and of its streams, is changed."""
    data = bytearray(material.film(source, "mp4").read_bytes())
    for box, offset in ((b"mvhd", 20), (b"tkhd", 24), (b"mdhd", 20)):
        place = -1
        while (place := data.find(box, place + 1)) >= 0:
            data[place + offset : place + offset + 4] = value.to_bytes(4, "big")
    (folder / "film.mp4").write_bytes(data)
    result = run(["write", "film.mp4", "--model", "kitchen", "--formats", "json", "--out", "out"], folder)
    answered(result)
    left(folder / "out", None, result)
