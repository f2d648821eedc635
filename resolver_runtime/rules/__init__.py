"""Rules about tools and their resolvers: what is wrong, what will bite, what a tool needs of its client.

Each rule reads the analysed plan and the code of the functions, and runs none of it. Every code has a page in
docs/rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver_runtime.describe import gist
from resolver_runtime.rules import blocking, context, markers, returns, signatures
from resolver_runtime.rules.code import Sources
from resolver_runtime.rules.finding import Finding, Place, Remark, Severity
from resolver_runtime.rules.rule import Rule
from resolver_runtime.rules.subject import Refusal, Subject

__all__ = ["RULES", "Finding", "Place", "Refusal", "Remark", "Severity", "Sources", "Subject", "findings_of"]

_FAMILIES = (signatures, markers, returns, blocking, context)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in _FAMILIES for rule in family.RULES), key=lambda rule: rule.code)
)


def findings_of(subject: Subject, rules: tuple[Rule, ...] = RULES) -> list[Finding]:
    """Everything the rules find about one tool, in the order of their codes."""
    return [finding for rule in rules for finding in _found(rule, subject)]


def _found(rule: Rule, subject: Subject) -> Iterator[Finding]:
    try:
        for hit in rule.check(subject):
            yield Finding(
                rule.code,
                rule.severity,
                hit.message,
                hit.hint,
                subject.name,
                hit.place,
                hit.resolver,
                hit.parameter,
                hit.related,
            )
    except Exception as error:  # a rule reads whatever users write: that it stumbles is no fault of theirs
        yield _fault(rule, subject, error)


def _fault(rule: Rule, subject: Subject, error: Exception) -> Finding:
    return Finding(
        "RP000",
        "information",
        f"The rule {rule.code} could not be applied to {subject.name}: {type(error).__name__}: {gist(error)}.",
        "This is a fault of the playground, not of your module. Please report it with this line.",
        subject.name,
        Place(),
    )
