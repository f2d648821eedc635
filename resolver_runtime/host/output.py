"""What the user's process prints and logs, as events: diverted before the module loads, and never lost or a flood."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from resolver_runtime.host.logs import divert_logs
from resolver_runtime.host.meter import Meter, Tell
from resolver_runtime.host.pipes import Pipe
from resolver_runtime.host.streams import Stream
from resolver_runtime.patches import Patches

Ends = tuple[tuple[int, int], tuple[int, int]]
"""The pipes of standard output and standard error, each as the ends to read and to write."""

_ENDINGS = ((os, "_exit"), (os, "abort"), (os, "kill"), (os, "killpg"), (signal, "raise_signal"))
"""What Python code may end this process with, before the reporter's thread has had its turn."""


@dataclass
class Output:
    """All ways out of this process."""

    _meter: Meter
    _streams: tuple[Stream, Stream]
    _pipes: tuple[Pipe, Pipe]
    _is_copy: bool = False

    def finish(self, call: str | None) -> None:
        """The call's code has ended: what it printed without a line's end is told."""
        for stream in self._streams:
            stream.finish(call)

    def settle(self) -> None:
        """Tell what is still on its way, and what was dropped."""
        if self._is_copy:
            return
        self.finish(None)
        for pipe in self._pipes:
            pipe.settle()
        self._meter.settle()

    def forked(self) -> None:
        """In a child process of the user's: its words come over the descriptors, which the worker reads."""
        self._is_copy = True
        for stream in self._streams:
            stream.forked()


def capture(tell: Tell, ends: Ends) -> Output:
    """Divert everything this process prints and logs."""
    meter = Meter(tell)
    (read_out, write_out), (read_err, write_err) = ends
    for write, descriptor in ((write_out, 1), (write_err, 2)):
        os.dup2(write, descriptor)
        os.close(write)
    streams = Stream("stdout", 1, meter), Stream("stderr", 2, meter)
    sys.stdout, sys.stderr = streams
    divert_logs(meter)
    faulthandler.enable(2)
    return Output(meter, streams, (Pipe("stdout", read_out, meter), Pipe("stderr", read_err, meter)))


def flush_before_the_end(flush: Callable[[], None]) -> None:
    """Let everything leave before Python code ends this process at once: who died is known by the last events."""
    for owner, name in _ENDINGS:
        Patches().replace(owner, name, _after(flush, getattr(owner, name)))


def _after(flush: Callable[[], None], theirs: Callable[..., Any]) -> Callable[..., Any]:
    def flushed(*args: Any, **kwargs: Any) -> Any:
        flush()
        return theirs(*args, **kwargs)

    return flushed
