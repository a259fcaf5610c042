"""What generated work is about: fields of software, their parts, what is built in them, and what goes wrong there.

A fault is written as: kind | name | symptom ("a …") | cause ("because …") | fix ("by …ing") | lesson ("learned that …").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong, why, its fix, and the lesson."""

    kind: str
    name: str
    symptom: str
    cause: str
    fix: str
    lesson: str


@dataclass(frozen=True, slots=True)
class Domain:
    """One field of work."""

    name: str
    parts: tuple[str, ...]
    features: tuple[str, ...]
    libraries: tuple[str, ...]
    concepts: tuple[str, ...]
    facts: tuple[str, ...]
    faults: tuple[Fault, ...]


def _domain(name: str, parts: str, features: str, libraries: str, concepts: str, facts: str, faults: str) -> Domain:
    return Domain(
        name, _items(parts), _items(features), _items(libraries), _items(concepts), _items(facts), _faults(faults)
    )


def _items(text: str) -> tuple[str, ...]:
    return tuple(" ".join(item.split()) for item in text.split(";") if item.strip())


def _faults(text: str) -> tuple[Fault, ...]:
    return tuple(Fault(*(cell.strip() for cell in line.split("|"))) for line in text.splitlines() if line.strip())


SYNTAX = _faults("""
syntax | open_bracket | an unclosed bracket in a nested list comprehension | the inner loop was moved to its own line and lost its end | splitting the comprehension into two named steps | a comprehension with two loops is better written as two statements
syntax | stray_indent | an indentation error after a pasted block | tabs from a terminal were mixed with spaces | running the formatter before the first test | pasted code has to be formatted before it is read
syntax | missing_colon | a missing colon after an else branch | the branch was typed in a hurry between two conflicts | adding the colon and a linter step to the commit hook | a linter in the commit hook is cheaper than a failed build
syntax | fstring_quote | a broken string template with the same quotes inside and outside | the dictionary key was quoted like the string around it | pulling the value into a variable first | values belong in variables before they go into a template
syntax | trailing_comma | a one-element tuple where a string was meant | a trailing comma survived the cut of an argument list | deleting the comma and annotating the type | a type annotation turns a silent tuple into a visible mistake
syntax | await_outside | an await outside of any coroutine | a helper was made synchronous and kept its last line | turning the helper back into a coroutine | changing the colour of a function means reading its whole body
syntax | bad_decorator | a decorator above a bare expression | the function below it had been deleted in a merge | restoring the function from the other branch | merges have to be compiled before they are pushed
syntax | walrus_scope | an assignment expression without its parentheses | precedence was guessed instead of looked up | writing the assignment on a line of its own | clever operators cost more than the line they save
syntax | unterminated_string | an unterminated multi-line string in a query | the closing quotes were swallowed by a comment | moving the query into a file beside the module | long queries live better in files of their own
syntax | yaml_indent | a mapping that the configuration parser refused | a list item was indented with a tab | validating the file in continuous integration | configuration needs a schema check as much as code does
syntax | json_comma | a trailing comma that a strict parser refused | the last entry was removed by hand | writing the file with a serializer | files for machines should be written by machines
syntax | shell_quote | an unbalanced quote in a shell step | an apostrophe stood in a commit message | passing the message through a variable | text from people never goes into a shell line unquoted
syntax | reserved_word | a column named like a reserved word | the schema was ported from another database | quoting the name in one place, the model | names should avoid what any dialect reserves
syntax | arrow_object | an arrow function that returned nothing | its object literal was read as a block | wrapping the literal in parentheses | a literal after an arrow needs parentheses
syntax | import_cycle_typo | an import of a module that does not exist | two letters of its name were swapped | renaming the module and letting the editor follow | renames belong to a tool, not to search and replace
syntax | match_case | a pattern that bound a name instead of comparing it | a constant was written without its dot | qualifying the constant with its class | bare names in a pattern always match
syntax | lambda_default | a lambda with a statement inside | an assertion had been added for debugging | replacing the lambda by a small function | a function that needs a statement needs a name
syntax | regex_escape | an invalid escape in a regular expression | the pattern was not a raw string | marking every pattern as raw | patterns are raw strings without exception
syntax | generic_bracket | a generic type closed with a shift operator | an old compiler was still used in the container | pinning the compiler in the image | the toolchain belongs into the lock file
syntax | heredoc_end | a here-document that never ended | its last marker was indented | dropping the indentation with the dash form | the end of a here-document stands in the first column
syntax | sql_alias | an alias used before the planner knew it | the filter referred to a computed column | wrapping the computation in a subquery | a filter runs before the select list is computed
syntax | template_tag | a template block without its end tag | the partial was inlined without its last line | extracting the block into a partial again | partials are moved whole or not at all
syntax | positional_after | a positional argument after a keyword argument | a parameter was added in the middle of a call | making the new parameter keyword only | new parameters are keyword only
syntax | nonlocal_missing | an assignment to a captured name without declaring it | the counter moved from module level into a closure | returning the counter instead of changing it | a closure that counts should be a small object
""")

