"""Signatures of records that were scored away from the workflow: OpenSSH's own signatures (`ssh-keygen -Y`), made
with the key that a maintainer has already, verified against `.github/allowed_signers` of the main branch."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from scorer.errors import MissingError, RexrankError

__all__ = ["ALLOWED_SIGNERS", "NAMESPACE", "SIGNATURE_BYTES", "is_signed_by", "sign"]

ALLOWED_SIGNERS = ".github/allowed_signers"
NAMESPACE = "rexrank-record"
SIGNATURE_BYTES = 8192


def sign(record: Path, key: Path) -> Path:
    """Writes `<record>.sig` beside a record; gives its path.

    Raises:
        MissingError: ssh-keygen is not installed. RexrankError: it refuses the key.
    """
    signature = record.with_name(record.name + ".sig")
    signature.unlink(missing_ok=True)
    done = subprocess.run(
        [_program(), "-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(key), str(record)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    if done.returncode or not signature.is_file():
        raise RexrankError("ssh-keygen could not sign the record with this key")
    return signature


def is_signed_by(data: bytes, signature: bytes, allowed_signers: bytes) -> str:
    """The signer whose good signature this is, as the list of allowed signers names them; "" when it is none."""
    if not allowed_signers.strip() or len(signature) > SIGNATURE_BYTES:
        return ""
    with tempfile.TemporaryDirectory(prefix="rexrank-verify-") as scratch:
        folder = Path(scratch)
        (folder / "signers").write_bytes(allowed_signers)
        (folder / "signature").write_bytes(signature)
        common = ["-s", str(folder / "signature")]
        found = _run(["-Y", "find-principals", *common, "-f", str(folder / "signers")], data)
        for principal in found.decode("utf-8", "replace").splitlines():
            line = ["-Y", "verify", *common, "-f", str(folder / "signers"), "-I", principal, "-n", NAMESPACE]
            if _run(line, data):
                return principal
    return ""


def _run(arguments: list[str], data: bytes) -> bytes:
    """Output of ssh-keygen, or nothing when it says no."""
    done = subprocess.run([_program(), *arguments], input=data, capture_output=True, timeout=60, check=False)
    return b"" if done.returncode else done.stdout or b"good"


def _program() -> str:
    found = shutil.which("ssh-keygen")
    if found is None:
        raise MissingError("ssh-keygen is not installed", "apt-get install openssh-client")
    return found
