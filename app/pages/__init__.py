"""What the page shows: from survey, graph and call to one documented context per template, and to HTML.

Pure: knows neither routes, sockets nor workers. First paint and update draw the same context with the same partial;
each partial's root carries a stable id (see docs/architecture.md).
"""

from app.pages.calls import Actions, Arguments, Result, Rounds
from app.pages.fragments import Announcement, Fragments, Scene, lines, update
from app.pages.graphs import Arcs, Edges, GraphPane
from app.pages.modules import Client, ClientNote, ClientSummary, ModuleLink, Problems, Signature, Tools
from app.pages.naming import FIELD_PREFIX, IDLE, Place, dom_id, module_href, posted_fields
from app.pages.nodes import ListRow, NodeCard, cards_of, list_row
from app.pages.notices import Notice, Refused, Waiting
from app.pages.page import Loading, Main, Page, Panes, TabCount
from app.pages.panel import NodePanel
from app.pages.panes import (
    LogPane,
    LogRow,
    RoundsPane,
    SchemaPane,
    SourcePane,
    StatePane,
    WireLine,
    WirePane,
)
from app.pages.questions import Dialog, DialogHead, Draft, Question, head_of, roots_from, roots_text
from app.pages.reference import Reference
from app.pages.rendering import Context, environment, render

__all__ = [
    "FIELD_PREFIX",
    "IDLE",
    "Actions",
    "Announcement",
    "Arcs",
    "Arguments",
    "Client",
    "ClientNote",
    "ClientSummary",
    "Context",
    "Dialog",
    "DialogHead",
    "Draft",
    "Edges",
    "Fragments",
    "GraphPane",
    "ListRow",
    "Loading",
    "LogPane",
    "LogRow",
    "Main",
    "ModuleLink",
    "NodeCard",
    "NodePanel",
    "Notice",
    "Page",
    "Panes",
    "Place",
    "Problems",
    "Question",
    "Reference",
    "Refused",
    "Result",
    "Rounds",
    "RoundsPane",
    "Scene",
    "SchemaPane",
    "Signature",
    "SourcePane",
    "StatePane",
    "TabCount",
    "Tools",
    "Waiting",
    "WireLine",
    "WirePane",
    "cards_of",
    "dom_id",
    "environment",
    "head_of",
    "lines",
    "list_row",
    "module_href",
    "posted_fields",
    "render",
    "roots_from",
    "roots_text",
    "update",
]
