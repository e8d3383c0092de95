"""The gate: `rexrank check` of ordinary and of the worst inputs that its caps let in, each in a process of its own."""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.table import print_table

ROOT = Path(__file__).resolve().parents[1]
MIB = 1 << 20
CAP, GZIP_CAP, LINE_CAP, CARD_CAP = 32 * MIB, 16 * MIB, 256 * 1024, 64 * 1024
TEXT = "The heart is of normal size and the lungs are clear. No effusion is seen on either side. "
CARD = "id: {id}\nname: {id}\nowner: zoe\ntracks: [findings, findings_impression]\n"
SECONDS, MEGABYTES = 10.0, 512.0


def measured(arguments: Sequence[str], here: Path, most: float = 120) -> tuple[float, float]:
    """(CPU seconds, megabytes at the peak) of the command, git included. Waiting for other programs does not count."""
    code = (
        "import resource, subprocess, sys\n"
        "line = [sys.executable, '-m', 'scorer.cli', *sys.argv[1:]]\n"
        f"done = subprocess.run(line, timeout={most}, capture_output=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "if done.returncode not in (0, 1) or b'Traceback' in done.stderr or b'unexpected' in done.stderr:\n"
        "    sys.exit(done.stderr.decode())\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REXRANK_HOME": str(here / "home")}
    line = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(line, cwd=here, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    seconds, megabytes = done.stdout.split()
    return float(seconds), float(megabytes)


def rows(n: int, more: str = "") -> bytes:
    """Predictions of ordinary length."""
    made = (
        {"study_id": f"s{i}", "findings": f"{TEXT * 3}{more} {i}", "impression": "No acute disease."}
        for i in range(n)
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made).encode()


def filled(line: Callable[[int], str], cap: int = CAP, most: int = 100_000) -> bytes:
    """Lines until the cap, at most as many as a file may have."""
    found, size = [], 0
    for n in range(most):
        made = line(n) + "\n"
        size += len(made.encode("utf-8", "surrogatepass"))
        if size > cap:
            break
        found.append(made)
    return "".join(found).encode("utf-8", "surrogatepass")


def dense(n: int, one: str, before: str, after: str) -> str:
    """A line as long as a line may be, filled with one piece; `{}` in it is a running number."""
    pieces, size, i = [], len(before) + len(after), 0
    while size < LINE_CAP - 20:
        made = one.format(i)
        pieces.append(made)
        size += len(made)
        i += 1
    return before.format(n) + "".join(pieces).rstrip(",") + after


def predictions() -> Iterator[tuple[str, str, bytes]]:
    """(what, file name, content): the heaviest files of each kind that the caps let in."""
    line = '{{"study_id": "s{}", '
    yield (
        "32 MiB of ordinary reports",
        "x.jsonl",
        filled(lambda n: rows(1, str(n)).decode().replace('"s0"', f'"s{n}"').strip()),
    )
    emoji = filled(
        lambda n: json.dumps({"study_id": f"s{n}", "findings": TEXT * 3 + "\U0001fac1"}, ensure_ascii=False)
    )
    yield "the same with one wide character each", "x.jsonl", emoji
    yield (
        "100,000 short reports",
        "x.jsonl",
        filled(lambda n: json.dumps({"study_id": f"s{n}", "findings": "a" * 290})),
    )
    yield (
        "100,000 broken lines",
        "x.jsonl",
        filled(lambda n: f'{{"study_id": "s{n}", "findings": "{"a" * 280}'),
    )
    yield "100,000 lines of another kind", "x.jsonl", filled(lambda n: "[" + "1," * 140 + "1]")
    unknown = dense(0, '"findingz{}":0,', line, "}")
    yield "unknown keys", "x.jsonl", filled(lambda n: unknown.replace('"s0"', f'"s{n}"'))
    twice = dense(0, '"k{0}":0,"k{0}":0,', line, "}")
    yield "keys that stand twice", "x.jsonl", filled(lambda n: twice)
    yield (
        "lists in lists",
        "x.jsonl",
        filled(lambda n: dense(n, "[],", line + '"findings": [', "]}") if n < 1 else lists),
    )
    yield "numbers", "x.jsonl", filled(lambda n: numbers)
    yield (
        "escapes",
        "x.jsonl",
        filled(lambda n: json.dumps({"study_id": f"s{n}", "findings": "\u00e9" * 19_000})),
    )
    yield (
        "blanks",
        "x.jsonl",
        filled(lambda n: json.dumps({"study_id": f"s{n}", "findings": " " * 19_000 + "!"})),
    )
    yield (
        "one text for all, 20,000 signs each",
        "x.jsonl",
        filled(lambda n: json.dumps({"study_id": f"s{n}", "findings": "a" * 19_900})),
    )
    yield "32 MiB of line ends", "x.jsonl", b"\r\n" * (CAP // 2)
    draw = random.Random(0)
    noise = filled(lambda n: json.dumps({"study_id": f"s{n}", "findings": draw.randbytes(4_000).hex()}))
    yield "packed, as large as it may be", "x.jsonl.gz", gzip.compress(noise, 1)[:GZIP_CAP]
    yield (
        "packed 1 to 200",
        "x.jsonl.gz",
        gzip.compress(filled(lambda n: json.dumps({"study_id": f"s{n:05}", "findings": TEXT * 40})), 9),
    )


lists = dense(0, "[],", '{{"study_id": "s{}", "findings": [', "]}")
numbers = dense(0, "1,", '{{"study_id": "s{}", "findings": [', "]}")


def cards() -> Iterator[tuple[str, bytes]]:
    """(what, content) of cards as large as they may be."""
    head = CARD.format(id="x")

    def until(cap: int, one: Callable[[int], str]) -> bytes:
        found, n = head, 0
        while len(found) + len(one(n)) < cap:
            found += one(n)
            n += 1
        return found.encode()

    yield (
        "unknown keys",
        until(CARD_CAP, lambda n: f"licensee_of_{n}: x\n" if n < 1_900 else f"# {'x' * 90}\n"),
    )
    yield "unknown keys, long", until(CARD_CAP, lambda n: f"{'institution' * 8}{n}: x\n")
    yield "one line of 64 KiB", (head + "notes: " + "a #b " * 12_000).encode()
    yield "lists", (head + "institutions: [" + "a, " * 3_900 + "a]").encode()
    yield "brackets", ("[" * (CARD_CAP - 10)).encode()
    yield "quotes", ("'" * (CARD_CAP - 10)).encode()
    yield "colons", (": " * (CARD_CAP // 2 - 10)).encode()
    yield "hyphens", ("- " * (CARD_CAP // 2 - 10)).encode()
    yield "question marks", ("? " * (CARD_CAP // 2 - 10)).encode()
    yield "keys that stand twice", (head + "a: 1\n" * 1_900).encode()
    yield "marks on one letter", (head + "notes: a" + "\u0316" * 30_000).encode()[:CARD_CAP]


def pull_request(here: Path, files: dict[str, bytes]) -> list[str]:
    """Arguments that check a commit with these files on top of an empty main, in a repository made here."""

    def git(*arguments: str) -> str:
        line = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments]
        return subprocess.run(line, cwd=here, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet", "--initial-branch=main", ".")
    git("commit", "--quiet", "--allow-empty", "-m", "main")
    base = git("rev-parse", "HEAD")
    for path, data in files.items():
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        (here / path).write_bytes(data)
    git("add", "--all")
    git("-c", "core.compression=1", "commit", "--quiet", "-m", "change")
    head = git("rev-parse", "HEAD")
    git("checkout", "--quiet", base)
    return ["check", "--pull-request", base, head, "--author", "zoe", "--annotations"]


def entries(n: int, of: Callable[[int], bytes], name: str = "iu-xray.jsonl") -> dict[str, bytes]:
    """n submissions with a prediction file each."""
    home = "results/submissions"
    files = {f"{home}/m{i:03}x/submission.yaml": CARD.format(id=f"m{i:03}x").encode() for i in range(n)}
    return files | {f"{home}/m{i:03}x/predictions/{name}": of(i) for i in range(n)}


def pull_requests() -> Iterator[tuple[str, dict[str, bytes], str]]:
    """(what, files, what is asked)"""
    yield "20 submissions of 590 reports", entries(20, lambda i: rows(590, str(i))), "10 s, 512 MB"
    yield "250 submissions, 500 files", entries(250, lambda i: rows(3, str(i))), "10 s, 512 MB"
    full = filled(lambda n: rows(1, str(n)).decode().replace('"s0"', f'"s{n}"').strip())
    yield (
        "4 submissions of 32 MiB",
        entries(4, lambda i: full + b" " * 0 + rows(1, f"{i}")[:0]),
        "10 s, 512 MB",
    )
    packed = gzip.compress(filled(lambda n: json.dumps({"study_id": f"s{n:05}", "findings": TEXT * 40})), 9)
    yield (
        "100 submissions packed 1 to 200",
        entries(100, lambda i: packed, "iu-xray.jsonl.gz"),
        "10 s, 512 MB",
    )


def artifacts() -> Iterator[tuple[str, bytes]]:
    """(what, content) of artifacts as large as they may be."""
    head, cap = b'{"form": 1, "commit": "", "records": [', 64 * MIB
    yield "lists", head + b"[]," * (cap // 3 - 20) + b"[]]}"
    yield "fewer lists", head + b"[]," * 490_000 + b"[]]}"
    yield "numbers", head + b"1," * (cap // 2 - 30) + b"1]}"
    yield "fewer numbers", head + b"1," * 3_900_000 + b"1]}"
    yield "keys", head + b"{" + b",".join(b'"k%d":1' % n for n in range(3_000_000)) + b"}]}"
    yield "one text", head + b'"' + b"a" * (cap - 60) + b'"]}'


def main() -> None:
    """Prints the tables; exits with 1 when a limit is broken."""
    broken: list[str] = []

    def judged(
        what: str, seconds: float, megabytes: float, most: float = SECONDS, room: float = MEGABYTES
    ) -> tuple[str, ...]:
        is_good = seconds < most and megabytes < room
        if not is_good:
            broken.append(what)
        return (
            what,
            f"{seconds:.2f}",
            f"{megabytes:.0f}",
            f"{most:.0f} s, {room:.0f} MB",
            "" if is_good else "broken",
        )

    header = ("", "CPU s", "MB", "asked", "")
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)

        def check(data: bytes, name: str) -> tuple[float, float]:
            (here / name).write_bytes(data)
            found = measured(["check", name, "--dataset", "iu-xray", "--annotations"], here)
            (here / name).unlink()
            return found

        sizes = {n: check(rows(n), "x.jsonl") for n in (1, 5_000, 10_000, 50_000)}
        start = sizes[1][0]
        growth = (sizes[50_000][0] - start) / (sizes[5_000][0] - start)
        table = [judged(f"{n:,} predictions", *sizes[n], 2.0, 300.0) for n in (1, 10_000)]
        table.append(
            (
                f"50,000 against 5,000, start left out: {growth:.1f}x for 10x",
                "",
                "",
                "12x",
                "" if growth < 12 else "broken",
            )
        )
        print_table("rexrank check of one submission", header, table)
        print_table(
            "The worst prediction files within the caps",
            header,
            [judged(what, *check(data, name)) for what, name, data in predictions()],
        )
        found = []
        for what, data in cards():
            (here / "x").mkdir(exist_ok=True)
            (here / "x" / "submission.yaml").write_bytes(data)
            found.append(judged(what, *measured(["check", "x", "--annotations"], here)))
        print_table("The worst cards within the caps", header, found)
        found = []
        for place, (what, data) in enumerate(artifacts()):
            (here / "scores.json").write_bytes(data)
            found.append(judged(what, *measured(["record", "--artifact", "scores.json"], here)))
            assert place >= 0
        print_table("The worst artifacts of a scoring job within the cap", header, found)
    found = []
    for what, files, _ in pull_requests():
        with tempfile.TemporaryDirectory() as scratch:
            arguments = pull_request(Path(scratch), files)
            found.append(judged(what, *measured(arguments, Path(scratch))))
    print_table("rexrank check --pull-request", header, found)
    print(f"\nPeak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    if broken:
        sys.exit(f"over the limit: {'; '.join(broken)}")


if __name__ == "__main__":
    main()
