"""The contexts and their templates: complete, strict, escaped, and with the names that the contract promises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from html.parser import HTMLParser
from itertools import count
from typing import Any

import pytest

from app import pages
from app.assets import directory
from app.calls import INTERRUPTED, Recorded
from app.client.settings import ClientSettings
from app.pages import Context, Place, render
from app.view import CallView, LogLine
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL, Edge, Graph, Node, argument_id, resolver_id

HOSTILE = "</textarea></script>\"'><img src=x onerror=alert(1)>{{ 7 * 7 }}"
PLACE = Place("0-shop", 0, "order_book")
ASKS: Mapping[ev.QuestionKind, Mapping[str, Any]] = {
    "elicit": {"message": "Order anyway?", "requestedSchema": {}},
    "elicit_url": {"mode": "url", "message": "Pay there", "url": "https://pay.example/1", "elicitationId": "1"},
    "sample": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Pick a book"}}],
        "systemPrompt": "You sell books",
        "maxTokens": 40,
        "modelPreferences": {"hints": [{"name": "small"}]},
        "tools": [{"name": "look_up", "inputSchema": {}}],
    },
    "list_roots": {},
}
YES_NO = {"type": "object", "properties": {"confirm": {"type": "boolean", "title": "Confirm"}}, "required": ["confirm"]}
EVERY_FIELD: dict[str, Any] = {
    "type": "object",
    "required": ["name", "level", "when"],
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "As on the card"},
        "copies": {"type": "integer", "title": "Copies", "minimum": 1, "maximum": 9},
        "price": {"type": "number", "title": "Price", "minimum": 0},
        "gift": {"type": "boolean", "title": "Gift", "default": True},
        "level": {"enum": ["a", "b"], "title": "Level", "type": "string"},
        "tags": {"type": "array", "title": "Tags", "items": {"enum": ["x", "y"], "type": "string"}},
        "day": {"type": "string", "format": "date", "title": "Day"},
        "when": {"type": "string", "format": "date-time", "title": "When"},
        "mail": {"type": "string", "format": "email", "title": "Mail"},
        "page": {"type": "string", "format": "uri", "title": "Page"},
        "extra": {"type": "object", "title": "Extra"},
    },
}


def shop(name: str = "check_stock") -> Graph:
    nodes = (
        Node(argument_id("title"), "argument", "title", returns="str"),
        Node(resolver_id("shop:check"), "resolver", name, (), "shop:check", "shop.py", 2, "(title: str) -> int", "int"),
        Node(resolver_id("shop:confirm"), "resolver", "confirm", ("elicit",), "shop:confirm", "shop.py", 4),
        Node("context", "context", "ctx"),
        Node(TOOL, "tool", "order_book", file="shop.py", line=6, returns="str"),
    )
    edges = (
        Edge(argument_id("title"), resolver_id("shop:check"), "title"),
        Edge(resolver_id("shop:check"), resolver_id("shop:confirm"), "stock"),
        Edge("context", TOOL, "ctx"),
        Edge(resolver_id("shop:check"), TOOL, "stock"),
        Edge(resolver_id("shop:confirm"), TOOL, "answer", "outcome"),
    )
    return Graph(nodes, edges)


def ring() -> Graph:
    nodes = (Node("resolver:a", "resolver", "a"), Node("resolver:b", "resolver", "b"), Node(TOOL, "tool", "order_book"))
    return Graph(nodes, (Edge("resolver:a", "resolver:b", "x"), Edge("resolver:b", "resolver:a", "y")))


def survey(graph: Graph, text: str = "Order a book", problems: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    tool = {
        "name": "order_book",
        "description": text,
        "input_schema": {"type": "object", "properties": {"title": {"type": "string", "title": "Title"}}},
        "output_schema": None,
        **graph.to_json(),
        "signature": [
            {"name": "title", "annotation": "str", "default": None, "filled_by": None, "kind": "argument"},
            {"name": "stock", "annotation": text, "default": None, "filled_by": "check_stock", "kind": "resolver"},
        ],
        "returns": "str",
        "source": {"file": "shop.py", "line": 6},
    }
    return {
        "module": "shop.py",
        "servers": [{"name": text, "variable": "mcp", "tools": [tool]}],
        "problems": list(problems),
        "sources": {"shop.py": f"# {text}\n" * 8},
    }


def problem(message: str) -> dict[str, Any]:
    return {
        "code": "cycle",
        "message": message,
        "tool": "order_book",
        "resolver": message,
        "parameter": "x",
        "file": "shop.py",
        "line": 3,
        "hint": message,
    }


def view(graph: Graph, *events: ev.Event) -> CallView:
    numbers = count(1)
    return CallView.of(graph, "c1", [Recorded(next(numbers), 0.1, event) for event in events])


def started(era: ev.Era = "2026-07-28") -> tuple[ev.Event, ...]:
    return (
        ev.CallStarted("order_book", {"title": "Dune"}, era, (), "playground"),
        ev.RoundStarted(1),
        ev.ArgumentsValidated({"title": "'Dune'"}),
        ev.ResolverStarted(resolver_id("shop:check"), "shop:check"),
        ev.ResolverReturned(resolver_id("shop:check"), "shop:check", "7", 0.001),
    )


def asked(
    kind: ev.QuestionKind = "elicit", request: Mapping[str, Any] | None = None, number: int = 1, name: str = "confirm"
) -> ev.QuestionAsked:
    reason = "Its wording changed." if number > 1 else None
    request = ASKS[kind] if request is None else request
    return ev.QuestionAsked(f"q{number}", 1, "shop:confirm", name, kind, request, number > 1, reason)


def failing(text: str = "boom") -> ev.Failure:
    frames = (ev.Frame("lib.py", 1, "run", text, False), ev.Frame("shop.py", 2, "check", text, True))
    return ev.Failure("KeyError", text, frames, ev.Failure("ValueError", text))


def ended(status: Any, **more: Any) -> tuple[ev.Event, ...]:
    return (*started(), ev.CallEnded(status, **more))


def everything(text: str) -> CallView:
    """A call in which every place that can hold a text of the module holds `text`."""
    return view(
        shop(text),
        *started(),
        ev.ResolverReturned(resolver_id("shop:check"), "shop:check", text, 0.1),
        ev.ResolverFailed(resolver_id("shop:check"), "shop:check", failing(text)),
        ev.Printed("stdout", text),
        ev.Logged("ERROR", text, text, failing(text)),
        ev.StateSealed(text, 12, 0.0, 600.0, True),
        ev.WireMessage("sent", {"method": text, "params": {"name": text}}),
        asked(
            "elicit", {"message": text, "requestedSchema": {"type": "object", "properties": {text: {"title": text}}}}
        ),
        replace(asked("sample", name=text), id="q2", request={"messages": [{"role": text, "content": text}]}),
        replace(asked("list_roots"), id="q3", reason=text),
    )


IMAGE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
SOUND = {"type": "audio", "mimeType": "audio/wav", "data": "AA"}
LINK = {"type": "resource_link", "uri": "file:///a"}
ORDERED = {"content": [{"type": "text", "text": "Ordered"}], "structuredContent": {"a": 1}}
MISSING = {"code": -32021, "message": "Missing", "data": {"requiredCapabilities": {}}}

CALLS = {
    "idle": CallView.idle(shop()),
    "running": view(shop(), *started()),
    **{f"asks by {kind}": view(shop(), *started(), asked(kind)) for kind in ASKS},
    "asks yes or no": view(shop(), *started(), asked("elicit", {"message": "?", "requestedSchema": YES_NO})),
    "asks everything": view(shop(), *started(), asked("elicit", {"message": "?", "requestedSchema": EVERY_FIELD})),
    "asks in the handshake era": view(shop(), *started("2025-11-25"), asked()),
    "asks from the body": view(shop(), *started(), replace(asked(), key=None, resolver=None)),
    "one of two settled": view(
        shop(), *started(), asked(), asked("sample", number=2), ev.QuestionAnswered("q1", {"action": "decline"})
    ),
    "done": view(shop(), *ended("done", result=ORDERED)),
    "done with an image": view(shop(), *ended("done", result={"content": [IMAGE, SOUND, LINK]})),
    "failed": view(
        shop(), *started(), ev.ToolStarted(), ev.ToolFailed("body", failing()), ev.CallEnded("failed", {"content": []})
    ),
    "protocol error": view(shop(), *ended("error", error=MISSING)),
    "stopped": view(shop(), *ended("stopped")),
    "unanswered": view(shop(), *ended("unanswered")),
    "died": view(shop(), *ended("died", error={"code": None, "message": "The worker ended.", "data": None})),
    "interrupted": view(shop(), *ended("interrupted", error=INTERRUPTED.error)),
    "a cycle": CallView.idle(ring()),
    "everything hostile": everything(HOSTILE),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


SETTINGS = ClientSettings(capabilities=frozenset({"sampling", "roots"}), headers={"X-Branch": "Lisbon"})


def page(call: CallView, text: str = "Order a book", problems: tuple[dict[str, Any], ...] = ()) -> str:
    main = pages.Main.of(survey(call.graph, text, problems), PLACE, call, [{"uri": "file:///books", "name": "Books"}])
    links = (pages.ModuleLink(text, "/?module=1", True), pages.ModuleLink("other.py", "/?module=2", False))
    return render(pages.Page(text, links, pages.Client.of(SETTINGS), main, (), text))


def question(kind: ev.QuestionKind = "elicit", schema: Mapping[str, Any] | None = None, **draft: Any) -> str:
    request = ASKS[kind] if schema is None else {"message": "Order anyway?", "requestedSchema": schema}
    call = view(shop(), *started(), asked(kind, request))
    filled = pages.Draft(**{"posted": {}, "errors": {}, **draft}) if draft else None
    return render(pages.Question.of(call, call.questions["q1"], filled))


RAW = r"<button[^>]*aria-controls=\"[^\"]*-raw\">.*?</form>"
"""The disclosure of the raw JSON, which ends a question's form."""


