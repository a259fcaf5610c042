"""Words of a text with contractions written out, and the forms of verbs."""

from __future__ import annotations

import re

from mnemic.rules.language.terms import stem

_IRREGULAR = {
    form: verb
    for verb, forms in {
        "be": "am is are was were been being",
        "have": "has had having",
        "do": "does did done",
        "get": "got gotten",
        "go": "went gone goes",
        **dict(
            pair.split(":")
            for pair in "sell:sold,buy:bought,leave:left,break:broke broken,give:gave given,begin:began begun,"
            "drive:drove driven,eat:ate eaten,drink:drank drunk,speak:spoke spoken,teach:taught,meet:met,lose:lost,"
            "keep:kept,take:took taken,make:made,come:came,run:ran,wear:wore worn,grow:grew grown,think:thought,"
            "become:became,wed:wedded,write:wrote written,fall:fell fallen,rise:rose risen,find:found,pay:paid,"
            "hold:held,feel:felt,win:won,sing:sang sung,swim:swam swum,choose:chose chosen,forget:forgot forgotten,"
            "build:built,send:sent,spend:spent,fly:flew flown,ride:rode ridden,sleep:slept,throw:threw thrown,"
            "bring:brought,see:saw seen,know:knew known,lie:lying lay lain,sit:sat,stand:stood,stay:staid,"
            "divorce:divorced,relocate:relocated,outgrow:outgrew outgrown,rehome:rehomed,die:dying".split(",")
        ),
    }.items()
    for form in forms.split()
}
INVARIANT = frozenset("quit put cut split read let set wed".split())
CHANGE_WORDS = frozenset(
    "now recently lately nowadays anymore finally instead actually correction officially newly".split()
)
"""Words that say that things were different before."""

ADVERBS = CHANGE_WORDS | frozenset(
    "really also still just always often usually already currently mostly mainly generally sometimes "
    "probably definitely absolutely truly totally completely permanently temporarily happily eventually later soon "
    "very so much then both only even kind sort deeply strongly genuinely previously formerly today yesterday".split()
)
_CONTRACTIONS = (
    (re.compile(r"[’‘]"), "'"),
    (re.compile(r"\b(ca)n't\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"\bcannot\b", re.I), "can not"),
    (re.compile(r"'m\b", re.I), " am"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"'ll\b", re.I), " will"),
    (re.compile(r"'d\b", re.I), " would"),
    (re.compile(r"\b(he|she|it|that|there|who|what|here|where)'s\b", re.I), r"\1 is"),
    (re.compile(r"\bany (more|longer)\b", re.I), "anymore"),
    (re.compile(r"\b(these|nowa)[ -]?days\b", re.I), "nowadays"),
    (re.compile(r"\bgave up on\b", re.I), "gave up"),
)
_SENTENCE = re.compile(r"[^.!?;\n]+(?:\.(?=\S)[^.!?;\n]*)*[.!?;\n]?")
_TOKEN = re.compile(r"[$€£]?\d[\d.,:]*\d%?\w*|[$€£]?\d%?\w*|[^\W_][\w'’@/+#-]*|[,:()—–]")


def lemma(word: str) -> str:
    """Return the base form of a verb, stemmed."""
    lower = word.lower()
    return stem(_IRREGULAR.get(lower, lower))


def is_finite(word: str, verbs: frozenset[str]) -> bool:
    """Return whether a word is one of the verbs, in a past form or ending in -s."""
    lower = word.lower()
    return (is_past_form(lower) or lower.endswith("s")) and lemma(lower) in verbs


def is_past_form(word: str) -> bool:
    """Return whether a word is an irregular form of a verb, or ends in -ed."""
    lower = word.lower()
    return lower in _IRREGULAR or lower in INVARIANT or (lower.endswith("ed") and len(lower) > 3)


def is_gerund(word: str) -> bool:
    """Return whether a word ends in -ing."""
    return word.lower().endswith("ing") and len(word) > 4


def words_of(text: str) -> list[str]:
    """Return the words of a text with contractions written out."""
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return _TOKEN.findall(text)


def declarative_sentences(text: str) -> list[str]:
    """Return the sentences of a text that are not questions."""
    split = (match.group().strip() for match in _SENTENCE.finditer(text))
    return [sentence for sentence in split if sentence and not sentence.endswith("?")]
