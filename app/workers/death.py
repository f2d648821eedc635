"""Why a worker ended, in words: the cause in one sentence, and what to do next. Pure."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass


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


KILLED = Death("killed", "The worker was ended by the playground.", "The next call begins in a new one.")
_AGAIN = "Press Call to run the tool again: it begins in a new worker."
_LOOK = "Look at the last lines of the Log for what it was doing."


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


def start_death(sentence: str, next_step: str) -> Death:
    """A worker that could not be started."""
    return Death("start", sentence, next_step)
