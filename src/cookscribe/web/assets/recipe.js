// The recipe's page: player, time line, ingredients and steps, all on one draft that saves itself.

import { doing, get, listen, post, remove } from "./api.js";
import { cook } from "./cook.js";
import { Draft, sentence, stepAt } from "./draft.js";
import { button, clock, complain, count, h, icon, iconButton, menu, notice } from "./dom.js";
import { again, exports, keys, proposal, revisions } from "./panels.js";
import { Steps } from "./steps.js";
import { TimeLine } from "./timeline.js";

const main = document.querySelector("main");
const id = main.dataset.recipe;
const draft = new Draft(await get(`/api/recipes/${id}`));
let job = draft.whole.job;

// The player

const video = h("video", { controls: true, playsinline: true, preload: "metadata", src: `/api/recipes/${id}/film`, poster: `/api/recipes/${id}/poster?v=${draft.whole.revision}`, "aria-label": `Film: ${draft.whole.recipe.video.name}` });
const noFilm = h("p", { class: "no-film", hidden: true }, "This browser cannot play the film. Everything else works; “Film with chapters” under Export gives you the film back.");
video.addEventListener("error", () => { video.hidden = true; noFilm.hidden = false; });
const player = {
  get time() { return video.currentTime || 0; },
  seek(seconds) { video.currentTime = Math.max(0, Math.min(draft.duration, seconds)); follow(); },
};

// Parts

const pick = (step) => { timeline.choose(step); steps.follow(step, false); };
const timeline = new TimeLine(draft, player, pick);
const steps = new Steps(draft, player, pick);
const heading = h("div", { class: "heading" });
const pantry = h("section", { class: "pantry", "aria-labelledby": "pantry-heading" });
const work = h("div", { class: "work", role: "status" });
const state = h("span", { class: "saved-state", role: "status" });
const undo = iconButton("undo", "Undo", () => draft.undo());
const redo = iconButton("redo", "Redo", () => draft.redo(), { class: "bare wide" });

document.body.insertBefore(h(
  "header", { class: "bar" },
  h("a", { class: "button bare round", href: "/", "aria-label": "Back to the shelf", title: "Shelf" }, icon("back")),
  state, h("span", { class: "grow" }), undo, redo,
  button("Revisions", () => revisions(draft), { class: "bare wide" }, "history"),
  button("Write again", () => again(draft, started), { class: "bare wide" }, "again"),
  button("Export", () => exports(draft), { class: "wide" }, "download"),
  button("Cook", () => cook(draft, timeline.chosen), { class: "first" }, "cook"),
  menu("More", () => [
    ["history", "Revisions", () => revisions(draft)], ["again", "Write again", () => again(draft, started)], ["download", "Export", () => exports(draft)],
    ["redo", "Redo", () => draft.redo(), "", !draft.future.length], ["help", "Keys", keys, "?"], ["bin", "Delete recipe", toBin],
  ]),
), main);
main.replaceChildren(work, heading, h("div", { class: "columns" }, h("div", { class: "watch" }, video, noFilm, timeline.element), h("div", { class: "read" }, pantry, steps.element)));

function renderHeading() {
  if (heading.querySelector("input")) return;
  const { recipe } = draft.whole;
  const servings = recipe.servings && `serves ${recipe.servings.people}${recipe.servings.most ? `–${recipe.servings.most}` : ""}`;
  const title = h("h1", {}, draft.state.title);
  const notes = (recipe.warnings ?? []).map(sentence);
  heading.replaceChildren(...[
    h("div", { class: "title" }, title, iconButton("pencil", "Edit the title", editTitle)),
    h("p", { class: "soft about" }, [clock(draft.duration), count(draft.steps.length, "step"), servings, recipe.video.name].filter(Boolean).join(" · "), recipe.made_by?.simulated && h("span", { class: "badge" }, "simulated")),
    notes.length > 0 && h("details", { class: "notes" }, h("summary", {}, notes.length === 1 ? notes[0] : `${notes.length} notes about this recipe`), notes.length > 1 && h("ul", {}, notes.map((note) => h("li", {}, note)))),
  ].filter(Boolean));
  document.title = `${draft.state.title} · cookscribe`;
}

