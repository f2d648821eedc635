"""The shape of what a benchmark reports."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: what was measured, the number with its unit, the goal, and the rival's number if any."""

    what: str
    measured: str
    goal: str
    rival: str = ""
