"""`playground check`: what people read, what programs read, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

import pytest

from app.cli import run
from app.cli.findings import findings_text
from tests.checking import HEAD

ROOT = Path(__file__).parents[2]


def finding(**changes: Any) -> dict[str, Any]:
    return {
        "code": "RP002",
        "severity": "error",
        "message": "Nobody fills it.",
        "hint": "Fill it.",
        "tool": "order",
        "resolver": "find",
        "parameter": "isbn",
        "file": "/shop/books/find.py",
        "line": 3,
        "column": 10,
        "related": [],
        **changes,
    }


def lines(*findings: dict[str, Any]) -> list[str]:
    return findings_text({"findings": list(findings)}, PurePath("/shop")).plain.splitlines()


def test_a_finding_begins_with_its_place_as_terminals_and_editors_read_it() -> None:
    assert lines(finding()) == [
        "books/find.py:3:10: RP002 error: Nobody fills it.",
        "    Fill it.",
        "    Tool: order",
        "1 error, 0 warnings.",
    ]


PLACES = [
    ({"file": "/elsewhere/find.py"}, "/elsewhere/find.py:3:10: "),
    ({"column": None}, "books/find.py:3: "),
    ({"line": None, "column": None}, "books/find.py: "),
    ({"file": None}, ""),
]


@pytest.mark.parametrize(("place", "text"), PLACES)
def test_a_place_is_as_exact_as_it_is_known(place: dict[str, Any], text: str) -> None:
    assert lines(finding(**place))[0] == f"{text}RP002 error: Nobody fills it."


def test_related_places_stand_below_the_finding() -> None:
    related = [{"message": "a fills 'b'", "file": "/shop/books/find.py", "line": 7, "column": 2}]
    assert "    books/find.py:7:2: a fills 'b'" in lines(finding(related=related))


def test_what_several_tools_share_is_said_and_counted_once() -> None:
    shared = [finding(), finding(tool="reserve"), finding(severity="warning", code="RP101", tool="reserve")]
    shown = lines(*shared)
    assert shown[2] == "    Tools: order, reserve"
    assert shown[-1] == "1 error, 1 warning."


def test_information_alone_counts_as_nothing_wrong() -> None:
    assert lines(finding(severity="information"))[-1] == "No errors, no warnings."


def test_text_of_a_module_does_not_steer_the_terminal() -> None:
    assert "\x1b" not in "".join(lines(finding(message="\x1b[2J", tool="\x1b", file="/shop/\x1b.py")))


LOOKED_AT = [
    ("sample_tools/bookshop.py", 0, []),
    ("sample_tools/bookshop.py:mcp", 0, []),
    ("sample_tools/wrong_cycle.py", 1, ["RP001"]),
    ("sample_tools/nowhere.py", 1, ["RP007"]),
]


@pytest.mark.parametrize(("module", "code", "found"), LOOKED_AT)
def test_a_check_ends_with_1_when_there_is_something_to_mend(
    module: str, code: int, found: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(ROOT / module), "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert document["module"] == str(ROOT / module)
    assert [one["code"] for one in document["findings"] if one["severity"] != "information"] == found


def test_an_interpreter_that_is_not_there_is_an_error_of_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "shop.py", "--python", "/nowhere/python"]) == 1
    assert capsys.readouterr().out.startswith("RP007 error: /nowhere/python cannot be run")


def test_what_a_module_prints_is_no_part_of_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loud.py").write_text(f"print('hello')\n{HEAD}")
    assert run(["check", str(tmp_path / "loud.py"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_the_example_of_the_command_lines_page_is_what_it_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    run(["check", "sample_tools/wrong_parameter.py"])
    shown = "".join(f"    {line}\n" for line in capsys.readouterr().out.splitlines())
    page = (ROOT / "docs" / "cli.md").read_text()
    assert f"    $ playground check sample_tools/wrong_parameter.py\n{shown}\n" in page
