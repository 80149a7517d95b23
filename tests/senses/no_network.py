"""Run the command line where every attempt to reach the network ends the process: `python no_network.py ARGUMENTS`.

Native code is held by a filter in the kernel: a process that asks for an internet socket is killed by SIGSYS. Python's
own look-ups and connections are recorded by an audit hook as well, where the kernel has no such filter. At the end one
JSON line on standard error says what was tried and whether onnxruntime was loaded.
"""

import ctypes
import json
import os
import platform
import struct
import sys

FORBIDDEN = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"}
SOCKET_CALL = {"x86_64": 41, "aarch64": 198}
tried: list[str] = []


def record(event: str, arguments: tuple[object, ...]) -> None:
    if event in FORBIDDEN:
        tried.append(f"{event} {arguments!r:.80}")
        raise OSError("no network here")


def forbid_internet_sockets() -> bool:
    """Let the kernel kill this process, all its threads and its children at `socket(AF_INET or AF_INET6, ...)`."""
    if sys.platform != "linux" or platform.machine() not in SOCKET_CALL:
        return False
    load, equal, answer = 0x20, 0x15, 0x06
    allow, kill = 0x7FFF0000, 0x80000000
    instructions = (
        (load, 0, 0, 0),  # the number of the call
        (equal, 0, 3, SOCKET_CALL[platform.machine()]),
        (load, 0, 0, 16),  # its first argument, the family
        (equal, 2, 0, 2),  # AF_INET
        (equal, 1, 0, 10),  # AF_INET6
        (answer, 0, 0, allow),
        (answer, 0, 0, kill),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in instructions))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    no_new_privileges, set_filter, filter_mode = 38, 22, 2
    return prctl(no_new_privileges, 1, 0, 0, 0) == 0 and prctl(set_filter, filter_mode, program, 0, 0) == 0


def main() -> None:
    held = forbid_internet_sockets()
    sys.addaudithook(record)
    if sys.argv[1:] == ["--try"]:  # whether the filter holds
        ctypes.CDLL(None).socket(2, 1, 0)
        print(json.dumps({"held": held}))
        return
    from cookscribe.cli import main as command

    try:
        command()
    finally:
        loaded = "onnxruntime" in sys.modules
        print(json.dumps({"held": held, "tried": tried, "onnxruntime": loaded}), file=sys.stderr)
        sys.stderr.flush()


if __name__ == "__main__":
    os.environ.pop("PYTHONSTARTUP", None)
    main()
