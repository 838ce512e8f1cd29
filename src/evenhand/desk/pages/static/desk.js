// Review by keyboard. The next item is on the page already: a key shows it at once, and the answer is sent behind it.
// What could not be sent is kept and sent again, one after the other; the server carries out each answer once.
// Without this file the page is a form that works.
"use strict";
(() => {
  const review = document.getElementById("review");
  if (!review) return;
  const part = name => document.getElementById(name);
  const current = part("current"), next = part("next"), waiting = part("waiting"), saving = part("saving");
  const status = part("status"), pause = part("pause");
  const say = (name, values = {}) => Object.entries(values).reduce(
    (text, [key, value]) => text.replace(`{${key}}`, value), review.getAttribute(`data-say-${name}`));
  const keys = new Map(Array.from(review.attributes).filter(a => a.name.startsWith("data-key-"))
    .map(a => [a.value, a.name.slice("data-key-".length)]));
  const unsent = [];
  let sending = false, cut = false, asking = false, active = Date.now(), begun = Date.now(), paused = Date.now();

  const form = () => current.querySelector("form");
  const ticket = () => form()?.dataset.ticket ?? "";

  function tell(text, problem = false) {
    status.replaceChildren();
    if (!text) return;
    const line = document.createElement("p");
    line.className = problem ? "said problem" : "said";
    line.textContent = text;
    status.append(line);
  }

  function place(box, nodes) {
    box.replaceChildren(...nodes);
    if (box !== current) return;
    for (const element of current.querySelectorAll("[id]")) element.id = element.id.replace(/-next$/, "");
    for (const element of current.querySelectorAll("[for]")) element.htmlFor = element.htmlFor.replace(/-next$/, "");
    if (window.htmx) window.htmx.process(current);
    show();
    current.querySelector(".text")?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  function show() {
    const empty = !form(), busy = unsent.length > 0;
    saving.hidden = !(empty && busy);
    waiting.hidden = !(empty && !busy);
  }

  function advance() {
    place(current, [...next.childNodes]);
    next.replaceChildren();
  }

  function receive(text) {
    const parts = new DOMParser().parseFromString(text, "text/html").querySelectorAll("[data-part]");
    let said = null;
    for (const one of parts) {
      if (one.dataset.part === "status") said = one;
      if (one.dataset.part === "current") place(current, [...one.childNodes]);
      if (one.dataset.part === "next") next.replaceChildren(...one.childNodes);
    }
    if (!form() && next.querySelector("form")) advance();
    show();
    return said;
  }

  async function post(address, values) {
    const body = new URLSearchParams({ ...values, csrf: review.dataset.csrf, part: "1" });
    return fetch(address, { method: "POST", body, headers: { "X-CSRF-Token": review.dataset.csrf }, redirect: "manual" });
  }

  async function send() {
    if (sending) return;
    sending = true;
    while (unsent.length) {
      const [address, values] = unsent[0];
      let response;
      try {
        response = await post(address, { ...values, showing: ticket() });
        if (response.status >= 500 || response.status === 429) throw new Error("later");
      } catch {
        cut = true;
        tell(say("offline"), true);
        setTimeout(() => { sending = false; send(); }, 2000);
        return;
      }
      if (response.type === "opaqueredirect" || response.status === 401) {
        cut = true;
        tell(say("signed-out"), true);
        setTimeout(() => { sending = false; send(); }, 5000);
        return;
      }
      unsent.shift();
      if (!response.ok && response.status !== 409) { tell(say("refused"), true); continue; }
      const said = receive(await response.text()), problem = said?.dataset.problem === "1";
      let text = said?.textContent.trim() ?? "";
      if (problem && values.note) text += ` ${say("kept-note", { note: values.note })}`;
      tell(cut && !problem ? say("online") : text, problem);
      cut = false;
    }
    sending = false;
    show();
  }

  function act(action) {
    active = Date.now();
    if (action === "undo") { unsent.push(["/queue/undo", { queue: review.dataset.queue }]); send(); return; }
    const shown = form();
    if (!shown) return;
    const button = shown.querySelector(`[data-action="${action}"]`);
    if (action === "clause" || action === "note") { shown.elements[action].focus(); return; }
    if (action === "context") { shown.querySelector("a.context").click(); return; }
    if (action === "reveal") { const box = shown.querySelector("input.reveal"); if (box) box.checked = !box.checked; return; }
    if (!button) return;
    const values = Object.fromEntries(new FormData(shown));
    values.do = action;
    unsent.push(["/queue", values]);
    if (action !== "second") advance();
    rest();
    send();
  }

  function rest() {
    const now = Date.now();
    if (now - paused > 5 * 60000) begun = now;
    paused = now;
    const minutes = Math.floor((now - begun) / 60000);
    pause.textContent = minutes >= 50 ? say("pause", { minutes }) : "";
  }

  async function lookAgain() {
    if (form() || asking || unsent.length || document.hidden) return;
    asking = true;
    try {
      const response = await fetch(`/queue?part=1&queue=${encodeURIComponent(review.dataset.queue)}`, { redirect: "manual" });
      if (response.ok) receive(await response.text());
    } catch { /* the next look will tell */ }
    asking = false;
  }

  async function renew() {
    if (!form() || Date.now() - active > 1000 * Number(review.dataset.lease)) return;
    try { await post("/queue/renew", { queue: review.dataset.queue }); } catch { /* deciding will tell */ }
  }

  document.addEventListener("keydown", event => {
    active = Date.now();
    const field = event.target.closest("input:not(.reveal), textarea, select");
    if (event.key === "Escape" && field) { field.blur(); return; }
    if (field || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const action = keys.get(event.key.toLowerCase());
    if (!action) return;
    event.preventDefault();
    act(action);
  });
  document.addEventListener("submit", event => {
    const action = event.submitter?.dataset.action;
    if (!action || !(current.contains(event.target) || event.target.id === "undo")) return;
    event.preventDefault();
    act(action);
  });
  window.addEventListener("beforeunload", event => { if (unsent.length) event.preventDefault(); });
  window.addEventListener("online", () => { sending = false; send(); });
  document.addEventListener("pointerdown", () => { active = Date.now(); });
  setInterval(renew, 1000 * Number(review.dataset.renew));
  setInterval(lookAgain, 60000);
  current.querySelector(".text")?.focus({ preventScroll: true });
})();
