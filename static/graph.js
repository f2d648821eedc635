// The graph: its scale, the selected node, and the line from the node that asks to its question.

const LEGIBLE = 0.9; // Smaller than this, text would fall below 11 px: then the graph scrolls, and a button fits it.
const SVG_ROOM = 12;

let selected = null;
let view = null;
let whole = false;

function fit() {
  const stage = document.getElementById("graph");
  const drawing = stage?.querySelector(".drawing");
  if (!drawing) return;
  const { width, height } = drawing.viewBox.baseVal;
  const scale = Math.min(1, stage.clientWidth / width, stage.clientHeight / height);
  const used = whole || scale >= LEGIBLE ? scale : 1;
  showFitButton(scale < LEGIBLE);
  drawing.setAttribute("width", Math.floor(width * used));
  drawing.setAttribute("height", Math.floor(height * used));
}

function showFitButton(isLarge) {
  const button = document.getElementById("fit");
  if (!button) return;
  button.hidden = !isLarge;
  button.setAttribute("aria-pressed", String(whole));
}

function markSelected() {
  for (const node of document.querySelectorAll("#graph [data-node]")) {
    const button = node.querySelector("button");
    const on = node.dataset.node === selected;
    if (on) button.setAttribute("aria-pressed", "true");
    else button.removeAttribute("aria-pressed");
  }
  for (const edge of document.querySelectorAll("#edges .edge")) {
    edge.classList.toggle("chosen", selected !== null && [edge.dataset.source, edge.dataset.target].includes(selected));
  }
}

function path(from, to) {
  const y = Math.min(Math.max(from.y + 14, to.top + 24), to.bottom - 24);
  if (y === from.y + 14) return { y, d: `M${from.x} ${from.y}V${y - 8}Q${from.x} ${y} ${from.x + 8} ${y}H${to.left}` };
  const low = from.y + 14;
  const turn = to.left - 10;
  return { y, d: `M${from.x} ${from.y}V${low}H${turn}V${y}H${to.left}` };
}

function drawLeader() {
  const leader = document.getElementById("leader");
  const asking = document.querySelectorAll("#graph .node.is-waiting");
  const dialog = document.querySelector("#dialog dialog");
  const tail = asking.length === 1 ? asking[0].querySelector(".tail") : null;
  const box = tail?.getBoundingClientRect();
  const stage = document.getElementById("graph")?.getBoundingClientRect();
  const visible = box && box.width > 0 && dialog && box.top >= stage.top && box.top < stage.bottom && box.left < stage.right;
  if (!leader || !visible || innerWidth < 960) {
    leader?.removeAttribute("data-on");
    return;
  }
  const { y, d } = path({ x: box.left + 1, y: box.top + SVG_ROOM - 1 }, dialog.getBoundingClientRect());
  leader.querySelector("path").setAttribute("d", d);
  leader.querySelector("circle").setAttribute("cx", dialog.getBoundingClientRect().left + 1);
  leader.querySelector("circle").setAttribute("cy", y);
  leader.setAttribute("data-on", "");
}

function showAsking() {
  const asking = document.querySelector("#graph .node.is-waiting .card");
  asking?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
}

let pending = false;
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    fit();
    markSelected();
    drawLeader();
  });
}

function choose(node) {
  selected = node;
  redraw();
}

document.addEventListener("click", (event) => {
  const node = event.target.closest("#graph [data-node]");
  if (node) choose(node.dataset.node);
  if (event.target.closest("[data-close=node-panel]")) {
    document.getElementById("node-panel").replaceChildren();
    document.querySelector("#graph [aria-pressed=true]")?.focus();
    choose(null);
  }
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("#fit")) return;
  whole = !whole;
  redraw();
});

document.addEventListener("htmx:afterSwap", (event) => {
  const chosen = event.detail.requestConfig?.elt?.closest?.("[data-node]");
  if (event.detail.target?.id === "node-panel" && chosen) document.getElementById("panel-heading")?.focus();
});

document.addEventListener("change", (event) => {
  if (event.target.name !== "view") return;
  view = event.target.value;
  redraw();
});

// What the socket swaps is no event of ours: watch the places themselves.
function watch() {
  const observer = new MutationObserver((changes) => {
    if (changes.every((change) => change.target.closest?.("#leader"))) return;
    const added = changes.flatMap((change) => [...change.addedNodes]);
    if (added.some((node) => node.id === "main")) restoreView();
    if (added.some((node) => node.classList?.contains("is-waiting"))) showAsking();
    redraw();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

function restoreView() {
  selected = null;
  whole = false;
  const radio = view && document.getElementById(`view-${view}`);
  if (radio) radio.checked = true;
}

addEventListener("resize", redraw);
document.addEventListener("scroll", redraw, { capture: true, passive: true });
document.addEventListener("toggle", redraw, { capture: true });
watch();
redraw();
showAsking();
