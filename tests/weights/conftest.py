"""A small world of weights: a hub on the loopback interface, a lock that pins it, an empty weights folder."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.weights import lock as lock_module
from scorer.weights.lock import EncoderLock, LockedFile, Source, write_lock
from tests.weights.hub import HEAD, Hub, serve

NETWORK = bytes(range(256)) * 400


def archive_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


GRAPH = archive_of({"config.json": b'{"model": {"name": "owner/base"}}', "vocabulary/labels.txt": b"a\nb\n"})


def locked(path: str, to: str, data: bytes, *, unpack: bool = False) -> LockedFile:
    return LockedFile(
        path=path, to=to, size=len(data), sha256=hashlib.sha256(data).hexdigest(), unpack=unpack
    )


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr("scorer.weights.download.time.sleep", lambda seconds: None)
    hub = Hub(
        {"owner/one/net.bin": NETWORK, "owner/one/graph.tar.gz": GRAPH, "owner/base/vocab.txt": b"[PAD]\n"}
    )
    server = serve(hub)
    yield hub
    server.shutdown()
    server.server_close()


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The weights folder; the packaged lock pins `plain` and `graph`, and leaves `open` unpinned."""
    path = tmp_path / "packaged.yaml"
    monkeypatch.setattr(lock_module, "PACKAGED", path)
    one = {"repository": "owner/one", "revision": HEAD, "licence": "MIT"}
    unknown = LockedFile(path="net.bin", to="net.bin", size=None, sha256=None)
    archive = LockedFile(path="graph.tar.gz", to="archive", size=None, sha256=None, unpack=True)
    vocabulary = LockedFile(path="vocab.txt", to="base/vocab.txt", size=None, sha256=None)
    extra = LockedFile(path="extra.json", to="base/extra.json", size=None, sha256=None, optional=True)
    base = Source(
        repository=None,
        named_by="archive/config.json#model.name",
        revision=None,
        licence="MIT",
        files=(vocabulary, extra),
    )
    write_lock(
        path,
        {
            "plain": EncoderLock(sources=(Source(**one, files=(locked("net.bin", "net.bin", NETWORK),)),)),
            "graph": EncoderLock(
                sources=(Source(**one, files=(locked("graph.tar.gz", "archive", GRAPH, unpack=True),)),)
            ),
            "open": EncoderLock(
                sources=(
                    Source(repository="owner/one", revision=None, licence="MIT", files=(unknown, archive)),
                    base,
                )
            ),
        },
    )
    folder = tmp_path / "weights"
    monkeypatch.setenv("REXRANK_WEIGHTS", str(folder))
    return folder
