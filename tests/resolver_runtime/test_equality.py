"""Any tool, any answers: our engine runs, asks, remembers and ends as the SDK's does; and tells what happened."""

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver import Context, Elicit, ListRoots, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ClientCapabilities,
    ElicitResult,
    InputRequiredResult,
    InputResponseRequestParams,
    SamplingMessage,
    TextContent,
)

import resolver_runtime
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL, resolver_id
from tests.resolver_runtime.driving import ANA, CANCEL, DECLINE, ROOTS, Login, accept, completion, server
from tests.resolver_runtime.sessions import Session, context

ROUNDS = 8
"""More than the deepest chain of questions, and one for a question that is left open."""

Kind = Literal["value", "elicit", "sample", "list_roots", "refuses", "crashes"]
ANSWERS: Mapping[str, Any] = {
    "fits": None,
    "decline": DECLINE,
    "cancel": CANCEL,
    "no content": ElicitResult(action="accept"),
    "misfit": accept(username=["a"]),
    "completion": completion("so"),
    "roots": ROOTS,
    "none": None,
}
EVERYTHING = ("elicitation", "sampling", "roots")
FITTING: Mapping[str, Any] = {"elicit": ANA, "sample": completion("so"), "list_roots": ROOTS}


@dataclass(frozen=True)
class Plan:
    """One resolver: what it needs (place of another, whether its whole outcome), does, and is answered."""

    needs: tuple[tuple[int, bool], ...]
    kind: Kind
    sync: bool
    answer: str


@dataclass(frozen=True)
class Case:
    """`tool` as a resolver's needs; `declared` are the client's capabilities."""

    resolvers: tuple[Plan, ...]
    tool: tuple[tuple[int, bool], ...]
    declared: tuple[str, ...]


def needs(count: int, least: int = 0) -> st.SearchStrategy[tuple[tuple[int, bool], ...]]:
    if count == 0:
        return st.just(())
    need = st.tuples(st.integers(0, count - 1).map(lambda back: count - 1 - back), st.booleans())
    return st.lists(need, min_size=least, max_size=3, unique_by=lambda one: one[0]).map(tuple)


def plans(place: int) -> st.SearchStrategy[Plan]:
    # Mostly questions with answers that fit: else hardly a call would come to its second round.
    kinds: list[Kind] = [*["elicit"] * 12, "value", "value", "sample", "list_roots", "refuses", "crashes"]  # type: ignore[list-item]
    answers = [*["fits"] * 16, *ANSWERS]
    return st.builds(Plan, needs(place), st.sampled_from(kinds), st.booleans(), st.sampled_from(answers))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    count = draw(st.integers(1, 7))
    resolvers = tuple(draw(plans(place)) for place in range(count))
    declared = draw(st.sampled_from([EVERYTHING] * 8 + [("elicitation",), ("sampling", "roots")]))
    return Case(resolvers, draw(needs(count, 1)), declared)


@dataclass
class Trial:
    """A case on one engine; `story` is everything that can be seen of it."""

    case: Case
    story: list[tuple[Any, ...]] = field(default_factory=list)
    fns: list[Callable[..., Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for place, plan in enumerate(self.case.resolvers):
            self.fns.append(self._resolver(place, plan))
        self.server = server()
        self.server.add_tool(self._signed(self._body, self.case.tool), name="tool")

    def _resolver(self, place: int, plan: Plan) -> Callable[..., Any]:
        def resolver(**values: Any) -> Any:
            self.story.append(("ran", place, _shown(values)))
            return _doing(place, plan.kind)

        async def async_resolver(**values: Any) -> Any:
            return resolver(**values)

        return self._signed(resolver if plan.sync else async_resolver, plan.needs)

    def _body(self, **values: Any) -> str:
        self.story.append(("body", _shown(values)))
        return "done"

    def _signed(self, fn: Any, needs: tuple[tuple[int, bool], ...]) -> Callable[..., Any]:
        """The function with a parameter for each need."""

        def signed(**values: Any) -> Any:
            return fn(**values)

        async def async_signed(**values: Any) -> Any:
            return await fn(**values)

        made: Any = async_signed if inspect.iscoroutinefunction(fn) else signed
        hints: dict[str, Any] = {
            f"p{place}": Annotated[ElicitationResult[Login] if whole else Any, Resolve(self.fns[place])]
            for place, whole in needs
        }
        made.__annotations__ = {**hints, "return": Any}
        made.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]) for name in hints]
        )
        return made  # type: ignore[no-any-return]

    async def in_rounds(self) -> None:
        params: InputResponseRequestParams | None = None
        for _ in range(ROUNDS):
            result = await self._called(self._context("2026-07-28", params))
            if not isinstance(result, InputRequiredResult):
                return
            asked = {key: request.model_dump(mode="json") for key, request in (result.input_requests or {}).items()}
            self.story.append(("asked", asked, result.request_state))
            answers = {key: answer for key in asked if (answer := self.answer(self.places()[key])) is not None}
            params = InputResponseRequestParams(input_responses=answers, request_state=result.request_state)

    async def in_one_call(self) -> None:
        await self._called(self._context("2025-11-25", None))

    async def _called(self, request: Context) -> Any:
        try:
            result = await self.server.call_tool("tool", {}, request)
        except (ToolError, MCPError) as error:
            self.story.append(("failed", type(error).__name__, str(error), repr(error.__cause__)))
            return None
        if not isinstance(result, InputRequiredResult):
            self.story.append(("returned", result.model_dump(mode="json")))
        return result

    def _context(self, version: str, params: InputResponseRequestParams | None) -> Context:
        session = Answering(self)
        session.client_capabilities = ClientCapabilities.model_validate({name: {} for name in self.case.declared})
        request = context(session, version)
        request._input_params = params
        return request

    def places(self) -> dict[str, int]:
        """The wire key of each resolver; those of one name are numbered as they are found."""
        [tool] = self.server._tool_manager.list_tools()
        # Ours stands among the SDK's plans, and has no key.
        plans = [plan for plan in tool.resolver_plans.values() if hasattr(plan, "wire_key")]
        return {plan.wire_key: self.fns.index(plan.fn) for plan in plans}

    def answer(self, place: int) -> Any:
        plan = self.case.resolvers[place]
        return FITTING.get(plan.kind) if plan.answer == "fits" else ANSWERS[plan.answer]


