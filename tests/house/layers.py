"""The layers of the package: which part may import which. The arrows point down.

A part is a module or a folder; the longest name that a module begins with is its part. Everything may import `errors`
and `model`, except that these two import nothing above them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """One row of the table: its parts, what they may import besides values, and what they are for."""

    name: str
    parts: tuple[str, ...]
    imports: tuple[str, ...]
    purpose: str
    closed: bool = True
    """Whether the parts of this layer may not import one another."""


RULES = ("rules.recall", "rules.claims", "rules.learning", "rules", "rules.language")
CORE = (*RULES, "ports", "mind", "core")
SERVICES = ("upkeep", "files")
DOORS = ("agent", "experience", "persona", "generation", "evaluation", "transfer")
ADAPTERS = (
    "stores.sqlite",
    "stores.postgres",
    "embedders.table",
    "embedders.onnx",
    "embedders.remote",
    "rerankers.onnx",
    "rerankers.lazy",
    "llms.remote",
    "llms.scripted",
)

LAYERS = (
    Layer(
        "surfaces",
        ("cli", "mcp", "server", "channels", "integrations", "__main__"),
        (*CORE, *SERVICES, "onnx", "wiring", *DOORS),
        "parse, call, render",
    ),
    Layer("doors", DOORS, (*CORE, *SERVICES, "wiring"), "what applications use besides the verbs of a mind"),
    Layer(
        "wiring",
        ("wiring",),
        (*CORE, *SERVICES, "settings", "onnx", *ADAPTERS),
        "makes the adapters that the settings name",
        closed=False,
    ),
    Layer("settings", ("settings",), (), "the only reader of the environment and the settings file"),
    Layer("services", SERVICES, (*CORE, "sqlite"), "keep memories true and few, and in step with files"),
    Layer("core", ("mind", "core", "aio"), CORE, "the verbs of a mind", closed=False),
    Layer(
        "adapters",
        ADAPTERS,
        ("rules", "rules.language", "ports", "sqlite", "onnx", "http", "stores.index", "llms.shape"),
        "implement a port; import neither one another nor the core",
    ),
    Layer(
        "adapter parts",
        ("sqlite", "onnx", "http", "stores.index", "llms.shape", "stores", "embedders", "rerankers", "llms"),
        ("rules", "rules.language", "ports"),
        "what several adapters share",
    ),
    Layer("ports", ("ports",), (), "what the core needs from outside"),
    Layer("rules of a subject", RULES[:3], ("rules", "rules.language"), "pure decisions: recall, claims, learning"),
    Layer("rules", ("rules",), ("rules.language",), "pure decisions; time and randomness are arguments"),
    Layer("language", ("rules.language",), (), "words, sentences, dates and speakers"),
    Layer("values", ("model",), (), "memories and other values; no I/O, no clock"),
    Layer("errors", ("errors",), (), "every error of the package"),
)

EXCEPTIONS = {
    ("mind", "wiring"): "in the constructor of Mind only",
    ("__init__", "llms.scripted"): "the fake model is public, for users' own tests",
    ("evaluation", "generation"): "an evaluation reads generated worlds",
    ("__main__", "cli"): "`python -m mnemic` is the command line",
    ("cli", "mcp"): "`mnemic mcp` starts that surface",
    ("cli", "server"): "`mnemic serve` starts that surface",
    ("model", "errors"): "values are checked",
}
NAMES = "__init__"
"""The package itself, which exports the public names."""

LAYER_OF = {part: layer for layer in LAYERS for part in layer.parts}


def part_of(module: str) -> str | None:
    """Return the part that a module of the package belongs to; None when the table has no place for it."""
    names = module.split(".")[1:]
    if not names:
        return NAMES
    for length in range(len(names), 0, -1):
        if (part := ".".join(names[:length])) in LAYER_OF:
            return part
    return None


def may_import(part: str, other: str) -> bool:
    """Return whether a part may import another."""
    if part == other or (part, other) in EXCEPTIONS:
        return True
    if part == NAMES:
        return LAYER_OF[other].name in ("core", "doors", "values", "errors", "ports")
    layer = LAYER_OF[part]
    if other in ("errors", "model"):
        return layer.name not in ("errors", "values")
    return other in layer.imports or (not layer.closed and other in layer.parts)
