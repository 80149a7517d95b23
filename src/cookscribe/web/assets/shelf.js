// The shelf: cards of all recipes, search, films dropped anywhere; and the bin, which is the shelf of what was deleted.

import { doing, get, listen, post, remove } from "./api.js";
import { ago, button, clock, complain, confirm, count, h, icon, iconButton, menu, notice } from "./dom.js";
import { Uploads } from "./uploads.js";

const PAGE = 48;
const main = document.querySelector("main");
const bin = main.dataset.bin === "yes";
const state = { search: new URLSearchParams(location.search).get("q") ?? "", order: "newest", cards: [], count: 0, busy: null };

const grid = h("ul", { class: "cards", "aria-label": bin ? "Deleted recipes" : "Recipes" });
const told = h("p", { class: "soft told", role: "status" });
const more = button("Show more", () => load(true), { hidden: true });
const empty = h("section", { class: "empty", hidden: true });
const sending = h("ul", { class: "uploads", "aria-label": "Films being sent", hidden: true });
const uploads = new Uploads(sending, () => load());

const search = h("input", { type: "search", class: "field search", placeholder: "Search titles, ingredients, steps", "aria-label": "Search recipes", value: state.search });
let typing = 0;
search.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    state.search = search.value.trim();
    history.replaceState(null, "", state.search ? `?q=${encodeURIComponent(state.search)}` : location.pathname);
    load();
  }, 200);
});
const order = h("select", { class: "button wide", "aria-label": "Order", onchange: () => { state.order = order.value; load(); } }, h("option", { value: "newest" }, "Newest first"), h("option", { value: "title" }, "By title"));

const brand = h("a", { class: "brand", href: "/", "aria-label": "cookscribe, the shelf" }, h("img", { src: "/assets/icon.svg", alt: "" }), h("span", { class: "wide" }, "cookscribe"));
const bar = bin
  ? h("header", { class: "bar" }, h("a", { class: "button bare round", href: "/", "aria-label": "Back to the shelf" }, icon("back")), h("h1", { class: "bar-title" }, "Bin"), h("span", { class: "grow" }), button("Empty bin", emptyBin, { class: "danger" }, "bin"))
  : h("header", { class: "bar" }, brand, h("div", { class: "searching" }, icon("search"), search), order, h("a", { class: "button bare round", href: "/bin", "aria-label": "Bin", title: "Bin" }, icon("bin")), button(h("span", {}, "Add ", h("span", { class: "wide" }, "films")), () => uploads.ask(), { class: "first" }, "plus"));
document.body.insertBefore(bar, main);
main.replaceChildren(...(bin ? [] : [h("h1", { class: "unseen" }, "Your recipes")]), sending, told, grid, h("div", { class: "more" }, more), empty);

async function load(further = false) {
  state.busy?.abort();
  const asked = (state.busy = new AbortController());
  const query = new URLSearchParams({ q: state.search, order: state.order, limit: PAGE, offset: further ? state.cards.length : 0 });
  if (bin) query.set("bin", "true");
  try {
    const found = await get(`/api/recipes?${query}`, { signal: asked.signal });
    state.cards = further ? [...state.cards, ...found.recipes] : found.recipes;
    state.count = found.count;
    show();
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  }
}

function show() {
  grid.replaceChildren(...state.cards.map(card));
  more.hidden = state.cards.length >= state.count;
  told.textContent = state.search ? `${count(state.count, "recipe")} for “${state.search}”` : state.count ? (bin ? "Deleted recipes wait here until you empty the bin." : count(state.count, "recipe")) : "";
  const nothing = state.count === 0;
  empty.hidden = !nothing;
  if (nothing) empty.replaceChildren(...(state.search ? [h("h2", {}, "Nothing found"), h("p", { class: "soft" }, "Every word must stand in the title, the ingredients or the steps.")] : bin ? [icon("bin"), h("h2", {}, "The bin is empty")] : welcome()));
}

function welcome() {
  return [
    h("img", { src: "/assets/icon.svg", alt: "", class: "mark" }),
    h("h2", {}, "Drop a cooking video here"),
    h("p", { class: "soft" }, "cookscribe finds the steps and writes the recipe. Correct it while the film plays, keep it, cook from it. Nothing leaves this machine."),
    button("Choose films", () => uploads.ask(), { class: "first" }, "plus"),
  ];
}