def buttons(html: str) -> list[str]:
    """The accessible names of the buttons that are not behind a disclosure."""
    shown = re.sub(RAW, "", html, flags=re.DOTALL)
    found = re.findall(r"<button([^>]*)>(.*?)</button>", shown, flags=re.DOTALL)
    labels = [(re.search(r'aria-label="([^"]*)"', attributes), content) for attributes, content in found]
    return [label[1] if label else re.sub(r"<[^>]*>", "", content).strip() for label, content in labels]


class Elements(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]


@every_call
def test_a_page_renders_in_every_state_of_a_call(call: CallView) -> None:
    assert page(call).startswith("<!doctype html>")


@every_call
def test_every_id_is_unique_and_every_reference_leads_somewhere(call: CallView) -> None:
    elements = Elements(page(call))
    assert len(elements.ids) == len(set(elements.ids))
    for _, attributes in elements.tags:
        for name in ("for", "aria-labelledby", "aria-controls", "aria-describedby"):
            assert set((attributes.get(name) or "").split()) <= set(elements.ids)


@every_call
def test_nothing_in_a_page_needs_inline_style_or_script(call: CallView) -> None:
    for tag, attributes in Elements(page(call)).tags:
        assert "style" not in (tag, *attributes)
        assert not [name for name in attributes if name.startswith(("on", "hx-on"))]
        assert tag != "script" or (attributes.get("src") or "").startswith("/static/")


