"use strict";
(() => {
const $ = id => document.getElementById(id);
const make = (tag, text, cls) => { const e = document.createElement(tag); if (text) e.textContent = text; if (cls) e.className = cls; return e; };
const data = JSON.parse($("index").textContent);
const total = data.c.length, height = 26, always = "gxkte";
const times = new Float64Array(total); // microseconds since the start
for (let i = 0, t = 0; i < total; i++) times[i] = t += data.t[i];

// Where scripts run, the rows are the text of noscript elements: escaped by who
// wrote the page, and made into elements only where they are looked at.
const chunks = [...document.querySelectorAll("noscript.rows")], split = [], searched = [];
const html = i => {
  const c = i / data.per | 0;
  split[c] ??= chunks[c].textContent.split("\n").filter(l => l.startsWith("<li"));
  return split[c][i % data.per];
};
const entities = { amp: "&", lt: "<", gt: ">", quot: '"' };
const text = s => s.replace(/<[^>]*>/g, " ").replace(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, n, name) => n ? String.fromCodePoint(n) : entities[name]);
const words = i => searched[i] ??= text(html(i)).toLowerCase();
const parts = { em: /<em>(.*?)<\/em>/, time: /<time[^>]*>(.*?)<\/time>/, b: /<b [^>]*>(.*?)<\/b>/, w: /<span class="w">(.*?)<\/span>/ };
const part = (i, name) => text((parts[name].exec(html(i)) || ["", ""])[1]); // quicker than to make the element
const element = i => { const t = document.createElement("template"); t.innerHTML = html(i); return t.content.firstElementChild; };
const object = i => data.o[i] < 0 ? null : data.objects[data.o[i]];
const name = o => (o[3] ? o[3] + " " : "") + (o[1] ? o[1] + "/" : "") + o[2];
const history = new Map();
for (let i = 0; i < total; i++) if (data.o[i] >= 0) history.has(data.o[i]) ? history.get(data.o[i]).push(i) : history.set(data.o[i], [i]);

// What is shown, and its state in the address.
const types = [["a", "added"], ["m", "modified"], ["d", "deleted"], ["s", "watch states"], ["nf", "notes, state"]];
const state = { q: "", kind: "", ns: "", obj: -1, off: "s", row: -1 };
let shown = [], place = new Map();

function parse(q) {
  return (q.match(/-?(?:\w+:)?(?:"[^"]*"|\S+)/g) || []).map(term => {
    const [, not, key, value] = /^(-?)(?:(kind|ns|name|type|stream|manager|context):)?(.*)$/.exec(term);
    const v = value.replace(/"/g, "").toLowerCase(), has = s => (s || "").toLowerCase().includes(v);
    const field = {
      kind: i => has(object(i)?.[0]), ns: i => has(object(i)?.[1]), name: i => has(object(i)?.[2]), context: i => has(object(i)?.[3] || data.streams[data.s[i]]?.[1]),
      type: i => has(data.names[data.c[i]]), stream: i => has(data.streams[data.s[i]]?.[0]), manager: i => has(part(i, "em")),
    }[key] || (i => words(i).includes(v));
    return not ? i => !field(i) : field;
  });
}

function filter() {
  const terms = parse(state.q), wanted = r => {
    const c = data.c[r], o = object(r);
    if ("gx".includes(c)) return true; // what may be missing is never hidden
    if (state.obj >= 0) { if (data.o[r] !== state.obj) return false; }
    else if (state.off.includes(c) && !always.includes(c)) return false;
    if (state.kind && (!o || o[0] !== state.kind) || state.ns && (!o || o[1] !== state.ns)) return false;
    return terms.every(t => t(r));
  };
  shown = []; place = new Map();
  for (let r = 0; r < total; r++) if (wanted(r)) { place.set(r, shown.length); shown.push(r); }
  $("space").style.height = shown.length * height + "px";
  $("found").textContent = shown.length === total ? total.toLocaleString("en") + " rows" : shown.length.toLocaleString("en") + " of " + total.toLocaleString("en") + " rows";
  $("object").hidden = state.obj < 0;
  if (state.obj >= 0) $("object").textContent = "only " + data.objects[state.obj][0] + " " + name(data.objects[state.obj]) + "  ×";
  draw(); matches();
}

// The visible part of the list.
let drawn = "";
function draw() {
  const list = $("list"), first = Math.max(0, (list.scrollTop / height | 0) - 12), last = Math.min(shown.length, first + Math.ceil(list.clientHeight / height) + 24);
  const key = first + " " + last + " " + shown.length + " " + state.row + " " + state.q + state.off + state.kind + state.ns + state.obj;
  if (key === drawn) return;
  drawn = key;
  const view = $("view");
  view.style.transform = "translateY(" + first * height + "px)";
  view.innerHTML = shown.length ? shown.slice(first, last).map(html).join("") : "";
  [...view.children].forEach((li, k) => {
    const r = shown[first + k];
    li.dataset.row = r;
    li.setAttribute("role", "option");
    li.setAttribute("aria-selected", r === state.row);
  });
  if (!shown.length) view.append(make("li", "nothing matches", "none"));
  $("list").setAttribute("aria-activedescendant", "r" + state.row);
  frame();
}

// The density of what matches, and the part of it in sight.
const svg = (tag, attrs) => { const e = document.createElementNS("http://www.w3.org/2000/svg", tag); for (const k in attrs) e.setAttribute(k, attrs[k]); return e; };
const over = svg("svg", { class: "over", viewBox: "0 0 1000 56", preserveAspectRatio: "none", "aria-hidden": "true" });
const bars = svg("g", {}), frameRect = svg("rect", { class: "window", y: 0, height: 56 }), cursor = svg("rect", { class: "cursor", y: 0, height: 56, width: 1.5 });
over.append(bars, frameRect, cursor); $("strip").append(over);
const span = Math.max(data.span, 1), x = r => Math.min(1000, Math.max(0, times[r] / span * 1000));
function matches() {
  const all = state.q === "" && !state.kind && !state.ns && state.obj < 0, n = 240, counts = new Array(n).fill(0);
  $("strip").classList.toggle("filtered", !all);
  bars.replaceChildren();
  if (all) return;
  for (const r of shown) if (data.o[r] >= 0) counts[Math.min(n - 1, x(r) / 1000 * n | 0)]++;
  const most = Math.max(...counts, 1);
  counts.forEach((c, k) => { if (c) { const h = 3 + 51 * Math.sqrt(c / most); bars.append(svg("rect", { class: "match", x: k * 1000 / n, y: 56 - h, width: 1000 / n - .6, height: h })); } });
}
function frame() {
  const list = $("list"), first = list.scrollTop / height | 0, last = Math.min(shown.length, first + Math.ceil(list.clientHeight / height)) - 1;
  if (first < shown.length) { frameRect.setAttribute("x", x(shown[first])); frameRect.setAttribute("width", Math.max(2, x(shown[last]) - x(shown[first]))); }
  cursor.setAttribute("visibility", state.row < 0 ? "hidden" : "visible");
  if (state.row >= 0) cursor.setAttribute("x", x(state.row));
}

// The row that is looked at.
function select(r, center) {
  state.row = r;
  const k = place.get(r), list = $("list");
  if (k !== undefined) {
    const top = k * height, room = list.clientHeight;
    if (center) list.scrollTop = top - room / 2;
    else if (top < list.scrollTop) list.scrollTop = top;
    else if (top + height > list.scrollTop + room) list.scrollTop = top + height - room;
  }
  draw();
  if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; detail(state.row); remember(); }); } // a held key outruns it
}
let waiting = false;
function move(by) { const k = place.get(state.row) ?? (by > 0 ? -1 : 0); if (shown.length) select(shown[Math.min(shown.length - 1, Math.max(0, k + by))]); }
function find(by, ok) { for (let k = (place.get(state.row) ?? -1) + by; k >= 0 && k < shown.length; k += by) if (ok(shown[k])) return select(shown[k], true); }
function at(us) { // the first row at or after a moment
  let k = shown.findIndex(r => times[r] >= us);
  if (shown.length) select(shown[k < 0 ? shown.length - 1 : k], true);
}

