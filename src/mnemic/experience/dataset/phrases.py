"""Phrases for generated work of any field."""

from __future__ import annotations


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


OCCASIONS = _lines("""
after the upgrade to the new major version
on the staging cluster
while replaying last night's traffic
when the import ran in parallel with the nightly report
right after the failover drill
during the first load test of the quarter
once the feature flag was on for everyone
only on machines with a German locale
as soon as two workers shared a host
when the user pressed the button twice
with the anonymized copy of production data
after the dependency bot merged its update
in the Friday release candidate
while the replica was lagging behind
on the oldest device that is still supported
when the certificate was renewed
at the turn of the month
after the clocks went back
with an account that has no history
for the largest tenant
when the network dropped in the middle
on a cold cache
after a rollback to the previous image
in the container but not on the laptop
when the input was empty
for names with accents
while the disk was almost full
with more than a thousand open connections
in the second retry
behind the corporate proxy
when the job was cancelled half way
for customers that were migrated from the old system
""")

NOTICED = _lines("""
a contract test caught it
the on-call alert named the wrong service
a customer sent a screenshot
the nightly comparison showed the difference
the type checker had warned about it
it showed up in the slow query log
a bisection over twelve commits found the change
the trace made it obvious
a property test shrank it to three lines
reading the vendor's changelog gave the hint
a heap snapshot pointed at it
the reviewer asked the right question
a packet capture settled the argument
the error budget was half gone by then
it had been hidden by a retry
the dashboard was flat where it should have risen
a colleague remembered the same thing from last year
the canary stopped the rollout
support had three tickets about it
the audit trail told the order of events
adding one log line was enough
the flame graph had a single tower
a fresh clone reproduced it at once
the minimal example fits on one screen
""")

VERIFIED = _lines("""
a regression test now covers it
the benchmark is back at its old figure
the canary ran clean for an hour
both shards are green
the reproduction script passes
the same load test stays flat
the replayed traffic gives identical answers
the reviewer tried to break it and could not
the alert has been quiet since
the property test ran ten thousand cases
memory stays level over a long run
the old data migrated without a difference
the error rate fell to nothing
the end-to-end suite passes on three browsers
a fault injection no longer harms it
the documentation says so now
the staging cluster survived a restart
the numbers agree with the finance report
the fix was ported to the maintenance branch
a linter rule keeps it from coming back
""")

COSTS = _lines("""
blocked the release for an hour
left half of the batch undone
cost the morning
made the demo fall back to slides
filled the log with the same trace
forced a rollback
kept the queue growing until noon
left the index behind the data
broke the preview for everyone
made three other tests look guilty
had to be answered by hand
delayed the customer's import
hid a second problem behind it
was retried without success
sent the wrong mail to nobody, luckily
stopped the migration before it wrote anything
""")

MOVES = _lines("""
split the long function into named steps
replaced the flags by two small classes
pulled the decisions out of the input and output code
merged two near copies into one
moved the constants into a table
turned the inheritance chain into composition
renamed the arguments after what they mean
made the clock and the random source arguments
replaced the callback pyramid by a pipeline
drew one boundary around the vendor's client
deleted the branch that nobody reaches
introduced a value type for the amounts
gave each module one noun
replaced the boolean parameters by keywords
collapsed three configuration files into one
moved the validation to the edge
made the states an enumeration with explicit transitions
inlined a wrapper that only passed arguments on
separated reading from deciding
replaced the singleton by a passed dependency
""")

REASONS = _lines("""
so that the next feature needs one change instead of five
because every bug of the month was in it
before the second vendor is added
so that it can be tested without a network
because nobody could say what the flag did
to make the error paths visible
so that new colleagues find their way
because the cycle between the modules hid a leak
to get rid of the last global
so that a failure names its cause
because two teams edited the same file
to make the slow part measurable
so that it can be deleted when the old clients are gone
because the tests had to patch nine things
to keep the hot path free of surprises
""")

RESULTS = _lines("""
the behaviour is unchanged and the file is a third shorter
all tests pass without an edit
the public interface stayed as it was
the import graph has no cycle any more
the coverage rose without a new test
the diff is mostly deletions
the slowest test is now fast
the review took ten minutes
two dead settings went with it
the type checker found one more mistake on the way
the call sites read like sentences
a colleague could extend it the same day
""")

