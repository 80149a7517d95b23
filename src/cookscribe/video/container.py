"""Opening a film: what it is, is decided by its first bytes and by a list of ours, not by the library's guess.

Left to itself the library opens playlists, concat scripts and pictures, follows what they name, and tries network
addresses. Here the container format is recognised first and forced, only the `file` protocol is allowed, and only the
codecs that films use may run.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import InputContainer
from pydantic import Field

from cookscribe.config import Config
from cookscribe.errors import BadFileError, BadValueError, MissingFileError

CODECS = (
    "h264,hevc,av1,libdav1d,vp8,vp9,libvpx,libvpx-vp9,mpeg4,mpeg1video,mpeg2video,h263,flv,mjpeg,prores,dnxhd,vc1,wmv1,"
    "wmv2,wmv3,msmpeg4v1,msmpeg4v2,msmpeg4,theora,ffv1,"
    "aac,aac_fixed,aac_latm,mp3,mp3float,mp2,mp2float,mp1,mp1float,opus,libopus,vorbis,flac,alac,ac3,eac3,wmav1,wmav2,"
    "wmapro,amrnb,amrwb,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_f32le,pcm_u8,pcm_alaw,pcm_mulaw,adpcm_ms,"
    "adpcm_ima_wav,speex,libspeex"
)
STILL_BRANDS = {b"avif", b"heic", b"heix", b"heim", b"heis", b"mif1", b"jpeg"}
FORMATS = "mp4, mov, mkv, webm, avi, mpeg-ts, mpeg, flv, ogg and wmv"
ADVICE = f"cookscribe reads film files in {FORMATS} containers"
SNIFFED_BYTES = 1024
# What the library raises in the middle of a damaged file: besides its own errors, sizes that overflow, a time base of
# zero, a stream that nobody announced.
DAMAGE = (av.FFmpegError, ValueError, ArithmeticError, MemoryError, LookupError)


class Limits(Config):
    """How big a film may be; more is refused before, or at the latest while, it is decoded.

    A video is untrusted input. Every limit can be raised by whoever trusts the file.

    Attributes:
        max_pixels: width x height of a frame; the default holds 4K film, upright or not (a decoder may keep 17).
        max_seconds: length of the film.
        max_streams: video, sound, subtitle and data streams together.
        max_frames_per_second: more frames than this per second of film is a bomb, not a film.
        stall_seconds: decoding that brings nothing new for so long is given up.
    """

    max_pixels: int = Field(default=4096 * 2304, gt=0)
    max_seconds: float = Field(default=6 * 3600.0, gt=0)
    max_streams: int = Field(default=32, gt=0)
    max_frames_per_second: float = Field(default=500.0, gt=0)
    stall_seconds: float = Field(default=60.0, gt=0)


def sniff(head: bytes) -> str | None:
    """The demuxer for a file that begins with `head` (1 KB is enough), or None if it is no container we read."""
    box = head[4:8]
    if box == b"ftyp":
        return None if head[8:12] in STILL_BRANDS else "mov"
    if box in {b"moov", b"mdat", b"wide", b"free", b"skip"} and int.from_bytes(head[:4], "big") != 0:
        return "mov"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "matroska"
    if head.startswith(b"RIFF") and head[8:12] == b"AVI ":
        return "avi"
    if head.startswith(b"FLV\x01"):
        return "flv"
    if head.startswith(b"OggS"):
        return "ogg"
    if head.startswith(b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"):
        return "asf"
    if head.startswith(b"\x00\x00\x01\xba"):
        return "mpeg"
    # A transport stream has no header: it is packets of 188 bytes (192 on discs) that each begin with 0x47.
    for size, offset in ((188, 0), (192, 4)):
        if len(head) > offset + 3 * size and all(head[offset + n * size] == 0x47 for n in range(4)):
            return "mpegts"
    return None


def check_name(path: Path) -> None:
    """Refuse a path that is not UTF-8: neither the library nor a recipe can name it."""
    try:
        os.path.abspath(path).encode("utf-8")
    except UnicodeEncodeError:
        legible = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise BadFileError(legible, "its path is not UTF-8 text", "rename the file or its folder") from None


def local_film(path: str | Path) -> tuple[Path, str]:
    """The absolute path and the demuxer of a local film file; anything else is refused with `BadFileError`."""
    # One slash is enough: a `Path` swallows the second. A single letter before the colon is a drive.
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(path)):
        raise BadFileError(path, "is a network address, not a file", "download the film and name the local file")
    path = Path(path)
    check_name(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise BadFileError(path, "is a folder, not a film", "name the film inside it")
        if not stat.S_ISREG(mode):
            raise BadFileError(path, "is not a regular file", ADVICE)
        with path.open("rb") as file:
            head = file.read(SNIFFED_BYTES)
    except FileNotFoundError:
        raise MissingFileError(path, "no such file", "check the path") from None
    except (OSError, ValueError) as error:
        raise BadFileError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not head:
        raise BadFileError(path, "is empty", ADVICE)
    demuxer = sniff(head)
    if demuxer is None:
        raise BadFileError(path, "is not a film, whatever its name says", ADVICE)
    return Path(os.path.abspath(path)), demuxer


@contextmanager
def typed(path: Path, doing: str = "cannot be read") -> Iterator[None]:
    """Turn what the library raises on a damaged file into `BadFileError`. Wrap calls into the library, nothing else.

    Besides its own errors these are Python's: a name that is not UTF-8, a time base of zero, sizes that overflow.
    """
    try:
        yield
    except av.FFmpegError as error:
        raise BadFileError(path, f"{doing}: {error.strerror or error}", "the file may be damaged") from None
    except (ValueError, ArithmeticError, MemoryError, LookupError, OSError, RuntimeError) as error:
        raise BadFileError(path, f"{doing}: {error}", "the file may be damaged") from None


@contextmanager
def opened(path: Path, demuxer: str, limits: Limits) -> Iterator[InputContainer]:
    """Open a film that `local_film` accepted."""
    options = {
        # `max_pixels` reaches the decoders that look into the streams on opening: a frame bomb never gets its memory.
        "max_pixels": str(limits.max_pixels),
        # One more than we accept, so that the refusal is ours and says why.
        "max_streams": str(limits.max_streams + 1),
        "protocol_whitelist": "file",
        "format_whitelist": demuxer if demuxer != "mov" else "mov,mp4,m4a,3gp,3g2,mj2",
        "codec_whitelist": CODECS,
    }
    with typed(path, "cannot be opened"):
        container = av.open(
            # The prefix keeps a file called `concat:a` or `http:b` a file.
            f"file:{path}",
            mode="r",
            format=demuxer,
            options=options,
            metadata_errors="replace",
            timeout=limits.stall_seconds,
        )
    try:
        yield container
    finally:
        container.close()


def distinct(films: Sequence[Path], key: Callable[[Path], str], what: str, why: str) -> list[Path]:
    """The films, each once. Two of one key are an error: what is written of one would replace what is of the other.

    Args:
        key: what the files of a film are named after; what: its name; why: how it is used.
    """
    films = list(dict.fromkeys(films))
    keys: dict[str, Path] = {}
    for film in films:
        other = keys.setdefault(key(film), film)
        if other != film:
            raise BadValueError(film, f"has the same {what} as {other}", f"rename one of them: {why}")
    return films


def video_id(path: Path) -> str:
    """The id of a film: its file name without the ending."""
    return path.stem
