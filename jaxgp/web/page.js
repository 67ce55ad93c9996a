"use strict";
// What the page does in the browser: it sends moves, and shows what the server draws. No libraries.
const byId = (id) => document.getElementById(id);
const page = document.querySelector('meta[name="page"]').content;

const say = (text, bad) => {
  byId("said").textContent = text;
  byId("said").classList.toggle("bad", Boolean(bad));
};

const post = async (path, body) => {
  try {
    const answer = await fetch(path, {
      method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", "x-page": page },
    });
    const text = await answer.text();
    let found;
    try { found = JSON.parse(text); } catch { found = { error: text }; }
    if (found.error) say(found.error, true); else say(found.said || "");
    if (found.go) location.assign(found.go);
    return found;
  } catch {
    say("The server does not answer.", true);
    return {};
  }
};

const shown = new Map();
const put = (parts) => {
  for (const [id, html] of Object.entries(parts)) {
    if (byId(id) && shown.get(id) !== html) { byId(id).innerHTML = html; shown.set(id, html); }
  }
};

for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button.main");
    button.disabled = true;
    say("Setting up");
    await post(form.dataset.post, Object.fromEntries(new FormData(form)));
    button.disabled = false;
  });
}
for (const button of document.querySelectorAll("button[data-post]")) {
  button.addEventListener("click", () => post(button.dataset.post, JSON.parse(button.dataset.body)));
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(button.dataset.copy); say("Copied: " + button.dataset.copy); }
    catch { say(button.dataset.copy); }
  });
}
const typing = (event) => event.ctrlKey || event.metaKey || event.altKey ||
  ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
if (byId("steps")) {
  document.addEventListener("keydown", (event) => {
    const rel = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    const link = rel && byId("steps").querySelector(`a[rel="${rel}"]`);
    if (link && !typing(event)) { event.preventDefault(); link.click(); }
  });
}

const follow = (path, show) => {
  const stream = new EventSource(path);
  let lost = null;
  stream.onmessage = (event) => {
    if (lost) { clearTimeout(lost); lost = null; say(""); }
    show(JSON.parse(event.data));
  };
  stream.onerror = () => { lost = lost || setTimeout(() => say("Waiting for the server.", true), 3000); };
  return stream;
};

if (byId("live")) follow(byId("live").dataset.stream, (found) => put(found.parts));

