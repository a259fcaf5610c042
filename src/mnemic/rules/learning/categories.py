"""Categories of statements: fact, preference, plan, decision or instruction; small talk and requests have none.

Tuned for English. In other languages everything that a user states is kept.
"""

from __future__ import annotations

import re

from mnemic.rules.language.patterns import phrase, straight_quotes, words
from mnemic.rules.language.terms import STOP_WORDS, terms

INSTRUCTION, PREFERENCE, DECISION, PLAN, FACT = "instruction", "preference", "decision", "plan", "fact"

_Patterns = tuple[tuple[str, re.Pattern[str]], ...]

_ADVERBS = words("really also just still already actually usually often recently currently now only do always")
_I = rf"\b(?:i|we)(?: {_ADVERBS})*"
_I_AM = r"\b(?:i|we)(?:'m|'re| am| are| was| were)"
_I_HAVE = r"\b(?:i|we)(?:'ve| have| had|'d)"
_I_WILL = r"\b(?:i|we)(?:'ll| will| shall)"
_MINE = rf"\b(?:my|our)\b(?! {words('guy friend god goodness bad man dear apologies next_step next_question')}\b)"

_DOES = words(
    """live work study own run teach speak play use need know feel sleep eat drink drive grew moved started finished
    bought sold met went got made lost won spent found tried wrote built saw visited quit joined left visit train
    practi[sc]e struggle suffer manage earn spend weigh take wake keep hold walk travel cook read"""
)
_IS = words(
    "is are was were has have had will lives? works? likes? loves? hates? wants? needs? says? said thinks? died"
)
_MOOD = words(
    """ready sure not_sure excited glad happy sorry back here curious wondering really_glad really_excited so_glad
    so_excited so_happy afraid_i afraid_that afraid_not done good fine okay ok just following listening looking_at
    thinking super"""
)

_THINK = words(
    """think guess see understand agree mean hope wonder suppose know believe appreciate want need would could should
    can might may must wish get have am are was were will shall did do don't say ask tell"""
)
_NOT = words("can't cannot couldn't don't didn't won't haven't")

