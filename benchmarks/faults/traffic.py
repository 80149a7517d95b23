"""No connection, and no trace at home: a process that asks the kernel for an internet socket is killed on the spot.

Python's own calls are written down by an audit hook; those of libraries in C are caught by a filter on system calls.
"""

import ctypes
import os
import platform
import shutil
import signal
import socket
import struct
from functools import partial
from pathlib import Path

from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, left, tidy
from faults.kills import WORK
from faults.running import Broken, run, surroundings

TITLE = "traffic"
HOOK = """
import os, sys
def note(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"}:
        with open(os.environ["TRAFFIC"], "a") as log:
            log.write(f"{event} {arguments[-2:]!r}\\n")
sys.addaudithook(note)
"""
# Number of the call `socket`.
KERNELS = {"x86_64": 41, "aarch64": 198}
KILL, ALLOW = 0x80000000, 0x7FFF0000


def cases(scale: Scale) -> list[Case]:
    found = [Case("write, listening", partial(_try, scale, "listen"))]
    if not scale.quick:
        found += [Case(name, partial(_try, scale, name)) for name in ("write", "watch", "export", "encode", "scores")]
        found.append(Case("encode, listening", partial(_try, scale, "encode speech")))
    return found


def forbid_connections() -> None:
    """From now on an internet socket, which looking up a name needs too, ends this process with SIGSYS."""
    if platform.machine() not in KERNELS:
        return
    steps = (
        (0x20, 0, 0, 0),  # load the number of the call
        (0x15, 0, 3, KERNELS[platform.machine()]),
        (0x20, 0, 0, 16),  # load its first argument: the family
        (0x15, 2, 0, socket.AF_INET),
        (0x15, 1, 0, socket.AF_INET6),
        (0x06, 0, 0, ALLOW),
        (0x06, 0, 0, KILL),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges, which a filter asks for
    if libc.prctl(22, 2, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter was refused")


def _try(scale: Scale, name: str, folder: Path) -> None:
    if name in WORK:
        arguments = WORK[name](scale, folder)
    else:
        shutil.copyfile(material.film(scale.material, "mp4"), folder / "film.mp4")
        arguments = ["write", "film.mp4", "--formats", "json", "--out", "out"]
        if name == "encode speech":
            arguments = ["encode", "film.mp4", "--encoder", "speech", "--out", "out"]
    hook = folder / ".hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    log = folder / ".traffic"
    path = os.pathsep.join((str(hook), surroundings(folder)["PYTHONPATH"]))
    env: dict[str, str | None] = {"TRAFFIC": str(log), "PYTHONPATH": path}
    env |= {"ORT_DISABLE_TELEMETRY": None, "HF_HUB_OFFLINE": None}
    result = run(arguments, folder, env=env, before=forbid_connections, fresh=True, seconds=180.0)
    if log.exists():
        raise Broken(f"asks for the network: {log.read_text().splitlines()[0]}", result)
    if result.code == -signal.SIGSYS:
        raise Broken("a library asks for an internet socket", result)
    if not answered(result):
        raise Broken("does not work without a network", result)
    tidy(folder, result)
    left(folder / "out", None, result)