def crowded() -> Graph:
    others = tuple(Node(argument_id(f"a{number}"), "argument", f"a{number}") for number in range(12))
    return Graph((*others, *shop().nodes), shop().edges)


COMPACT = [
    ((), "server", "idle"),
    (started()[:-1], "Running", "running"),
    (started(), "server", "done"),
    ((*started()[:-1], ev.ResolverFailed(resolver_id("shop:check"), "shop:check", failing())), "Failed", "failed"),
]


@pytest.mark.parametrize(("events", "word", "state"), COMPACT)
def test_a_compact_card_says_whose_value_it_is_or_what_has_become_of_it(
    events: tuple[ev.Event, ...], word: str, state: str
) -> None:
    card = next(card for card in pages.cards_of(view(crowded(), *events), PLACE) if card.node.name == "check_stock")
    html = render(card)
    assert f'aria-label="check_stock, resolver, {state}"' in html
    foot = re.search(r'<span class="foot">(.*?)</span>\n', html)
    assert foot is not None
    assert re.findall(r"\w+", re.sub(r"<[^>]*>", "", foot[1])) == [word]


def test_text_from_a_module_is_text_everywhere() -> None:
    html = page(everything(HOSTILE), HOSTILE, (problem(HOSTILE),))
    assert "<img src=x" not in html
    assert "{{ 7 * 7 }}" in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") > 20


