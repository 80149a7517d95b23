"""Places that cannot be written to: a full disk, a read-only folder, closed pipes. The error names the output."""

import ctypes
import os
import resource
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from faults.cases import Case, Scale
from faults.judging import answered, left, tidy
from faults.kills import WORK, training_data
from faults.running import Broken, Result, run

TITLE = "full disk"
LIBC = ctypes.CDLL(None, use_errno=True)
NEW_MOUNTS, DROP_CAPABILITY, PRIVATE, RECURSIVE = 0x20000, 24, 1 << 18, 1 << 14
# What lets root write anywhere: overriding permissions, reading past them, acting as any owner.
CAPABILITIES = (1, 2, 3)
# In the quick run the first three.
COMMANDS = ("export", "scores", "write", "draw", "train", "watch", "encode")


def cases(scale: Scale) -> list[Case]:
    if not scale.quick:
        training_data(scale.material)
    found = []
    for name in COMMANDS[: 3 if scale.quick else None]:
        sizes = (4096, 20_000) if name == "train" else (4096, 12_000, 40_000, 100_000)
        found += [Case(f"{name}, files of at most {n} bytes", partial(_limited, scale, name, n)) for n in sizes]
        if _can_mount():
            found += [Case(f"{name}, a disk of {n} KB", partial(_small_disk, scale, name, n)) for n in (8, 40, 120)]
        found.append(Case(f"{name}, a read-only folder", partial(_read_only, scale, name)))
        found.append(Case(f"{name}, a folder below a file", partial(_below_a_file, scale, name)))
        found.append(Case(f"{name}, standard output on a full disk", partial(_output, scale, name, "full")))
        found.append(Case(f"{name}, standard output into a closed pipe", partial(_output, scale, name, "pipe")))
        found.append(Case(f"{name}, standard output closed", partial(_output, scale, name, "closed")))
        found.append(Case(f"{name}, standard error on a full disk", partial(_output, scale, name, "error")))
    found.append(Case("scores into the full device", partial(_device, scale)))
    return scale.some(found, 8)


def _can_mount() -> bool:
    """Whether a child may have a small disk of its own, which is gone when the child is."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            _mount(Path("/tmp"), 8)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def _mount(place: Path, kilobytes: int) -> None:
    for code in (
        LIBC.unshare(NEW_MOUNTS),
        LIBC.mount(None, b"/", None, PRIVATE | RECURSIVE, None),
        LIBC.mount(b"tmpfs", os.fsencode(place), b"tmpfs", 0, f"size={kilobytes}k".encode()),
    ):
        if code:
            raise OSError(ctypes.get_errno(), "mount")


def drop_powers() -> None:
    for capability in CAPABILITIES:
        LIBC.prctl(DROP_CAPABILITY, capability, 0, 0, 0)
    if os.getuid() == 0:
        # A fork keeps what it has; only what a new program may get has been cut so far.
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        sets = (ctypes.c_uint32 * 6)()
        LIBC.capget(header, sets)
        for capability in CAPABILITIES:
            sets[0] &= ~(1 << capability)
        LIBC.capset(header, sets)


def _go(scale: Scale, name: str, folder: Path, before: Callable[[], None]) -> Result:
    arguments = WORK[name](scale, folder)
    return run(arguments, folder, before=before, fresh=name == "encode", seconds=120.0)


def _limited(scale: Scale, name: str, size: int, folder: Path) -> None:
    def before() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    _judge(_go(scale, name, folder, before), name, folder)
    left(folder / "out", None)


def _small_disk(scale: Scale, name: str, kilobytes: int, folder: Path) -> None:
    out = folder / "out"
    out.mkdir()
    _judge(_go(scale, name, folder, lambda: _mount(out, kilobytes)), name, folder)


def _read_only(scale: Scale, name: str, folder: Path) -> None:
    out = folder / "out"
    out.mkdir()
    out.chmod(0o555)
    result = _go(scale, name, folder, drop_powers)
    if result.code == 0:
        raise Broken("writes into a read-only folder", result)
    _judge(result, name, folder)
    left(out, (), result)


def _below_a_file(scale: Scale, name: str, folder: Path) -> None:
    (folder / "out").write_text("mine")
    result = _go(scale, name, folder, lambda: None)
    if result.code == 0:
        raise Broken("writes below a file", result)
    _judge(result, name, folder)
    if (folder / "out").read_text() != "mine":
        raise Broken("a file was changed", result)


def _judge(result: Result, name: str, folder: Path) -> None:
    """An answer, or an error that names the output and blames no film."""
    # Many films are encoded in one run, which ends with exit code 1 when one of them failed.
    if name == "encode" and result.code == 1 and "failed" in result.err:
        result = Result(2, result.out, "cookscribe: " + result.err, result.seconds, result.grown, result.hung)
    if not answered(result):
        if "damaged" in result.err:
            raise Broken("blames the film", result)
        if "out" not in result.err:
            raise Broken("the error does not name the output", result)
    tidy(folder, result)


def _output(scale: Scale, name: str, kind: str, folder: Path) -> None:
    """What is printed cannot be written; the files are whole or absent."""
    arguments = WORK[name](scale, folder)

    def before() -> None:
        if kind == "pipe":
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, 1)
        elif kind == "closed":
            os.close(1)
        else:
            os.dup2(os.open("/dev/full", os.O_WRONLY), 2 if kind == "error" else 1)

    result = run(arguments, folder, before=before, fresh=True, seconds=120.0)
    # There is no place to say why, or nobody left who listens: the exit code alone may say that something is wrong.
    quiet = result.code in {1, 2} and not any(line.startswith("cookscribe:") for line in result.err.splitlines())
    if not (quiet and kind in {"error", "pipe"} and "Traceback" not in result.err):
        answered(result, codes=(0, 1, 2))
    if kind in {"pipe", "full"} and result.code == 0:
        raise Broken("nobody could read the answer, and it says that all is well", result)
    if "damaged" in result.err:
        raise Broken("blames the film", result)
    left(folder / "out", None, result)


def _device(scale: Scale, folder: Path) -> None:
    arguments = [part.replace("out/scores.json", "/dev/full") for part in WORK["scores"](scale, folder)]
    result = run(arguments, folder)
    if answered(result) or "/dev/full" not in result.err:
        raise Broken("the full device is not named", result)
    if not Path("/dev/full").is_char_device():
        raise Broken("a device was replaced by a file", result)