const table = byId("game");
if (table) {
  const base = "/play/" + encodeURIComponent(table.dataset.game);
  let bottom = Number(table.dataset.bottom), now = null, chosen = [], sending = false, stream = null;

  // The moves that go on as has been pointed at so far.
  const fitting = () => now.moves.filter((move) => move.p.length && chosen.every((place, n) => move.p[n] === place));
  const named = (rect) => rect.dataset.place.split(" ");

  const play = async (action) => {
    if (sending) return;
    sending = true;
    chosen = [];
    const found = await post(base + "/move", { at: now.at, action, bottom });
    sending = false;
    if (found.view) show(found.view);
  };

  const pick = (rect) => {
    const next = new Set(fitting().map((move) => move.p[chosen.length]));
    const place = named(rect).find((one) => next.has(one));
    if (!place) { chosen = []; mark(); if (named(rect).some((one) => firsts().has(one))) pick(rect); return; }
    chosen.push(place);
    const done = fitting().filter((move) => move.p.length === chosen.length);
    if (done.length === 1 && fitting().length === 1) play(done[0].a);
    else mark();
  };
  const firsts = () => new Set(now.moves.map((move) => move.p[0]));

  const mark = () => {
    const open = fitting(), next = new Map();
    for (const move of open) {
      const place = move.p[chosen.length];
      if (place) next.set(place, (next.get(place) || []).concat(move.n));
    }
    for (const rect of byId("board").querySelectorAll(".place")) {
      const names = named(rect), place = names.find((one) => next.has(one));
      rect.classList.toggle("chosen", names.some((one) => chosen.includes(one)));
      rect.classList.toggle("hinted", names.some((one) => now.hinted.includes(one)));
      if (place) {
        rect.setAttribute("tabindex", "0");
        rect.setAttribute("role", "button");
        rect.setAttribute("aria-label", next.get(place).slice(0, 4).join(", "));
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) rect.removeAttribute(name);
      }
    }
    // Moves without a place of their own have buttons: all of them, or those that share what was pointed at.
    const shared = open.filter((move) => chosen.length && move.p.length === chosen.length);
    const offered = shared.length ? shared : now.moves.filter((move) => !move.p.length);
    const held = byId("moves").contains(document.activeElement);
    byId("moves").replaceChildren(...offered.map((move, n) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = move.n;
      button.addEventListener("click", () => play(move.a));
      button.dataset.digit = n + 1;
      return button;
    }));
    byId("choose").hidden = !offered.length;
    if ((held || shared.length) && offered.length) byId("moves").firstChild.focus({ preventScroll: true });
  };

  const show = (view) => {
    if (now && view.version < now.version && view.bottom === now.bottom) return;
    const moved = !now || now.at !== view.at, focus = document.activeElement && document.activeElement.dataset.place;
    if (moved || view.waiting !== "person") chosen = [];
    if (moved) byId("reasons").hidden = true;
    now = view;
    put(view.parts);
    mark();
    if (focus) {
      const again = [...byId("board").querySelectorAll(".place[tabindex]")];
      (again.find((rect) => rect.dataset.place === focus) || again[0] || document.body).focus({ preventScroll: true });
    }
    const may = {
      undo: view.at > 1 && !["starting", "moving"].includes(view.waiting), hint: view.waiting === "person",
      why: view.at > 0, stop: view.waiting === "thinking",
      again: ["stopped", "failed", "paused"].includes(view.waiting), resign: view.waiting === "person",
    };
    for (const button of document.querySelectorAll("[data-do]")) button.disabled = !may[button.dataset.do];
  };

  const listen = () => {
    if (stream) stream.close();
    stream = follow(`${base}/stream?bottom=${bottom}`, show);
  };

  const act = async (name) => {
    const found = await post(`${base}/${name}`, { at: now.at, bottom });
    if (found.reasons) { byId("reasons").innerHTML = found.reasons; byId("reasons").hidden = false; }
    if (found.view) show(found.view);
  };

  byId("board").addEventListener("click", (event) => {
    const rect = event.target.closest(".place");
    if (now && rect && now.waiting === "person") pick(rect);
  });
  if (byId("marks")) byId("marks").addEventListener("change", (event) => byId("board").classList.toggle("marked", event.target.checked));
  const flip = () => { bottom = 1 - bottom; now = null; listen(); };
  byId("flip").addEventListener("click", flip);
  for (const button of document.querySelectorAll("[data-do]")) {
    button.addEventListener("click", () => act(button.dataset.do));
  }
  document.addEventListener("keydown", (event) => {
    if (!now || typing(event)) return;
    if (event.target.classList.contains("place") && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      if (now.waiting === "person") pick(event.target);
      return;
    }
    if (event.key === "Escape") { chosen = []; mark(); return; }
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow) { if (steer(arrow)) event.preventDefault(); return; }
    const digit = byId("moves").querySelector(`[data-digit="${event.key}"]`);
    const button = digit || document.querySelector(`[data-key="${event.key}"]:not(:disabled)`);
    if (button) button.click(); else if (event.key === "f") flip();
  });

  // Arrow keys go to the nearest place in their direction that can be pointed at.
  const steer = ([right, down]) => {
    const all = [...byId("board").querySelectorAll(".place[tabindex]")], from = document.activeElement;
    if (!all.length) return false;
    if (!from || !from.classList.contains("place")) { all[0].focus(); return true; }
    const middle = (rect) => { const box = rect.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const rect of all) {
      const [u, v] = middle(rect), along = (u - x) * right + (v - y) * down;
      const aside = Math.abs((u - x) * down) + Math.abs((v - y) * right), far = along + 2 * aside;
      if (rect !== from && along > 1 && far < least) { best = rect; least = far; }
    }
    if (best) best.focus();
    return true;
  };
  listen();
}