function detail(r) {
  const box = $("detail");
  box.replaceChildren();
  if (r < 0) { box.append(make("p", "Select a row to see what changed, and the history of its object.", "empty")); return; }
  const li = element(r), o = object(r), list = o ? history.get(data.o[r]) : [];
  box.append(make("h2", o ? o[0] + " " + name(o) : data.names[data.c[r]] + (data.s[r] >= 0 ? " of " + data.streams[data.s[r]][0] : "")));
  const by = li.querySelector("em");
  box.append(make("p", li.querySelector("time").getAttribute("datetime") + "  ·  " + data.names[data.c[r]] + (by ? "  ·  by " + by.textContent : ""), "meta"));
  box.append(make("p", li.querySelector(".w").textContent));
  const d = li.querySelector("details");
  if (d) { box.append(make("h3", d.querySelector("summary").textContent), ...[...d.children].slice(1)); }
  if (!o) return;
  box.append(make("h3", list.length === 1 ? "Nothing else of this object is on the page" : "History of this object, " + list.length + " rows"));
  if (list.length > 1) {
    const only = make("button", state.obj === data.o[r] ? "show all objects" : "show only this object");
    only.onclick = () => toggleObject(data.o[r]);
    box.append(only);
  }
  const ol = make("ol"), most = 100, from = Math.max(0, Math.min(list.indexOf(r) - most / 2, list.length - most));
  if (from > 0) ol.append(make("li", from + " earlier", "none"));
  for (const h of list.slice(from, from + most)) {
    const b = make("button");
    b.append(make("time", part(h, "time")), make("b", part(h, "b")), make("span", part(h, "w")));
    if (h === r) b.setAttribute("aria-current", "true");
    b.onclick = () => select(h, !place.has(h));
    ol.append(b);
  }
  if (from + most < list.length) ol.append(make("li", list.length - from - most + " later", "none"));
  box.append(ol);
  box.scrollTop = 0;
}
function toggleObject(o) { state.obj = state.obj === o ? -1 : o; filter(); select(state.row, true); }

