"use strict";
const $ = id => document.getElementById(id);
const COUNTRY = { da: "Danish law", pl: "Polish law", eu: "EU acts (English)", cjeu: "judgments of the EU courts", de: "German law", uk: "United Kingdom law" };
const LONG = 1400, FEW = 6, MANY = 12;
let about = null, current = -1;

// All text of the corpus and of the user goes in as text, never as markup.
function make(tag, cls, text) { const e = document.createElement(tag); if (cls) e.className = cls; if (text !== undefined) e.textContent = text; return e; }
function add(parent, ...children) { for (const c of children) if (c) parent.append(c); return parent; }
function button(cls, text, act) { const b = make("button", cls, text); b.type = "button"; b.addEventListener("click", act); return b; }
function link(id, text) { const a = make("a", "", text); a.href = "#id=" + encodeURIComponent(id); return a; }

async function call(path, body) {
  let reply;
  try { reply = await fetch(path, body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {}); }
  catch { throw new Error("The server does not answer; is renvoi serve still running?"); }
  const data = await reply.json();
  if (!reply.ok) throw new Error(data.error || reply.statusText);
  return data;
}
function tell(where, text, bad) { where.textContent = text; where.classList.toggle("error", !!bad); }
const known = end => end.target !== null;
function tipOf(ref) {
  const lines = ref.ends.slice(0, 3).map(e => known(e) ? e.label + (e.title ? ", " + e.title : "") : (e.label ? e.label + ": " : "") + e.why);
  if (ref.ends.length > 3) lines.push("and " + (ref.ends.length - 3) + " more");
  return lines.join("; ");
}

// A text with the question's words marked and its references as buttons.
function words(parent, text, from, to, marks) {
  let at = from;
  for (const [start, end] of marks || []) {
    if (end <= at || start >= to) continue;
    parent.append(text.slice(at, Math.max(at, start)));
    parent.append(make("mark", "", text.slice(Math.max(at, start), Math.min(end, to))));
    at = Math.min(end, to);
  }
  parent.append(text.slice(at, to));
}
function write(parent, text, references, marks, under) {
  let at = 0;
  for (const ref of references) {
    if (ref.start < at || !ref.ends.length) continue;
    words(parent, text, at, ref.start, marks);
    const b = button("ref " + (ref.ends.some(known) ? "yes" : "no"), undefined, () => toggle(b, under, () => openReference(ref, b)));
    words(b, text, ref.start, ref.end, marks);
    b.dataset.tip = tipOf(ref);
    b.setAttribute("aria-description", b.dataset.tip);
    b.setAttribute("aria-expanded", "false");
    parent.append(b);
    at = ref.end;
  }
  words(parent, text, at, text.length, marks);
}

// What opens stands under the paragraph of its button, and takes the focus back there when it is closed.
function toggle(b, under, fill) {
  if (b.box) { close(b.box); return; }
  const box = make("div", "open");
  box.opener = b; b.box = box; b.setAttribute("aria-expanded", "true");
  add(box, add(button("small shut", "close", () => close(box))));
  let place = under;
  while (place.nextElementSibling && place.nextElementSibling.opener) place = place.nextElementSibling;
  place.after(box);
  Promise.resolve(fill()).then(made => add(box, ...made)).catch(e => add(box, make("p", "none", e.message)));
}
function close(box) { const b = box.opener; b.box = null; b.setAttribute("aria-expanded", "false"); if (box.contains(document.activeElement)) b.focus(); box.remove(); }

