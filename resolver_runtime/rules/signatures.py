"""Signatures that no call could fill: what the SDK refuses at registration, all of it and not only the first."""

from __future__ import annotations

from collections.abc import Iterator

from resolver_runtime.analysis import returns_input_required
from resolver_runtime.describe import name_of
from resolver_runtime.errors import Cycle, SeveralQuestions, SignatureProblem, UnresolvableParameter, WrappedMarker
from resolver_runtime.rules.finding import Place, Remark
from resolver_runtime.rules.rule import Hit, Rule
from resolver_runtime.rules.subject import Subject


def cycles(subject: Subject) -> Iterator[Hit]:
    for problem in subject.problems:
        if isinstance(problem, Cycle):
            circle = " needs ".join(f"{name_of(fn)}({parameter})" for fn, parameter in problem.edges)
            first, parameter = problem.edges[0]
            yield Hit(
                f"{problem}: {circle} needs {name_of(first)}.",
                problem.way_out,
                subject.code_of(first).parameter(parameter),
                problem.resolver,
                parameter,
                tuple(_edges(subject, problem)),
            )


def _edges(subject: Subject, problem: Cycle) -> Iterator[Remark]:
    followers = [*problem.edges[1:], problem.edges[0]]
    for (target, parameter), (source, _) in zip(problem.edges, followers, strict=True):
        where = subject.code_of(target).parameter(parameter)
        yield Remark(f"{name_of(source)} fills {parameter!r} of {name_of(target)}", where)


def unresolvable_parameters(subject: Subject) -> Iterator[Hit]:
    for problem in subject.problems:
        if isinstance(problem, UnresolvableParameter) and problem.parameter is not None:
            yield _hit(problem, subject.code_of(problem.function).parameter(problem.parameter))


def wrapped_markers(subject: Subject) -> Iterator[Hit]:
    for problem in subject.problems:
        if isinstance(problem, WrappedMarker) and problem.parameter is not None:
            yield _hit(problem, subject.code_of(problem.function).parameter(problem.parameter))


def several_questions(subject: Subject) -> Iterator[Hit]:
    for problem in subject.problems:
        if isinstance(problem, SeveralQuestions):
            yield _hit(problem, subject.code_of(problem.function).returns)


def two_flows(subject: Subject) -> Iterator[Hit]:
    if _has_two_flows(subject):
        yield Hit(
            f"Tool {subject.name!r} combines Resolve(...) parameters with an InputRequiredResult return.",
            "Let resolvers ask, and return the tool's own result; or drive the rounds in the body, without resolvers.",
            subject.code_of(subject.fn).returns,
        )


def _has_two_flows(subject: Subject) -> bool:
    return bool(subject.plan.parameters) and returns_input_required(subject.fn)


def other_refusals(subject: Subject) -> Iterator[Hit]:
    """What is refused for a reason that has no rule of its own."""
    if subject.refusal is not None and not subject.problems and not _has_two_flows(subject):
        yield Hit(subject.refusal.message, subject.refusal.hint, subject.code_of(subject.fn).place)


def _hit(problem: SignatureProblem, place: Place) -> Hit:
    return Hit(f"{problem}.", problem.hint, place, problem.resolver, problem.parameter)


RULES = (
    Rule("RP001", "Resolvers that need each other", "error", cycles),
    Rule("RP002", "A parameter from nowhere", "error", unresolvable_parameters),
    Rule("RP003", "A marker inside another annotation", "error", wrapped_markers),
    Rule("RP004", "A resolver that declares several questions", "error", several_questions),
    Rule("RP005", "Resolvers beside rounds of the tool's own", "error", two_flows),
    Rule("RP006", "A signature that the SDK refuses", "error", other_refusals),
)
