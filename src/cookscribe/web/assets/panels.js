// Dialogs of the recipe's page: revisions, writing again with what would change, exports, keys.

import { call, get, post } from "./api.js";
import { sentence } from "./draft.js";
import { ago, button, clock, complain, count, dialog, h, icon, notice } from "./dom.js";

const AUTHORS = { upload: ["film", "Upload"], model: ["again", "cookscribe"], person: ["person", "You"] };

/** All saves, each to be looked at and gone back to. */
export async function revisions(draft) {
  await draft.save();
  const list = h("ol", { class: "revisions" });
  const box = dialog("Revisions", [h("p", { class: "hint" }, "Every save is kept. Going back makes a new revision, so nothing is lost."), list], [], { class: "side" });
  try {
    const found = await get(`/api/recipes/${draft.whole.id}/revisions`);
    list.replaceChildren(...found.map((one, n) => {
      const [drawing, author] = AUTHORS[one.author];
      return h("li", {}, h("button", { type: "button", "aria-current": n === 0 ? "true" : null, onclick: () => look(draft, one, n === 0, box) }, icon(drawing), h("span", {}, h("b", {}, `Revision ${one.number}`), h("span", {}, one.note), h("small", { class: "soft" }, `${author}, ${ago(one.created)}${n === 0 ? " · this is the one you see" : ""}`))));
    }));
  } catch (error) { complain(error); }
}

async function look(draft, revision, newest, list) {
  try {
    const whole = await get(`/api/recipes/${draft.whole.id}/revisions/${revision.number}`);
    const box = dialog(`Revision ${revision.number}`, [
      h("p", { class: "hint" }, `${revision.note} · ${ago(revision.created)}`),
      h("h3", {}, whole.recipe.title),
      whole.lines.length > 0 && h("ul", { class: "plain-list" }, whole.lines.map((line) => h("li", {}, line.line))),
      h("ol", { class: "plain-steps" }, whole.recipe.steps.map((step) => h("li", {}, h("span", { class: "soft figures" }, `${clock(step.span.start)}–${clock(step.span.end)} `), sentence(step.sentence)))),
    ], newest ? [] : [button("Back to this revision", async () => {
      try {
        draft.reset(await post(`/api/recipes/${draft.whole.id}/restore`, { revision: revision.number }));
        box.close();
        list.close();
        notice(`Back to revision ${revision.number}`);
      } catch (error) { complain(error); }
    }, { class: "first" }, "history")]);
  } catch (error) { complain(error); }
}

/** Ask for other ingredients, a title or subtitles, and put the film in line again. */
export function again(draft, started) {
  const ingredients = h("textarea", { class: "field", id: "again-ingredients", rows: 7, value: draft.state.lines.join("\n") });
  const title = h("input", { class: "field", id: "again-title", maxlength: 200, value: draft.state.title });
  const words = h("input", { type: "file", class: "field", id: "again-words", accept: ".vtt,.srt,.txt,.json" });
  const kept = draft.steps.filter((step) => step.right || draft.about.get(step.id)?.mark.by === "person").length;
  const go = button("Write again", async () => {
    go.disabled = true;
    try {
      await draft.save();
      if (words.files[0]) await call("PUT", `/api/uploads/${draft.whole.id}/words?name=${encodeURIComponent(words.files[0].name)}`, undefined, { body: words.files[0] });
      const job = await post(`/api/recipes/${draft.whole.id}/jobs`, { ingredients: ingredients.value, title: title.value === draft.state.title ? "" : title.value });
      box.close();
      started(job);
    } catch (error) { go.disabled = false; complain(error); }
  }, { class: "first" }, "again");
  const box = dialog("Write again", [
    h("p", { class: "hint" }, draft.steps.length ? `${kept ? `The ${count(kept, "step")} that you corrected or marked as right will stay. ` : ""}You will see what would change before anything does.` : "The film will be read from the beginning."),
    h("div", {}, h("label", { class: "label", for: "again-ingredients" }, "Ingredients"), ingredients, h("p", { class: "hint" }, "One a line, with amounts if you like.")),
    h("div", {}, h("label", { class: "label", for: "again-title" }, "Title"), title),
    h("div", {}, h("label", { class: "label", for: "again-words" }, "Subtitles ", h("span", { class: "soft" }, draft.whole.words_given ? "(given already; a new file replaces them)" : "(optional)")), words),
  ], [button("Cancel", () => box.close(), { class: "bare" }), go]);
}