async function openReference(ref, opener) {
  const targets = [...new Set(ref.ends.filter(known).map(e => e.target))], made = [];
  const lost = new Map();
  for (const e of ref.ends.filter(e => !known(e))) lost.set((e.label ? e.label + ": " : "") + e.why, e);
  const views = await Promise.all(targets.slice(0, FEW).map(id => call("/api/provision?most=60&id=" + encodeURIComponent(id))));
  for (const view of views) made.push(...inside(view, opener));
  for (const id of targets.slice(FEW)) made.push(add(make("p", "rule"), link(id, ref.ends.find(e => e.target === id).label)));
  for (const [line, e] of lost) {
    made.push(make("p", "none", line + "."));
    if (e.nearest && about.has_corpus) made.push(add(make("p", "rule", "Nearest: "), link(e.nearest, e.nearest)));
    else if (e.reason === "no_such_provision" && e.title && !e.label) made.push(add(make("p", "rule"), link(e.act, e.title)));
  }
  if (ref.rule) made.push(make("p", "rule", "Read as: " + ref.rule + "."));
  return made;
}
// A provision that opened; its act is named where it is another than that of the text it opened in.
function inside(view, opener) {
  const home = opener.closest("[data-document]"), same = home && home.dataset.document === view.document_id;
  const title = view.label === view.title ? null : make("span", "act", same ? "of the same " + (view.jurisdiction === "cjeu" ? "decision" : "act") : view.title);
  const box = make("div", "view");
  box.dataset.document = view.document_id;
  return [add(box, add(make("p", "head"), link(view.id, view.label), title), law(view), foot(view))];
}

const isTitle = part => part.kind === "division" || (!part.text && part.heading && part.kind !== "lead_in");
function law(view) {
  const box = make("div", "law");
  box.lang = view.language;
  for (const part of view.above) if (part.text) add(box, paragraph({ ...part, depth: 0, references: [] }, "lead"));
  // What a text leads in is set in; what stands below a bare heading or number is not. A bare "§ 5." goes before its
  // first paragraph, and the label of the provision itself stands in the heading of the card already.
  const indents = [0];
  let waiting = "";
  view.parts.forEach((part, n) => {
    const own = n === 0 && part.id === view.id, bare = !part.text && !part.heading;
    const depth = indents[part.depth] || 0;
    indents[part.depth + 1] = depth + (part.text && part.kind !== "division" ? 1 : 0);
    if (bare) { waiting = own || part.kind === "division" ? "" : part.label; if (part.kind === "division" && !own && part.label) add(box, make("p", "title d" + Math.min(depth, 6), part.label)); return; }
    add(box, paragraph({ ...part, depth, label: own ? "" : part.label }, "", waiting));
    waiting = "";
  });
  if (view.left_out) {
    const more = button("small", "Show " + view.left_out + " more provisions", async () => {
      try { box.replaceWith(law(await call("/api/provision?most=5000&id=" + encodeURIComponent(view.id)))); }
      catch (e) { more.textContent = e.message; }
    });
    box.append(more);
  }
  return box;
}
function paragraph(part, cls, before) {
  const p = make("p", [cls, part.depth ? "d" + Math.min(part.depth, 6) : "", isTitle(part) ? "title" : "", part.state === "repealed" ? "gone" : ""].filter(Boolean).join(" "));
  if (before) add(p, make("b", "", before), " ");
  if (part.label) add(p, make(/^(§|Art|Article|Artikel)/.test(part.label) ? "b" : "span", isTitle(part) ? "" : "lab", part.label), " ");
  if (part.heading) add(p, make("span", isTitle(part) ? "" : "heading", part.heading), part.text ? " " : "");
  write(p, part.text, part.references, part.marks, p);
  return p;
}
function foot(view, hit, vocabulary) {
  const box = make("div", "foot");
  if (view.n_cited_by) {
    const b = button("small cited", "Cited by " + view.n_cited_by, () => toggle(b, box, () => openCiting(view.id)));
    b.setAttribute("aria-expanded", "false");
    box.append(b);
  }
  for (const other of view.cites || []) {
    const b = button("small", "cites " + other.label, () => toggle(b, box, () => openOne(other.id, b)));
    box.append(b);
  }
  if (hit && hit.how === "is cited by") {
    const b = button("small", "Read " + otherOf(hit), () => toggle(b, box, () => openOne(hit.through, b)));
    b.setAttribute("aria-expanded", "false");
    box.append(b);
  }
  if (hit) box.append(make("span", "why", explain(hit, vocabulary)));
  return box;
}
// What a hit was found through: its address, and its act or case where it is another.
function otherOf(hit) { return (hit.through_label || hit.through) + (hit.through_title && hit.through_title !== hit.title ? ", " + hit.through_title.replace(/\.$/, "") : ""); }
function explain(hit, vocabulary) {
  const say = terms => terms.slice(0, MANY).map(t => t.split(" ").map(w => vocabulary[w] || w).join(" ")).join(", ") + (terms.length > MANY ? " and " + (terms.length - MANY) + " more" : "");
  const fields = hit.fields.filter(f => f.field !== "body" || hit.fields.length > 1);
  const parts = fields.length ? fields.map(f => f.field + ": " + say(f.terms)) : hit.own.length ? ["has " + say(hit.own)] : [];
  if (hit.through) {
    if (!hit.own.length) parts.push("has none of the words");
    parts.push(hit.how + " " + otherOf(hit) + (hit.added.length ? ", which has " + say(hit.added) : ""));
  }
  if (hit.passages.length) {
    const first = hit.passages[0], short = first.length > 160 ? first.slice(0, first.lastIndexOf(" ", 160)) + " …" : first;
    parts.unshift("says “" + short + "”" + (hit.passages.length > 1 ? " and " + (hit.passages.length - 1) + " more in the same words" : ""));
  }
  if (hit.cited) parts.push("cited " + (hit.cited > 1 ? hit.cited + " times" : "once") + (hit.cited_last ? ", last " + hit.cited_last : ""));
  if (hit.weighed.length) parts.push("raised by " + hit.weighed.map(w => w.says + " (+" + w.weight.toFixed(1) + ")").join(", "));
  return "Found: " + parts.join("; ");
}
async function openCiting(id) {
  const data = await call("/api/cited_by?id=" + encodeURIComponent(id)), list = make("ul", "citing");
  for (const one of data.citing) {
    const item = make("li"), said = make("span", "said");
    const from = Math.max(0, one.start - 110), last = one.text.indexOf(" ", one.end + 110), to = last < 0 ? one.text.length : last;
    add(said, (from ? "… " : "") + one.text.slice(from ? one.text.indexOf(" ", from) + 1 : 0, one.start), make("b", "", one.text.slice(one.start, one.end)), one.text.slice(one.end, to) + (to < one.text.length ? " …" : ""));
    const b = button("small", one.label, () => toggle(b, said, () => openOne(one.id, b)));
    b.setAttribute("aria-expanded", "false");
    add(list, add(item, b, " ", make("span", "act", one.title), said));
  }
  return [list, data.n > data.citing.length ? make("p", "rule", "and " + (data.n - data.citing.length) + " more") : null];
}

