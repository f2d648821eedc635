"""What a rule is: a code, a severity, and a function that finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from resolver_runtime.rules.finding import Place, Remark, Severity
from resolver_runtime.rules.subject import Subject


@dataclass(frozen=True)
class Hit:
    """One thing that a rule found; the rule's code and the tool are added to it."""

    message: str
    hint: str
    place: Place
    resolver: str | None = None
    parameter: str | None = None
    related: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class Rule:
    """`code` is the name of its page in docs/rules, `title` the page's heading. `check` may raise anything."""

    code: str
    title: str
    severity: Severity
    check: Callable[[Subject], Iterator[Hit]]
