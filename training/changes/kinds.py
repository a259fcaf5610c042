"""The kinds of fact of the wordings, and which of them may close one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.language.terms import stem

if TYPE_CHECKING:
    from mnemic.rules.claims.frames import Frame

SAME = {
    kind: names.split()[0]
    for names in (
        "language tongue language_learned",
        "diet regime",
        "device phone",
        "app tool editor",
        "boss name manager",
        "amount count rating",
        "clock schedule appointment_time wake_time kids_bedtime",
        "pay money rent budget",
        "job job_title",
        "partner marriage",
        "fan favourite_band",
        "meeting standup_day",
        "possession thing_gone",
        "pet pet_gone",
        "habit hobby_dropped",
        "plan plan_cancelled",
        "health injury_healed",
        "stack database",
        "status project_status parcel",
        "date deadline",
        "number phone_number room",
        "view opinion_soured",
        "ride commute",
        "subs subscription_ended",
        "rule guest_rule",
        "read book",
        "trip holiday",
        "channel contact_channel",
        "look hair walls",
        "nick nickname",
        "music instrument",
        "drink coffee",
        "club club_left",
        "home user_lives",
    )
    for kind in names.split()
}
"""Kinds that count as one: a fact of one may close a fact of the other."""

SPECIAL = frozenset(
    "appointment_time wake_time kids_bedtime rent budget rating phone_number room project_status parcel hair walls "
    "favourite_band standup_day deadline editor".split()
)
"""Kinds that count as one but do not close one another."""

ALIKE = [
    frozenset(names.split())
    for names in (
        "app stack subs channel",
        "boss doctor",
        "home away",
        "meeting date clock",
        "employer idle job boss team shift",
        "partner single flatmate",
        "gym school",
        "bank supplier",
        "studies school",
        "habit music club",
        "health broken",
        "lost possession pet licence car music broken device",
        "trip plan",
        "taste drink view",
        "read fan page",
        "coach mentor teacher boss reports_to lead doctor",
        "tongue pref_lang sim_lang",
        "habit game workout wake_habit therapy",
        "ride bus_line travel_class",
        "car fuel car_at",
        "school class_year studies topic",
        "job employer retired idle leave business client",
        "hours shift office_days",
        "flatmate lives_with neighbour partner",
        "drug dose therapy health",
        "abstain smoke beer",
        "possession where_thing lent lost house_where",
        "app lib stack user_uses deploy_on version",
        "venue hotel desk lunch",
        "nick pet_name call_me",
        "launch sprint_goal project",
        "coat look",
        "floor walls",
        "pref_format pref_tone user_uses",
        "hair_cut look beard_look",
        "music piece instrument_strings voice",
        "read watching streaming_on",
        "support oppose view",
        "dislikes taste habit view",
        "feature_flag feature_off",
        "wants possession pet waits licence device",
        "ill health",
        "assigned owner_of lead ticket_state task_state",
        "vendor app stack supplier supplier_of subs",
        "ci stack deploy_on lib",
        "schema pref_format",
        "handle nick email number",
        "printer_at house_where room_for venue desk",
        "plan plan_for menu trip",
        "keeps_notes app browser_tab",
        "pet horse",
        "boat_at car_at where_thing plant_spot",
        "shop_at bakery supplier",
        "barber_where doctor supplier vet",
        "project build knits piece task_state",
        "habit dance swims art_medium collects",
        "car car_m car_color possession bike_m tent_m guitar_m",
        "device tv_n cam headph work_laptop types_on",
        "app invoices designs edits stores meets_by navigates tests_with deploys_with",
        "stack codes deploys_with tests_with lib",
        "fan fav_team fav_singer fav_film fav_book listens",
        "taste fav_food cooks drink fav_tea",
        "date exam_date surgery",
        "pay hourly rent_out pocket",
        "home lives_in_type",
        "supplier home_internet power lawyer_n accountant_n agent_n data_plan",
        "flatmate roommate",
        "teacher instr_teach thesis_adviser mentor",
        "job teaches sells drives_for employer job_level",
        "school studies_at studies",
        "smells perfume",
        "look nail lip kitchen_color hair_product car_color",
        "nick firm_name project_name band_name",
        "licence visa_type resid",
        "number locker_no jersey_no work_phone table_no gate_no seat_no",
        "policy notice probation",
        "health diag",
        "carpools ride_share",
        "rides_bike bike_m ride",
        "goal trains_for saves_for middle_goal",
        "team sub_team",
        "trip honeymoon holiday_style",
        "read reads_genre",
        *(
            f"{many} {kind}"
            for many, kinds in (
                ("amount", "weight dose size glasses blood_sugar level chess_rank kids_n sleep_hours hours height pb"),
                ("amount", "commute_time leave_left seat_no climb_grade page grade_in policy run_distance"),
                ("amount", "reading_goal followers temperature stock headcount limit goal lifts blood_press"),
                ("amount", "rest_pulse calories credit"),
                ("amount", "shoe_size ring_size interest excess pension_age net_speed screen_time cholesterol_l"),
                ("money", "unit_price fee savings owed price_for tariff invests"),
                ("pay", "fee savings hours"),
                ("debt", "owed"),
                ("date", "flight_day pregnancy_due launch bin_day opening policy leave_left"),
                ("meeting", "flight_day launch bin_day workout office_days meeting_freq laundry room_for"),
                ("clock", "opening workout office_days remind sleep_hours commute_time timezone"),
                ("status", "ticket_state task_state car_at parcel launch"),
                ("number", "door_code seat_no wifi desk hint bus_line"),
                ("look", "watch_strap floor coat"),
                ("device", "eyewear user_uses version"),
                ("supplier", "insurer tariff vet bakery"),
                ("subs", "paper_sub podcast tariff donates fee"),
                ("club", "party donates team_plays president"),
            )
            for kind in kinds.split()
        ),
    )
]
"""Kinds that may also close one another, so no pair of two of them is used as an example of no change."""

OF_MANY = frozenset(
    "pay money meeting date number clock amount look status venue stack doctor supplier device app fan school "
    "nick".split()
)
"""Kinds whose facts name one of many things, as rent or salary: another thing is another fact."""

ONE_THING = {
    stem(word): stem(words.split()[0])
    for words in (
        "rent flat|salary pay|alarm get wake rise|bed asleep bedtime|shift work|kids child children baby|"
        "room office desk|walls living|hair curls|number phone reach call|team people|doctor physician|mail note"
    ).split("|")
    for word in words.split()
}
NAMED = ONE_THING | {
    stem(word): stem(word)
    for word in (
        "mortgage bill allowance pension scholarship pocket debt loan fee course parking nursery membership "
        "insurance budget limit offer bid balance target price deposit turnover grant class lesson review seminar "
        "workshop match rehearsal session exam checkup interview training haircut yoga therapist tutor trainer "
        "coach report thesis essay tax release proposal paper article wedding flight operation trial party surgery "
        "extension locker seat pin account plate train bus lunch curfew appointment weight dose pulse pressure "
        "shoe score age rating rank quota thermostat speed mileage waist group choir family company herd fleet "
        "nails glasses kitchen door car bike bedroom beard uniform logo fence roof curtains tiles project "
        "application ticket order case claim visa parcel request house exhibition stall shop dentist hairdresser "
        "lawyer accountant vet physio piano cleaner babysitter landlord supervisor professor optician mechanic "
        "internet electricity gas broadband laptop computer camera watch reader tablet console headphones editor "
        "browser operating calendar chat search password music tracker band composer author actor player painter "
        "film singer club restaurant school college university kindergarten church library nickname stage username "
        "handle code pen surname breakfast leave start finish open dog log weighs lifts runs walks swims drinks "
        "smokes reads writes saves"
    ).split()
    if stem(word) not in ONE_THING
}
"""The names of things by stem; synonyms have one name."""


def are_alike(one: str, other: str) -> bool:
    """Return whether facts of two kinds may close one another."""
    if one != other and one in SPECIAL and other in SPECIAL:
        return False
    one, other = SAME.get(one, one), SAME.get(other, other)
    return one == other or any(one in kinds and other in kinds for kinds in ALIKE)


def name_others(older: Frame, newer: Frame) -> bool:
    """Return whether both sentences name things, but no thing in common."""
    was, now = ({NAMED[stem] for stem in frame.stems if stem in NAMED} for frame in (older, newer))
    return bool(was and now) and was.isdisjoint(now)