function editTitle() {
  const field = h("input", { class: "field title-field", maxlength: 300, "aria-label": "Title", value: draft.state.title });
  let over = false;
  const end = (keep) => {
    if (over) return;
    over = true;
    const text = field.value.trim();
    field.remove();
    if (keep && text) draft.change((next) => { next.title = text; });
    renderHeading();
  };
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") end(true); else if (event.key === "Escape") end(false); });
  field.addEventListener("blur", () => end(true));
  heading.querySelector(".title").replaceChildren(field);
  field.focus();
  field.select();
}

function renderPantry() {
  const known = new Map(draft.whole.lines.map((line) => [line.line, line]));
  const uses = (name) => draft.steps.flatMap((step, n) => (draft.about.get(step.id)?.step.ingredients?.includes(name) ? [[step, n]] : []));
  const items = draft.state.lines.map((line) => {
    const about = known.get(line);
    return h("li", {}, h("span", {}, line), about?.origin && h("button", { type: "button", class: "moment", title: `“${about.origin.text}”`, onclick: () => player.seek(about.origin.span.start) }, `${about.origin.source} ${clock(about.origin.span.start)}`), h("span", { class: "uses" }, uses(about?.name).map(([step, n]) => h("button", { type: "button", "aria-label": `${line}: go to step ${n + 1}`, onclick: () => steps.go(step) }, String(n + 1)))));
  });
  pantry.replaceChildren(
    h("div", { class: "section-head" }, h("h2", { id: "pantry-heading" }, "Ingredients"), iconButton("pencil", "Edit the ingredients", editPantry)),
    items.length ? h("ul", { class: "ingredients" }, items) : h("p", { class: "soft" }, "None are known. ", h("button", { type: "button", class: "link", onclick: editPantry }, "Paste a list")),
  );
}

function editPantry() {
  const field = h("textarea", { class: "field", rows: Math.max(5, draft.state.lines.length + 1), "aria-label": "Ingredients, one a line, with amounts if you like", value: draft.state.lines.join("\n") });
  const end = (keep) => {
    if (keep) draft.change((next) => { next.lines = field.value.split("\n").map((line) => line.replace(/^[\s•*–-]+/, "").trim()).filter(Boolean); });
    renderPantry();
    pantry.querySelector("button")?.focus();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); end(false); }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) end(true);
  });
  pantry.replaceChildren(h("div", { class: "section-head" }, h("h2", { id: "pantry-heading" }, "Ingredients")), field, h("p", { class: "hint" }, "One a line, with amounts if you like: 2 tbsp butter"), h("div", { class: "dialog-foot flat" }, button("Cancel", () => end(false), { class: "bare" }), button("Keep", () => end(true), { class: "first" })));
  field.focus();
}

// What is being written

function renderWork() {
  const running = job && ["queued", "running"].includes(job.state);
  work.replaceChildren();
  if (draft.whole.binned) {
    work.append(h("div", { class: "panel" }, h("p", {}, h("b", {}, "This recipe lies in the bin.")), button("Put it back", () => post(`/api/recipes/${id}/unbin`).then(() => { draft.whole.binned = null; renderWork(); }).catch(complain), { class: "first" })));
  } else if (running) {
    const share = Math.round(100 * job.share);
    const fill = h("span");
    fill.style.width = `${share}%`;
    work.append(h("div", { class: "panel" }, h("p", {}, h("b", {}, doing(job)), draft.steps.length ? h("span", { class: "soft" }, " You can go on editing.") : h("span", { class: "soft" }, " The recipe appears here when it is done.")), h("div", { class: `progress${job.share === 0 ? " waiting" : ""}`, role: "progressbar", "aria-label": doing(job), "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": share }, fill), button("Cancel", () => remove(`/api/jobs/${job.id}`).catch(complain), { class: "bare" })));
  } else if (draft.whole.proposal) {
    work.append(h("div", { class: "panel" }, h("p", {}, h("b", {}, "It was written again."), h("span", { class: "soft" }, " Nothing has changed yet.")), button("See what would change", () => proposal(draft), { class: "first" })));
  } else if (job && ["failed", "cancelled"].includes(job.state)) {
    const told = job.state === "cancelled" ? "Nothing was changed." : job.error ? `${job.error.subject}: ${sentence(job.error.cause)}` : "Nobody knows why.";
    work.append(h("div", { class: "panel failed" }, h("div", {}, h("p", {}, h("b", {}, job.state === "failed" ? "This film could not be written about" : "The writing was cancelled")), h("p", {}, told), job.error?.advice && h("p", { class: "hint" }, sentence(job.error.advice)), !draft.steps.length && h("p", {}, "You can give its subtitles under “Try again”, or write it by hand: play the film and add steps.")), button("Try again", () => again(draft, started), { class: "first" }, "again")));
  }
}