def test_a_posted_text_is_text_when_the_form_comes_back() -> None:
    html = question(
        schema=EVERY_FIELD,
        posted={name: [HOSTILE] for name in EVERY_FIELD["properties"]},
        errors=dict.fromkeys(EVERY_FIELD["properties"], HOSTILE),
        raw=HOSTILE,
        raw_error=HOSTILE,
        problem=HOSTILE,
    )
    assert "<img src=x" not in html


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "JavaScript:1", "//x", "http://["]
)
def test_only_an_http_address_becomes_a_link(url: str) -> None:
    call = view(shop(), *started(), asked("elicit_url", {"message": "Pay", "url": url}))
    html = render(pages.Question.of(call, call.questions["q1"]))
    assert "<a " not in html
    assert "The address is not a plain http or https address, so it is not offered as a link. See Wire for it." in html


def test_a_link_does_not_name_as_its_host_what_stands_before_an_at_sign() -> None:
    request = {"message": "Pay", "url": "https://bank.example@other.example/"}
    call = view(shop(), *started(), asked("elicit_url", request))
    html = render(pages.Question.of(call, call.questions["q1"]))
    assert "Open the page at other.example</a>" in html


def test_a_link_of_a_question_shows_its_host_and_keeps_to_itself() -> None:
    html = question("elicit_url")
    assert "Open the page at pay.example" in html
    assert 'rel="noopener noreferrer"' in html


@pytest.mark.parametrize(
    ("kind", "schema", "expected"),
    [
        ("elicit", {}, ["Accept", "Decline", "Cancel"]),
        ("elicit", EVERY_FIELD, ["Accept", "Decline", "Cancel"]),
        ("elicit", YES_NO, ["Yes", "No", "Decline", "Cancel"]),
        ("elicit_url", None, ["Accept", "Decline", "Cancel"]),
        ("sample", None, ["Answer", "Reject"]),
        ("list_roots", None, ["Answer"]),
    ],
)
def test_a_question_has_the_buttons_of_its_kind(
    kind: ev.QuestionKind, schema: Mapping[str, Any] | None, expected: list[str]
) -> None:
    assert buttons(question(kind, schema)) == expected


def test_accept_comes_with_the_raw_json_of_a_yes_or_no_question() -> None:
    raw = re.search(RAW, question(schema=YES_NO), flags=re.DOTALL)
    assert raw is not None
    assert 'value="accept">Accept</button>' in raw[0]
    assert 'aria-label="Raw JSON"' in raw[0]


def test_a_question_is_a_group_named_by_its_resolver() -> None:
    assert 'role="group" tabindex="-1" aria-label="confirm"' in question()


def test_questions_of_resolvers_with_one_name_are_numbered() -> None:
    call = view(shop(), *started(), asked(), asked("sample", number=2))
    names = [pages.Question.of(call, one).name for one in call.questions.values()]
    assert names == ["confirm #1", "confirm #2"]


def test_every_field_of_a_question_is_labelled_by_its_title() -> None:
    html = question(schema=EVERY_FIELD)
    ids = dict(re.findall(r'<label for="([^"]*)">([^<]*)</label>', html))
    titles = {part["title"] for part in EVERY_FIELD["properties"].values()}
    assert set(ids.values()) == titles - {"Gift", "Tags"}
    assert "<span>Gift</span></label>" in html
    assert re.search(r"<legend [^>]*>Tags</legend>", html)


def test_a_field_that_does_not_fit_says_so_and_can_be_sent_all_the_same() -> None:
    html = question(schema=EVERY_FIELD, posted={"copies": ["99"]}, errors={"copies": "Copies must be at most 9."})
    assert 'aria-invalid="true"' in html
    assert "Copies must be at most 9." in html
    assert 'value="force"' in html


def test_a_settled_question_is_one_row_that_can_be_opened_again() -> None:
    call = CALLS["one of two settled"]
    html = render(pages.Question.of(call, call.questions["q1"]))
    assert "Declined" in html
    assert buttons(html) == ["Reopen"]


def test_an_answer_that_has_gone_cannot_be_opened_again() -> None:
    call = view(shop(), *started(), asked(), ev.QuestionAnswered("q1", {"action": "decline"}), ev.RoundStarted(2))
    assert buttons(render(pages.Question.of(call, call.questions["q1"]))) == []


