// Labelling by keyboard. An answer that cannot be sent is kept on the page and sent again; the server saves it once.
// Without this file the page is a form that works.
"use strict";
(() => {
  if (!document.getElementById("label")) return;
  const status = document.getElementById("status");
  const box = () => document.getElementById("label");
  let sending = false;

  function tell(text) {
    const line = document.createElement("p");
    line.className = "said problem";
    line.textContent = text;
    status.replaceChildren(line);
  }

  function place(page) {
    box().replaceWith(page.getElementById("label"));
    status.replaceChildren(...page.getElementById("status").childNodes);
    box().querySelector(".text")?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  async function send(address, body) {
    let wait = 2000, said = "offline";
    try {
      const response = await fetch(address, { method: "POST", body });
      if (response.url.includes("/sign-in")) { wait = 5000; said = "signed-out"; throw new Error("later"); }
      if (response.status >= 500 || response.status === 429) throw new Error("later");
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      sending = false;
      if (page.getElementById("label")) place(page); else tell(box().getAttribute("data-say-refused"));
    } catch {
      tell(box().getAttribute(`data-say-${said}`));
      setTimeout(() => send(address, body), wait);
    }
  }

  document.addEventListener("submit", event => {
    if (!(box().contains(event.target) || event.target.id === "undo")) return;
    event.preventDefault();
    if (sending) return;
    sending = true;
    const values = new URLSearchParams(new FormData(event.target));
    values.set("do", event.submitter.value);
    send(event.target.getAttribute("action"), values);
  });
  document.addEventListener("keydown", event => {
    const field = event.target.closest("input:not(.reveal), textarea, select");
    if (event.key === "Escape" && field) { field.blur(); return; }
    if (field || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const own = Array.from(box().attributes).find(a => a.name.startsWith("data-key-") && a.value === event.key.toLowerCase());
    if (!own) return;
    event.preventDefault();
    const action = own.name.slice("data-key-".length);
    if (action === "note") { document.getElementById("note")?.focus(); return; }
    if (action === "reveal") { const check = document.getElementById("reveal"); if (check) check.checked = !check.checked; return; }
    document.querySelector(`[data-action="${action}"]`)?.click();
  });
  window.addEventListener("beforeunload", event => { if (sending) event.preventDefault(); });
  box().querySelector(".text")?.focus({ preventScroll: true });
})();
