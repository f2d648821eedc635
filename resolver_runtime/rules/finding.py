"""What a check found, as plain values: which rule, in which words, and exactly where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "information"]


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file. `line` and `column` count from 1, columns in characters; None is not known."""

    file: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A further place that belongs to a finding, and what is there."""

    message: str
    place: Place

    def to_json(self) -> dict[str, Any]:
        return {"message": self.message, **asdict(self.place)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of one rule about one tool.

    `code` is the rule's, short and stable; `message` says what is so, `hint` what to write instead. `resolver` and
    `parameter` name who is meant, None where it is the tool itself.
    """

    code: str
    severity: Severity
    message: str
    hint: str
    tool: str
    place: Place
    resolver: str | None = None
    parameter: str | None = None
    related: tuple[Remark, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "tool": self.tool,
            "resolver": self.resolver,
            "parameter": self.parameter,
            **asdict(self.place),
            "related": [remark.to_json() for remark in self.related],
        }
