"""The samples' exact outcomes, in both eras, on the SDK's own executor and on ours."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import anyio
import mcp_types
import pytest
from mcp import Client, MCPError
from mcp.client import ClientRequestContext
from mcp.server.mcpserver.exceptions import InvalidSignature
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
    ToolUseContent,
)
from pydantic import FileUrl

import resolver_runtime

pytestmark = pytest.mark.anyio

SAMPLES = Path(__file__).parents[1] / "sample_tools"
WAIT_SECONDS = 10
"""No call of a sample waits for anything but this test's own answers."""

Engine = Literal["sdk", "playground"]
Mode = Literal["legacy", "2026-07-28"]

NOVEL = Root(uri=FileUrl("file:///home/ana/novel"), name="Novel")
POSTER = Root(uri=FileUrl("file:///home/ana/poster"))


@dataclass
class Person:
    """A client that gives prepared answers and remembers what it was asked."""

    elicitations: list[ElicitResult] = field(default_factory=list)
    completion: CreateMessageResult | CreateMessageResultWithTools | None = None
    roots: list[Root] | None = None
    asked: list[str] = field(default_factory=list)

    async def on_elicitation(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return self.elicitations.pop(0)

    async def on_sampling(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools:
        first = params.messages[0].content
        assert isinstance(first, TextContent)
        assert self.completion
        self.asked.append(first.text)
        return self.completion

    async def on_roots(self, context: ClientRequestContext) -> ListRootsResult:
        self.asked.append("roots")
        return ListRootsResult(roots=self.roots or [])

    def client(self, module: ModuleType, mode: Mode) -> Client:
        with_tools = isinstance(self.completion, CreateMessageResultWithTools)
        tools = mcp_types.SamplingToolsCapability() if with_tools else None
        return Client(
            module.mcp,
            mode=mode,
            elicitation_callback=self.on_elicitation,
            sampling_callback=None if self.completion is None else self.on_sampling,
            sampling_capabilities=mcp_types.SamplingCapability(tools=tools),
            list_roots_callback=None if self.roots is None else self.on_roots,
        )


@pytest.fixture(params=["sdk", "playground"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "sdk":
        yield "sdk"
        return
    resolver_runtime.install()
    yield "playground"
    resolver_runtime.uninstall()


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> Mode:
    return "legacy" if request.param == "legacy" else "2026-07-28"


@pytest.fixture
def load(engine: Engine) -> Iterator[Callable[[str], ModuleType]]:
    loaded: list[str] = []

    def load_sample(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, SAMPLES / f"{name}.py")
        assert spec
        assert spec.loader
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        loaded.append(name)
        spec.loader.exec_module(module)
        return module

    yield load_sample
    for name in loaded:
        del sys.modules[name]


async def call(module: ModuleType, mode: Mode, person: Person, tool: str, **arguments: Any) -> mcp_types.CallToolResult:
    with anyio.fail_after(WAIT_SECONDS):
        async with person.client(module, mode) as client:
            return await client.call_tool(tool, arguments)


def text(result: mcp_types.CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def accept(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


def completion(answer: str) -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text=answer), model="a person")


@pytest.mark.parametrize(
    ("sample", "tool", "title", "outcome"),
    [
        ("step1_reserve", "reserve_book", "Dune", "Reserved 'Dune' (6 copies left)."),
        ("step1_reserve", "reserve_book", "Neuromancer", "'Neuromancer' is out of stock."),
        ("step2_delivery", "order_book", "Dune", "Ordered 'Dune'; it arrives tomorrow."),
        (
            "step2_delivery",
            "order_book",
            "Neuromancer",
            "'Neuromancer' is on backorder; it would arrive in 2-3 weeks.",
        ),
        ("step3_confirm", "order_book", "Dune", "Ordered 'Dune'."),
    ],
)
async def test_a_step_that_need_not_ask_gives_its_outcome(
    load: Callable[[str], ModuleType], mode: Mode, sample: str, tool: str, title: str, outcome: str
) -> None:
    person = Person()
    result = await call(load(sample), mode, person, tool, title=title)
    assert (text(result), bool(result.is_error), person.asked) == (outcome, False, [])


async def test_the_first_step_shows_the_model_one_property(load: Callable[[str], ModuleType], mode: Mode) -> None:
    async with Person().client(load("step1_reserve"), mode) as client:
        [tool] = (await client.list_tools()).tools
    assert tool.input_schema["title"] == "reserve_bookArguments"
    assert list(tool.input_schema["properties"]) == tool.input_schema["required"] == ["title"]


async def test_the_second_step_looks_the_stock_up_once(
    load: Callable[[str], ModuleType], mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load("step2_delivery")
    lookups: list[str] = []

    class Shelf(dict[str, int]):
        def get(self, title: str, default: Any = None) -> Any:
            lookups.append(title)
            return super().get(title, default)

    monkeypatch.setattr(module, "SHELF", Shelf(module.SHELF))
    await call(module, mode, Person(), "order_book", title="Dune")
    assert lookups == ["Dune"]


@pytest.mark.parametrize(
    ("answer", "is_error", "outcome"),
    [
        (accept(confirm=True), False, "Backordered 'Neuromancer'; it ships in 2-3 weeks."),
        (accept(confirm=False), False, "No order placed."),
        (
            ElicitResult(action="decline"),
            True,
            "Error executing tool order_book: "
            "Resolver for parameter 'backorder' could not resolve: elicitation was decline",
        ),
        (
            ElicitResult(action="cancel"),
            True,
            "Error executing tool order_book: "
            "Resolver for parameter 'backorder' could not resolve: elicitation was cancel",
        ),
    ],
    ids=["yes", "no", "decline", "cancel"],
)
async def test_the_third_step_does_as_its_question_is_answered(
    load: Callable[[str], ModuleType], mode: Mode, answer: ElicitResult, is_error: bool, outcome: str
) -> None:
    person = Person([answer])
    result = await call(load("step3_confirm"), mode, person, "order_book", title="Neuromancer")
    assert (text(result), bool(result.is_error)) == (outcome, is_error)
    assert person.asked == ["'Neuromancer' is out of stock (2-3 weeks). Order anyway?"]


async def test_the_fourth_step_samples_a_title(load: Callable[[str], ModuleType], mode: Mode) -> None:
    person = Person(completion=completion("The Big Sleep"))
    result = await call(load("step4_recommend"), mode, person, "recommend_book", genre="mystery")
    assert text(result) == "Today's mystery pick: The Big Sleep."


async def test_the_fourth_step_names_the_kind_of_an_answer_it_cannot_use(
    load: Callable[[str], ModuleType], mode: Mode
) -> None:
    image = mcp_types.ImageContent(data="aGk=", mime_type="image/png")
    person = Person(completion=CreateMessageResult(role="assistant", content=image, model="a person"))
    result = await call(load("step4_recommend"), mode, person, "recommend_book", genre="mystery")
    assert result.is_error
    assert "The model answered with image; a title in words was needed." in text(result)


@pytest.mark.parametrize(
    ("sample", "tool", "arguments", "required"),
    [
        ("step4_recommend", "recommend_book", {"genre": "mystery"}, {"sampling": {}}),
        ("try_research", "research", {"question": "Who?"}, {"sampling": {"tools": {}}}),
        ("try_roots", "list_projects", {}, {"roots": {}}),
    ],
)
async def test_a_missing_capability_is_refused_with_what_was_required(
    load: Callable[[str], ModuleType],
    mode: Mode,
    sample: str,
    tool: str,
    arguments: dict[str, Any],
    required: dict[str, Any],
) -> None:
    async with Person().client(load(sample), mode) as client:
        with pytest.raises(MCPError) as refusal, anyio.fail_after(WAIT_SECONDS):
            await client.call_tool(tool, arguments)
    assert refusal.value.error.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert refusal.value.error.data == {"requiredCapabilities": required}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (accept(name="Ana", remark="Lovely."), "Ana wrote: Lovely."),
        (accept(name="Ana"), "Ana wrote: (nothing)"),
        (ElicitResult(action="decline"), "The guest would rather not sign."),
        (ElicitResult(action="cancel"), "The guest closed the book without an answer."),
    ],
)
async def test_the_guestbook_takes_a_refusal_for_an_answer(
    load: Callable[[str], ModuleType], mode: Mode, answer: ElicitResult, outcome: str
) -> None:
    result = await call(load("try_decline"), mode, Person([answer]), "sign_guestbook")
    assert (text(result), bool(result.is_error)) == (outcome, False)


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        (TextContent(text="42"), "Why?: it says '42'."),
        (
            ToolUseContent(name="search_catalogue", id="1", input={"words": "why"}),
            "Why?: it would use search_catalogue with {'words': 'why'}.",
        ),
    ],
)
async def test_research_reports_what_the_model_would_do(
    load: Callable[[str], ModuleType], mode: Mode, content: TextContent | ToolUseContent, outcome: str
) -> None:
    person = Person(completion=CreateMessageResultWithTools(role="assistant", content=[content], model="a person"))
    assert text(await call(load("try_research"), mode, person, "research", question="Why?")) == outcome


async def test_roots_are_listed_by_name_or_else_by_address(load: Callable[[str], ModuleType], mode: Mode) -> None:
    result = await call(load("try_roots"), mode, Person(roots=[NOVEL, POSTER]), "list_projects")
    assert result.structured_content == {"result": ["Novel", "file:///home/ana/poster"]}


async def test_a_card_needs_three_kinds_of_answers(load: Callable[[str], ModuleType], mode: Mode) -> None:
    person = Person([accept(tone="warm")], completion("Thank you, Ben."), [NOVEL])
    result = await call(load("try_three_questions"), mode, person, "write_card", recipient="Ben")
    assert text(result) == "A warm card to Ben: Thank you, Ben. Saved in file:///home/ana/novel."
    assert sorted(person.asked) == [
        "How shall the card to Ben sound?",
        "Write one sentence for a card to Ben.",
        "roots",
    ]


async def test_a_chain_asks_each_question_once_and_in_order(load: Callable[[str], ModuleType], mode: Mode) -> None:
    person = Person([accept(city="Porto"), accept(nights=3), accept(view="sea")])
    result = await call(load("try_chain"), mode, person, "plan_trip", traveller="Ana")
    assert text(result) == "Ana stays 3 nights in Porto, with a sea view."
    assert person.asked == ["Where to?", "How many nights in Porto?", "Which view for 3 nights in Porto?"]


async def test_a_client_without_headers_is_greeted_at_the_main_branch(
    load: Callable[[str], ModuleType], mode: Mode
) -> None:
    result = await call(load("try_context"), mode, Person(), "greet", name="Ana")
    assert text(result) == "Welcome, Ana, from the main branch!"


EVENT: Mapping[str, Any] = {
    "name": "Book fair",
    "seats": 40,
    "price": 2.5,
    "outdoors": False,
    "size": "small",
    "floor": 2,
    "house_rules": "accepted",
    "audience": "all",
    "language": "pt",
    "topics": ["poetry", "prose"],
    "day": "2027-03-01",
    "doors": "2027-03-01T18:00:00",
    "website": "https://example.org/",
    "contact": "ana@example.org",
    "code": "AB-123",
    "roomKey": "blue",
}


async def test_every_kind_of_field_comes_back_as_it_was_filled_in(
    load: Callable[[str], ModuleType], mode: Mode
) -> None:
    result = await call(load("try_fields"), mode, Person([accept(**EVENT)]), "describe_event")
    assert not result.is_error, text(result)
    defaults: dict[str, Any] = {"helpers": [], "remark": None, "reminder": 7, "deadline": "2027-01-31"}
    assert result.structured_content == {**EVENT, **defaults}


@pytest.mark.parametrize(("sample", "words"), [("wrong_cycle", "cyclic"), ("wrong_parameter", "cannot be resolved")])
async def test_a_sample_that_is_wrong_on_purpose_does_not_load(
    load: Callable[[str], ModuleType], sample: str, words: str
) -> None:
    with pytest.raises(InvalidSignature, match=words):
        load(sample)


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.py")), ids=lambda file: file.stem)
async def test_a_sample_opens_with_two_lines_on_what_to_try(file: Path) -> None:
    first, second, third = file.read_text().splitlines()[:3]
    assert first.startswith('"""Try: ')
    assert second.endswith(".")
    assert third == '"""'
