// A page in the queue asks for its place again and again, and becomes the playground as soon as that is the answer.
// Only the place is replaced, so that a screen reader says it when it changes, and not the whole page each time.

function place(page) {
  return page.getElementById("place");
}

async function look() {
  const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
  if (!answer) return; // The next look may find the way.
  const now = place(new DOMParser().parseFromString(await answer.text(), "text/html"));
  if (!now) location.reload();
  else if (now.textContent !== place(document).textContent) place(document).replaceChildren(...now.childNodes);
}

setInterval(look, 1000 * Number(place(document).dataset.seconds));
