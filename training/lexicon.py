"""Make the lexicon from WordNet: python -m training.lexicon

It needs Debian's `apt-get download` and `dpkg-deb`. Each line of the result is a kind and its words: trades, fields of
study, languages, places and colours by their hypernyms; adjectives, verbs and nouns by how often they are used.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "mnemic" / "rules" / "language" / "data"
ROOTS = {
    "trade": "worker professional employee skilled_worker tradesman artist creator scientist performer educator expert "
    "official entertainer merchant caregiver writer linguist",
    "field": "discipline humanistic_discipline natural_science social_science nursing medicine",
    "language": "natural_language",
    "place": "city national_capital country state port town village continent island province",
    "colour": "chromatic_color achromatic_color",
}
"""The synsets of each kind, named by one of their words; their members and hyponyms belong to the kind."""

FIRST_SENSES = {"trade": 1, "field": 1, "language": 2, "place": 2, "colour": 1}
"""The number of first senses of a word among which one must be of the kind."""

NAMED = ("place", "language")
"""The kinds whose instances count: Paris is a city, but Chaplin is not a trade."""

COMMON = 3
"""The least number of uses of an adjective, a verb or a noun in WordNet's concordance."""


def main() -> None:
    """Download WordNet, choose the words, and write them and its licence."""
    parser = argparse.ArgumentParser(
        prog="python -m training.lexicon", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder to write to (default: the package's)")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["apt-get", "download", "wordnet-base"], cwd=folder, check=True)
        package = next(Path(folder).glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        share = Path(folder) / "usr" / "share"
        words = _words(share / "wordnet")
        notice = (share / "doc" / "wordnet-base" / "copyright").read_text()
    out.mkdir(parents=True, exist_ok=True)
    lines = (f"{kind} {' '.join(sorted(members))}\n" for kind, members in words.items())
    (out / "lexicon.txt").write_text("".join(lines))
    licence = notice.partition("License: WordNet3.0\n")[2].partition("\n\n")[0]
    lines = (line.strip() for line in licence.splitlines())
    (out / "LICENSE-wordnet").write_text("".join("\n" if line == "." else f"{line}\n" for line in lines))


def _words(folder: Path) -> dict[str, set[str]]:
    members, below, instances = _synsets(folder / "data.noun")
    senses = {
        line.split()[0]: line.split()[-int(line.split()[2]) :]
        for line in (folder / "index.noun").read_text("latin-1").splitlines()
        if not line.startswith(" ")
    }
    words: dict[str, set[str]] = {}
    for kind, roots in ROOTS.items():
        synsets: set[str] = set()
        pending = [sense for root in roots.split() for sense in senses[root][:1]]
        while pending:
            synset = pending.pop()
            if synset not in synsets:
                synsets.add(synset)
                pending += below[synset] + (instances[synset] if kind in NAMED else [])
        words[kind] = {
            word.lower()
            for synset in synsets
            for word in members[synset]
            if word.isalpha() and len(word) > 2 and synset in senses.get(word.lower(), [])[: FIRST_SENSES[kind]]
        }
    for kind, sign in (("adjective", "3"), ("verb", "2"), ("noun", "1")):
        words[kind] = _common(sign, folder / "cntlist.rev")
    words["noun"] = {
        word for word in words["noun"] if any(word in members[first] for first in senses.get(word, [])[:1])
    }
    return words


def _synsets(file: Path) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[str, list[str]]]:
    members, below, instances = {}, {}, {}
    for line in file.read_text("latin-1").splitlines():
        if line.startswith(" "):
            continue
        parts = line.split(" | ")[0].split()
        count = int(parts[3], 16)
        members[parts[0]] = parts[4 : 4 + 2 * count : 2]
        pointers = parts[5 + 2 * count :]
        pairs = list(zip(pointers[::4], pointers[1::4], strict=False))
        below[parts[0]] = [synset for sign, synset in pairs if sign == "~"]
        instances[parts[0]] = [synset for sign, synset in pairs if sign == "~i"]
    return members, below, instances


def _common(sign: str, file: Path) -> set[str]:
    """Return the common words that are mostly used in one part of speech."""
    used: dict[str, dict[str, int]] = {}
    for line in file.read_text("latin-1").splitlines():
        key, _, count = line.split()
        word, _, sense = key.partition("%")
        kind = "3" if sense[0] == "5" else sense[0]
        used.setdefault(word, {}).setdefault(kind, 0)
        used[word][kind] += int(count)
    return {
        word
        for word, kinds in used.items()
        if word.isalpha() and kinds.get(sign, 0) >= COMMON and max(kinds, key=kinds.__getitem__) == sign
    }


if __name__ == "__main__":
    main()
