"""The samples called as `playground call` does: through a worker, in both eras, on both executors, to one outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest

from app.answers import Answer
from app.calling import Made, Request, call_on
from app.client.settings import DEFAULT_CAPABILITIES, ClientSettings
from app.workers import ModuleSpec, Workers
from resolver_runtime.events import Era, QuestionAsked

pytestmark = pytest.mark.anyio

SAMPLES = Path(__file__).parents[1] / "sample_tools"
WAIT_SECONDS = 60
ERAS: tuple[Era, ...] = ("2026-07-28", "2025-11-25")
ENGINES: tuple[Literal["playground", "sdk"], ...] = ("playground", "sdk")

YES = {"action": "accept", "content": {"confirm": True}}
NO = {"action": "accept", "content": {"confirm": False}}
DECLINED = "Error executing tool order_book: Resolver for parameter 'backorder' could not resolve: elicitation was "
TOOL_USE = {"type": "tool_use", "id": "1", "name": "search_catalogue", "input": {"words": "Dune"}}


@dataclass(frozen=True)
class Case:
    """`runs` is how often each resolver ran in the modern era, in all rounds; `code` the command's exit code."""

    module: str
    tool: str
    arguments: Mapping[str, Any]
    text: str
    answers: Mapping[str, Any] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=dict)
    code: int = 0
    without: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.module}-{self.text[:24]}"


def order(title: str, text: str, answer: Any = None, code: int = 0, rounds: int = 1) -> Case:
    answers = {} if answer is None else {"confirm_backorder": answer}
    runs = {"check_stock": rounds, "confirm_backorder": rounds}
    return Case("step3_confirm", "order_book", {"title": title}, text, answers, runs, code)


CASES = [
    Case(
        "step1_reserve", "reserve_book", {"title": "Dune"}, "Reserved 'Dune' (6 copies left).", runs={"check_stock": 1}
    ),
    Case("step1_reserve", "reserve_book", {"title": "Neuromancer"}, "'Neuromancer' is out of stock."),
    Case(
        "step2_delivery",
        "order_book",
        {"title": "Dune"},
        "Ordered 'Dune'; it arrives tomorrow.",
        runs={"check_stock": 1, "estimate_delivery": 1},
    ),
    Case(
        "step2_delivery",
        "order_book",
        {"title": "Neuromancer"},
        "'Neuromancer' is on backorder; it would arrive in 2-3 weeks.",
    ),
    order("Dune", "Ordered 'Dune'."),
    order("Neuromancer", "Backordered 'Neuromancer'; it ships in 2-3 weeks.", YES, rounds=2),
    order("Neuromancer", "No order placed.", NO, rounds=2),
    order("Neuromancer", f"{DECLINED}decline", {"action": "decline"}, 1, 2),
    order("Neuromancer", f"{DECLINED}cancel", {"action": "cancel"}, 1, 2),
    Case("bookshop", "order_book", {"title": "Neuromancer"}, "No order placed.", {"confirm_backorder": NO}),
    Case(
        "step4_recommend",
        "recommend_book",
        {"genre": "mystery"},
        "Today's mystery pick: Rebecca.",
        {"pick_title": {"text": "Rebecca"}},
        {"pick_title": 2},
    ),
    Case(
        "try_decline",
        "sign_guestbook",
        {},
        "The guest would rather not sign.",
        {"ask_entry": {"action": "decline"}},
        {"ask_entry": 2},
    ),
    Case(
        "try_research",
        "research",
        {"question": "Who?"},
        "Who?: it would use search_catalogue with {'words': 'Dune'}.",
        {"plan_research": {"role": "assistant", "model": "m", "content": [TOOL_USE], "stopReason": "toolUse"}},
        added=frozenset({"sampling.tools"}),
    ),
    Case(
        "try_roots", "list_projects", {}, "Novel", {"fetch_roots": {"roots": [{"uri": "file:///n", "name": "Novel"}]}}
    ),
    Case(
        "try_three_questions",
        "write_card",
        {"recipient": "Ana"},
        "A warm card to Ana: Hi! Saved in file:///c.",
        {
            "ask_style": {"action": "accept", "content": {"tone": "warm"}},
            "draft_text": {"text": "Hi!"},
            "find_folder": {"roots": [{"uri": "file:///c"}]},
        },
        {"ask_style": 2, "draft_text": 2, "find_folder": 2},
    ),
    Case(
        "try_chain",
        "plan_trip",
        {"traveller": "Ben"},
        "Ben stays 3 nights in Porto, with a sea view.",
        {
            "ask_destination": {"action": "accept", "content": {"city": "Porto"}},
            "ask_stay": {"action": "accept", "content": {"nights": 3}},
            "ask_room": {"action": "accept", "content": {"view": "sea"}},
        },
        {"ask_destination": 4, "ask_stay": 3, "ask_room": 2},
    ),
    Case("try_context", "greet", {"name": "Ana"}, "Bom dia, Ana, from Lisbon!"),
]


