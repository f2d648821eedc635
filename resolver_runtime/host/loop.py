"""The worker's event loop: an exit raised in a task of the user's own ends the process there and then.

Otherwise asyncio would first cancel everything, and open calls would be answered with errors that hide the cause.
"""

from __future__ import annotations

import asyncio
import os
import traceback

INTERRUPTED = 130
"""The exit code of a program that an interrupt has ended."""


class Loop(asyncio.SelectorEventLoop):
    def run_forever(self) -> None:
        try:
            super().run_forever()
        except (SystemExit, KeyboardInterrupt) as error:
            traceback.print_exception(type(error), error, error.__traceback__)
            os._exit(exit_code(error))


def exit_code(error: BaseException) -> int:
    """As Python ends with when nobody catches it."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    code = getattr(error, "code", 1)
    return code if isinstance(code, int) else int(code is not None)
