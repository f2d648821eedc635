// The page follows the call it shows: parts come over a socket, in the order of events. A socket that breaks is opened
// again and asks for what came after the last event drawn, so nothing is lost and nothing comes twice.

const CALL_UNKNOWN = 4404;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;

let socket = null;
let shown = null; // The element that the frames are for.
let timer = 0;
let wait = FIRST_WAIT;

function main() {
  return document.getElementById("main");
}

function follow() {
  clearTimeout(timer);
  socket?.close();
  socket = null;
  shown = main();
  const { call, seq, epoch } = shown?.dataset ?? {};
  if (!call) return;
  const query = new URLSearchParams({ call, after: seq, epoch });
  const opened = new WebSocket(`${location.origin.replace(/^http/, "ws")}/live?${query}`);
  opened.addEventListener("message", (event) => onFrame(opened, JSON.parse(event.data)));
  opened.addEventListener("close", (event) => onClose(opened, event));
  socket = opened;
}

function onFrame(from, frame) {
  if (from !== socket || shown !== main()) return; // The page has gone on to something else.
  wait = FIRST_WAIT;
  tell("");
  htmx.swap(main(), frame.html, { swapStyle: "none" });
  Object.assign(main().dataset, { seq: frame.seq, epoch: frame.epoch });
  refreshPanel(frame.html);
}

function onClose(from, event) {
  if (from !== socket) return;
  socket = null;
  if (event.code === 1000) return;
  if (event.code === CALL_UNKNOWN) return tell(event.reason);
  tell("The playground does not answer. It is asked again until it does; what you typed stays here.");
  timer = setTimeout(follow, wait);
  wait = Math.min(2 * wait, LONGEST_WAIT);
}

// The panel shows one node: it is drawn anew when that node was.
function refreshPanel(html) {
  const shown = document.querySelector("#node-panel [data-shows]")?.dataset.shows;
  if (!shown || !html.includes(`id="node-${shown}"`)) return;
  const address = document.querySelector(`#graph [data-node="${shown}"] button`)?.getAttribute("hx-get");
  if (address) htmx.ajax("GET", address, { target: "#node-panel", swap: "innerHTML" });
}

function tell(sentence) {
  const notice = document.getElementById("notice");
  notice.querySelector("p").textContent = sentence;
  notice.hidden = sentence === "";
}

document.addEventListener("call-started", (event) => {
  const { call, seq, epoch } = event.detail;
  Object.assign(main().dataset, { call, seq, epoch });
  follow();
});

document.addEventListener("htmx:afterSettle", () => {
  if (shown !== main()) follow();
});

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt !== document.body) tell("");
});

document.addEventListener("htmx:sendError", () => {
  tell("The playground does not answer. Is it still running? Nothing you typed is lost: try again.");
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close=notice]")) tell("");
});

follow();