_OF_USER: _Patterns = (
    (
        INSTRUCTION,
        phrase(
            rf"\b{words('from_now_on going_forward in_future in_the_future call_me address_me keep_in_mind')}\b",
            r"\bremember (?:that|this|to)\b",
            rf"\b(?:always|never) (?!{words('been mind really seen had heard thought felt know want liked')})\w+",
            r"^(?:please )?(?:do not|don't|stop|avoid) (?!worry)\w+ing\b|^(?:please )?(?:do not|don't) ever\b",
            rf"^(?:please )?(?:do not|don't) (?!{words('worry get you know think mind')})\w+.* (?:me|my|us)\b",
        ),
    ),
    (
        PREFERENCE,
        phrase(
            rf"{_I} {words('like love enjoy prefer hate dislike adore loathe')}\b(?! (?:it|that|this|the idea)\b)",
            rf"\b(?:i|we) (?:can't stand|don't {words('like eat drink want care_for')})\b|\bi'd rather\b",
            rf"\b{words('favorite favourite allergic vegetarian vegan')}\b",
            rf"{_I_AM} (?:not )?{words('a_fan_of a_big_fan_of fond_of into keen_on interested_in picky')}\b",
        ),
    ),
    (
        DECISION,
        phrase(
            rf"(?:{_I}|{_I_HAVE}) {words('decided? chose chosen settled agreed agree_to picked opted committed')}\b",
            rf"(?:{_I}|{_I_HAVE}) finali[sz]ed\b|\bmy (?:decision|choice)\b|\bthe decision\b",
            rf"\b(?:let's|i'll|we'll|we should) {words('go_with go_for stick_with stick_to use take choose keep')}\b",
        ),
    ),
    (
        PLAN,
        phrase(
            rf"{_I_WILL} (?!{words('be_back be_ready see_what see_if see_how see_you let_you need_you try_to')})\w+",
            rf"{_I_AM} {words('going_to planning about_to hoping_to aiming trying_to working_on preparing')}\b",
            rf"{_I_AM} {words('training saving looking_for')}\b",
            rf"{_I} (?:plan|intend|hope|aim|want) (?:to|on|for) "
            rf"(?!{words('see know make_sure get_through get_this move start understand hear check')})\w+",
            rf"\b(?:my|our) (?:\w+ ){{0,2}}{words('goal plan target deadline aim budget schedule dream')}s?\b",
        ),
    ),
    (
        FACT,
        phrase(
            rf"{_I} {_DOES}\b(?! (?:to see|to know|this|it|that|you)\b)",
            rf"{_I}(?: \w+ly)? (?!(?:want|need|like|love|agre)ed\b)\w{{2,}}ed\b",
            rf"^(?:just )?\w{{3,}}ed {words('my the a an all those some')} ",
            rf"\b(?:i|we) {_NOT} "
            rf"(?!{words('wait know think worry remember see help understand mind agree get_it')})\w+",
            rf"{_I_HAVE} (?!{words('to_say to_admit a_question a_feeling no_idea been_thinking')})\w+",
            rf"{_I_AM} (?!{_MOOD})\w+",
            rf"{_I} (?!{_THINK}\b)\w+ (?!{words('it that this you so')}\b)\w+",
            rf"{_MINE}(?: [\w'-]+,?){{1,6}} (?:{_IS}|\w+ed)\b|{_MINE}(?: [\w'-]+){{1,3}} \w+s \w+",
            rf"\bmy {words('name birthday address phone email age weight height job')}\b|\bborn (?:in|on)\b",
        ),
    ),
)
_OF_ASSISTANT: _Patterns = (
    (
        DECISION,
        phrase(
            rf"\b(?:we|you)(?:'ve| have| had)? {words('agreed decided chose chosen settled confirmed selected')}\b",
            r"\b(?:we|you)(?:'ve| have)? finali[sz]ed\b|\bas (?:we )?(?:agreed|decided|discussed|planned)\b",
        ),
    ),
    (
        FACT,
        phrase(
            rf"\bi(?:'ve| have| will|'ll) (?:now )?"
            rf"{words('noted? updated? scheduled? add(?:ed)? record(?:ed)? set logged booked saved? moved?')}\b",
            rf"\byou(?:'ve| have)? {words('mentioned said told shared noted reported weigh live work')}\b",
            r"\byour (?:\w+[-\w]* ){1,4}(?:is|are|was|were|has been|have been|will be) ",
        ),
    ),
    (
        PLAN,
        phrase(
            rf"\bwe(?:'ll| will) {words('focus start aim use meet do proceed work keep begin move')}\b",
            rf"\byou(?:'ll| will) {words('be start focus meet work do perform use travel visit attend study')}\b",
            rf"\b(?:your|our|the) (?:\w+ ){{0,2}}"
            rf"{words('goal plan target deadline budget schedule session appointment itinerary')} ",
        ),
    ),
)
_ADVICE = phrase(
    rf"\b{words('could should might may can would if_you whether consider for_example such_as imagine typically')}\b",
    rf"\b{words('usually generally often make_sure be_sure remember_to feel_free let_me_know ready')}\b",
    r"\be\.g\.|don't forget",
)
_FILLERS = words(
    "ok okay yes yeah no hi hello hey thanks thank_you great perfect alright right sure so well oh wow hmm"
)
_PRAISE = words(
    "good great perfect fine helpful clear sense right awesome amazing nice cool better true it fantastic excellent"
)
_SMALL_TALK = phrase(
    rf"^(?:{_FILLERS}\b[\s,.!]*)*$",
    rf"^{words('hi hey hello good_morning good_evening good_night thanks thank_you bye welcome')}\b[^.,!]{{0,30}}$",
    rf"\b(?:that|this|it)(?:'s| is| was| sounds| looks| makes| helps) (?:\w+ ){{0,2}}{_PRAISE}\b(?=[^,;]*$)",
    rf"^{words('got_it i_see sounds_good makes_sense good_idea exactly of_course no_problem never_mind')}\b\W*$",
    rf"\b{words('tell show give send help remind walk teach guide explain_to write draft')} me\b",
    r"\b(?:i|we)(?:'d| would) (?:like|love|prefer) (?:you to|it if|to "
    rf"{words('see know hear start refine move continue discuss explore')})\b",
    rf"\bi (?:want|need) (?:you|to {words('see know understand hear move start continue')})\b",
    rf"\blet's {words('start move begin continue get do see focus try make just talk finish dive')}\b",
    rf"\bi {words('agree understand see get_it appreciate think_so guess_so hope_so')}\b",
)
_REQUEST = phrase(
    rf"^(?:{words('now please then and also ok okay great next so first hey hi yes alright')}[\s,.!]+)*"
    + words(
        """access act add analy[sz]e answer ask assign break bring build calculate change check compare compose continue
        convert create describe design develop discuss do draft edit elaborate expand explain find fix format generate
        get give help identify imagine improve include keep let list make outline prepare pretend proceed produce
        provide put read remove rephrase replace respond review rewrite send set shorten show simplify start suggest
        summari[sz]e tell translate try turn update use write can could would will_you what how why who when where which
        is are does did"""
    )
    + r"\b"
)
_QUESTION = re.compile(r"[?？؟;][\"'”’)\]»]*$")
_TO_READER = phrase(r"^(?:(?:so|and|but|well),? )?you\b")
_ABOUT_ME = phrase(rf"\b{words('i me my mine we our us')}\b")
_VERB = phrase(
    rf"\b(?:{_IS}|{words('plays? speaks? owns? runs? studies prefers? knows? went got met bought')}|\w{{3,}}ed)\b"
)
_I_DO = phrase(r"(?:i|we) \w+")
_NAME_OR_NUMBER = re.compile(r"(?<=[\w,;:] )[A-Z][\w'-]*[a-z]\b|\d")
_FIRST_NAMES = re.compile(r"(?:[A-Z][\w'-]+ ){1,3}")
_SIGNS_OF_CODE = re.compile(r"[{}<>|\\=]|::|//|\(\)|\[['\"]|\w\(\w")
_CODE = re.compile(r"\t|^[\w.]+(?:\(| = |\[)|^\[.*\]$|^(?:import|from|def|class|return|SELECT) ")
_LETTER = re.compile(r"[^\W\d_]")
_MUCH = 6
_LONGEST = 1_000