async function openOne(id, opener) { return inside(await call("/api/provision?most=60&id=" + encodeURIComponent(id)), opener); }

function crumbs(view) {
  const p = make("p", "crumbs");
  for (const part of view.above) {
    const text = [part.label, part.heading].filter(Boolean).join(" ");
    if (!text || (part.kind !== "division" && !part.heading)) continue;
    if (p.childNodes.length) p.append(" › ");
    p.append(part.id && about.has_corpus ? link(part.id, text) : text);
  }
  return p.childNodes.length ? p : null;
}
function card(view, hit, vocabulary) {
  const box = make("article", "card");
  box.tabIndex = -1;
  box.dataset.document = view.document_id;
  const head = make("h2", "head"), title = view.label === view.title ? null : make("span", "act");
  if (title) { title.append(about.has_corpus ? link(view.document_id, view.title) : view.title); title.title = view.title; }
  add(box, add(head, link(view.id, view.label), title), crumbs(view));
  const size = view.parts.reduce((n, part) => n + part.text.length, 0);
  if (hit && size > LONG) {
    const short = add(make("div", "law"), add(make("p"), (hit.text.startsWith(hit.snippet) ? "" : "… ")));
    short.lang = view.language;
    words(short.firstChild, hit.snippet, 0, hit.snippet.length, hit.marks);
    short.firstChild.append(hit.text.endsWith(hit.snippet) ? "" : " …");
    const all = button("small", "Read it all", () => { short.replaceWith(law(view)); all.remove(); });
    add(box, short, all);
  } else add(box, law(view));
  add(box, foot(view, hit, vocabulary));
  return box;
}