@every_call
def test_every_node_has_one_button_in_the_graph_named_by_name_kind_and_state(call: CallView) -> None:
    html = render(pages.GraphPane.of(call, PLACE))
    names = re.findall(r'class="card" aria-label="([^"]*)"', html)
    assert len(names) == len(call.graph.nodes)
    assert all(re.fullmatch(r".*, (argument|resolver|context|tool), [a-z ]+", name, flags=re.DOTALL) for name in names)


@pytest.mark.parametrize(
    ("call", "node", "label"),
    [
        ("idle", resolver_id("shop:check"), "check_stock, resolver, idle"),
        ("running", resolver_id("shop:check"), "check_stock, resolver, done"),
        ("asks by elicit", resolver_id("shop:confirm"), "confirm, resolver, waiting for you"),
        ("stopped", TOOL, "order_book, tool, not reached"),
        ("idle", argument_id("title"), "title, argument, idle"),
    ],
)
def test_a_node_is_named_after_its_state(call: str, node: str, label: str) -> None:
    labels = {card.node.id: card.label for card in pages.cards_of(CALLS[call], PLACE)}
    assert labels[node] == label


def test_while_a_call_runs_there_is_one_stop_and_no_call() -> None:
    for name in ("running", "asks by elicit", "one of two settled"):
        found = buttons(page(CALLS[name]))
        assert found.count("Stop") == 1
        assert "Call" not in found


def test_only_an_interrupted_call_offers_to_be_run_again() -> None:
    offers = [name for name, call in CALLS.items() if "Run again with the same answers" in buttons(page(call))]
    assert offers == ["interrupted"]


@pytest.mark.parametrize("name", ["idle", "done", "failed", "died", "interrupted"])
def test_before_and_after_a_call_there_is_one_call_and_no_stop(name: str) -> None:
    found = buttons(page(CALLS[name]))
    assert found.count("Call") == 1
    assert "Stop" not in found


def test_a_tool_with_a_problem_cannot_be_called() -> None:
    html = page(CALLS["a cycle"], problems=(problem("Resolver 'a' has a cyclic dependency"),))
    assert "Call" not in buttons(html)
    assert "Resolver &#39;a&#39; has a cyclic dependency" in html
    assert "The cycle, one edge after the other" in html


def test_a_module_that_serves_nothing_has_a_page() -> None:
    empty = {"module": "shop.py", "servers": [], "problems": [problem("It raises")], "sources": {}}
    html = render(pages.Main.without_tool(empty, Place("0-shop", 0, "")))
    assert "It raises" in html


def test_tabs_keep_their_names_when_they_carry_a_count() -> None:
    html = page(CALLS["done"])
    tabs = re.findall(r'role="tab" id="[^"]*" aria-controls="[^"]*" aria-label="([^"]*)"', html)
    assert tabs == ["Schema", "Rounds", "Wire", "State", "Log", "Source"]


def test_protocol_and_capabilities_are_named_in_full() -> None:
    html = render(pages.Client.of(SETTINGS))
    switches = re.findall(r'role="switch"[^>]*aria-label="([^"]*)"( checked)?', html)
    assert [name for name, _ in switches] == [
        "elicitation.form",
        "elicitation.url",
        "sampling",
        "sampling.tools",
        "roots",
    ]
    assert [name for name, on in switches if on] == ["sampling", "roots"]
    assert re.findall(r'value="([^"]*)" checked><span>', html) == ["2026-07-28"]


def test_a_parameter_the_model_cannot_see_says_who_fills_it() -> None:
    html = page(CALLS["idle"])
    assert "filled by <b>check_stock</b>" in html
    assert "One parameter is hidden from the model." in html


def test_roots_go_to_text_and_back() -> None:
    roots = [{"uri": "file:///books", "name": "My books"}, {"uri": "file:///lent"}]
    assert pages.roots_from(pages.roots_text(roots)) == roots


def test_the_fields_of_a_form_keep_apart_from_its_own_controls() -> None:
    posted = [("action", "accept"), ("field:action", "x"), ("field:tags", "a"), ("field:tags", "b")]
    assert pages.posted_fields(posted) == {"action": ["x"], "tags": ["a", "b"]}


