"""What a person does on the page, by role and accessible name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

WAIT_MS = 30_000
"""Every wait in these tests ends: by far more than the page needs, even on a busy machine."""
expect.set_options(timeout=WAIT_MS)


@dataclass(frozen=True)
class Person:
    page: Page

    def open_module(self, module: str) -> None:
        self.page.get_by_label(re.compile("^Module ")).click()
        self.page.get_by_role("link", name=module, exact=True).click()

    def open(self, module: str, tool: str) -> None:
        self.open_module(module)
        self.choose(tool)

    def choose(self, tool: str) -> None:
        if self.tool_link(tool).get_attribute("aria-current") is None:
            self.tool_link(tool).click()
        expect(self.tool_link(tool)).to_have_attribute("aria-current", "page")
        expect(self.graph.get_by_label(re.compile(rf"^{tool}, tool, "))).to_be_visible()

    def choose_era(self, era: str) -> None:
        radio = self.page.get_by_role("radiogroup", name="Protocol").get_by_role("radio", name=era)
        if not radio.is_checked():
            with self.page.expect_response("**/client"):
                radio.check(force=True)
        expect(radio).to_be_checked()

    def switch(self, capability: str, on: bool) -> None:
        control = self.page.get_by_role("switch", name=capability, exact=True)
        if control.is_checked() != on:
            with self.page.expect_response("**/client"):
                control.click(force=True)
        expect(control).to_be_checked(checked=on)

    def call(self, **arguments: str) -> None:
        for label, value in arguments.items():
            self.arguments.get_by_label(label, exact=True).fill(value)
        self.press("Call", self.arguments)

    def answer(self, resolver: str, button: str, **fields: str) -> None:
        question = self.question(resolver)
        for label, value in fields.items():
            question.get_by_label(label, exact=True).fill(value)
        self.press(button, question)

    def press(self, button: str, within: Locator) -> None:
        within.get_by_role("button", name=button, exact=True).click()

    def tool_link(self, tool: str) -> Locator:
        return self.page.get_by_role("navigation", name="Tools").get_by_role("link", name=tool, exact=True)

    @property
    def arguments(self) -> Locator:
        return self.page.get_by_role("form", name="Arguments")

    @property
    def graph(self) -> Locator:
        return self.page.get_by_role("group", name="Graph")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    @property
    def result(self) -> Locator:
        return self.page.get_by_role("region", name="Result")

    @property
    def rounds(self) -> Locator:
        return self.page.get_by_role("region", name="Rounds")

    def question(self, resolver: str) -> Locator:
        return self.dialog.get_by_role("group", name=resolver, exact=True)

    def sees_result(self, text: str) -> None:
        expect(self.result).to_contain_text(text)

    def sees_node(self, name: str, kind: str, state: str) -> None:
        expect(self.graph.get_by_label(f"{name}, {kind}, {state}", exact=True)).to_be_visible()
