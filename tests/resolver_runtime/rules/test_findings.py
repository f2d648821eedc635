"""Findings as values, and rules that fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mcp.server.mcpserver.tools import Tool

from resolver_runtime.rules import RULES, Finding, Place, Remark, Sources, Subject, findings_of
from resolver_runtime.rules.rule import Hit, Rule


def act(title: str) -> str:
    return title


@pytest.fixture
def subject() -> Subject:
    return Subject.registered(Tool.from_function(act), Sources())


def raising(subject: Subject) -> Iterator[Hit]:
    yield Hit("Something.", "", Place())
    raise RecursionError("too deep")


def finding_one(subject: Subject) -> Iterator[Hit]:
    yield Hit("Another.", "", Place())


def test_a_rule_that_raises_is_told_as_a_fault_of_ours_and_the_others_go_on(subject: Subject) -> None:
    rules = (Rule("RP998", "", "error", raising), Rule("RP999", "", "warning", finding_one))
    found = findings_of(subject, rules)
    assert [(one.code, one.severity) for one in found] == [
        ("RP998", "error"),
        ("RP000", "information"),
        ("RP999", "warning"),
    ]
    assert found[1].message == "The rule RP998 could not be applied to act: RecursionError: too deep."
    assert "a fault of the playground" in found[1].hint


def test_a_tool_with_nothing_wrong_has_no_findings(subject: Subject) -> None:
    assert findings_of(subject) == []


def test_every_rule_has_a_code_of_its_own_and_they_stand_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))


def test_a_finding_is_one_flat_object() -> None:
    remark = Remark("there", Place("b.py", 2, 3))
    finding = Finding("RP001", "error", "m", "h", "act", Place("a.py", 1), "find", "title", (remark,))
    assert finding.to_json() == {
        "code": "RP001",
        "severity": "error",
        "message": "m",
        "hint": "h",
        "tool": "act",
        "resolver": "find",
        "parameter": "title",
        "file": "a.py",
        "line": 1,
        "column": None,
        "related": [{"message": "there", "file": "b.py", "line": 2, "column": 3}],
    }
