"""The attributes of people and things that can change, with the verbs that state them.

A subject has one value of a `single` attribute at a time: a new value closes the old one. Values of other attributes
may hold at once: only the end of the same value closes it.
Verbs in `states` say that a value holds, in `starts` that it began and another ended, in `ends` that it is over, in
`against` that the opposite holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from mnemic.rules.language.words import lemma

Pattern = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute and its verbs, as patterns of lemmas."""

    name: str
    single: bool
    states: tuple[Pattern, ...]
    starts: tuple[Pattern, ...] = ()
    ends: tuple[Pattern, ...] = ()
    against: tuple[Pattern, ...] = ()
    named_values: bool = False
    """Whether values are names, in lower case too."""

    fixed: bool = False
    """Whether the value can never change, so that two values are always a contradiction."""

    ends_all: bool = False
    """Whether its end may be stated without the value: "I quit", "I got divorced"."""

    @property
    def roles(self) -> tuple[tuple[str, tuple[Pattern, ...]], ...]:
        """Return the patterns by what they state."""
        return ("states", self.states), ("starts", self.starts), ("ends", self.ends), ("against", self.against)


def _patterns(text: str) -> tuple[Pattern, ...]:
    return tuple(
        tuple(lemma(word) if index == 0 else word for index, word in enumerate(pattern.split()))
        for pattern in text.split("|")
        if pattern
    )


def _attribute(
    name: str,
    states: str,
    starts: str = "",
    ends: str = "",
    against: str = "",
    *,
    single: bool = True,
    named_values: bool = False,
    fixed: bool = False,
    ends_all: bool = False,
) -> Attribute:
    return Attribute(
        name,
        single,
        _patterns(states),
        _patterns(starts),
        _patterns(ends),
        _patterns(against),
        named_values=named_values,
        fixed=fixed,
        ends_all=ends_all,
    )


