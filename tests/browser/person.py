"""What a person does on the page, by role and accessible name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

WAIT_MS = 10_000
"""Every wait in these tests ends: by far more than the page needs, even on a busy machine."""


@dataclass(frozen=True)
class Person:
    page: Page

    def open(self, module: str, tool: str) -> None:
        self.page.get_by_role("combobox", name="Module").select_option(label=module)
        self.tool_link(tool).click()
        expect(self.page.get_by_role("form", name="Arguments")).to_be_visible()
        expect(self.graph.get_by_label(re.compile(rf"^{tool}, tool, "))).to_be_visible()

    def choose_era(self, era: str) -> None:
        radio = self.page.get_by_role("radiogroup", name="Protocol").get_by_role("radio", name=era)
        with self.page.expect_response(lambda response: "/client" in response.url):
            radio.check(force=True)
        expect(radio).to_be_checked()

    def switch(self, capability: str, on: bool) -> None:
        control = self.page.get_by_role("switch", name=capability, exact=True)
        if control.is_checked() != on:
            with self.page.expect_response(lambda response: "/client" in response.url):
                control.click(force=True)

    def call(self, **arguments: str) -> None:
        form = self.page.get_by_role("form", name="Arguments")
        for label, value in arguments.items():
            form.get_by_label(label, exact=True).fill(value)
        self.page.get_by_role("button", name="Call").click()

    def tool_link(self, tool: str) -> Locator:
        return self.page.get_by_role("navigation", name="Tools").get_by_role("link", name=tool, exact=True)

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

    def press(self, button: str, within: Locator | None = None) -> None:
        (within or self.dialog).get_by_role("button", name=button).click()

    def sees_result(self, text: str) -> None:
        expect(self.result).to_contain_text(text)

    def sees_node(self, name: str, kind: str, state: str) -> None:
        expect(self.graph.get_by_label(f"{name}, {kind}, {state}", exact=True)).to_be_visible()
