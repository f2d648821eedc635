// Questions by keyboard: focus goes to a new dialog unless someone is typing elsewhere; Escape cancels the focused
// question, and asks first when something was typed; Ctrl+Enter calls or accepts; what was typed survives a swap, and
// until it is sent also a reload and a restart of the playground.

const STORED = "draft ";
const drafts = new Map();
for (const [key, text] of Object.entries(sessionStorage)) {
  if (key.startsWith(STORED)) drafts.set(key.slice(STORED.length), JSON.parse(text));
}

function keep(key, draft) {
  drafts.set(key, draft);
  try {
    sessionStorage.setItem(STORED + key, JSON.stringify(draft));
  } catch {
    // Full: what was typed still survives a swap.
  }
}

// In memory it stays: a reopened question shows it again.
function isSent(address) {
  for (const key of drafts.keys()) if (key.startsWith(`${address} `)) sessionStorage.removeItem(STORED + key);
}

function moveDrafts(from, to) {
  for (const [key, draft] of [...drafts]) {
    if (key.startsWith(`/calls/${from}/`)) keep(key.replace(`/calls/${from}/`, `/calls/${to}/`), draft);
  }
}

function keyOf(control) {
  const form = control.closest(".question-form");
  if (!form || !control.name || control.name === "action") return null;
  return `${form.getAttribute("hx-post")} ${control.id || control.name}`; // The address names the call too.
}

function isChanged(control) {
  if (control.type === "checkbox") return control.checked !== control.defaultChecked;
  if (control.tagName !== "SELECT") return "defaultValue" in control && control.value !== control.defaultValue;
  const initial = [...control.options].find((option) => option.defaultSelected) ?? control.options[0];
  return control.options[control.selectedIndex] !== initial;
}

function isTyped(form) {
  return [...form.elements].some(isChanged);
}

function askFirst(form) {
  if (form.querySelector(".discard")) return;
  const row = document.createElement("p");
  row.className = "discard";
  row.setAttribute("role", "alert");
  const words = document.createElement("span");
  words.textContent = "Cancel the question and lose what you typed?";
  row.append(words);
  for (const [text, sure] of [["Cancel the question", true], ["Keep typing", false]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => {
      row.remove();
      if (sure) cancel(form);
      else form.querySelector("input, textarea, select")?.focus();
    });
    row.append(button);
  }
  form.append(row);
  row.querySelector("button").focus();
}

function cancel(form) {
  const button = form.querySelector("[data-cancel]") ?? form.querySelector("button[value=reject]");
  if (button) form.requestSubmit(button);
}

function onEscape(event) {
  const form = event.target.closest?.(".question")?.querySelector(".question-form");
  if (!form) return;
  event.preventDefault();
  if (isTyped(form)) askFirst(form);
  else cancel(form);
}

function onCtrlEnter(event) {
  const form = event.target.closest?.(".question")?.querySelector(".question-form") ?? document.getElementById("arguments");
  const choices = form?.querySelectorAll("button[value=accept], button[value=answer], #call-button") ?? [];
  const button = [...choices].find((choice) => choice.checkVisibility());
  if (!button) return;
  event.preventDefault();
  form.requestSubmit(button);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") onEscape(event);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onCtrlEnter(event);
});

document.addEventListener("input", (event) => {
  const key = keyOf(event.target);
  if (key) keep(key, event.target.type === "checkbox" ? event.target.checked : event.target.value);
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { elt, successful, xhr } = event.detail;
  if (successful && elt.matches(".question-form") && !xhr.responseText.includes("question-form")) isSent(elt.getAttribute("hx-post"));
});

document.addEventListener("call-started", (event) => {
  if (event.detail.before) moveDrafts(event.detail.before, event.detail.call);
});

function showRaw(toggle, on) {
  toggle.setAttribute("aria-expanded", String(on));
  document.getElementById(toggle.getAttribute("aria-controls")).hidden = !on;
}

document.addEventListener("click", (event) => {
  const toggle = event.target.closest(".raw-toggle");
  if (toggle) showRaw(toggle, toggle.getAttribute("aria-expanded") !== "true");
});

function restore(root) {
  for (const control of root.querySelectorAll(".question-form [name]")) {
    const draft = drafts.get(keyOf(control));
    if (draft === undefined) continue;
    if (control.type === "checkbox") control.checked = draft;
    else control.value = draft;
    if (control.name === "raw" && draft) showRaw(control.closest("form").querySelector(".raw-toggle"), true);
  }
}

function isTypingElsewhere() {
  const active = document.activeElement;
  return active?.matches("input:not([readonly]), textarea:not([readonly]), select") && !active.closest("#dialog");
}

function welcome(dialog) {
  if (isTypingElsewhere()) return;
  const question = dialog.querySelector(".question:not(.settled)");
  // Not on a button: an Enter meant for something else must not answer.
  const field = question?.querySelector(":is(input, select, textarea):not([name=raw])");
  (field ?? question)?.focus({ preventScroll: innerWidth >= 960 });
}

new MutationObserver((changes) => {
  for (const node of changes.flatMap((change) => [...change.addedNodes])) {
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    restore(node);
    const dialog = node.matches("dialog.questions") ? node : node.querySelector("dialog.questions");
    if (dialog) welcome(dialog);
  }
}).observe(document.body, { childList: true, subtree: true });

restore(document);
const open = document.querySelector("dialog.questions");
if (open) welcome(open);
