"""No connection, and no trace at home: a process that asks the kernel for a connection is killed on the spot.

Python's own calls are written down by an audit hook; those of libraries in C are caught by a filter on system calls.
"""

from __future__ import annotations

import ctypes
import platform
import shutil
import signal
import struct
from functools import partial
from pathlib import Path

from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, left, tidy
from faults.kills import WORK
from faults.running import Broken, run

TITLE = "traffic"
HOOK = """
import os, sys
def note(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"}:
        with open(os.environ["TRAFFIC"], "a") as log:
            log.write(f"{event} {arguments[-2:]!r}\\n")
sys.addaudithook(note)
"""
# Architecture of the filter, and number of `connect`.
KERNELS = {"x86_64": (0xC000003E, 42), "aarch64": (0xC00000B7, 203)}
KILL, ALLOW = 0x80000000, 0x7FFF0000


def cases(scale: Scale) -> list[Case]:
    found = [Case("write, listening", partial(_try, scale, "listen"))]
    if not scale.quick:
        found += [Case(name, partial(_try, scale, name)) for name in ("write", "watch", "export", "encode", "scores")]
        found.append(Case("encode, listening", partial(_try, scale, "encode speech")))
    return found


def forbid_connections() -> None:
    """From now on `connect` ends this process and its children with SIGSYS. Looking up a name connects too."""
    if platform.machine() not in KERNELS:
        return
    architecture, connect = KERNELS[platform.machine()]
    steps = (
        (0x20, 0, 0, 4),  # load the architecture
        (0x15, 0, 3, architecture),
        (0x20, 0, 0, 0),  # load the number of the call
        (0x15, 0, 1, connect),
        (0x06, 0, 0, KILL),
        (0x06, 0, 0, ALLOW),
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
    # The user's name is given, because asking the system for it may connect to a local service.
    import os

    path = os.pathsep.join(filter(None, (str(hook), os.environ.get("PYTHONPATH"))))
    env: dict[str, str | None] = {"TRAFFIC": str(log), "PYTHONPATH": path, "USER": "cook", "LOGNAME": "cook"}
    env |= {"ORT_DISABLE_TELEMETRY": None, "HF_HUB_OFFLINE": None}
    result = run(arguments, folder, env=env, before=forbid_connections, fresh=True, seconds=180.0)
    if log.exists():
        raise Broken(f"asks for the network: {log.read_text().splitlines()[0]}", result)
    if result.code == -signal.SIGSYS:
        raise Broken("a library opens a connection", result)
    if not answered(result):
        raise Broken("cannot work without a network", result)
    tidy(folder, result)
    left(folder / "out", None, result)
