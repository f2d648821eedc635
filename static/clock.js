// The time that a server's own policy leaves for an answer, counted down where it stands.

function until(seconds) {
  if (seconds <= 0) return "now: an answer comes too late";
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `in ${minutes} min ${Math.floor(seconds % 60)} s` : `in ${Math.ceil(seconds)} s`;
}

function tick() {
  for (const clock of document.querySelectorAll("[data-expires]")) {
    clock.querySelector(".until").textContent = until(Number(clock.dataset.expires) - Date.now() / 1000);
  }
}

setInterval(tick, 500);
tick();