async function search(question, only) {
  tell($("status"), "Searching …");
  $("start").hidden = true;
  try {
    const began = performance.now();
    const data = await call("/api/search?k=20&q=" + encodeURIComponent(question) + (only ? "&document=" + encodeURIComponent(only) : ""));
    $("results").replaceChildren(...data.hits.map(hit => card(hit.provision, hit, data.words)));
    current = -1;
    tell($("status"), data.hits.length ? "The best " + data.hits.length + ", in " + Math.round(performance.now() - began) + " ms" : "Nothing has these words.");
  } catch (e) { $("results").replaceChildren(); tell($("status"), e.message, true); }
}
async function showOne(id) {
  $("one").replaceChildren(make("p", "rule", "Opening …"));
  try { const view = await call("/api/provision?id=" + encodeURIComponent(id)); $("one").replaceChildren(card(view)); document.title = view.label + " · Renvoi"; }
  catch (e) { $("one").replaceChildren(make("p", "none", e.message)); }
}
async function readText() {
  const text = $("text").value;
  if (!text.trim()) { tell($("said"), "Paste a text first."); $("text").focus(); return; }
  tell($("said"), "Reading …");
  try {
    const data = await call("/api/citations", { text, jurisdiction: $("jurisdiction").value, document: $("from").value || null });
    const references = data.citations.flatMap(c => c.references).sort((a, b) => a.start - b.start);
    const shown = make("div", "law read"), list = make("ul", "found");
    write(shown, text, references, data.citations.map(c => [c.start, c.end]), shown);
    for (const ref of references) {
      const item = make("li"), line = make("div"), lost = ref.ends.filter(e => !known(e)), targets = ref.ends.filter(known);
      const b = button("ref " + (targets.length ? "yes" : "no"), ref.text, () => toggle(b, line, () => openReference(ref, b)));
      b.setAttribute("aria-expanded", "false");
      const where = targets.length ? targets.slice(0, 3).map(e => e.label).join(", ") + (targets.length > 3 ? " and " + (targets.length - 3) + " more" : "") + (targets[0].title ? " · " + targets[0].title : "") : (lost[0].label && lost[0].label !== ref.text ? lost[0].label + ": " : "") + lost[0].why;
      add(list, add(item, add(line, b, " ", make("span", "where" + (targets.length ? "" : " none"), "→ " + where))));
    }
    $("answer").replaceChildren(shown, list);
    const reached = references.filter(r => r.ends.some(known)).length;
    tell($("said"), references.length ? references.length + (references.length === 1 ? " reference, " : " references, ") + reached + " reached" : "No reference was found; is the way of citing right?");
  } catch (e) { $("answer").replaceChildren(); tell($("said"), e.message, true); }
}