function card(recipe) {
  const running = recipe.job && ["queued", "running"].includes(recipe.job.state);
  const picture = h("img", { src: `/api/recipes/${recipe.id}/poster?v=${recipe.revision}`, alt: "", loading: "lazy", width: 480, height: 270 });
  picture.addEventListener("error", () => picture.replaceWith(h("span", { class: "no-picture" }, icon("film"))));
  const about = h("p", { class: "about" });
  if (!running) {
    if (recipe.steps) about.append(count(recipe.steps, "step"));
    else about.append("No steps yet");
    if (recipe.checked) about.append(h("span", { class: "good" }, icon("check"), "checked"));
    else if (recipe.unsure) about.append(h("span", { class: "look" }, `${recipe.unsure} to check`));
    if (bin) about.append(` · deleted ${ago(recipe.binned)}`);
  }
  const title = bin ? h("h2", {}, recipe.title) : h("h2", {}, h("a", { href: `/r/${recipe.id}` }, recipe.title));
  return h(
    "li", { class: "card", dataset: { id: recipe.id } },
    h("div", { class: "poster" }, picture, h("span", { class: "length figures" }, clock(recipe.duration))),
    h("div", { class: "text" }, title, about, running && progress(recipe.job), !running && recipe.job?.state === "failed" && failed(recipe)),
    bin
      ? h("div", { class: "deeds" }, button("Put back", () => act(post(`/api/recipes/${recipe.id}/unbin`), "Put back on the shelf")), button("Delete for good", () => forGood(recipe), { class: "danger bare" }))
      : h("div", { class: "corner" }, menu(`Actions for ${recipe.title}`, () => [
        ["cook", "Cook", () => { location.href = `/r/${recipe.id}#cook`; }, "", !recipe.steps],
        ["again", "Try again", () => act(post(`/api/recipes/${recipe.id}/jobs`, {}), "It is in line again"), "", running],
        ["close", "Cancel writing", () => act(remove(`/api/jobs/${recipe.job.id}`), "Cancelled"), "", !running],
        ["bin", "Delete", () => toBin(recipe)],
      ])),
  );
}

function progress(job) {
  const share = Math.round(100 * job.share);
  const fill = h("span");
  fill.style.width = `${share}%`;
  return h("div", { class: "job" }, h("p", { class: "about" }, doing(job)), h("div", { class: `progress${job.state === "queued" || (job.share === 0 && job.state === "running") ? " waiting" : ""}`, role: "progressbar", "aria-label": `Writing: ${doing(job)}`, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": share }, fill));
}

const failed = (recipe) => h("p", { class: "bad" }, "Not written: ", recipe.job.error?.cause ?? "it failed");

async function act(work, text) {
  try { await work; notice(text); load(); } catch (error) { complain(error); }
}

async function toBin(recipe) {
  try {
    await remove(`/api/recipes/${recipe.id}`);
    notice(`“${recipe.title}” is in the bin`, { action: ["Undo", () => act(post(`/api/recipes/${recipe.id}/unbin`), "Put back on the shelf")] });
    load();
  } catch (error) { complain(error); }
}

async function forGood(recipe) {
  if (await confirm("Delete for good?", `“${recipe.title}”, its film and all its revisions will be gone.`, "Delete for good")) act(remove(`/api/bin/${recipe.id}`), "Deleted");
}

async function emptyBin() {
  if (state.count && await confirm("Empty the bin?", `${count(state.count, "recipe")} with films and revisions will be gone for good.`, "Empty bin")) act(remove("/api/bin"), "The bin is empty");
}

// News: a running job changes its card only; everything else loads the page of the shelf anew.
listen({
  job(job) {
    const recipe = state.cards.find((one) => one.id === job.recipe);
    if (!recipe) return;
    const ended = recipe.job?.state !== job.state && !["queued", "running"].includes(job.state);
    recipe.job = job;
    if (ended) return load();
    grid.querySelector(`[data-id="${job.recipe}"] .job`)?.replaceWith(progress(job));
  },
  recipe() { clearTimeout(typing); typing = setTimeout(load, 300); },
  back: load,
});

if (!bin) {
  let depth = 0;
  const films = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => { if (films(event)) { depth += 1; document.body.classList.add("dropping"); } });
  addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) document.body.classList.remove("dropping"); });
  addEventListener("dragover", (event) => { if (films(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    depth = 0;
    document.body.classList.remove("dropping");
    if (!films(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) uploads.ask(event.dataTransfer.files);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea, dialog")) { event.preventDefault(); search.focus(); }
  });
  const near = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting) && !more.hidden) load(true); }, { rootMargin: "600px" });
  near.observe(more);
}
load();
