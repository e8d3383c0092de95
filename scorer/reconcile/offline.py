"""Cuts the network: what scores private texts must have no way to send one.

A judge that is registered at a loopback address stays in reach; see `scorer.judges.doors`. The empty network's own
loopback is switched on, because the processes of `--engine ray` speak to each other over it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Mapping

from scorer.errors import MissingError
from scorer.judges.base import Endpoint
from scorer.judges.doors import keep_doors
from scorer.judges.served import address, is_loopback

__all__ = ["cut_network", "is_cut", "offline_environment"]

_MARK = "REXRANK_NETWORK_CUT"
_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40


def is_cut() -> bool:
    """Whether this process has no network but the loopback."""
    try:
        return {name for _, name in socket.if_nameindex()} <= {"lo"}
    except OSError:
        return False


def offline_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment with every library told to stay offline, and without tokens."""
    kept = {name: value for name, value in given.items() if "TOKEN" not in name and "SECRET" not in name}
    return {
        **kept,
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        _MARK: "1",
    }


def cut_network(arguments: list[str], judges: Iterable[Endpoint] = ()) -> None:
    """Starts this very command again in a network of its own, which is empty; returns at once when it is cut.

    Args:
        arguments: of the command. judges: those at loopback addresses can still be asked; others cannot.

    Raises:
        MissingError: this machine does not let us; nothing goes on with a network.
    """
    if is_cut():
        os.environ.update(offline_environment(os.environ))
        _switch_loopback_on()
        return
    unshare = shutil.which("unshare")
    alone = [unshare or "", "--map-current-user", "--keep-caps", "--net", "--"]
    if os.environ.get(_MARK) or unshare is None or subprocess.run([*alone, "true"], check=False).returncode:
        raise MissingError(
            "the network cannot be cut here",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        )
    line = [*alone, sys.executable, "-m", "scorer.cli", *arguments]
    doors = keep_doors([address(one.url) for one in judges if is_loopback(one.url)])
    os.execve(unshare, line, {**offline_environment(os.environ), **doors})


def _switch_loopback_on() -> None:
    """Does nothing where that is not ours to do, as in an empty network that somebody else made."""
    request = struct.pack("16sh24x", b"lo", _IFF_UP | _IFF_RUNNING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket, contextlib.suppress(OSError):
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)