@pytest.mark.parametrize("text", ["resolver:shop:check_stock#1", "a b", "a_b", "_", "ü", "<x>"])
def test_a_part_of_an_id_is_safe_in_selectors(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+", pages.dom_id(text))


def test_different_texts_make_different_ids() -> None:
    texts = ["a b", "a_b", "a_20_b", "a__b", "a:b", "ab"]
    assert len({pages.dom_id(text) for text in texts}) == len(texts)


CONTEXTS: tuple[type[Context], ...] = (
    pages.Actions,
    pages.Announcement,
    pages.Arcs,
    pages.Arguments,
    pages.Client,
    pages.ClientNote,
    pages.ClientSummary,
    pages.Dialog,
    pages.DialogHead,
    pages.Edges,
    pages.GraphPane,
    pages.ListRow,
    pages.Loading,
    pages.LogPane,
    pages.LogRow,
    pages.Main,
    pages.NodeCard,
    pages.NodePanel,
    pages.Notice,
    pages.Page,
    pages.Panes,
    pages.Problems,
    pages.Question,
    pages.Reference,
    pages.Refused,
    pages.Result,
    pages.Rounds,
    pages.RoundsPane,
    pages.SchemaPane,
    pages.Signature,
    pages.SourcePane,
    pages.StatePane,
    pages.TabCount,
    pages.Tools,
    pages.Waiting,
    pages.WireLine,
    pages.WirePane,
)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.template)
def test_a_template_uses_every_field_of_its_context(context: type[Context]) -> None:
    source = (directory("templates") / context.template).read_text()
    code = " ".join(re.findall(r"\{[{%].*?[%}]\}", source, flags=re.DOTALL))
    unused = [field.name for field in fields(context) if not re.search(rf"\b{field.name}\b", code)]
    assert unused == []


def test_every_template_belongs_to_a_context_or_is_shared_by_several() -> None:
    files = {path.name for path in directory("templates").glob("*.html")}
    assert files - {context.template for context in CONTEXTS} == {"_macros.html", "_field.html", "_icons.html"}


def test_an_update_is_the_first_paint_with_a_mark_for_the_swap() -> None:
    call = CALLS["running"]
    for context in (pages.Edges.of(call), pages.Rounds.of(call), pages.Result.of(call), pages.Actions.of(call)):
        update = render(context, oob=True)
        assert update.replace(' hx-swap-oob="true"', "", 1) == render(context)


def test_a_line_of_the_log_is_added_to_the_others() -> None:
    line = pages.LogRow.of(LogLine(0.1, "print", "stdout", "hello"))
    assert render(line, oob=True).startswith('<ol hx-swap-oob="beforeend:#log-lines"><li>')


def test_what_a_result_cannot_show_it_describes() -> None:
    html = render(pages.Result.of(CALLS["done with an image"]))
    assert 'src="data:image/png;base64,AAAA"' in html
    assert "audio, audio/wav, 2 characters of base64" in html


CRASH = ev.Failure("KeyError", "'USD'", (ev.Frame("shop.py", 3, "rate", "return {}[currency]", True),))
REFUSED = ev.Failure("ToolError", "Out of stock")


@pytest.mark.parametrize(
    ("failure", "text", "told"),
    [
        (CRASH, "Error executing tool order_book", True),
        (REFUSED, "Error executing tool order_book: Out of stock", False),
    ],
)
def test_what_was_raised_is_told_where_the_client_hears_less(failure: ev.Failure, text: str, told: bool) -> None:
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    call = view(shop(), *started(), ev.ToolFailed("body", failure), ev.CallEnded("failed", result=result))
    html = render(pages.Result.of(call))
    assert ("The client is told no more than that" in html) == told


def test_of_a_text_too_long_for_a_page_the_rest_is_counted() -> None:
    result = {"content": [{"type": "text", "text": "x" * 70_000}]}
    html = render(pages.Result.of(view(shop(), *ended("done", result=result))))
    assert "... 4464 more characters" in html
    assert len(html) < 70_000


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.status != "idle"])
def test_every_node_of_a_call_has_a_panel(name: str) -> None:
    for node in CALLS[name].graph.nodes:
        assert render(pages.NodePanel.of(CALLS[name], node.id))