const WORDS = { kept: "stays, it is yours", same: "stays the same", changed: "changes", added: "is new", removed: "goes" };

/** What would change; take it, or not. */
export async function proposal(draft) {
  try {
    await draft.save();
    const found = await get(`/api/recipes/${draft.whole.id}/proposal`);
    const settle = async (choice) => {
      try {
        draft.reset(await post(`/api/recipes/${draft.whole.id}/proposal/${choice}`));
        box.close();
        notice(choice === "apply" ? "The new steps are in" : "Thrown away; nothing changed");
      } catch (error) { complain(error); }
    };
    const { before, after } = found;
    const gone = before.ingredients.filter((line) => !after.ingredients.includes(line));
    const come = after.ingredients.filter((line) => !before.ingredients.includes(line));
    const box = dialog("What would change", [
      before.title !== after.title && h("p", {}, "Title: ", h("del", {}, before.title), " ", h("ins", {}, after.title)),
      (gone.length > 0 || come.length > 0) && h("p", {}, "Ingredients: ", gone.map((name) => [h("del", {}, name), " "]), come.map((name) => [h("ins", {}, name), " "])),
      h("ol", { class: "changes" }, found.changes.map((change) => h(
        "li", { class: change.what },
        h("span", { class: "figures soft" }, `${clock(change.start)}–${clock(change.end)}`),
        h("span", { class: "what" }, WORDS[change.what]),
        h("p", {}, change.what === "changed" && change.before !== change.after ? [h("del", {}, sentence(change.before)), " ", h("ins", {}, sentence(change.after))] : change.what === "removed" ? h("del", {}, sentence(change.before)) : change.what === "added" ? h("ins", {}, sentence(change.after)) : sentence(change.after)),
      ))),
    ], [button("Discard", () => settle("discard"), { class: "bare" }), button("Take the changes", () => settle("apply"), { class: "first" }, "check")]);
  } catch (error) { complain(error); }
}

const NAMES = {
  json: "Recipe file", md: "Markdown", html: "Web page", vtt: "WebVTT", srt: "SRT", ffmetadata: "FFmetadata", youtube: "YouTube chapters",
  mp4: "Film with chapters", jsonld: "schema.org", cooklang: "Cooklang", researcher: "Predictions",
};

export async function exports(draft) {
  await draft.save();
  const list = h("ul", { class: "formats" });
  const address = `${location.origin}/r/${draft.whole.id}`;
  dialog("Export", [
    h("div", { class: "share" }, h("p", {}, h("b", {}, "Mealie, Tandoor, Nextcloud, Paprika"), h("span", { class: "hint" }, "Import by this address:")), h("code", {}, address), button("Copy", () => navigator.clipboard?.writeText(address).then(() => notice("Address copied")), {})),
    list,
    h("div", {}, button("Print", () => { document.querySelector("dialog[open]")?.close(); print(); }, {}, "download")),
  ]);
  try {
    const formats = await get("/api/formats");
    const entry = (name, title, text, more = "") => h("li", {}, h("a", { href: `/api/recipes/${draft.whole.id}/export/${name}${more}`, download: "", dataset: { format: name } }, icon("download"), h("span", {}, h("b", {}, title), h("small", { class: "soft" }, text))));
    list.replaceChildren(...formats.flatMap((format) => [
      entry(format.name, NAMES[format.name] ?? format.name, format.explanation),
      ...(format.name === "html" && draft.whole.embeddable ? [entry("html", "Web page and film", "the same page with the film inside", "?embed=true")] : []),
    ]));
  } catch (error) { complain(error); }
}

const KEYS = [
  ["Space", "play or pause"], ["← →", "5 seconds back or on; with Shift, 1 second"], ["n  p", "next or previous step"],
  ["e", "edit the step"], ["r", "mark it as right"], ["[  ]", "it starts or ends now"], ["s", "split it here"],
  ["m", "merge it with the next"], ["a", "add a step here"], ["Del", "delete it"], ["Ctrl Z", "undo; with Shift, redo"], ["c", "cook mode"],
];

export function keys() {
  dialog("Keys", [h("dl", { class: "keys" }, KEYS.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)))), h("p", { class: "hint" }, "On the time line: Tab to a step, Enter chooses it, Tab to its borders, arrow keys move them (Shift for whole seconds).")]);
}
