// Tabs: click and arrow keys; the chosen one stays chosen when the page's middle is swapped.

let chosen = "schema";

function select(tab, focus) {
  for (const other of tab.closest("[role=tablist]").querySelectorAll("[role=tab]")) {
    const on = other === tab;
    other.setAttribute("aria-selected", String(on));
    other.tabIndex = on ? 0 : -1;
    const panel = document.getElementById(other.getAttribute("aria-controls"));
    if (panel) panel.hidden = !on;
  }
  chosen = tab.id.replace(/^tab-/, "");
  if (focus) tab.focus();
}

function neighbour(tab, key) {
  const tabs = [...tab.parentElement.querySelectorAll("[role=tab]")];
  const here = tabs.indexOf(tab);
  const places = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 };
  return key in places ? tabs[(places[key] + tabs.length) % tabs.length] : null;
}

document.addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) select(tab, false);
});

document.addEventListener("keydown", (event) => {
  const tab = event.target.closest("[role=tab]");
  const next = tab && neighbour(tab, event.key);
  if (!next) return;
  event.preventDefault();
  select(next, true);
});

document.addEventListener("htmx:afterSwap", () => {
  const tab = document.getElementById(`tab-${chosen}`);
  if (tab && tab.getAttribute("aria-selected") !== "true") select(tab, false);
});