DETAILS = _lines("""
with a migration that can be rolled back
behind a flag for the first week
with tests for every refusal
with a metric for each outcome
without touching the old clients
in one module with a narrow interface
with an example in the documentation
including the error messages
with retries that respect a budget
with limits that can be configured
with an audit entry for each change
so that it works offline too
with a dry run that prints the plan
and measured it against the old way
with keyboard access from the start
and kept the old path for comparison
with a clean fallback when the service is away
and wrote the operating notes
with property tests over the whole input
including an undo
""")

SOURCES = _lines("""
the maintainers' migration guide
a release note from last month
an answered question with a minimal example
the standard's own text
a design document that the vendor published
a conference talk with measurements
the reference of the second major version
an issue thread with a confirmed workaround
the source code of the client
a post-mortem of a similar outage
a benchmark with its scripts
the changelog of a patch release
a chapter of the official tutorial
a comparison by an independent lab
a mailing list thread between two maintainers
the error catalogue of the service
""")

METHODS = _lines("""
a controlled study over forty repositories
a survey of practitioners
a replication on newer hardware
a formal proof with a small model
a longitudinal analysis of incident reports
a benchmark across six implementations
a simulation with recorded traffic
an ablation over every component
a qualitative study of code reviews
a comparison on public data sets
a field experiment with two teams
a meta-analysis of earlier results
""")

FINDINGS = _lines("""
the simple approach wins below a million rows
most of the gain comes from the first step
the effect disappears under realistic load
the default setting is the worst of those tested
the cost grows faster than the benefit
the result holds only for warm caches
half of the reported gains did not replicate
small batches are nearly as good as large ones
the variance is larger than the difference of the means
careful defaults beat manual tuning
the failure mode is rare and expensive
the trade-off depends on the write share
""")

AUDIENCES = _lines("""
a new colleague
the product manager
the support team
a student on an internship
the security reviewer
a customer's engineer
the on-call rotation
a designer
the data analysts
the finance department
a contributor from outside
the team lead
""")

DEVICES = _lines("""
with a drawing of the boxes and arrows
by stepping through a failing case
with two short examples side by side
by comparing it with a postal service
with a table of what happens when
by writing the smallest program that shows it
with the trace of yesterday's incident
by letting them predict the output first
with a timeline of the events
by removing one part at a time
with the figures of the last load test
by translating it into plain words
""")

REACTIONS = _lines("""
they repeated it in their own words
the follow-up question was about edge cases
they changed the plan on the spot
they asked for the drawing to be put into the wiki
the misunderstanding turned out to be about a name
they found the next mistake by themselves
it took two tries
they wanted to see the measurements
the meeting ended early
they wrote the summary
""")

FILE_ACTIONS = _lines("""
moved {what} into one folder per year
renamed {what} after the new scheme
compressed {what} and checked the sums
split {what} by tenant
merged {what} and removed the repeats
converted {what} to the column format
archived {what} and wrote a manifest
restored {what} from the backup of the night before
rewrote the line endings of {what}
indexed {what} for the search page
encrypted {what} with the new key
copied {what} to the second region
removed the personal data from {what}
normalized the names of {what}
sorted {what} by customer and date
""")

FILES = _lines("""
the invoice scans
the rotated access logs
the translation files
the training images
the exported spreadsheets
the old configuration snippets
the generated client stubs
the database dumps
the customer uploads
the font files of the theme
the recorded responses
the nightly reports
the fixture data of the tests
the archived mail attachments
the sensor readings
the release artifacts
the thumbnails of the catalogue
the certificate bundles
the audit exports
the documentation assets
""")

FILE_CARE = _lines("""
nothing was overwritten
checksums agree on both sides
a second run changes nothing
the plan was printed and confirmed first
symbolic links were left alone
the originals are kept for a month
permissions were carried over
it resumes after an interruption
empty folders were removed at the end
the largest file was streamed
names that differ only in case were kept apart
the space was measured before
""")

FILE_FAULTS = _lines("""
permission was denied on a folder of another user
the disk filled up before the last file
a name was too long for the target file system
another process held a lock on one of them
the mount had gone away during the night
a symbolic link pointed outside of the tree
two names differed only in case
the archive was cut off in the middle
the file changed while it was being read
the target folder was read-only
the encoding of a name could not be decoded
the quota of the project was reached
the checksum of one file did not agree
a path held a reserved device name
""")

SEARCH_FAULTS = {
    "no_results": _lines("""
the exact error message has never been written about
the product was renamed and the old name finds nothing
quotation marks around the phrase left no page
the version is too new to be documented
the only page about it was deleted
the internal code name means nothing outside
every page stops one step before the problem
"""),
    "blocked": _lines("""
the site answered with a challenge page
the rate limit was reached after the fifth page
the documentation sits behind a login
robots are not allowed on the forum
the proxy refuses the whole domain
the paper is behind a paywall
the archive was down for maintenance
"""),
    "irrelevant": _lines("""
the results are about a band of the same name
all answers concern the previous major version
advertisements took the first page
the pages repeat each other without a source
the examples use another language
the matches are about the hardware product
the answers solve the opposite problem
"""),
}