class Answering(Session):
    """The handshake era: each question names its resolver's place; a roots question cannot, and gets roots."""

    def __init__(self, trial: Trial) -> None:
        super().__init__()
        self._trial = trial

    async def elicit_form(self, message: str, requested_schema: Mapping[str, Any], related_request_id: str) -> Any:
        self._trial.story.append(("elicit", message, dict(requested_schema)))
        answer = self._trial.answer(int(message))
        return answer if isinstance(answer, ElicitResult) else CANCEL

    async def send_request(self, request: Any, result_type: Any, **rest: Any) -> Any:
        self._trial.story.append(("sent", request.model_dump(mode="json"), result_type))
        return ROOTS if request.params is None else completion("so")


def _doing(place: int, kind: Kind) -> Any:
    if kind == "refuses":
        raise ToolError(f"No, says {place}.")
    if kind == "crashes":
        raise KeyError(place)
    asking: Mapping[str, Callable[[], Any]] = {
        "value": lambda: place,
        "elicit": lambda: Elicit(str(place), Login),
        "sample": lambda: Sample(
            [SamplingMessage(role="user", content=TextContent(text=str(place)))], max_tokens=place + 1
        ),
        "list_roots": ListRoots,
    }
    return asking[kind]()


def _shown(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: repr(value) for name, value in values.items()}


Era = Callable[[Trial], Coroutine[Any, Any, None]]
ERAS = pytest.mark.parametrize("era", [Trial.in_rounds, Trial.in_one_call], ids=["in rounds", "in one call"])


TRIES = settings(deadline=None, max_examples=settings().max_examples // 2)
"""Half as many as elsewhere: one is a whole call, on both engines."""


def tried(case: Case, era: Era) -> Trial:
    trial = Trial(case)
    asyncio.run(era(trial))
    return trial


def tried_on_ours(case: Case, era: Era) -> tuple[Trial, list[ev.Event]]:
    told: list[ev.Event] = []
    assert resolver_runtime.install(told.append) is None
    try:
        return tried(case, era), told
    finally:
        resolver_runtime.uninstall()


@ERAS
@TRIES
@given(case=cases())
def test_a_call_is_the_same_on_both_engines(era: Era, case: Case) -> None:
    ours, _ = tried_on_ours(case, era)
    assert ours.story == tried(case, era).story


@ERAS
@TRIES
@given(case=cases())
def test_what_is_told_is_what_ran(era: Era, case: Case) -> None:
    trial, told = tried_on_ours(case, era)
    started = Counter(trial.places()[event.key] for event in told if isinstance(event, ev.ResolverStarted))
    ran = Counter(step[1] for step in trial.story if step[0] == "ran")
    assert started == ran


@ERAS
@TRIES
@given(case=cases())
def test_each_node_of_each_round_ran_or_is_told_as_not_reached(era: Era, case: Case) -> None:
    trial, told = tried_on_ours(case, era)
    nodes = {resolver_id(key) for key in trial.places()} | {TOOL}
    for events in rounds(told):
        ran = {event.node for event in events if isinstance(event, ev.ResolverStarted)}
        ran |= {TOOL for event in events if isinstance(event, ev.ToolStarted)}
        not_reached = {event.node for event in events if isinstance(event, ev.NodeNotReached)}
        assert ran | not_reached == nodes
        assert ran & not_reached == set()


def rounds(told: list[ev.Event]) -> list[list[ev.Event]]:
    """The events of each round, which begins with its arguments."""
    starts = [place for place, event in enumerate(told) if isinstance(event, ev.ArgumentsValidated)]
    return [told[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