ATTRIBUTES = (
    _attribute(
        "home",
        "live in|live at|stay in|rent room in|rent flat in|rent apartment in|rent place in|rent house "
        "in|have home in|"
        "have flat in|have house in|share flat in|share house in|own house in|own flat in|reside in|be based in|"
        "be living in|dwell in|be settled in|be a resident of",
        "move to|move into|move back to|move over to|relocate to|relocate into|settle in|settle down in|emigrate to|"
        "immigrate to|resettle in|move house to|transfer to|return to live in",
        "leave|move out of|move away from|move from|live anymore in",
        named_values=True,
    ),
    _attribute(
        "employer",
        "work at|work for|have job at|have job with|have position at|be on payroll of|be employed at|"
        "be employed by|be employed with|be working at|be working for",
        "join|start at|start with|be hired by|be hired at|get hired by|get hired at|get job at|get job with|"
        "take job at|take job with|land job at|accept job at|accept offer from|accept position at|take position at|"
        "take role at|move to work at|work at now|start job at|start role at|land role at|land position at|"
        "change jobs to|switch jobs to|be recruited by|be poached by|"
        "switch to|go over to|be taken on by|sign with|find job at|find work at|move to job at|take up post at|"
        "be working at now|start to work at|start to work for",
        "leave|quit|resign from|be fired from|be fired by|be laid off from|be laid off by|be let go by|be let go from|"
        "retire from|hand in notice at|depart from|get fired from|get laid off from",
        named_values=True,
        ends_all=True,
    ),
    _attribute(
        "job",
        "work as|be employed as|serve as|earn living as|make living as|earn money as|make money as|have job as|"
        "be working as",
        "become|be promoted to|get promoted to|start as|start work as|retrain as|qualify as|get job as|take job as|"
        "land job as|take over as|be appointed|be made|be hired as|move up to|change careers to|start job as|"
        "start career as|begin career as|work as now",
        "retire as|step down as|resign as|quit as|stop as|leave job as|give up job as",
        ends_all=True,
    ),
    _attribute(
        "partner",
        "be married to|be dating|date|be engaged to|be in relationship with|be seeing|be going out with|"
        "be together with|be with|live with|share life with",
        "marry|get married to|get engaged to|tie knot with|wed|get together with|fall in love with|remarry|"
        "become engaged to|move in with",
        "divorce|get divorced from|be divorced from|break up with|split up with|split up from|split from|split with|"
        "separate from|be separated from|dump|break off engagement to|call off engagement to|part ways with|leave",
        named_values=True,
        ends_all=True,
    ),
    _attribute(
        "studies",
        "study at|attend|be enrolled at|be enrolled in|be student at|be student of|major in|be majoring in|go to "
        "school at",
        "enrol at|enroll at|enrol in|enroll in|transfer to|start studies at|be admitted to|change major to|"
        "switch major to",
        "graduate from|drop out of|finish at|leave|withdraw from",
        named_values=True,
    ),
    _attribute("birthplace", "be born in|be born at|come originally from|be native of", named_values=True, fixed=True),
    _attribute("upbringing", "grow up in|be raised in|be brought up in", named_values=True, fixed=True),
    _attribute(
        "name", "be called|be named|go by|go by the name", "rename to|be renamed to|be renamed", named_values=True
    ),
    _attribute(
        "taste",
        "like|love|enjoy|adore|be fond of|be into|be fan of|be keen on|appreciate|prefer|be crazy about|be "
        "passionate about|"
        "relish|be big fan of|be obsessed with|be hooked on|savour|cherish",
        "come to like|come to love|come to enjoy|grow to like|grow to love|grow fond of|get into|take liking to|"
        "warm to|develop taste for|learn to love|learn to like",
        "go off|be over|be tired of|be sick of|lose interest in|fall out of love with|be bored of|be bored with|"
        "grow out of|get tired of|grow tired of|be done with|lose taste for|have enough of|tire of|sour on",
        "hate|dislike|detest|loathe|despise|stand|bear|be averse to|be put off by|abhor|avoid|refuse|resent|be "
        "repelled by",
        single=False,
    ),
    _attribute(
        "allergy",
        "be allergic to|have allergy to|be intolerant to|be intolerant of|have intolerance to|react badly to|"
        "suffer from",
        "develop allergy to|become allergic to|be diagnosed with",
        "outgrow allergy to|get over allergy to|lose allergy to|outgrow|tolerate now|be cured of",
        single=False,
    ),
    _attribute(
        "possession",
        "have|own|drive|possess|keep|rent|be owner of|have got",
        "buy|get|acquire|adopt|inherit|purchase|pick up|lease|be given|receive|bring home|treat myself to",
        "sell|give away|lose|get rid of|donate|scrap|return|throw away|throw out|trade in|part with|rehome|wreck|total|"
        "send back|hand back|auction off|auction|recover from|get over|beat|be cured of|bury|put down|give back|ditch",
        "lack|be without",
        single=False,
    ),
    _attribute(
        "activity",
        "do|play|practise|practice|train|train in|go to|take classes in|take lessons in|be learning|be member|belong "
        "to|be member of|be part of|volunteer at|volunteer for|volunteer with|subscribe to|be subscribed to|"
        "play for|play in|sing in|serve on|use|rely on",
        "sign up for|sign up to|become member of|take up|adopt",
        "leave|quit|cancel|cancel subscription to|unsubscribe from|drop out of|resign from|step down from|drop|"
        "give up|stop|be done with|be finished with|lose interest in|discontinue|abandon|retire|cancel "
        "membership at|let lapse",
        single=False,
    ),
)
"""A verb may belong to several attributes: one can leave a town, a firm or a person; the value decides."""

REPLACING = frozenset(
    map(lemma, "switch change migrate convert swap replace trade upgrade transition exchange".split())
)
CHANGING_TO = frozenset(
    map(lemma, "go rise increase drop fall change climb jump decrease grow shrink move switch".split())
)
RESET = frozenset(
    map(
        lemma,
        "move reschedule postpone push delay shift change bring raise increase lower reduce cut extend set".split(),
    )
)
MEASURING = frozenset(map(lemma, "weigh earn cost owe charge measure make pay".split()))
MEASURED = {lemma("earn"): "salary", lemma("make"): "salary", lemma("weigh"): "weight"}
HAPPENING = frozenset(map(lemma, "happen start begin".split()))
LIGHT_VERBS = frozenset(
    map(
        lemma,
        "go join take attend visit do make have get be come see start try let keep need know ask think look "
        "remember check book sign register forward order arrange plan".split(),
    )
)
SWAPPING = frozenset(map(lemma, "replace swap trade exchange".split()))
SUBSCRIPTIONS = frozenset(map(lemma, "subscription membership contract".split()))
CALLING_OFF = tuple(
    (lemma(verb), *words)
    for verb, *words in map(
        str.split,
        ("call off", "back out of", "pull out of", "bail on", "opt out of", "drop out of", "give up on", "cry off"),
    )
)
NOUNS = {
    **dict.fromkeys(
        "partner husband wife girlfriend boyfriend spouse fiance fiancee fiancé fiancée".split(), "partner"
    ),
    **dict.fromkeys("job occupation profession".split(), "job"),
    **dict.fromkeys("employer company".split(), "employer"),
    **dict.fromkeys("home hometown residence".split(), "home"),
}
"""The attribute that a noun names: "Ana's husband is Ben"."""

