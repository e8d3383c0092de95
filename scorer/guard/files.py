"""From a file to text: size, kind of file, gzip, encoding. Streams, and stops at its caps."""

from __future__ import annotations

import os
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path

from scorer.guard import limits
from scorer.guard.problems import Problems

__all__ = ["Text", "decode", "read_bytes", "unpack"]

_GZIP = b"\x1f\x8b"
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (_GZIP, "gzip data"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "a zip archive"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"BZh", "bzip2 data"),
    (b"\x28\xb5\x2f\xfd", "zstandard data"),
    (b"PAR1", "a Parquet file"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"SQLite format 3\x00", "an SQLite file"),
    (b"ARROW1", "an Arrow file"),
    (b"%PDF", "a PDF"),
    (b"\x7fELF", "a program"),
)
_LFS = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, kw_only=True)
class Text:
    """Decoded text of a file. `path` is what messages call it; line ends are LF, a final CR is gone."""

    path: str
    text: str


def read_bytes(file: Path, path: str, cap: int, problems: Problems, hint: str = "") -> bytes | None:
    """The bytes of a regular file, or None with the problem said. A symbolic link is not followed.

    `hint` is what to do when there is no such file.
    """
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        problems.add("no-file", "there is no such file", path=path, hint=hint)
        return None
    except OSError as error:
        if file.is_symlink():
            problems.add(
                "symbolic-link",
                "is a symbolic link",
                path=path,
                hint="put the file itself there; links are not read",
            )
        else:
            problems.add("unreadable", f"cannot be read ({error.strerror})", path=path)
        return None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        problems.add("not-a-file", "is not a regular file", path=path)
        return None
    with os.fdopen(handle, "rb") as opened:
        if status.st_size > cap:
            problems.add("too-large", limits.over(cap, status.st_size), path=path)
            return None
        return opened.read(cap)


def unpack(data: bytes, path: str, problems: Problems, cap: int = limits.PREDICTION_BYTES) -> bytes | None:
    """The content of a prediction file, unpacked when its name ends in .gz; None with the problem said.

    Takes one gzip member, nothing after it, at most `cap` bytes and 250 times the packed size.
    """
    if data.startswith(_LFS):
        problems.add(
            "lfs-pointer",
            "is a Git LFS pointer, not the file",
            path=path,
            hint="commit the file itself (git lfs untrack, then add it again)",
        )
        return None
    kind = next((name for magic, name in _MAGIC if data.startswith(magic)), "")
    if not path.endswith(".gz"):
        if kind:
            hint = "give it a name that ends in .gz" if kind == "gzip data" else "write JSON Lines text"
            problems.add("wrong-magic", f"is {kind}, not text", path=path, hint=hint)
            return None
        if len(data) > cap:
            problems.add("too-large", limits.over(cap, len(data)), path=path)
            return None
        return data
    if not data.startswith(_GZIP):
        what = f"is {kind}" if kind else "does not start like gzip data"
        problems.add("wrong-magic", f"{what}, but its name ends in .gz", path=path, hint="pack it with gzip")
        return None
    return _gunzip(data, path, problems, cap)


def _gunzip(data: bytes, path: str, problems: Problems, cap: int) -> bytes | None:
    most = min(cap, max(limits.MIB, len(data) * limits.GZIP_RATIO))
    machine = zlib.decompressobj(wbits=31)
    try:
        out = machine.decompress(data, most + 1)
    except zlib.error:
        problems.add("broken-gzip", "the gzip data is damaged", path=path, hint="pack the file again")
        return None
    if len(out) > most:
        limit = limits.in_mib(cap) if most == cap else f"{limits.GZIP_RATIO} times its packed size"
        problems.add("too-large", f"unpacks to more than the limit ({limit})", path=path)
    elif not machine.eof:
        problems.add(
            "broken-gzip", "the gzip data ends in the middle", path=path, hint="pack or upload the file again"
        )
    elif machine.unused_data:
        problems.add(
            "gzip-members",
            "holds more than one gzip member, or something after it",
            path=path,
            hint="pack it once",
        )
    else:
        return out
    return None


def decode(data: bytes, path: str, problems: Problems, *, mark_allowed: bool = False) -> Text | None:
    """UTF-8 text with LF line ends, or None with the problem and its line said.

    A byte order mark is dropped where `mark_allowed` (tables that a spreadsheet saved) and refused elsewhere.
    """
    for mark, name in ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if data.startswith(mark):
            problems.add(
                "not-utf-8",
                f"is {name}",
                path=path,
                line=1,
                hint="save it as UTF-8 without a byte order mark",
            )
            return None
    if data.startswith(b"\xef\xbb\xbf"):
        if not mark_allowed:
            problems.add(
                "byte-order-mark",
                "starts with a byte order mark",
                path=path,
                line=1,
                hint="save it as UTF-8 without a byte order mark",
            )
            return None
        data = data[3:]
    zero = data.find(b"\x00")
    if zero >= 0:
        line = data.count(b"\n", 0, zero) + 1
        problems.add("nul-byte", "holds a NUL byte", path=path, line=line, hint="save it as plain UTF-8 text")
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(
            "not-utf-8",
            f"is not UTF-8 (byte 0x{data[error.start]:02x})",
            path=path,
            line=line,
            hint="save it as UTF-8; Latin-1 and Windows code pages are not read",
        )
        return None
    return Text(path=path, text=text.replace("\r\n", "\n"))
