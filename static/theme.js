// Light or dark, as chosen; before the page is painted. A plain script, because modules wait for the document.

(() => {
  const key = "playground.theme";
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try { return localStorage.getItem(key); } catch { return null; }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  }

  function show() {
    document.getElementById("theme")?.setAttribute("aria-pressed", String(isDark()));
  }

  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  prefersDark.addEventListener("change", show);
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#theme")) return;
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem(key, root.dataset.theme); } catch { /* Storage may be forbidden: the choice lasts until reload. */ }
    show();
  });
})();
