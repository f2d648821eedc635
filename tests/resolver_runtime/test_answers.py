"""What a client may answer, and what is said about an answer that does not fit (A43 to A50)."""

from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp_types import (
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitResult,
    InputResponse,
    TextContent,
    Tool,
    ToolChoice,
    ToolUseContent,
)

from tests.resolver_runtime.driving import (
    ANA,
    QUESTION,
    ROOTS,
    Login,
    Mode,
    Person,
    accept,
    by_hand,
    call,
    completion,
    key_of,
    server,
    text,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def sample() -> Sample:
    return Sample(QUESTION, max_tokens=10)


def roots() -> ListRoots:
    return ListRoots()


def tool_of(resolver: Any) -> MCPServer:
    def tool(value: Any) -> str:
        return repr(value)

    tool.__annotations__["value"] = Annotated[Any, Resolve(resolver)]
    mcp = server()
    mcp.add_tool(tool)
    return mcp


KEY = key_of(login)
NO_CONTENT = ElicitResult(action="accept")


@pytest.mark.parametrize(
    ("mode", "answer", "words"),
    [
        ("2026-07-28", NO_CONTENT, f"Resolver {KEY!r} received an accepted elicitation with no content"),
        ("legacy", NO_CONTENT, f"Resolver {KEY!r}: Received an accepted elicitation with no content"),
        (
            "2026-07-28",
            accept(username=["a", "b"]),
            f"Resolver {KEY!r} received an accepted elicitation whose content does not match the requested schema",
        ),
        (
            "legacy",
            accept(username=["a", "b"]),
            f"Resolver {KEY!r}: Received an accepted elicitation whose content does not match the requested schema",
        ),
        (
            "2026-07-28",
            accept(name="ana"),
            f"Resolver {KEY!r} received an accepted elicitation whose content does not match the requested schema",
        ),
    ],
)
async def test_a43_a44_a45_an_accept_that_does_not_fit_is_an_error_in_the_sdks_words(
    mode: Mode, answer: ElicitResult, words: str
) -> None:
    result = await call(tool_of(login), mode, Person({"Who?": answer}))
    assert (result.is_error, text(result)) == (True, f"Error executing tool tool: {words}")


async def test_a43_an_accept_becomes_the_model_that_was_asked_for(mode: Mode) -> None:
    assert text(await call(tool_of(login), mode, Person({"Who?": ANA}))) == "Login(username='ana')"


async def test_a46_content_that_comes_with_a_refusal_is_ignored(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[ElicitationResult[Login], Resolve(login)]) -> str:
        return repr(who)

    refusal = ElicitResult(action="decline", content={"username": "ana"})
    assert text(await call(mcp, mode, Person({"Who?": refusal}))) == "DeclinedElicitation(action='decline')"


@pytest.mark.parametrize(
    ("resolver", "answer", "words"),
    [
        (login, ROOTS, "received a non-elicitation response"),
        (login, completion("so"), "received a non-elicitation response"),
        (sample, ANA, "received a response of the wrong kind"),
        (sample, ROOTS, "received a response of the wrong kind"),
        (roots, completion("so"), "received a response of the wrong kind"),
    ],
)
async def test_a47_a48_an_answer_of_another_kind_is_an_error(resolver: Any, answer: InputResponse, words: str) -> None:
    async with by_hand(tool_of(resolver)) as hand:
        first = await hand.asks()
        result = await hand.ends({key_of(resolver): answer}, first.request_state)
    assert (result.is_error, text(result)) == (
        True,
        f"Error executing tool tool: Resolver {key_of(resolver)!r} {words}",
    )


SEARCH = Tool(name="search", input_schema={"type": "object"})


@pytest.mark.parametrize("wants", [{"tools": [SEARCH]}, {"tool_choice": ToolChoice(mode="auto")}])
@pytest.mark.parametrize(
    "content", [TextContent(text="so"), ToolUseContent(name="search", id="1", input={})], ids=["text", "tool use"]
)
async def test_a49_with_tools_the_completion_may_hold_several_blocks(
    mode: Mode, wants: dict[str, Any], content: TextContent | ToolUseContent
) -> None:
    def research() -> Sample:
        return Sample(QUESTION, max_tokens=10, **wants)

    mcp = server()

    @mcp.tool()
    def tool(said: Annotated[CreateMessageResultWithTools, Resolve(research)]) -> str:
        [block] = said.content_as_list
        return f"{type(said).__name__} {block.type}"

    answer = CreateMessageResultWithTools(role="assistant", content=[content], model="a person")
    result = await call(mcp, mode, Person(completion=answer, tools=True))
    assert text(result) == f"CreateMessageResultWithTools {content.type}"


async def test_a49_a_plain_completion_answers_a_question_with_tools(mode: Mode) -> None:
    def research() -> Sample:
        return Sample(QUESTION, max_tokens=10, tools=[SEARCH])

    mcp = server()

    @mcp.tool()
    def tool(said: Annotated[CreateMessageResultWithTools, Resolve(research)]) -> str:
        return type(said).__name__

    result = await call(mcp, mode, Person(completion=completion("so"), tools=True))
    assert text(result) == "CreateMessageResultWithTools"


async def test_a49_without_tools_the_completion_is_one_block(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(said: Annotated[CreateMessageResult, Resolve(sample)]) -> str:
        return type(said).__name__

    assert text(await call(mcp, mode, Person(completion=completion("so")))) == "CreateMessageResult"


async def test_a50_answers_under_keys_that_nobody_asked_are_ignored() -> None:
    async with by_hand(tool_of(login)) as hand:
        first = await hand.asks()
        result = await hand.ends({"nobody": ROOTS, KEY: ANA}, first.request_state)
    assert text(result) == "Login(username='ana')"
