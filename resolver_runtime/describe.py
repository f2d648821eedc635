"""Functions, values and exceptions as short texts. Knows nothing of resolvers or graphs; never raises."""

from __future__ import annotations

import inspect
import linecache
import os
import sysconfig
import traceback
import types
import typing
from collections.abc import Callable
from functools import lru_cache
from reprlib import Repr
from typing import Annotated, Any

from resolver_runtime.events import Failure, Frame

SHORT = 200
"""Characters of a value's text."""
FRAMES = 50
"""Frames of a traceback, the innermost: a recursion has thousands."""
CAUSES = 10

_OURS = os.path.dirname(os.path.abspath(__file__))
_LIBRARIES = tuple(
    os.path.normcase(path) + os.sep for path in {*sysconfig.get_paths().values(), os.path.dirname(os.__file__)} if path
)

_PACKAGES = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))

_repr = Repr()
_repr.maxstring = _repr.maxother = SHORT
_repr.maxlevel = 4


def short(value: Any) -> str:
    """A text of at most `SHORT` characters; an object whose repr fails is named by its class."""
    if type(value) is str and len(value) < SHORT:  # most values; a third of the time
        return cut(repr(value))
    try:
        text = _repr.repr(value)
    except Exception:  # a user's __repr__ may raise anything
        return f"<{type(value).__name__}>"
    return cut(text)


def cut(text: str) -> str:
    """The beginning of a text that is longer than `SHORT` characters."""
    return text if len(text) <= SHORT else text[: SHORT - 1] + "\N{HORIZONTAL ELLIPSIS}"


def name_of(fn: Callable[..., Any]) -> str:
    """How messages name a callable; a callable object goes by its class."""
    return getattr(fn, "__name__", None) or type(fn).__name__


def location_of(fn: Callable[..., Any]) -> tuple[str | None, int | None]:
    """File and line where a callable is defined; None where it has no source."""
    code = getattr(innermost(fn), "__code__", None)
    if code is not None:
        return code.co_filename, code.co_firstlineno
    try:
        target = fn if inspect.isclass(fn) else type(fn)
        return inspect.getsourcefile(target), inspect.getsourcelines(target)[1]
    except (OSError, TypeError):
        return None, None


def innermost(fn: Any) -> Any:
    """The plain function behind wrappers, methods and callable objects, as far as they say."""
    fn = inspect.unwrap(fn) if callable(fn) else fn
    fn = getattr(fn, "__func__", fn)
    if not hasattr(fn, "__code__") and not inspect.isclass(fn):
        fn = getattr(type(fn), "__call__", fn)  # noqa: B004 - the function is wanted, not whether there is one
    return fn


def signature_text(fn: Callable[..., Any]) -> str:
    """The parameters and the return of a callable, as they were written."""
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):
        return "(...)"
    parts = [_parameter_text(parameter) for parameter in signature.parameters.values()]
    returns = signature.return_annotation
    return f"({', '.join(parts)})" + ("" if returns is signature.empty else f" -> {annotation_text(returns)}")


_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def _parameter_text(parameter: inspect.Parameter) -> str:
    text = _STARS.get(parameter.kind, "") + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {annotation_text(parameter.annotation)}"
    return text if parameter.default is parameter.empty else f"{text} = {short(parameter.default)}"


def annotation_text(annotation: Any) -> str:
    """An annotation as it was written: class names without their modules, markers with their function."""
    if isinstance(annotation, str):
        return annotation
    if annotation is None or annotation is type(None):
        return "None"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return f"Annotated[{', '.join([annotation_text(args[0]), *map(_metadata_text, args[1:])])}]"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(annotation_text, args))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, args))}]"
    if args:
        inner = ", ".join("..." if arg is ... else annotation_text(arg) for arg in args)
        return f"{annotation_text(origin)}[{inner}]"
    return getattr(annotation, "__name__", None) or str(annotation)


def _metadata_text(metadata: Any) -> str:
    fn = getattr(metadata, "fn", None)
    return f"{type(metadata).__name__}({name_of(fn)})" if callable(fn) else short(metadata)


def failure_of(error: BaseException, depth: int = 0) -> Failure:
    """An exception with its frames, outermost first, and what it was raised from."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return Failure(
        kind=type(error).__name__,
        message=_message(error),
        frames=tuple(_frames(error)),
        cause=None if cause is None or depth >= CAUSES else failure_of(cause, depth + 1),
    )


def gist(error: BaseException) -> str:
    """What an exception says, in at most `SHORT` characters; its class where it says nothing."""
    return cut(_message(error)) or type(error).__name__


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a user's __str__ may raise anything
        return ""


def _frames(error: BaseException) -> typing.Iterator[Frame]:
    walked = list(traceback.walk_tb(error.__traceback__))[-FRAMES:]
    for frame, line in walked:
        file = frame.f_code.co_filename
        if not file.startswith(_OURS):
            code = linecache.getline(file, line, frame.f_globals).strip()
            yield Frame(file, line, frame.f_code.co_name, code, is_user_file(file))


@lru_cache(maxsize=4096)
def is_user_file(file: str) -> bool:
    """Whether a file is neither of a library nor of ours."""
    path = os.path.normcase(os.path.abspath(file))
    if file.startswith("<") or path.startswith(_OURS + os.sep):
        return False
    return not any(part in path for part in _PACKAGES) and not path.startswith(_LIBRARIES)