// The address says what is shown, so that back, reload and bookmarks work.
function route() {
  const hash = location.hash.slice(1), params = new URLSearchParams(hash);
  const place = hash === "read" ? "read" : params.has("id") ? "one" : "search";
  for (const name of ["search", "one", "read"]) $(name).hidden = name !== place;
  $("tab-search").toggleAttribute("aria-current", place === "search");
  $("tab-read").toggleAttribute("aria-current", place === "read");
  document.title = "Renvoi";
  scrollTo(0, 0);
  current = -1;
  if (place === "one") return showOne(params.get("id"));
  if (place === "read") return $("text").focus();
  const question = params.get("q") || "";
  $("q").value = question; $("only").value = params.get("in") || "";
  if (question) { document.title = question + " · Renvoi"; return search(question, $("only").value); }
  $("results").replaceChildren(); tell($("status"), ""); $("start").hidden = false; $("q").focus();
}
function begin() {
  const number = n => n.toLocaleString("en");
  $("name").textContent = about.name;
  for (const id of about.jurisdictions) { const o = make("option", "", COUNTRY[id] || id); o.value = id; $("jurisdiction").append(o); }
  for (const name of ["only", "from"]) for (const d of about.documents) { const o = make("option", "", d.title); o.value = d.id; $(name).append(o); }
  const c = about.counts, list = make("ul", "acts");
  add($("start"), make("p", "", [about.documents.length ? number(about.documents.length) + (about.documents.length === 1 ? " document" : " documents") : "", c.provisions ? number(c.provisions) + " provisions" : number(about.chunks) + " texts", c.links ? number(c.links) + " references that reach one of them" : ""].filter(Boolean).join(" · ")));
  for (const d of about.documents.slice(0, 200)) add(list, add(make("li"), link(d.id, d.title)));
  add($("start"), list);
  if (about.documents.length > 200) add($("start"), make("p", "", "and " + number(about.documents.length - 200) + " more"));
  route();
}

const tip = make("div"); tip.id = "tip"; tip.hidden = true; document.body.append(tip);
function showTip(event) {
  const b = event.target.closest ? event.target.closest("[data-tip]") : null;
  tip.hidden = !b;
  if (!b) return;
  tip.textContent = b.dataset.tip;
  const box = b.getClientRects()[0], width = tip.offsetWidth;
  tip.style.left = Math.max(8, Math.min(box.left, innerWidth - width - 8)) + scrollX + "px";
  tip.style.top = box.bottom + scrollY + 6 + "px";
}
document.addEventListener("pointerover", e => { if (e.pointerType === "mouse") showTip(e); });
document.addEventListener("focusin", e => { if (e.target.matches(":focus-visible")) showTip(e); });
document.addEventListener("focusout", () => { tip.hidden = true; });
document.addEventListener("click", () => { tip.hidden = true; });

$("ask").addEventListener("submit", e => {
  e.preventDefault();
  const q = $("q").value.trim(), only = $("only").value;
  const hash = q ? "#q=" + encodeURIComponent(q) + (only ? "&in=" + encodeURIComponent(only) : "") : "#";
  if (location.hash === hash) route(); else location.hash = hash;
});
$("paste").addEventListener("submit", e => { e.preventDefault(); readText(); });
$("text").addEventListener("keydown", e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) readText(); });
$("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("renvoi:theme", document.documentElement.dataset.theme); } catch { /* not kept then */ }
});
document.addEventListener("keydown", e => {
  if (e.key === "Escape") {
    const box = document.activeElement.box || document.activeElement.closest(".open");
    if (box) { const b = box.opener; close(box); b.focus(); e.preventDefault(); }
    else if (document.activeElement !== document.body) document.activeElement.blur();
    tip.hidden = true;
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, textarea, select")) return;
  const cards = [...document.querySelectorAll("section:not([hidden]) .card")];
  if (e.key === "/") { e.preventDefault(); if ($("search").hidden) location.hash = "#"; $("q").focus(); $("q").select(); }
  else if ((e.key === "j" || e.key === "k") && cards.length) {
    const held = cards.findIndex(c => c.contains(document.activeElement));
    current = Math.max(0, Math.min(cards.length - 1, (held < 0 ? current : held) + (e.key === "j" ? 1 : -1)));
    cards[current].focus({ preventScroll: true }); cards[current].scrollIntoView({ block: "start" });
  } else if (e.key === "c" && cards.length) {
    const on = cards.find(c => c.contains(document.activeElement)) || cards[0], b = on.querySelector(".cited");
    if (b) { b.click(); b.focus(); }
  }
});
addEventListener("hashchange", route);
try { const kept = localStorage.getItem("renvoi:theme"); if (kept) document.documentElement.dataset.theme = kept; } catch { /* the system's */ }
call("/api/about").then(found => { about = found; begin(); }).catch(e => { $("search").hidden = false; tell($("status"), e.message, true); });