// The address keeps what is shown, so that it can be passed on.
function remember() {
  const p = new URLSearchParams();
  for (const k of ["q", "kind", "ns"]) if (state[k]) p.set(k, state[k]);
  if (state.off !== "s") p.set("off", state.off);
  if (state.obj >= 0) p.set("obj", state.obj);
  if (state.row >= 0) p.set("row", state.row);
  try { window.history.replaceState(null, "", "#" + p); } catch { /* some viewers forbid it */ }
}
function recall() {
  const p = new URLSearchParams(location.hash.slice(1)), within = (v, n) => v !== null && /^\d+$/.test(v) && +v < n ? +v : -1;
  state.q = p.get("q") || ""; state.kind = p.get("kind") || ""; state.ns = p.get("ns") || ""; state.off = p.get("off") ?? "s";
  state.obj = within(p.get("obj"), data.objects.length); state.row = within(p.get("row"), total);
  $("q").value = state.q; $("kind").value = state.kind; $("ns").value = state.ns;
  document.querySelectorAll("#types button").forEach(b => b.setAttribute("aria-pressed", !state.off.includes(b.dataset.type[0])));
  filter(); select(state.row, true);
}

// Controls.
const changed = () => { filter(); if (place.has(state.row)) select(state.row, true); else { $("list").scrollTop = 0; draw(); } remember(); };
const options = (id, k) => [...new Set(data.objects.map(o => o[k]))].filter(Boolean).sort().forEach(v => { const e = make("option", v); e.value = v; $(id).append(e); });
options("kind", 0); options("ns", 1);
const counts = {};
for (const c of data.c) counts[c] = (counts[c] || 0) + 1;
for (const [cls, label] of types) {
  const n = [...cls].reduce((s, c) => s + (counts[c] || 0), 0), b = make("button", label + " " + n.toLocaleString("en"));
  if (!n) continue;
  b.dataset.type = cls;
  b.onclick = () => { const on = state.off.includes(cls[0]); state.off = on ? [...state.off].filter(c => !cls.includes(c)).join("") : state.off + cls; b.setAttribute("aria-pressed", on); changed(); };
  $("types").append(b);
}
let wait;
$("q").oninput = () => { clearTimeout(wait); wait = setTimeout(() => { state.q = $("q").value; changed(); }, 120); };
for (const id of ["kind", "ns"]) $(id).onchange = () => { state[id] = $(id).value; changed(); };
$("object").onclick = () => toggleObject(state.obj);
$("at").onkeydown = e => {
  if (e.key !== "Enter") return;
  const v = $("at").value.trim(), m = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?$/.exec(v);
  let us = NaN;
  if (m) { // the first such moment of the span
    const day = 86400e6, start = data.from % day;
    us = (+m[1] * 3600 + +m[2] * 60 + +(m[3] || 0)) * 1e6 - start;
    if (us < -60e6) us += day;
  } else us = Date.parse(v) * 1000 - data.from;
  $("at").setCustomValidity(Number.isNaN(us) ? "a time as 12:03:41, in UTC" : ""); $("at").reportValidity();
  if (!Number.isNaN(us)) { at(us); $("list").focus(); }
};
$("at").oninput = () => $("at").setCustomValidity("");
$("strip").onclick = e => { const b = $("strip").getBoundingClientRect(); at((e.clientX - b.left) / b.width * span); $("list").focus(); };
$("list").onscroll = () => requestAnimationFrame(draw);
$("view").onclick = e => { const li = e.target.closest("li[data-row]"); if (li) { select(+li.dataset.row); $("list").focus({ preventScroll: true }); } };
$("help-on").onclick = () => $("help").showModal();
const rows = () => Math.max(1, ($("list").clientHeight / height | 0) - 1);
const keys = {
  "/": () => $("q").select(), j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), PageDown: () => move(rows()), PageUp: () => move(-rows()),
  Home: () => move(-total), End: () => move(total), "]": () => find(1, r => "gxted".includes(data.c[r])), "[": () => find(-1, r => "gxted".includes(data.c[r])),
  "}": () => find(1, r => data.o[r] >= 0 && data.o[r] === data.o[state.row]), "{": () => find(-1, r => data.o[r] >= 0 && data.o[r] === data.o[state.row]),
  o: () => object(state.row) && toggleObject(data.o[state.row]), t: () => $("at").select(), p: () => print(), "?": () => $("help").showModal(),
};
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("help").open) return;
  if (e.key === "Escape") {
    Object.assign(state, { q: "", kind: "", ns: "", obj: -1 });
    for (const id of ["q", "kind", "ns"]) $(id).value = "";
    $("list").focus(); return changed();
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { if (e.key === "Enter" && e.target.id === "q") $("list").focus(); return; }
  if (!keys[e.key] || e.target.tagName === "BUTTON" && e.key === "Enter") return;
  e.preventDefault(); keys[e.key]();
});
addEventListener("resize", () => { drawn = ""; draw(); });
addEventListener("hashchange", recall);

// On paper the rows stand below each other, with what changed.
addEventListener("beforeprint", () => {
  const most = 3000, ol = make("ol");
  if (data.long) ol.className = "long";
  ol.innerHTML = shown.slice(0, most).map(html).join("");
  ol.querySelectorAll("details").forEach(d => { d.open = true; });
  const note = shown.length > most ? "The first " + most + " of " + shown.length + " rows: narrow them with the filter before printing." : shown.length + " of " + total + " rows";
  $("print").replaceChildren(make("p", note), ol); $("print").hidden = false;
});
addEventListener("afterprint", () => { $("print").replaceChildren(); $("print").hidden = true; });

document.documentElement.classList.add("js");
if (data.long) $("view").classList.add("long");
$("tools").hidden = $("app").hidden = false;
recall();
if (state.row < 0) $("list").focus();
})();
