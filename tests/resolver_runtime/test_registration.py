"""What a signature means, and which signatures are refused: the same on both engines, with the same words."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import InvalidSignature
from mcp.server.mcpserver.resolve import ElicitationResult, ListRoots
from mcp.server.mcpserver.tools import base
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import Field
from typing_extensions import TypeAliasType

from tests.resolver_runtime.driving import ANA, Confirm, Login, Mode, Person, call, server, text

if TYPE_CHECKING:
    from collections.abc import Sized

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]

T = TypeVar("T")


def seven() -> int:
    return 7


def ask_login() -> Elicit[Login]:
    return Elicit("Who?", Login)


async def test_a1_a_resolver_fills_its_parameter_without_any_callback_of_the_client(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(number: Annotated[int, Resolve(seven)]) -> str:
        return f"got {number}"

    assert text(await call(mcp, mode, Person(forms=False))) == "got 7"


async def test_a2_a_filled_parameter_is_absent_from_the_input_schema() -> None:
    mcp = server()

    @mcp.tool()
    def tool(title: str, number: Annotated[int, Resolve(seven)], ctx: Context) -> str:
        return ""

    [listed] = await mcp.list_tools()
    assert list(listed.input_schema["properties"]) == listed.input_schema["required"] == ["title"]


async def test_a3_a_value_sent_for_a_filled_parameter_is_dropped(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(number: Annotated[int, Resolve(seven)]) -> str:
        return f"got {number}"

    assert text(await call(mcp, mode, number=8)) == "got 7"


async def test_a4_a_resolver_takes_other_resolvers_and_arguments_by_name(mode: Mode) -> None:
    def stock(title: str) -> int:
        return len(title)

    def days(title: str, number: Annotated[int, Resolve(stock)]) -> str:
        return f"{title}: {number} days"

    mcp = server()

    @mcp.tool()
    def tool(title: str, delivery: Annotated[str, Resolve(days)]) -> str:
        return delivery

    assert text(await call(mcp, mode, title="Dune")) == "Dune: 4 days"


async def test_a5_a_resolver_sees_the_validated_arguments_that_the_body_gets(mode: Mode) -> None:
    made: list[int] = []

    def serial() -> int:
        made.append(1)
        return len(made)

    def seen(number: int, count: int) -> tuple[int, int]:
        return number, count

    mcp = server()

    @mcp.tool()
    def tool(
        count: int, by_resolver: Annotated[tuple[int, int], Resolve(seen)], number: int = Field(default_factory=serial)
    ) -> str:
        return f"{by_resolver} {number} {count!r}"

    assert text(await call(mcp, mode, count="12")) == "(1, 12) 1 12"


async def test_a6_an_argument_goes_by_its_public_name(mode: Mode) -> None:
    def shout(schema: str) -> str:
        return schema.upper()

    mcp = server()

    @mcp.tool()
    def tool(schema: str, loud: Annotated[str, Resolve(shout)]) -> str:
        return f"{schema} {loud}"

    assert text(await call(mcp, mode, schema="public")) == "public PUBLIC"


@pytest.mark.parametrize("annotation", [Context, Context | None, Context[Any, Any], Annotated[Context, "mine"]])
async def test_a7_a_resolver_gets_the_context_by_annotation(mode: Mode, annotation: Any) -> None:
    def version(anything: Any) -> str:
        assert isinstance(anything, Context)
        return anything.protocol_version or "none"

    version.__annotations__["anything"] = annotation
    mcp = server()

    @mcp.tool()
    def tool(spoken: Annotated[str, Resolve(version)]) -> str:
        return spoken

    assert text(await call(mcp, mode)) == ("2025-11-25" if mode == "legacy" else mode)


def needs_what_is_not_there(nothing: int) -> int:
    return nothing


def ping(other: "Annotated[int, Resolve(pong)]") -> int:
    return other


def pong(other: "Annotated[int, Resolve(ping)]") -> int:
    return other


class Circle:
    def first(self, other: "Annotated[int, Resolve(circle.second)]") -> int:
        return other

    def second(self, other: "Annotated[int, Resolve(circle.first)]") -> int:
        return other


circle = Circle()


def asks_two_things() -> Elicit[Login] | Elicit[Confirm]:
    return Elicit("Who?", Login)


def asks_two_kinds() -> Sample | Elicit[Login]:
    return Elicit("Who?", Login)


class Desk:
    def __call__(self, nothing: int) -> int:
        return nothing


def unresolvable(number: Annotated[int, Resolve(needs_what_is_not_there)]) -> str:
    return ""


def of_functions(number: Annotated[int, Resolve(ping)]) -> str:
    return ""


def of_methods(number: Annotated[int, Resolve(circle.first)]) -> str:
    return ""


def optional(number: Annotated[int, Resolve(seven)] | None) -> str:
    return ""


def listed(numbers: list[Annotated[int, Resolve(seven)]]) -> str:
    return ""


def two_things(who: Annotated[Login, Resolve(asks_two_things)]) -> str:
    return ""


def two_kinds(who: Annotated[Login, Resolve(asks_two_kinds)]) -> str:
    return ""


def by_an_object(number: Annotated[int, Resolve(Desk())]) -> str:
    return ""


NOT_TO_BE_HAD = "cannot be resolved: expected a Context, an Annotated[_, Resolve(...)], or a tool argument by name"
SEVERAL = (
    "return annotation has multiple Elicit/Sample/ListRoots arms; "
    "a resolver asks one question - split it into separate resolvers"
)
WRAPPED = "wraps `Resolve(...)` in a union; annotate the parameter directly as `Annotated[T, Resolve(...)]`"


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (unresolvable, f"Resolver 'needs_what_is_not_there' parameter 'nothing' {NOT_TO_BE_HAD}"),
        (of_functions, "Resolver 'ping' has a cyclic dependency"),
        (of_methods, "Resolver 'first' has a cyclic dependency"),
        (optional, f"Parameter 'number' of 'optional' {WRAPPED}"),
        (listed, f"Parameter 'numbers' of 'listed' {WRAPPED}"),
        (two_things, f"Resolver 'asks_two_things' {SEVERAL}"),
        (two_kinds, f"Resolver 'asks_two_kinds' {SEVERAL}"),
        (by_an_object, f"Resolver 'Desk' parameter 'nothing' {NOT_TO_BE_HAD}"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a8_a9_a10_a11_a16_a_signature_that_cannot_be_filled_is_refused_in_the_sdks_words(
    broken: Callable[..., str], words: str
) -> None:
    with pytest.raises(InvalidSignature) as refusal:
        server().add_tool(broken)
    assert str(refusal.value) == words


@pytest.mark.parametrize(("resolver", "kind"), [(dict, ValueError), (5, TypeError)], ids=["dict", "5"])
def test_what_has_no_signature_is_refused_as_python_says_it(resolver: Any, kind: type[Exception]) -> None:
    marker = Resolve(resolver)

    def tool(value: Annotated[Any, marker]) -> str:
        return ""

    with pytest.raises(kind) as refusal:
        server().add_tool(tool)
    assert type(refusal.value) is kind


@pytest.mark.parametrize("returns", [Elicit[Login], Elicit[Login] | str, Sample | None, ListRoots, int, None])
def test_a11_one_question_or_none_is_allowed(returns: Any) -> None:
    def resolver() -> Any:
        return None

    resolver.__annotations__["return"] = returns

    def tool(value: Annotated[Any, Resolve(resolver)]) -> str:
        return ""

    server().add_tool(tool)


async def test_a12_a_generic_alias_beside_a_question_is_no_question(mode: Mode) -> None:
    def resolver() -> Sample | dict[str, Any]:
        return {"answer": 42}

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[Any, Resolve(resolver)]) -> str:
        return str(value)

    assert text(await call(mcp, mode)) == "{'answer': 42}"


async def test_a13_a_marker_on_the_return_is_ignored(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool() -> Annotated[str, Resolve(seven)]:
        return "my own"

    assert text(await call(mcp, mode)) == "my own"


def test_a14_hints_that_cannot_be_evaluated_are_no_resolvers() -> None:
    def tool(number: "Annotated[int, Resolve(nowhere)]") -> str:  # noqa: F821
        return ""

    assert vars(base)["find_resolved_parameters"](tool) == {}


def in_words(
    number: "Annotated[int, Resolve(seven)]", who: "Annotated[ElicitationResult[Login], Resolve(ask_login)]"
) -> "str":
    return f"{number} {type(who).__name__}"


async def test_a15_annotations_in_strings_count(mode: Mode) -> None:
    mcp = server()
    mcp.add_tool(in_words)
    assert text(await call(mcp, mode, Person({"Who?": ANA}))).startswith("7 AcceptedElicitation")


Late = TypeAliasType("Late", InputRequiredResult)
Perhaps = TypeAliasType("Perhaps", InputRequiredResult | T, type_params=(T,))


@pytest.mark.parametrize(
    "returns",
    [
        InputRequiredResult,
        CallToolResult | InputRequiredResult,
        Annotated[InputRequiredResult, "mine"],
        CallToolResult | Annotated[InputRequiredResult, "mine"],
        Late,
        Perhaps[CallToolResult],
    ],
    ids=["bare", "union", "annotated", "annotated in a union", "alias", "generic alias"],
)
def test_a17_a_tool_with_resolvers_may_not_drive_the_rounds_itself(returns: Any) -> None:
    def tool(number: Annotated[int, Resolve(seven)]) -> Any:
        return None

    tool.__annotations__["return"] = returns
    with pytest.raises(InvalidSignature) as refusal:
        server().add_tool(tool, structured_output=False)
    assert str(refusal.value) == (
        "Tool 'tool' combines Resolve(...) parameters with an InputRequiredResult return; a call has one "
        "input_required channel, so the multi-round flow is driven either by resolvers or by the tool body, not both"
    )


@dataclass
class Unevaluated:
    """As an alias written `type X = ...`, whose value names what exists for type checkers only."""

    @property
    def __value__(self) -> Any:
        return Sized


@pytest.mark.parametrize("returns", [Unevaluated(), list[str]], ids=["alias", "list"])
def test_a18_an_alias_without_a_value_and_a_list_declare_no_rounds(returns: Any) -> None:
    def tool() -> Any:
        return None

    tool.__annotations__["return"] = returns
    assert vars(base)["returns_input_required"](tool) is False


async def test_a19_a_body_that_asks_behind_its_resolvers_back_fails(
    mode: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    mcp = MCPServer("bench")

    @mcp.tool(structured_output=False)
    def sneaky(number: Annotated[int, Resolve(seven)]) -> Any:
        return InputRequiredResult(input_requests={}, request_state="mine")

    result = await call(mcp, mode)
    assert (result.is_error, text(result)) == (True, "Error executing tool sneaky")
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info
    assert record.exc_info[1]
    assert isinstance(record.exc_info[1].__cause__, RuntimeError)
