"""One call from the command line's side: who answers, how it ends, which exit code that is."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

import anyio
import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel

from app import calling
from app.answers import Answer
from app.calling import Made, Request, make_call
from app.calls import Recorded
from app.client.settings import ClientSettings
from app.surveys import Misuse
from app.workers import ModuleSpec
from resolver_runtime.events import QuestionAsked
from tests.app.serving import END_SECONDS, FakeWorker, served

pytestmark = pytest.mark.anyio

YES = {"action": "accept", "content": {"yes": True}}
REFUSAL = {"error": {"code": -1, "message": "Not now"}}
FIRST, SECOND = f"{__name__}:ask_first", f"{__name__}:ask_second"


class Agreement(BaseModel):
    yes: bool


def ask_first() -> Elicit[Agreement]:
    return Elicit("First?", Agreement)


def ask_second() -> Elicit[Agreement]:
    return Elicit("Second?", Agreement)


def server() -> MCPServer:
    made = MCPServer("asking")

    @made.tool()
    def decide(
        first: Annotated[Agreement, Resolve(ask_first)], second: Annotated[Agreement, Resolve(ask_second)]
    ) -> str:
        return f"{first.yes} {second.yes}"

    @made.tool()
    async def confirm(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Agreement)).action

    @made.tool()
    async def wait() -> None:
        await anyio.sleep_forever()

    return made


def survey() -> dict[str, Any]:
    nodes = [{"key": FIRST, "name": "ask_first"}, {"key": SECOND, "name": "ask_second"}]
    tools: list[dict[str, Any]] = [
        {"name": name, "nodes": nodes, "input_schema": {}} for name in ("decide", "confirm", "wait")
    ]
    servers = [{"name": "asking", "variable": "mcp", "tools": tools}]
    return {"module": "shop.py", "engine": "playground", "servers": servers, "problems": []}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The survey of the module that the command finds; a test may change it before the call."""
    found = survey()

    class FakeWorkers:
        @asynccontextmanager
        async def _serving(self) -> AsyncIterator[FakeWorker]:
            async with served(server()) as worker:
                worker.survey = found
                yield worker

        async def __aenter__(self) -> "FakeWorkers":
            self._context = self._serving()
            self._worker = await self._context.__aenter__()
            return self

        async def __aexit__(self, *error: Any) -> None:
            await self._context.__aexit__(*error)

        async def start(self, spec: ModuleSpec) -> FakeWorker:
            return self._worker

    monkeypatch.setattr(calling, "Workers", FakeWorkers)
    return found


async def nobody(asked: QuestionAsked) -> Answer | None:
    return None


async def made(
    tool: str = "decide", answers: Mapping[str, Any] | None = None, timeout: float | None = None, **client: Any
) -> Made:
    request = Request(ModuleSpec("shop.py"), tool, {}, ClientSettings(**client), answers, timeout)
    with anyio.fail_after(END_SECONDS):
        return await make_call(request, nobody, lambda record: None)


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ({"ask_first": YES, "ask_second": YES}, 0),
        ({"ask_first": {"action": "decline"}, "ask_second": YES}, 1),
        ({"ask_first": YES, "ask_second": REFUSAL}, 2),
        ({"ask_first": YES}, 3),
        ({}, 3),
        (None, 3),
    ],
)
async def test_each_end_of_a_call_has_its_exit_code(answers: dict[str, Any] | None, code: int) -> None:
    assert (await made(answers=answers)).code == code


@pytest.mark.usefixtures("found")
async def test_a_missing_capability_is_a_protocol_error() -> None:
    ended = await made(capabilities=frozenset())
    assert (ended.code, ended.document["error"]["code"]) == (2, -32021)


@pytest.mark.usefixtures("found")
async def test_the_round_limit_is_an_error_without_a_code() -> None:
    ended = await made(answers={"ask_first": YES, "ask_second": YES}, max_rounds=0)
    assert (ended.code, ended.document["error"]["code"]) == (2, None)


@pytest.mark.usefixtures("found")
async def test_unanswered_questions_are_listed_and_the_others_keep_their_answers() -> None:
    document = (await made(answers={"ask_second": YES})).document
    assert document["unanswered"] == [FIRST]
    assert [question["answer"] for question in document["rounds"][0]["questions"]] == [None, YES]


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("answers", [{"ask_first": REFUSAL}, {"ask_second": REFUSAL}])
async def test_a_refusal_counts_more_than_a_question_without_an_answer(answers: dict[str, Any]) -> None:
    ended = await made(answers=answers)
    assert (ended.code, ended.document["error"]["message"]) == (2, "Not now")


@pytest.mark.usefixtures("found")
async def test_a_question_of_the_body_is_answered_by_its_wire_method() -> None:
    ended = await made("confirm", {"elicitation/create": YES}, era="2025-11-25")
    assert ended.document["result"]["content"][0]["text"] == "accept"


@pytest.mark.usefixtures("found")
async def test_a_call_that_takes_too_long_is_stopped_and_counts_as_died() -> None:
    ended = await made("wait", timeout=0.05)
    assert ended.code == 5
    assert "within 0.05 s" in ended.document["error"]["message"]


async def test_a_module_that_did_not_load_has_a_document_with_its_problems(found: dict[str, Any]) -> None:
    problem = {"code": "import", "message": "No module named 'x'", "file": "shop.py", "line": 1, "hint": "Install x."}
    found.update(servers=[], problems=[problem])
    ended = await made()
    assert ended.code == 4
    assert ended.document["error"] == {
        "code": None,
        "message": "import: No module named 'x' (shop.py:1)\nInstall x.",
        "data": {"problems": [problem]},
    }
    assert (ended.document["rounds"], ended.document["result"]) == ([], None)


@pytest.mark.usefixtures("found")
async def test_a_tool_that_is_not_there_is_wrong_usage_and_the_others_are_named() -> None:
    with pytest.raises(Misuse, match="It has: confirm, decide, wait"):
        await made("decode")


async def test_a_tool_that_two_servers_have_is_wrong_usage_and_the_servers_are_named(found: dict[str, Any]) -> None:
    found["servers"].append({**found["servers"][0], "variable": "second"})
    with pytest.raises(Misuse, match=r"shop\.py:mcp, shop\.py:second"):
        await made()


async def test_a_name_that_two_resolvers_share_is_wrong_usage_before_anything_runs(found: dict[str, Any]) -> None:
    for tool in found["servers"][0]["tools"]:
        tool["nodes"][1]["name"] = "ask_first"
    with pytest.raises(Misuse, match=f"{FIRST}, {SECOND}"):
        await made(answers={"ask_first": YES})


@pytest.mark.usefixtures("found")
async def test_an_answer_for_no_resolver_is_remarked_upon() -> None:
    ended = await made(answers={"ask_frist": YES})
    assert ended.remarks == (
        "--answers names 'ask_frist', which is no resolver of this tool. Its resolvers: ask_first, ask_second.",
    )


@pytest.mark.usefixtures("found")
async def test_a_source_is_asked_question_by_question_and_every_event_can_be_followed() -> None:
    asked: list[str] = []
    followed: list[Recorded] = []

    async def source(question: QuestionAsked) -> Answer | None:
        asked.append(question.request["message"])
        return YES

    request = Request(ModuleSpec("shop.py"), "decide", {}, ClientSettings())
    with anyio.fail_after(END_SECONDS):
        ended = await make_call(request, source, followed.append)
    assert asked == ["First?", "Second?"]
    assert [record.to_json() for record in followed] == ended.document["events"]