def category_of(sentence: str, *, role: str, pasted: bool = False, foreign: bool = False) -> str | None:
    """Return the category of a statement, or None if the sentence is not worth keeping.

    In a `pasted` text only sentences about the speaker count; in a user's `foreign` text every sentence but a question.
    """
    sentence = straight_quotes(sentence)
    if not states_something(sentence):
        return None
    if role == "assistant":
        has_name = _NAME_OR_NUMBER.search(sentence[1:]) is not None
        return _first(_OF_ASSISTANT, sentence) if has_name and not _ADVICE.search(sentence) else None
    if foreign:
        return FACT
    category = _first(_OF_USER, sentence)
    if category != INSTRUCTION and any(pattern.search(sentence) for pattern in (_SMALL_TALK, _REQUEST, _TO_READER)):
        return None
    if pasted:
        return category if _ABOUT_ME.search(sentence) else None
    return category or (FACT if _is_fact_about_something(sentence) else None)


def states_something(sentence: str) -> bool:
    """Return whether a sentence is a statement: not a question, code, a table, a heading, one word or too long."""
    if len(sentence) > _LONGEST or is_question(sentence) or sentence.endswith(":"):
        return False
    if _CODE.search(sentence) or len(_SIGNS_OF_CODE.findall(sentence)) >= 2:
        return False
    if len(_LETTER.findall(sentence)) < 0.5 * len(sentence):
        return False
    about_me = _ABOUT_ME.search(sentence) is not None and len(sentence.split()) >= 3
    return _content_count(sentence) >= (1 if about_me else 2)


def is_question(sentence: str) -> bool:
    """Return whether a sentence is a question."""
    return _QUESTION.search(sentence) is not None


def is_foreign(text: str) -> bool:
    """Guess from letters and stop words whether a text is in another language than English."""
    if sum(char.isascii() for char in text) < 0.5 * len(text):
        return True
    found_words = re.findall(r"[^\W\d_]+", text.lower())
    return len(found_words) >= 4 and sum(word in STOP_WORDS for word in found_words) < 0.1 * len(found_words)


def _is_fact_about_something(sentence: str) -> bool:
    """Return whether a sentence has a verb and names something, or has many content words."""
    names = _FIRST_NAMES.match(sentence)
    if names and names[0].split()[0].lower() not in STOP_WORDS and _VERB.match(sentence, names.end()):
        return True
    is_specific = _content_count(sentence) >= _MUCH or _NAME_OR_NUMBER.search(sentence) is not None
    return is_specific and (_VERB.search(sentence) or _I_DO.match(sentence)) is not None


def _content_count(sentence: str) -> int:
    return sum(term not in STOP_WORDS for term in terms(sentence))


def _first(patterns: _Patterns, sentence: str) -> str | None:
    return next((category for category, pattern in patterns if pattern.search(sentence)), None)
