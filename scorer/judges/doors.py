"""Doors to judges on this machine, for a process whose network is cut.

An empty network has a loopback of its own, on which no judge listens. A doorkeeper that stays outside opens a
connection to a judge's loopback address when asked, and hands the open socket over. It opens nothing but the
addresses that it was given, all of them on this machine, and it ends with the last process that can ask it.
"""

from __future__ import annotations

import array
import errno
import ipaddress
import json
import os
import socket
import threading
from collections.abc import Collection

__all__ = ["VARIABLE", "keep_doors", "open_door"]

VARIABLE = "REXRANK_DOOR"
"""Name of the variable of the environment that holds the number of the doorkeeper's file descriptor."""

_LONGEST = 4096  # bytes of a request or an answer
_TURN = threading.Lock()


def keep_doors(addresses: Collection[tuple[str, int]]) -> dict[str, str]:
    """Starts a doorkeeper; what the environment of the process behind the doors needs besides.

    Args:
        addresses: (host, port) pairs; a host that is not a loopback address is left out.
    """
    allowed = {(host, port) for host, port in addresses if ipaddress.ip_address(host).is_loopback}
    if not allowed:
        return {}
    inside, outside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            inside.close()
            _keep(outside, allowed)
        finally:
            os._exit(0)
    outside.close()
    inside.set_inheritable(True)
    return {VARIABLE: str(inside.detach())}


def _keep(outside: socket.socket, allowed: Collection[tuple[str, int]]) -> None:
    while request := outside.recv(_LONGEST):
        host, port, timeout = json.loads(request)
        try:
            if (host, port) not in allowed:
                raise PermissionError(errno.EACCES, "no such door")
            with socket.create_connection((host, port), timeout=timeout) as opened:
                handed = array.array("i", [opened.fileno()])
                outside.sendmsg([b"{}"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handed)])
        except OSError as error:
            outside.send(json.dumps({"error": [error.errno or 0, type(error).__name__]}).encode())


def open_door(door: int, host: str, port: int, timeout: float) -> socket.socket:
    """A connection to a judge, opened by the doorkeeper at file descriptor `door`.

    Raises:
        OSError: as `socket.create_connection`; a `ConnectionError` where nothing listens.
    """
    os.set_inheritable(door, False)
    with _TURN, socket.socket(fileno=os.dup(door)) as keeper:
        keeper.send(json.dumps([host, port, timeout]).encode())
        answer, handed, _, _ = socket.recv_fds(keeper, _LONGEST, 1)
    if not handed:
        number, kind = json.loads(answer)["error"]
        raise OSError(number, kind) if number else TimeoutError(kind)
    opened = socket.socket(fileno=handed[0])
    opened.settimeout(timeout)
    return opened