async def nobody(asked: QuestionAsked) -> Answer | None:
    return None


async def called(
    case: Case, era: Era, engine: Literal["playground", "sdk"], workers: Workers, *, isolate: bool = False
) -> Made:
    spec = ModuleSpec(str(SAMPLES / f"{case.module}.py"), engine=engine, isolate=isolate)
    capabilities = (DEFAULT_CAPABILITIES | case.added) - case.without
    client = ClientSettings(era, capabilities, headers={"X-Shop-Branch": "Lisbon"})
    request = Request(spec, case.tool, case.arguments, client, case.answers)
    with anyio.fail_after(WAIT_SECONDS):
        return await call_on(await workers.start(spec), request, nobody, lambda _: None)


def outcome(made: Made) -> dict[str, Any]:
    """What both executors must agree on: not what ours alone can tell."""
    told = ("asked_before", "reason")
    rounds = [
        {**one, "questions": [{key: q[key] for key in q if key not in told} for q in one["questions"]]}
        for one in made.document["rounds"]
    ]
    return {"rounds": rounds, "result": made.document["result"], "error": made.document["error"], "code": made.code}


def text(made: Made) -> str:
    return " ".join(block["text"] for block in made.document["result"]["content"])


def runs(made: Made) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in made.document["rounds"]:
        for key, times in (one["runs"] or {}).items():
            name = key.partition(":")[2]
            found[name] = found.get(name, 0) + times
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_sample_has_one_outcome_in_both_eras_and_on_both_executors(case: Case) -> None:
    async with Workers() as workers:
        for era in ERAS:
            ours, theirs = [await called(case, era, engine, workers) for engine in ENGINES]
            assert (text(ours), ours.code) == (case.text, case.code)
            assert outcome(ours) == outcome(theirs)
            if era == "2026-07-28" and case.runs:
                assert runs(ours) == case.runs


async def test_every_sample_works_isolated_in_both_eras() -> None:
    async with Workers() as workers:
        for case in CASES:
            for era in ERAS:
                made = await called(case, era, "playground", workers, isolate=True)
                assert (text(made), made.code) == (case.text, case.code)


REFUSED = [
    ("step3_confirm", "order_book", {"title": "Neuromancer"}, "elicitation.form", {"elicitation": {"form": {}}}),
    ("step4_recommend", "recommend_book", {"genre": "mystery"}, "sampling", {"sampling": {}}),
    ("try_roots", "list_projects", {}, "roots", {"roots": {}}),
    ("try_research", "research", {"question": "Who?"}, "sampling.tools", {"sampling": {"tools": {}}}),
]


@pytest.mark.parametrize(("module", "tool", "arguments", "capability", "required"), REFUSED)
async def test_a_missing_capability_is_refused_with_what_was_required(
    module: str, tool: str, arguments: dict[str, Any], capability: str, required: dict[str, Any]
) -> None:
    case = Case(module, tool, arguments, "", without=frozenset({capability}))
    async with Workers() as workers:
        for era in ERAS:
            for engine in ENGINES:
                made = await called(case, era, engine, workers)
                assert made.code == 2
                assert made.document["error"]["code"] == -32021
                assert made.document["error"]["data"]["requiredCapabilities"] == required


@pytest.mark.parametrize("module", ["wrong_cycle", "wrong_parameter"])
async def test_a_broken_sample_serves_nothing(module: str) -> None:
    case = Case(module, "quote_price" if module == "wrong_cycle" else "locate_book", {"title": "Dune"}, "")
    async with Workers() as workers:
        made = await called(case, "2026-07-28", "playground", workers)
    assert made.code == 4
    assert made.document["error"]["data"]["problems"]


async def test_a_value_for_a_hidden_parameter_is_ignored_and_told() -> None:
    arguments = {"title": "Neuromancer", "stock": 99, "backorder": {"confirm": True}}
    case = Case("step3_confirm", "order_book", arguments, "No order placed.", {"confirm_backorder": NO})
    async with Workers() as workers:
        for era in ERAS:
            for engine in ENGINES:
                made = await called(case, era, engine, workers)
                assert text(made) == case.text
                ignored = [e for e in made.document["events"] if e["type"] == "argument_ignored"]
                assert {(event["name"], event["hidden"]) for event in ignored} == {("stock", True), ("backorder", True)}
