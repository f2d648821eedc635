"""The parts of the page that a call changes, and which of them differ between two moments.

A page that follows a call keeps one set of contexts and gets the parts that are no longer equal; contexts are frozen,
so that "no longer equal" is `!=`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from markupsafe import Markup

from app.pages import words
from app.pages.calls import Arguments, Result, Rounds
from app.pages.graphs import Arcs, Edges
from app.pages.naming import Place
from app.pages.nodes import cards_of, list_row
from app.pages.page import TabCount
from app.pages.panes import LogPane, LogRow, RoundsPane, StatePane, WirePane, wire_lines
from app.pages.questions import Dialog
from app.pages.rendering import Context, render
from app.view import CallView

Fragments = Mapping[str, Context]


@dataclass(frozen=True, slots=True)
class Announcement:
    """`_announcement.html`: what a screen reader says at milestones, and at nothing else."""

    template: ClassVar[str] = "_announcement.html"
    sentence: str

    @classmethod
    def of(cls, view: CallView) -> Announcement:
        return cls(_milestone(view))


def _milestone(view: CallView) -> str:
    if view.status == "waiting":
        asking = ", ".join(dict.fromkeys(question.resolver or view.tool for question in view.open_questions))
        return f"{words.count(len(view.open_questions), 'question')} in round {len(view.rounds)}: {asking}."
    return f"Call of {view.tool}: {Result.of(view).note}." if view.ended else ""


@dataclass(frozen=True)
class Scene:
    """What the fragments of one call are drawn from, beside its view."""

    place: Place
    schema: Mapping[str, Any]
    raw: str = ""
    roots: Sequence[Mapping[str, str]] = ()

    def fragments(self, view: CallView) -> Fragments:
        """Every part that is swapped whole, by a name of its own."""
        cards = cards_of(view, self.place)
        parts: dict[str, Context] = {card.id: card for card in cards}
        parts |= {row.id: row for row in map(list_row, cards)}
        parts |= {
            "edges": Edges.of(view),
            "arcs": Arcs.of(view),
            "rounds": Rounds.of(view),
            "arguments": Arguments.of(view, self.place, self.schema, raw=self.raw),
            "dialog": Dialog.of(view, self.roots),
            "result": Result.of(view),
            "rounds-pane": RoundsPane.of(view),
            "state-pane": StatePane.of(view),
            "announcement": Announcement.of(view),
        }
        return parts | {
            f"count-{name}": TabCount(name, count)
            for name, count in (("rounds", len(view.rounds)), ("wire", len(view.wire)), ("log", len(view.log)))
        }


def whole(view: CallView, parts: Fragments) -> Markup:
    """Every part for a page that shows another call, the form of the arguments left out."""
    drawn = [part for name, part in parts.items() if name != "arguments"]
    return Markup("").join(render(part, oob=True) for part in (*drawn, WirePane.of(view), LogPane.of(view)))


def update(before: Fragments, after: Fragments) -> Markup:
    """What brings a page from one set of parts to the other."""
    return Markup("").join(
        piece for name, part in after.items() if before.get(name) != part for piece in _pieces(before.get(name), part)
    )


def lines(view: CallView, wire_from: int, log_from: int) -> Markup:
    """The lines of the panes Wire and Log from these positions on, to be put at their ends."""
    parts: list[Context] = [*wire_lines(view, wire_from), *(LogRow.of(line) for line in view.log[log_from:])]
    return Markup("").join(render(part, oob=True) for part in parts)


def _pieces(before: Context | None, after: Context) -> Iterator[Markup]:
    if isinstance(after, Dialog) and isinstance(before, Dialog) and _same_questions(before, after):
        return _pieces_of_dialog(before, after)
    return iter([render(after, oob=True)])


def _same_questions(before: Dialog, after: Dialog) -> bool:
    return bool(after.head) and [one.id for one in before.questions] == [one.id for one in after.questions]


def _pieces_of_dialog(before: Dialog, after: Dialog) -> Iterator[Markup]:
    """An open dialog is never swapped: what somebody types in one question outlives the answer to another."""
    if after.head is not None and before.head != after.head:
        yield render(after.head, oob=True)
    for old, new in zip(before.questions, after.questions, strict=True):
        if old != new:
            yield render(new, oob=True)