BOOKING = (("book",), ("plan",), ("sign", "up"), ("regist", "for"), ("look", "forward"))
CONSUMING = frozenset(map(lemma, "eat drink do play have".split()))
PAIRED = frozenset("couple together married engaged dating pair item".split())
GOING = frozenset(map(lemma, "die break disappear vanish".split()))
TRIPS = frozenset(map(lemma, "trip holiday vacation journey visit getaway weekend tour".split()))
PARTING = frozenset(map(lemma, "break split divorce separate part".split()))
GONE = frozenset(map(lemma, "stolen lost sold gone destroyed wrecked donated broken dead".split()))
PERIODS = frozenset("monthly annual yearly weekly net gross current new present total".split())
SETTLED = frozenset(map(lemma, "scheduled set planned due booked fixed".split()))
CANCELLING = frozenset(map(lemma, "cancel scrap abandon shelve skip miss".split()))
FIXED_NOUNS = frozenset(("birthday", "birthplace", "birthdate", "mother", "father"))
SINGLE_NOUNS = FIXED_NOUNS | frozenset(
    "job name nickname address email password passphrase deadline budget salary income rent boss manager doctor "
    "dentist "
    "therapist landlord major hometown number phone size weight height age employer company team plan goal title role "
    "position degree bank gym school university destination timezone zone language commute diet username pronouns "
    "husband wife partner girlfriend boyfriend fiance fiancee spouse status".split()
)
WORDED = frozenset("job occupation profession name nickname address email password passphrase title role major".split())
"""Nouns whose values exclude one another even if they are plain words."""

MANY_NOUNS = frozenset(
    "sister brother sibling friend cousin child kid son daughter pet dog cat hobby colleague coworker neighbour "
    "neighbor "
    "uncle aunt nephew niece student teacher book film movie song game interest skill strength weakness parent "
    "grandparent idea reason problem issue thing part favourite favorite roommate flatmate housemate client customer "
    "language pets".split()
)
PEOPLE = (
    MANY_NOUNS
    | FIXED_NOUNS
    | frozenset(
        "mom mum dad wife husband partner girlfriend boyfriend boss manager doctor family parents kids children".split()
    )
)
GROUPS = {
    word: name
    for name, words in {
        "marital status": "single married divorced engaged widowed separated unmarried",
        "diet": "vegetarian vegan pescatarian omnivore carnivore",
        "employment": "employed unemployed retired jobless self-employed",
        "life": "alive dead deceased",
        "opening": "open closed shut",
        "switch": "on off",
        "handedness": "left-handed right-handed ambidextrous",
        "freshness": "full empty",
        "wakefulness": "awake asleep",
        "truth": "true false",
        "availability": "available unavailable",
        "progress": "finished unfinished ongoing",
    }.items()
    for word in words.split()
}
OCCUPATIONS = frozenset(
    "accountant actor architect artist attorney baker barber barista bartender biologist builder butcher carpenter "
    "cashier chef chemist clerk coach consultant cook counsellor dentist designer developer director doctor driver "
    "economist editor electrician engineer farmer firefighter florist gardener guard hairdresser instructor "
    "journalist judge lawyer lecturer librarian manager mechanic midwife musician nurse optician painter paramedic "
    "pharmacist photographer physicist physiotherapist pilot plumber policeman politician postman producer professor "
    "programmer psychologist receptionist researcher sailor salesman scientist secretary soldier surgeon surveyor "
    "tailor teacher technician therapist translator tutor vet veterinarian waiter waitress welder writer analyst "
    "administrator supervisor intern trainee principal entrepreneur freelancer conductor curator".split()
)
VERBS = (
    frozenset(
        pattern[0]
        for attribute in ATTRIBUTES
        for patterns in (attribute.states, attribute.starts, attribute.ends, attribute.against)
        for pattern in patterns
    )
    | REPLACING
    | CHANGING_TO
    | MEASURING
    | CANCELLING
    | RESET
    | PARTING
    | frozenset(
        map(
            lemma,
            "be have do say play eat drink smoke run cook read write work study speak teach learn practise "
            "practice visit "
            "travel swim sing dance paint wear watch listen walk ride fly sleep need want prefer plan intend aim "
            "hope decide start "
            "stop quit finish begin use take go come meet see feel think know call cancel book sign win pass "
            "fail expect "
            "decid choose pick train hike jog climb collect support follow vote believe trust pay spend save happen "
            "end open close host amount order ride register look manage lead run retire die pass deploy depend "
            "route".split(),
        )
    )
)
