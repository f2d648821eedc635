"""Why a worker ended, in words: the cause in one sentence, and what to do next. Pure."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Death:
    """`cause` is a short stable word; `code` the exit code, or the negative number of the signal that ended it."""

    cause: str
    sentence: str
    next_step: str
    code: int | None = None


class WorkerFailed(Exception):
    """Raised when a worker never became ready. `output` is what it printed until then."""

    def __init__(self, death: Death, output: str = "") -> None:
        super().__init__(f"{death.sentence} {death.next_step}")
        self.death = death
        self.output = output


_AGAIN = "Press Call to run the tool again: it begins in a new worker."
_LOOK = "Look at the last lines of the Log for what it was doing."

KILLED = Death("killed", "The worker was ended by the playground.", "The next call begins in a new one.")
_NO_MEMORY = re.compile(r"\bMemoryError\b|\bbad_alloc\b|[Cc]annot allocate memory")
CUT_OFF = Death(
    "streams",
    "The worker closed its connection to the playground, and was ended: without it nobody sees what it does.",
    "Leave open files alone that your code did not open (a loop over all descriptors closes them too), and call again.",
)
PARENT_GONE = Death(
    "parent", "The process that workers are forked from has ended, and this worker with it.", f"{_AGAIN} So does it."
)
NO_PARENT = Death(
    "start",
    "The process that starts workers has ended: its interpreter may lack `mcp` 2.x, or be older than 3.10.",
    "Look at its last words, and name the interpreter of a project that has `mcp` with --python.",
)


def death_of(status: int) -> Death:
    """From the status that `os.waitpid` gave."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return Death("exit", f"The worker's process ended with exit code {code}.", f"{_LOOK} {_AGAIN}", code)
    number = -code
    if number == signal.SIGKILL:
        sentence = "The worker's process was killed from outside, as the system does when memory runs out."
        return Death("memory", sentence, f"{_LOOK} {_AGAIN}", code)
    name = signal.strsignal(number) or f"signal {number}"
    return Death("signal", f"The worker's process was ended by a signal: {name}.", f"{_LOOK} {_AGAIN}", code)


def lacks_memory(line: str) -> bool:
    """Whether a line of output says that memory was refused."""
    return _NO_MEMORY.search(line) is not None


def without_memory(death: Death) -> Death:
    """The death of a worker that had said so: at its limit no signal comes, and what it does then is its own."""
    if not death.code or death.cause == "memory":
        return death
    sentence = "The worker's process ended after it was refused more memory. With --isolate it may take 1 GiB."
    return replace(death, cause="memory", sentence=sentence)


def no_interpreter(python: str, reason: str) -> Death:
    step = "Name an interpreter that exists with --python path/to/python."
    return Death("start", f"{python} cannot be run: {reason}.", step)


def no_isolation(platform: str) -> Death:
    sentence = f"Workers can be isolated on Linux only, and this is {platform}."
    return Death("isolation", sentence, "Leave --isolate away: the module can then do whatever your account can.")


def not_started(seconds: float) -> Death:
    sentence = f"No worker had started after {seconds:g} s."
    return Death("start", sentence, "Try again; if it happens again, the machine has no room for another process.")


def not_loaded(seconds: float) -> Death:
    return Death(
        "timeout",
        f"The module was not ready after {seconds:g} s, and its worker was ended.",
        "Move what takes long out of the module's top and its servers' lifespans, into a tool.",
    )
