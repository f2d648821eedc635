"""Functions, values and exceptions as short texts."""

import functools
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from mcp.server.mcpserver import Elicit, Resolve
from mcp.server.mcpserver.resolve import ElicitationResult

from resolver_runtime.describe import (
    CAUSES,
    FRAMES,
    SHORT,
    annotation_text,
    failure_of,
    gist,
    is_user_file,
    location_of,
    name_of,
    short,
    signature_text,
)
from resolver_runtime.events import Failure
from tests.resolver_runtime.driving import Login


def plain(a: int, *rest: str, b: "Login" = None, **more: Any) -> None:  # type: ignore[assignment]
    """A function with every kind of parameter."""


class Desk:
    def __call__(self, a: int) -> int:
        return a

    def method(self) -> None:
        """Nothing."""


@functools.wraps(plain)
def wrapped(*args: Any, **kwargs: Any) -> None:
    """Another function by plain's name."""


@pytest.mark.parametrize("value", ["x" * 10_000, list(range(10_000)), {"a": ["b" * 1000] * 9}, object()])
def test_a_value_is_a_text_of_bounded_length(value: Any) -> None:
    assert 0 < len(short(value)) <= SHORT


def test_a_value_that_cannot_be_shown_is_named_by_its_class() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    assert "Shy" in short(Shy())


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int, "int"),
        (None, "None"),
        (str | None, "str | None"),
        (list[dict[str, int]], "list[dict[str, int]]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Literal["a", 1], "Literal['a', 1]"),
        (Elicit[Login] | Login, "Elicit[Login] | Login"),
        (ElicitationResult[Login], "ElicitationResult[Login]"),
        (Annotated[int, Resolve(plain)], "Annotated[int, Resolve(plain)]"),
        (Annotated[int, Resolve(Desk())], "Annotated[int, Resolve(Desk)]"),
        ("Late[int]", "Late[int]"),
        (Any, "Any"),
    ],
)
def test_an_annotation_is_shown_as_it_was_written(annotation: Any, expected: str) -> None:
    assert annotation_text(annotation) == expected


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (plain, "(a: int, *rest: str, b: Login = None, **more: Any) -> None"),
        (Desk(), "(a: int) -> int"),
        (Desk().method, "() -> None"),
        (dict, "(...)"),
    ],
)
def test_a_signature_is_shown_as_it_was_written(fn: Callable[..., Any], expected: str) -> None:
    assert signature_text(fn) == expected


@pytest.mark.parametrize(
    ("fn", "name", "line"),
    [
        (plain, "plain", plain.__code__.co_firstlineno),
        (wrapped, "plain", plain.__code__.co_firstlineno),
        (Desk.method, "method", Desk.method.__code__.co_firstlineno),
        (Desk().method, "method", Desk.method.__code__.co_firstlineno),
        (Desk(), "Desk", Desk.__call__.__code__.co_firstlineno),
        (functools.partial(plain, 1), "partial", None),
    ],
)
def test_a_callable_is_known_by_name_and_place(fn: Callable[..., Any], name: str, line: int | None) -> None:
    assert name_of(fn) == name
    assert location_of(fn)[1] == line or line is None


def test_a_builtin_has_no_place() -> None:
    assert location_of(len) == (None, None)


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        raise error from cause
    except BaseException as caught:
        return caught


def test_an_exception_is_told_with_its_frames_and_its_cause() -> None:
    failure = failure_of(raised(ValueError("late"), raised(KeyError("early"))))
    assert (failure.kind, failure.message) == ("ValueError", "late")
    [frame] = failure.frames
    assert (frame.file, frame.function, frame.code, frame.user) == (__file__, "raised", "raise error from cause", True)
    assert failure.cause
    assert (failure.cause.kind, failure.cause.cause) == ("KeyError", None)


def test_of_a_deep_recursion_the_innermost_frames_are_told() -> None:
    def deeper(depth: int) -> None:
        if depth:
            deeper(depth - 1)
        raise ValueError

    with pytest.raises(ValueError) as error:  # noqa: PT011
        deeper(200)
    failure = failure_of(error.value)
    assert len(failure.frames) == FRAMES
    assert failure.frames[-1].code == "raise ValueError"


def test_of_a_long_chain_of_causes_the_first_are_told() -> None:
    error: BaseException = raised(ValueError("0"))
    for number in range(1, 50):
        error = raised(ValueError(str(number)), error)
    failure: Failure | None = failure_of(error)
    depth = 0
    while failure is not None:
        failure, depth = failure.cause, depth + 1
    assert depth == CAUSES + 1


def test_an_exception_that_says_nothing_is_named_by_its_class() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert [gist(Mute()), gist(KeyError()), gist(ValueError("said"))] == ["Mute", "KeyError", "said"]


@pytest.mark.parametrize(
    ("file", "expected"),
    [(__file__, True), (functools.__file__, False), (pytest.__file__, False), ("<string>", False)],
)
def test_the_users_files_are_told_from_libraries(file: str, expected: bool) -> None:
    assert is_user_file(file) is expected
