// Films on their way to the server: piece by piece, one film after the other, going on after a broken connection.

import { call, Fault, get, post, remove } from "./api.js";
import { button, complain, dialog, h, icon, iconButton, notice } from "./dom.js";

const PIECE = 4 * 2 ** 20;
const WORDS = [".vtt", ".srt", ".txt", ".json"];
const FILMS = /\.(mp4|m4v|mov|mkv|webm|avi|flv|ogv|ogg|wmv|mpg|mpeg|ts|m2ts|3gp)$/i;

const stem = (name) => name.replace(/\.[^.]*$/, "").toLowerCase();
const isWords = (file) => WORDS.some((ending) => file.name.toLowerCase().endsWith(ending));
const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`);

/** Films and, by their names, the subtitles that belong to them: `soup.mp4` with `soup.vtt` or `soup.en.vtt`. */
function paired(files) {
  const words = files.filter(isWords);
  const films = files.filter((file) => !isWords(file));
  const pairs = films.map((film) => ({ film, words: words.find((file) => stem(file.name) === stem(film.name) || stem(file.name).startsWith(`${stem(film.name)}.`)) ?? null }));
  if (films.length === 1 && words.length === 1) pairs[0].words = words[0];
  return pairs;
}

export class Uploads {
  /** `arrived(id)` is called for each film that has become a recipe. */
  constructor(place, arrived) {
    this.place = place;
    this.arrived = arrived;
    this.queue = Promise.resolve();
    this.open = 0;
    addEventListener("beforeunload", (event) => { if (this.open) event.preventDefault(); });
  }

  /** Ask what is known of some films, then send them. */
  ask(files = []) {
    let pairs = paired([...files]);
    const list = h("ul", { class: "chosen" });
    const ingredients = h("textarea", { class: "field", id: "new-ingredients", rows: 5, placeholder: "onion\nbutter\nchicken stock" });
    const title = h("input", { class: "field", id: "new-title", maxlength: 200 });
    const titled = h("div", {}, h("label", { class: "label", for: "new-title" }, "Title ", h("span", { class: "soft" }, "(optional)")), title);
    const chooser = h("input", { type: "file", multiple: true, class: "unseen", id: "new-files", accept: `video/*,.mkv,${WORDS.join(",")}`, onchange: () => add(chooser.files) });
    const drop = h("label", { class: "drop", for: "new-files" }, icon("film"), h("span", {}, h("b", {}, "Choose films"), " or drop them here"), h("span", { class: "hint" }, "Subtitles (.vtt, .srt) may come along: the words are then read, not heard."));
    const send = button("Write recipes", () => { box.close(); this.add(pairs, ingredients.value, title.value); }, { class: "first" });
    const show = () => {
      list.replaceChildren(...pairs.map((pair) => h(
        "li", {}, icon("film"),
        h("span", { class: "name" }, pair.film.name, h("small", { class: "soft" }, ` ${size(pair.film.size)}${FILMS.test(pair.film.name) || pair.film.type.startsWith("video/") ? "" : " · this may not be a film"}`), pair.words && h("span", { class: "with" }, icon("words"), pair.words.name)),
        iconButton("close", `Leave out ${pair.film.name}`, () => { pairs = pairs.filter((other) => other !== pair); show(); }),
      )));
      list.hidden = pairs.length === 0;
      titled.hidden = pairs.length !== 1;
      send.disabled = pairs.length === 0;
      send.textContent = pairs.length > 1 ? `Write ${pairs.length} recipes` : "Write the recipe";
    };
    const add = (more) => {
      const all = [...pairs.flatMap((pair) => [pair.film, pair.words].filter(Boolean)), ...more];
      if (all.length && !all.some((file) => !isWords(file))) notice("Choose the film that these subtitles belong to, too.");
      pairs = paired(all);
      show();
    };
    const box = dialog("Add films", [
      h("div", {}, chooser, drop), list, titled,
      h("div", {}, h("label", { class: "label", for: "new-ingredients" }, "Ingredients ", h("span", { class: "soft" }, "(if you know them)")), ingredients, h("p", { class: "hint" }, "One a line, or with commas. They make the sentences better. You can give them later, too.")),
    ], [button("Cancel", () => box.close(), { class: "bare" }), send]);
    box.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    box.addEventListener("dragleave", () => drop.classList.remove("over"));
    box.addEventListener("drop", (event) => { event.preventDefault(); event.stopPropagation(); drop.classList.remove("over"); add(event.dataTransfer.files); });
    show();
    return box;
  }

  add(pairs, ingredients, title) {
    for (const pair of pairs) {
      const row = this.row(pair.film);
      this.open += 1;
      this.queue = this.queue.then(() => this.send(pair, ingredients, pairs.length === 1 ? title : "", row));
    }
  }

  row(film) {
    const fill = h("span");
    const told = h("small", { class: "soft figures" }, "Waiting");
    const stop = new AbortController();
    const element = h("li", { class: "sending" }, h("span", { class: "name" }, film.name, told), iconButton("close", `Stop sending ${film.name}`, () => stop.abort()), h("div", { class: "progress", role: "progressbar", "aria-label": `Sending ${film.name}`, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 0 }, fill));
    this.place.append(element);
    this.place.hidden = false;
    const show = (sent, text) => {
      const share = Math.round((100 * sent) / film.size);
      fill.style.width = `${share}%`;
      fill.parentElement.setAttribute("aria-valuenow", share);
      told.textContent = ` ${text ?? `${size(sent)} of ${size(film.size)}`}`;
    };
    const end = () => { element.remove(); this.place.hidden = !this.place.children.length; };
    return { show, end, stop };
  }

  async send({ film, words }, ingredients, title, row) {
    let upload = null;
    try {
      if (row.stop.signal.aborted) return;
      upload = await post("/api/uploads", { name: film.name, size: film.size, ingredients, title });
      if (words) await call("PUT", `/api/uploads/${upload.id}/words?name=${encodeURIComponent(words.name)}`, undefined, { body: words, signal: row.stop.signal });
      while (!upload.done) upload = await this.piece(film, upload, row);
      this.arrived(upload.id);
    } catch (error) {
      if (error.name !== "AbortError") complain(error);
      if (upload && !upload.done && error.status !== 415 && error.status !== 422) remove(`/api/uploads/${upload.id}`).catch(() => {});
    } finally {
      this.open -= 1;
      row.end();
    }
  }

  /** Send one piece; when the connection is lost, wait, ask how far it is, and go on. */
  async piece(film, upload, row) {
    for (let wait = 1; ; wait = Math.min(30, wait * 2)) {
      try {
        row.show(upload.received, upload.received >= film.size ? "Looking at it" : undefined);
        const from = upload.received;
        if (from + PIECE >= film.size) row.show(film.size, "Almost there");
        return await call("PATCH", `/api/uploads/${upload.id}`, undefined, {
          headers: { "upload-offset": String(from), "content-type": "application/octet-stream" },
          body: film.slice(from, from + PIECE), signal: row.stop.signal,
        });
      } catch (error) {
        if (!(error instanceof Fault) || (error.status !== 0 && error.status !== 409)) throw error;
        row.show(upload.received, "Connection lost, trying again");
        await new Promise((resolve) => setTimeout(resolve, wait * 1000));
        if (row.stop.signal.aborted) throw new DOMException("stopped", "AbortError");
        upload = await get(`/api/uploads/${upload.id}`).catch(() => upload);
        if (upload.done) return upload;
      }
    }
  }
}