function started(next) { job = next; draft.whole.job = next; renderWork(); }

async function reload() {
  try {
    const whole = await get(`/api/recipes/${id}`);
    job = whole.job;
    if (whole.revision !== draft.whole.revision && !draft.dirty) draft.reset(whole);
    else draft.whole.proposal = whole.proposal;
    renderWork();
  } catch (error) { complain(error); }
}

listen({
  job(news) {
    if (news.recipe !== id) return;
    const ended = !["queued", "running"].includes(news.state);
    job = news;
    renderWork();
    if (ended) reload().then(() => { if (news.state === "done" && draft.whole.proposal) notice("It was written again", { action: ["See what would change", () => proposal(draft)] }); });
  },
  recipe(news) { if (news.id === id && news.revision > draft.whole.revision && !draft.dirty && !draft.sending && !steps.editing) reload(); },
  back: reload,
});

// Following the film, and the draft

function follow() {
  timeline.time(player.time);
  const now = stepAt(draft.steps, player.time);
  if (now && now.id !== timeline.chosen && !timeline.element.querySelector(".dragging")) timeline.choose(now.id);
  steps.follow(now?.id ?? null, !video.paused);
}
["timeupdate", "seeked", "loadedmetadata"].forEach((name) => video.addEventListener(name, follow));

function render() {
  renderHeading();
  if (!pantry.querySelector("textarea")) renderPantry();
  steps.render();
  timeline.render();
  undo.disabled = !draft.past.length;
  redo.disabled = !draft.future.length;
}
const told = (text, kind = "") => { state.textContent = text; state.dataset.kind = kind; };
draft.addEventListener("change", render);
draft.addEventListener("saving", () => told("Saving…"));
draft.addEventListener("saved", () => { told(`Saved · revision ${draft.whole.revision}`); render(); });
draft.addEventListener("unsaved", () => {
  told("Not saved", "bad");
  if (draft.problem.status === 409) notice("Somebody else changed this recipe in between", { stay: true, action: ["Load theirs", async () => draft.reset(await get(`/api/recipes/${id}`))] });
  else complain(draft.problem);
});
new ResizeObserver(() => timeline.render()).observe(timeline.scroll);

async function toBin() {
  try {
    await remove(`/api/recipes/${id}`);
    draft.whole.binned = Date.now() / 1000;
    renderWork();
    scrollTo({ top: 0 });
  } catch (error) { complain(error); }
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.target.closest("input, textarea, select, dialog, [role=menu]")) return;
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "z") { event.preventDefault(); return event.shiftKey ? draft.redo() : draft.undo(); }
  if (command || event.altKey) return;
  const step = draft.steps.find((one) => one.id === timeline.chosen);
  const starts = draft.steps.map((one) => one.start);
  const acts = {
    " ": () => (video.paused ? video.play().catch(() => {}) : video.pause()),
    ArrowLeft: () => player.seek(player.time - (event.shiftKey ? 1 : 5)),
    ArrowRight: () => player.seek(player.time + (event.shiftKey ? 1 : 5)),
    n: () => { const next = starts.find((start) => start > player.time + 0.1); if (next !== undefined) player.seek(next); },
    p: () => player.seek(starts.findLast((start) => start < player.time - 1.5) ?? 0),
    a: () => steps.edit(draft.add(player.time)),
    c: () => cook(draft, timeline.chosen),
    "?": keys,
    ...(step && {
      e: () => steps.edit(step.id), r: () => draft.changeStep(step.id, (one) => { one.right = !one.right; }),
      "[": () => draft.span(step.id, Math.min(player.time, step.end - 0.3), step.end), "]": () => draft.span(step.id, step.start, player.time),
      s: () => draft.split(step.id, player.time), m: () => draft.merge(step.id), Delete: () => steps.remove(step.id),
    }),
  };
  const act = acts[event.key];
  // A focused button keeps its own blank key.
  if (!act || (event.key === " " && event.target.closest("button, a, summary, video"))) return;
  event.preventDefault();
  act();
});

render();
renderWork();
told(`Revision ${draft.whole.revision}`);
if (location.hash === "#cook") cook(draft);
