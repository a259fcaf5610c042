"""Write the generated parts of CONTRIBUTING.md, the layers and the walk: python tools/contributing.py"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.house.layers import EXCEPTIONS, LAYERS, Layer  # noqa: E402
from tools.files_passed import PACKAGE, walks  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = ROOT / "CONTRIBUTING.md"


def page(text: str) -> str:
    """Return the page with its generated parts brought up to date."""
    for name, lines in (("layers", _layers()), ("walk", _walk())):
        before, start, rest = text.partition(f"<!-- {name}, written by tools/contributing.py -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->\n")
        if not end:
            raise SystemExit(f"{PAGE.name} has no markers around the part '{name}'.")
        text = "".join((before, start, "\n", "\n".join(lines).rstrip(), "\n\n", end, after))
    return text


def _layers() -> Iterator[str]:
    yield "| layer | parts | may import | what it is for |"
    yield "|---|---|---|---|"
    for layer in LAYERS:
        yield f"| {layer.name} | {_parts(layer.parts)} | {_imports(layer)} | {layer.purpose} |"
    yield ""
    yield "Every layer may import `errors` and, but for `errors` itself, `model`. The exceptions:"
    yield ""
    for (part, other), reason in EXCEPTIONS.items():
        yield f"- {_name(part)} imports {_name(other)}: {reason}."


def _parts(parts: Sequence[str]) -> str:
    exist = ", ".join(_name(part) for part in parts if _path(part).exists())
    planned = ", ".join(_name(part) for part in parts if not _path(part).exists())
    return exist + (f" (planned: {planned})" if planned else "")


def _imports(layer: Layer) -> str:
    names = [name for other in LAYERS if other is not layer for name in _imported(layer, other)]
    return ", ".join(names + ([] if layer.closed else ["itself"])) or "–"


def _imported(layer: Layer, other: Layer) -> Iterator[str]:
    """Yield the name of the other layer if all of its parts may be imported, else the parts that may."""
    allowed = [part for part in other.parts if part in layer.imports]
    if allowed == list(other.parts):
        yield other.name
    else:
        yield from map(_name, allowed)


def _name(part: str) -> str:
    return f"`{_path(part).relative_to(PACKAGE).as_posix()}{'' if _path(part).suffix else '/'}`"


def _path(part: str) -> Path:
    path = PACKAGE / part.replace(".", "/")
    return path.with_suffix(".py") if path.with_suffix(".py").exists() else path


def _walk() -> Iterator[str]:
    for verb, files in walks().items():
        yield f"`{verb}` passes {len(files)} files:"
        yield ""
        for number, file in enumerate(files, start=1):
            yield f"{number}. `{file}`: {_docstring(PACKAGE / file)}"
        yield ""


def _docstring(file: Path) -> str:
    """Return the first paragraph of a module's docstring, without the full stop at its end."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).removesuffix(".")


def main() -> None:
    """Bring the page up to date."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