GENERAL = _lines("""
the office hours of the vendor's support
the holiday calendar of the partner's country
prices of managed hosting in the second region
names of comparable open source projects
licence terms of the icon set
the spelling of a customer's trade name
travel times to the conference venue
reviews of standing desks for the team
the exchange rate of the invoice date
the end-of-life date of the operating system
a plain explanation of the new privacy law
the opening of the call for papers
accessibility guidelines for colour contrast
the history of the file format
""")

GENERAL_USE = _lines("""
noted it in the planning document
compared three offers in a table
sent the link to whoever asked
it settles the open question of the meeting
two sources agree
the date goes into the calendar
the answer was shorter than the question
it rules out the cheaper option
it confirms what the team assumed
saved the page for the audit
""")

ODDITIES = _lines("""
the tool returned an empty answer and no error
the session ended in the middle of a step
the harness reported a success that left no trace
the output was cut without a marker
an unexpected prompt waited for input
the sandbox was recycled while a file was open
two tool calls arrived in the wrong order
the answer came in another language
the clock of the sandbox jumped
a warning was printed where data was expected
the exit code and the message disagreed
the connection to the tool was lost twice
""")

PREFERENCES = _lines("""
explicit error messages | generic ones
examples with inline comments | separate documentation
small pull requests | one large change
a table of options | a long recommendation
plain functions | class hierarchies
a failing test first | a fix without one
measured figures | adjectives
short commit messages that say why | lists of touched files
the standard library | a new dependency
one question at a time | a questionnaire
a rollback plan in the description | a promise that it is safe
names spelled out | abbreviations
dark diagrams that print well | screenshots
a summary at the top | a conclusion at the end
keyword arguments | positional ones
a draft early | a polished answer late
pinned versions | open ranges
reviewing the plan before the code | reading a finished branch
metric units in reports | whatever the source used
quiet commands | chatty progress output
""")

PREFERENCE_CONTEXT = _lines("""
in code reviews
when something breaks at night
for anything that customers read
in the weekly report
while pairing
when time is short
for the public interface
in design discussions
before a release
for work that others will maintain
when trade-offs are close
in the first answer
""")

PATTERNS = _lines("""
the same configuration mistake follows every new environment
failures cluster right after dependency updates
the team wraps every vendor client in a thin adapter
the slow requests all pass through one serializer
flaky tests share a fixture
the codebase builds its objects in factories
bugs return where a boundary has no owner
most questions come from one paragraph of the guide
retries hide the first symptom
errors at night come from one time zone
large reviews find fewer problems
the oldest module has the best tests
naming arguments in calls prevents swapped values
the second fix is often the right one
work that starts with a reproduction ends sooner
""")

PRAISE = _lines("""
praised the step-by-step explanation of {about}
thanked for the quick turn on {about}
said the summary of {about} was exactly what the meeting needed
liked that the limits of {about} were stated openly
asked to use the notes on {about} as a template
was relieved that {about} needed no downtime
called the tests for {about} a pleasure to read
shared the write-up on {about} with another team
noticed that {about} feels faster
appreciated the rollback plan for {about}
""")

NEUTRAL = _lines("""
asked for the status of {about}
moved the deadline of {about} by a week
wants a short comparison of the options for {about}
confirmed the requirements of {about} without changes
asked who owns {about}
asked to postpone {about} until the audit is over
requested the figures behind {about}
forwarded a customer's question about {about}
asked for the same report on {about} every month
pointed to an older decision about {about}
""")

COMPLAINTS = _lines("""
was frustrated that {about} broke again
was confused by the explanation of {about}
complained that the answer on {about} came without an example
found the notes on {about} too long to act on
was annoyed that {about} needed a second deploy
said the estimate for {about} was too optimistic
missed a warning before {about} changed
had to repeat the question about {about}
felt that {about} solved the wrong problem
was unhappy about the silence on {about}
""")

AFTERTHOUGHTS = _lines("""
and asked for the next step in writing
and wants to hear first when it changes
and will decide on Thursday
and suggested to invite support next time
and offered to test the next version
and asked to keep the thread open
and pointed at the guide that needs the same change
and wants it on the dashboard
and asked for one example more
and left it to the team
and mentioned the audit in spring
and closed the ticket
""")