DOMAINS = (
    _domain(
        "payments",
        """checkout service; refund worker; invoice builder; card tokenizer; payout scheduler; ledger importer;
        dispute handler; price calculator; subscription renewer; tax rounding module; webhook receiver; wallet balance view""",
        """partial refunds; saved cards; instalment plans; coupon stacking; multi-currency prices; a dunning schedule;
        proration on plan changes; a settlement report""",
        "Stripe; Adyen; Braintree; Mollie",
        "idempotency keys; double-entry bookkeeping; strong customer authentication; settlement windows; rounding modes",
        """card networks may answer a timed-out charge hours later; a chargeback can arrive months after the sale;
        some currencies have no minor unit; webhooks are delivered at least once and out of order""",
        """
runtime | double_charge | a double charge on retry | the idempotency key was made from the clock | deriving the key from the order and its attempt | an idempotency key has to come from the request and never from the clock
runtime | currency_none | a crash on orders without a currency | legacy orders predate the currency column | filling the column in a migration and making it required | defaults for old rows belong in a migration
runtime | decimal_mix | a type error between floats and decimals | the gateway client parses amounts as floats | parsing every amount as a decimal at the boundary | money never passes through a float
logic | rounding_drift | totals that differ by a cent from the invoice | lines were rounded before they were summed | rounding once, after the sum | rounding belongs at the end of a calculation
logic | refund_twice | a refund that could be issued twice | the state was read outside the transaction | locking the row before the state is read | a check and its update belong in one transaction
timeout | gateway_hang | a checkout that waited a minute for the gateway | the client had no read timeout | setting a read timeout and queueing the confirmation | every outgoing call needs a timeout of its own
""",
    ),
    _domain(
        "authentication",
        """login form; token issuer; session store; password reset flow; single sign-on bridge; permission checker;
        device registry; consent screen; key rotation job; audit trail; rate limiter; invitation mailer""",
        """refresh tokens; passkeys; role inheritance; magic links; step-up verification; a device list;
        delegated access; forced logout""",
        "Keycloak; Auth0; Authlib; Passport",
        """the authorization code flow with proof keys; token audiences; session fixation; the same-site attribute;
        salted hashing""",
        """a refresh token should be usable once; clock skew of a minute is normal between hosts;
        a redirect address has to be compared exactly; browsers drop third-party cookies by default""",
        """
runtime | expired_token | a crash when a token expires during a request | the claim was read again after the check | passing the checked claims along | what was checked once is passed on, not looked up again
runtime | missing_kid | a key error for tokens signed with the old key | the rotation dropped the old key at once | keeping the previous key until its tokens expire | a rotated key lives on until the last token signed with it ends
runtime | session_bytes | a decoding error in the session store | two services serialized sessions differently | agreeing on one serializer and versioning it | shared state needs a versioned format
logic | role_leak | an administrator role that survived a demotion | permissions were cached by user and not by role version | putting the role version into the cache key | a cache key has to hold everything the answer depends on
logic | open_redirect | a redirect to a foreign host after login | the return address was matched by prefix | comparing the whole address with a list | addresses are compared as a whole, never by prefix
timeout | ldap_slow | a login that hung on the directory server | group membership was resolved recursively | fetching groups in one query with a depth limit | recursive lookups need a depth limit
""",
    ),
    _domain(
        "databases",
        """order repository; migration runner; connection pool; reporting query; audit table; search index feeder;
        tenant router; archive job; read replica client; change stream reader; bulk loader; soft delete filter""",
        """row-level tenancy; a partitioned event table; online schema changes; a materialized summary;
        optimistic locking; keyset pagination; a retention policy; full-text search""",
        "PostgreSQL; SQLite; SQLAlchemy; MySQL",
        "isolation levels; covering indexes; write-ahead logging; query plans; connection pooling",
        """an index on a low-cardinality column is rarely used; a long transaction keeps old row versions alive;
        adding a column with a constant default is cheap in newer versions; statistics go stale after a bulk load""",
        """
runtime | pool_exhausted | an exhausted connection pool under load | a generator kept its cursor open until garbage collection | closing the cursor in a context manager | whatever borrows a connection returns it in the same block
runtime | deadlock_update | a deadlock between two bulk updates | rows were locked in a different order | sorting the ids before the update | locks are taken in one order everywhere
runtime | null_join | a missing attribute on joined rows | an outer join returned no partner | handling the empty side explicitly | an outer join has an empty side that has to be handled
logic | lost_update | an edit that vanished when two people saved | the row was written back as a whole | comparing a version number on save | concurrent edits need a version number
logic | duplicate_page | rows that appeared on two pages | pagination used an offset while rows arrived | paging by the last key seen | pages over changing data go by key and not by offset
timeout | full_scan | a report that ran into the statement timeout | a function on the column kept the index from being used | indexing the expression | an index helps only when the query uses the column as it is indexed
""",
    ),
    _domain(
        "asynchronous services",
        """task dispatcher; event loop bridge; notification fan-out; websocket gateway; retry queue; stream consumer;
        background indexer; health probe; graceful shutdown handler; job scheduler; outbox relay; batch aggregator""",
        """structured cancellation; bounded concurrency; dead letter handling; exactly-once effects; a priority lane;
        live progress updates; delayed jobs; back-pressure towards clients""",
        "asyncio; Celery; Trio; RabbitMQ",
        "structured concurrency; back-pressure; at-least-once delivery; cooperative cancellation; event loops",
        """gathering coroutines runs them concurrently and not in sequence; a blocking call stalls every task of the loop;
        cancellation is delivered at the next await; a queue without a bound hides overload until memory ends""",
        """
runtime | never_awaited | a coroutine that was never awaited | a callback was registered without scheduling it | creating a task and keeping a reference to it | a task without a reference may be collected before it runs
runtime | loop_closed | an event loop that was closed while tasks were running | the shutdown hook did not wait for them | cancelling the tasks and gathering their results | shutting down means cancelling and then waiting
runtime | queue_full | a full queue that killed the producer | the exception was not expected there | awaiting space instead of raising | producers should wait for space and not die of its absence
logic | swallowed_cancel | tasks that ignored their cancellation | a broad handler caught it like any error | re-raising cancellation before the broad handler | a broad handler must let cancellation pass
logic | event_order | events that were applied out of order | the consumer ran a pool per message | keying the pool by entity | order per entity needs one lane per entity
timeout | blocking_call | a frozen event loop during report rendering | a synchronous client was used inside a coroutine | moving the call to a thread | synchronous clients do not belong on an event loop
""",
    ),
    _domain(
        "caching",
        """product cache; fragment renderer; session lookup; feature flag client; edge cache purger; memoized resolver;
        price snapshot; image thumbnail store; rate counter; search suggestions; configuration loader; invalidation bus""",
        """stale-while-revalidate; request coalescing; tagged invalidation; a negative cache; warm-up after deploys;
        tiered storage; per-tenant quotas; probabilistic expiry""",
        "Redis; Memcached; Varnish; Caffeine",
        "cache stampedes; time to live and jitter; write-through and write-behind; eviction policies; consistent hashing",
        """equal lifetimes expire together and stampede; an eviction policy without limits is no policy;
        a cached error is as sticky as a cached answer; keys without a version outlive their schema""",
        """
runtime | pickle_class | an unpickling error after a deploy | the cached class had moved to another module | caching plain data with a version | cached objects outlive the code that wrote them
runtime | key_type | a cache miss for every numeric id | keys were built from integers here and strings there | building keys in one function | cache keys are built in one place
runtime | connection_reset | reset connections after idle nights | the balancer drops idle sockets | sending keep-alive probes | idle connections have to be probed or reopened
logic | stale_price | a price that stayed old for a day | the invalidation was sent before the commit | sending it after the commit | an invalidation follows the commit and never precedes it
logic | shared_default | settings of one tenant that showed up for another | a mutable default was memoized | returning a copy | what a cache hands out must not be changeable
timeout | stampede | a stampede on the home page at the full hour | every fragment had the same lifetime | adding jitter and coalescing requests | lifetimes need jitter
""",
    ),
    _domain(
        "parsing",
        """invoice parser; log tokenizer; markdown renderer; date normalizer; address splitter; config reader;
        mail header decoder; spreadsheet importer; query language front end; template compiler; locale reader; feed reader""",
        """error recovery; streaming of large files; a lossless round trip; positions in messages; nested quoting;
        Unicode normalization; dialect detection; incremental parsing""",
        "Lark; lxml; ANTLR; pyparsing",
        "recursive descent; operator precedence; byte order marks; greedy quantifiers; grammar ambiguity",
        """greedy quantifiers backtrack exponentially on bad input; a byte order mark may precede any text file;
        spreadsheets store dates as day counts; mail headers may be folded over several lines""",
        """
runtime | bom_header | a header that was not recognized | a byte order mark stood before the first name | decoding with the variant that strips the mark | text from other systems may start with a byte order mark
runtime | surrogate_text | an encoding error on lone surrogates | file names were decoded with an escape handler | refusing them at the boundary with a clear message | bytes that are no text have to be refused at the boundary
runtime | deep_nesting | a recursion error on deeply nested input | the parser recursed once per bracket | keeping an explicit stack with a limit | recursion over input needs a limit
logic | day_month | dates whose day and month were swapped | the locale was guessed from the first row | asking for the format when both readings are possible | an ambiguous date is a question and not a guess
logic | comma_decimal | amounts that were a thousand times too large | a decimal comma was read as a group separator | reading numbers with the locale of the document | numbers are read in the locale of their document
timeout | regex_backtrack | a regular expression that never finished | nested quantifiers backtracked on a missing quote | replacing the pattern by a scanner | nested quantifiers are an outage that waits for its input
""",
    ),
    _domain(
        "continuous integration",
        """build matrix; test sharder; artifact uploader; release tagger; lint stage; coverage gate; preview deployer;
        dependency bot; container builder; flaky test tracker; cache restorer; nightly pipeline""",
        """incremental builds; signed releases; test impact analysis; canary promotion; reproducible images;
        a merge queue; parallel shards; automatic rollbacks""",
        "GitHub Actions; GitLab runners; Jenkins; Buildkite",
        "hermetic builds; merge queues; test flakiness; artifact provenance; trunk-based development",
        """a cache key without the lock file restores the wrong dependencies; shards balanced by count are unbalanced in time;
        runners have less entropy than laptops; a retried test hides a race""",
        """
runtime | missing_secret | a release job without its signing key | secrets are withheld from forks | moving signing to a protected job | forks get no secrets, so nothing they run may need one
runtime | arch_mismatch | a binary that did not start in the container | it was built for another processor | building per platform | images are built for the platform they run on
runtime | disk_full | a runner that ran out of disk space | layers of old images were kept | pruning before the build | shared runners have to be cleaned before use
logic | skipped_tests | a green build that had skipped half the tests | the shard filter matched nothing | failing a shard that collects no test | a test run without tests is a failure
logic | wrong_cache | old dependencies in a fresh build | the cache key ignored the lock file | hashing the lock file into the key | a build cache is keyed by everything that enters the build
timeout | hung_browser | a browser test that waited forever | a dialog blocked the page | closing dialogs and bounding each wait | every wait in a test needs an end
""",
    ),
    _domain(
        "containers",
        """base image; sidecar proxy; init script; volume claim; ingress rule; autoscaler; secret mount; node pool;
        log shipper; readiness check; service mesh policy; registry mirror""",
        """rootless images; zero-downtime rollouts; pod disruption budgets; spot capacity; image signing;
        network policies; resource quotas; blue-green switches""",
        "Kubernetes; Docker; Helm; Podman",
        "readiness and liveness; resource requests and limits; layered images; service discovery; control loops",
        """a liveness probe that checks a dependency restarts healthy pods; memory limits are enforced by killing;
        the first process has to reap its children; tags move, digests do not""",
        """
runtime | oom_killed | workers that were killed for memory | the limit counted the page cache of the import | streaming the import and raising the request | memory limits have to leave room for peaks
runtime | dns_search | names that resolved inside but not outside the cluster | the search list appended a suffix | ending names with a dot | fully qualified names end with a dot
runtime | read_only_root | a crash on a read-only file system | the library wrote its cache beside its code | mounting a scratch volume for it | containers need a declared place to write
logic | wrong_selector | traffic that went to the old version | the service selected by name and not by release | adding the release to the selector | selectors name the release and not only the app
logic | probe_restart | pods that restarted whenever the database was slow | the liveness probe queried it | checking dependencies in readiness only | liveness asks about the process and nothing else
timeout | slow_drain | requests that were cut at every deploy | the process ended before the balancer noticed | sleeping before shutdown and draining | a process has to outlive its entry in the balancer
""",
    ),
    _domain(
        "front ends",
        """search page; cart drawer; settings form; data grid; chart panel; file uploader; toast queue; router guard;
        theme switcher; date picker; onboarding tour; virtual list""",
        """keyboard navigation; optimistic updates; offline drafts; drag and drop sorting; infinite scrolling;
        a dark theme; undo for deletions; live validation""",
        "React; Vue; Svelte; TypeScript",
        "reconciliation by keys; hydration; controlled inputs; focus management; layout thrashing",
        """index keys break the state of reordered rows; hydration fails when the clock is rendered;
        a label needs its input more than its colour; reading layout in a loop forces reflow""",
        """
runtime | undefined_map | an undefined value where a list was expected | the first render happens before the data arrives | rendering a placeholder for the empty state | the first render has no data
runtime | stale_closure | a handler that saw old state | it had captured the first render | reading the state through the setter | handlers capture the render they were made in
runtime | hydration_text | a hydration mismatch on the order page | the server rendered in another time zone | formatting times on the client | what depends on the visitor is rendered for the visitor
logic | double_submit | orders that were submitted twice | the button stayed enabled during the request | disabling it and keying the request | a form in flight does not accept another submit
logic | lost_focus | focus that jumped to the top after saving | the form was mounted anew | keeping the key of the form stable | changing a key throws the state away
timeout | render_loop | a page that rendered until the tab froze | an effect wrote the state it depended on | moving the computation out of the effect | an effect that writes what it reads never ends
""",
    ),
    _domain(
        "machine learning",
        """feature store; training loop; tokenizer; evaluation harness; data loader; checkpoint manager; embedding service;
        label importer; hyperparameter sweep; drift monitor; inference server; augmentation step""",
        """early stopping; mixed precision; stratified splits; calibrated scores; a model registry; shadow deployment;
        active learning; quantized inference""",
        "PyTorch; scikit-learn; JAX; ONNX Runtime",
        "data leakage; calibration; gradient clipping; class imbalance; embedding drift",
        """shuffling before a time split leaks the future; accuracy says little about rare classes;
        batch statistics differ between training and serving; a seed does not cover parallel loaders""",
        """
runtime | shape_mismatch | a shape mismatch in the last layer | the label set had grown by one class | deriving the layer from the label file | dimensions come from the data and not from constants
runtime | device_mix | tensors on two devices | a buffer was not registered with the module | registering it | state of a module has to be registered to move with it
runtime | nan_loss | a loss that turned into no number | a logarithm met a zero probability | clamping before the logarithm | probabilities are clamped before logarithms
logic | leaked_label | a validation score that was too good | duplicates were spread over both splits | grouping duplicates before the split | duplicates are grouped before a split
logic | frozen_encoder | a model that did not improve | the encoder had stayed frozen after warm-up | unfreezing it in the schedule and asserting it | a training run should assert what it trains
timeout | slow_loader | an accelerator that waited for images | decoding ran in one process | adding workers and prefetching | a training step is as fast as its loader
""",
    ),
    _domain(
        "data pipelines",
        """clickstream importer; deduplication step; warehouse loader; schema registry; backfill job; late event handler;
        customer snapshot; currency enricher; quality gate; partition compactor; lineage tracker; export feed""",
        """incremental loads; slowly changing dimensions; replayable backfills; row-level quality checks;
        event time windows; column masking; cost reports; contract tests""",
        "Airflow; Spark; dbt; Kafka",
        "event time and processing time; idempotent loads; watermarks; schema evolution; partition pruning",
        """late events arrive after the window closed; a backfill must not send mails; nulls are dropped by most joins;
        small files cost more than large ones""",
        """
runtime | schema_drift | a load that failed on a renamed column | the source changed without notice | checking the contract before the load | a source is a contract that has to be checked
runtime | timezone_naive | a comparison of aware and naive times | one feed sends local time | converting at ingestion | times are made aware where they enter
runtime | memory_join | an executor that died in a join | one key held most of the rows | salting the key | skewed keys have to be spread
logic | double_count | daily totals that were counted twice | the backfill appended instead of replacing | writing by partition and replacing it | a backfill replaces partitions and never appends
logic | dropped_nulls | customers that vanished from the report | a filter on inequality dropped the nulls | comparing with a null-safe operator | inequality does not match a missing value
timeout | small_files | a listing that took longer than the query | a stream had written a file per second | compacting hourly | streams need compaction
""",
    ),
    _domain(
        "networking",
        """gateway client; load balancer; certificate renewer; proxy pool; streaming endpoint; discovery client;
        retry policy; packet logger; circuit breaker; upload handler; name cache; tunnel agent""",
        """mutual authentication; hedged requests; resumable uploads; connection reuse; request signing;
        gradual failover; header compression; bandwidth shaping""",
        "nginx; Envoy; httpx; gRPC",
        "exponential back-off with jitter; half-open connections; head-of-line blocking; certificate chains; circuit breaking",
        """a retry without jitter synchronizes its clients; an intermediate certificate has to be sent along;
        keep-alive outlives the balancer's patience; a name may resolve to a dead address first""",
        """
runtime | chain_missing | a certificate that only browsers trusted | the intermediate was not sent | serving the whole chain | servers send the whole chain
runtime | chunked_body | a truncated body behind the proxy | the length header survived compression | dropping the header for streamed answers | whoever changes a body changes its length
runtime | proxy_env | requests that left through the wrong proxy | the client read the environment | passing the proxy explicitly | clients should not read the environment behind their caller's back
logic | retry_storm | an outage that retries made worse | every layer retried three times | retrying at the edge only, with a budget | retries multiply across layers
logic | wrong_host | a signature that failed behind the balancer | the host header was rewritten | signing the original host | what is signed must survive the proxies
timeout | half_open | connections that hung after a failover | the peer vanished without a reset | probing and limiting their age | long-lived connections need probes and an age
""",
    ),
    _domain(
        "testing",
        """fixture factory; snapshot suite; fake clock; contract tests; browser suite; load generator; property tests;
        test database; coverage report; mutation run; golden files; smoke suite""",
        """random but repeatable data; time travel; hermetic services; visual comparison; chaos experiments;
        fuzzed inputs; accessibility checks; deterministic ordering""",
        "pytest; Hypothesis; Playwright; Jest",
        "property-based testing; test doubles; flakiness; mutation testing; arrange, act and assert",
        """a mock that is never wrong tests nothing; shared fixtures couple tests; order dependence shows only in shards;
        a sleep in a test is a race with a number""",
        """
runtime | fixture_scope | a closed connection in the second test | the fixture lived longer than its resource | matching the scope of both | a fixture lives as long as what it lends
runtime | port_taken | an address that was already in use | two workers chose the same port | letting the system choose | tests ask the system for a port
runtime | missing_asset | a golden file that was not found | the test relied on the working directory | resolving paths from the test file | tests find their files relative to themselves
logic | passing_mock | a test that passed on broken code | the mock returned what was asserted | using the real store in a temporary folder | a real thing in a temporary folder beats a mock
logic | order_dependent | a test that failed only in shards | another test had set a global | resetting the global in a fixture | tests must pass in any order
timeout | endless_poll | a test that polled without an end | the job had failed silently | failing on the job's error | polling watches for failure as well as success
""",
    ),
    _domain(
        "search",
        """query parser; ranking model; synonym table; spelling corrector; index builder; highlight renderer;
        facet counter; suggestion service; vector store; relevance dashboard; crawler; deduplicator""",
        """hybrid ranking; typo tolerance; faceted filters; semantic recall; query rewriting; near-duplicate removal;
        personal boosts; language detection""",
        "Elasticsearch; Lucene; FAISS; Meilisearch",
        "inverted indexes; relevance judgements; reciprocal rank fusion; stemming; nearest neighbours",
        """stemming hurts product codes; clicks are biased by position; a filter after the nearest neighbours loses answers;
        scores of two indexes are not comparable""",
        """
runtime | empty_query | an error on a query of stop words | nothing was left after filtering | keeping the words when nothing else remains | a filter must not empty its input
runtime | dim_mismatch | vectors of two lengths in one index | the model was changed without a rebuild | storing the model's name with the index | an index remembers the model that made it
runtime | analyzer_gone | a mapping that named a missing analyzer | the template was applied after the index | ordering the two steps | templates exist before what uses them
logic | filter_after | filtered searches that returned nothing | the filter ran after the nearest neighbours | filtering first | a filter runs before the nearest are taken
logic | stale_alias | answers from last week's index | the alias was switched before the build ended | switching it in the last step | an alias moves when the new index is complete
timeout | wildcard_scan | a leading wildcard that read every term | the field had no reversed copy | indexing reversed terms | a leading wildcard needs reversed terms
""",
    ),
    _domain(
        "mobile apps",
        """sync engine; push receiver; onboarding flow; photo picker; offline map; background fetcher; deep link router;
        biometric prompt; crash reporter; widget provider; video player; contacts importer""",
        """offline edits; conflict resolution; adaptive layouts; biometric unlock; background uploads;
        a home screen widget; battery-aware sync; shareable links""",
        "Kotlin; Swift; Flutter; React Native",
        "activity lifecycles; background limits; optimistic sync; deep links; battery budgets",
        """the system kills background work without asking; a push may arrive before the data it speaks of;
        permissions can be withdrawn at any time; clocks of phones are wrong""",
        """
runtime | detached_view | a crash when the answer came after rotation | the callback held the destroyed screen | observing a model that survives it | callbacks must not hold screens
runtime | permission_denied | a crash when the camera was refused | the refusal was not handled | explaining and falling back to the gallery | every permission can be refused
runtime | missing_extra | an empty deep link from a campaign | its parameter was renamed | reading both names for a release | links live longer than releases
logic | clock_skew | edits that lost against older ones | conflicts were settled by the phone's clock | settling them by server revision | phone clocks decide nothing
logic | double_push | notifications that arrived twice | the token was registered anew on every start | registering changes only | registration is idempotent or it multiplies
timeout | cold_sync | a first sync that never finished on slow networks | everything came in one answer | paging it and resuming | large syncs are paged and resumable
""",
    ),
    _domain(
        "documentation and tools",
        """command line parser; changelog writer; example runner; API reference; link checker; code formatter;
        release notes; plugin loader; shell completion; error catalogue; tutorial; settings loader""",
        """executed examples; versioned pages; machine-readable output; searchable errors; shell completion;
        a migration guide; typed settings; dry runs""",
        "Typer; Sphinx; MkDocs; Click",
        "executable documentation; semantic versions; exit codes; deprecation cycles; progressive disclosure",
        """an example that is not run is wrong within a year; an exit code is part of the interface;
        environment variables are read once; a progress bar belongs on the error stream""",
        """
runtime | plugin_import | a plugin that broke the whole program | its import error was not contained | loading plugins one by one with a message | a broken plugin must not break its host
runtime | broken_pipe | a traceback when the output was cut | the reader had closed the pipe | ending quietly | a closed pipe is a normal end
runtime | locale_crash | a crash on a terminal without Unicode | the encoding was assumed | writing with a fallback | the encoding of a terminal is a question
logic | silent_default | a misspelt setting that had no effect | unknown keys were ignored | refusing them with the nearest name | unknown settings are refused
logic | stale_docs | an example that showed a removed option | nobody ran it | running every example in the tests | examples are tests
timeout | slow_import | a help page that took two seconds | everything was imported at the start | importing where it is used | a command imports what it needs when it needs it
""",
    ),
)
