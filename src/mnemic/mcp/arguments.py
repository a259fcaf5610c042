"""The arguments that tools share, each described for the model that calls them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from mnemic.mcp import budget
from mnemic.model.memory import Tier

Id = Annotated[str, Field(description="The id of a memory, as another tool returned it.")]
TierName = Annotated[
    Tier,
    Field(
        description="long_term for lasting facts, episodic for events, working for the current task, short_term for "
        "what was just said."
    ),
]
OnlyTier = Annotated[Tier | None, Field(description="Only memories of this tier.")]
Category = Annotated[
    str | None, Field(description="The kind of memory in one word, such as preference, decision or person.")
]
Importance = Annotated[float | None, Field(description="From 1 (trivial) to 10 (vital); default 5.", ge=1, le=10)]
Tags = Annotated[list[str] | None, Field(description="Words to filter by later.")]
Metadata = Annotated[
    dict[str, Any] | None, Field(description="Any JSON object; filter on it with metadata.KEY in where.")
]
OccurredAt = Annotated[str | None, Field(description="When it happened, ISO 8601: 2026-03-01 or 2026-03-01T09:30:00Z.")]
ExpiresAt = Annotated[str | None, Field(description="When it stops being true, ISO 8601: 2026-03-01T09:30:00Z.")]
Where = Annotated[
    dict[str, Any] | None,
    Field(
        description="A filter on fields. Operators: eq, ne, gt, gte, lt, lte, in, contains, exists; join with and, or, "
        'not. For example {"category": "decision", "metadata.year": {"gte": 2025}, "tags": {"contains": "api"}}.'
    ),
]
AsOf = Annotated[str | None, Field(description="Return what was true at this time, ISO 8601; default now.")]
IncludeEnded = Annotated[bool, Field(description="Include superseded and expired memories.")]
Limit = Annotated[int, Field(description="The most results to return, over all pages.", ge=1, le=100)]
Budget = Annotated[
    int,
    Field(description="The size of the result in tokens, roughly.", ge=budget.LEAST, le=budget.MOST),
]
Cursor = Annotated[
    str | None, Field(description="The next_cursor of the previous result; leave the other arguments unchanged.")
]
Clear = Annotated[
    list[Literal["category", "source", "tags", "metadata", "occurred_at", "expires_at"]] | None,
    Field(description="Fields to empty."),
]
