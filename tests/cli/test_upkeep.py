"""upkeep, contradictions, decide, unmerge"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.cli.command import Mnemic


def told(mnemic: Mnemic, text: str, day: str = "2026-01-01") -> str:
    done = mnemic("remember", text, "--user", "ana", "--occurred-at", day, "--json").object
    id: str = done["memory"]["id"]
    return id


def test_upkeep_closes_what_changed_and_says_so(mnemic: Mnemic) -> None:
    porto = told(mnemic, "I live in Porto")
    told(mnemic, "I moved to Lisbon", "2026-03-01")
    dry = mnemic("upkeep", "--dry-run", "--json").object
    assert (dry["dry_run"], dry["counts"]) == (True, {"superseded": 1})
    assert mnemic("show", porto, "--json").object["memory"]["superseded_at"] is None
    done = mnemic("upkeep", "--user", "ana")
    assert f"superseded\t{porto}\tI live in Porto\tanother value" in done.out
    assert "2 new memories; superseded 1" in done.err
    assert mnemic("show", porto, "--json").object["memory"]["superseded_at"] == "2026-03-01"
    assert "nothing to do" in mnemic("upkeep", "--user", "ana").err


def test_a_contradiction_is_listed_and_decided(mnemic: Mnemic) -> None:
    older, newer = told(mnemic, "My rent is 900 euros"), told(mnemic, "My rent is 950 euros")
    mnemic("upkeep")
    (listed,) = mnemic("contradictions", "--json").objects
    assert (listed["older"]["id"], listed["newer"]["id"]) == (older, newer)
    assert mnemic("contradictions").out == (
        f"older\t{older}\t2026-01-01\tMy rent is 900 euros\nnewer\t{newer}\t2026-01-01\tMy rent is 950 euros\n"
    )
    assert mnemic("decide", older, newer, "--keep", "older").out == "kept older\n"
    assert mnemic("contradictions").out == ""
    assert mnemic("show", newer, "--json").object["memory"]["superseded_by"] == older


def test_a_merger_is_undone(mnemic: Mnemic) -> None:
    told(mnemic, "I bought a couch for the office")
    sofa = told(mnemic, "I purchased a sofa for the office")
    assert mnemic("upkeep", "--json").object["counts"] == {"merged": 1}
    assert mnemic("unmerge", sofa, "--json").object["superseded_by"] is None


def test_a_wrong_model_is_named_by_its_setting(mnemic: Mnemic, monkeypatch: pytest.MonkeyPatch) -> None:
    told(mnemic, "I live in Porto")
    monkeypatch.setenv("MNEMIC_LLM", "foo")
    assert mnemic("upkeep", code=1).err.startswith("error: MNEMIC_LLM: must look like openai:MODEL")


def test_a_wrong_option_is_one_line(mnemic: Mnemic) -> None:
    told(mnemic, "I live in Porto")
    failed = mnemic("upkeep", "--weakest", "nan", code=1)
    assert failed.err == "error: --weakest: must be a number from 0 to 10, not nan\n"
    assert (
        "keep: must be newer"
        in mnemic("decide", *["0192f3c4-0000-7000-8000-000000000000"] * 2, "--keep", "x", code=1).err
    )
