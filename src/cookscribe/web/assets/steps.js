// The list of steps: read, edit in place, mark as right, split, merge, move, delete; and why a step is there.

import { sentence } from "./draft.js";
import { button, clock, h, icon, iconButton, menu, notice } from "./dom.js";

/** How sure the model was, in words. */
export function sureness(confidence) {
  if (confidence === null || confidence === undefined) return null;
  if (confidence >= 0.75) return ["sure", 3];
  if (confidence >= 0.35) return ["fairly sure", 2];
  return ["check this", 1];
}

const minutes = (timer) => {
  const words = (seconds) => (seconds >= 3600 ? `${+(seconds / 3600).toFixed(1)} h` : seconds >= 60 ? `${+(seconds / 60).toFixed(1)} min` : `${Math.round(seconds)} s`);
  return timer.most ? `${words(timer.seconds)} to ${words(timer.most)}` : words(timer.seconds);
};

/** Times and temperatures that were told during a step. */
export function facts(step) {
  const heat = (one) => `${one.degrees}${one.most ? `–${one.most}` : ""}${one.scale ? ` °${one.scale}` : "°"}`;
  return [...(step?.timers ?? []).map(minutes), ...(step?.temperatures ?? []).map(heat)];
}

export class Steps {
  constructor(draft, player, pick) {
    Object.assign(this, { draft, player, pick, current: null, editing: null, open: new Set() });
    this.list = h("ol", { class: "steps" });
    this.add = button("Add a step here", () => this.edit(this.draft.add(this.player.time)), { class: "bare" }, "plus");
    this.all = button("Mark all as right", () => this.draft.change((state) => state.steps.forEach((step) => { step.right = true; })), { class: "bare" }, "check");
    this.element = h("section", { class: "method", "aria-labelledby": "steps-heading" }, h("h2", { id: "steps-heading" }, "Steps"), this.list, h("div", { class: "under" }, this.add, this.all));
    this.render();
  }

  render() {
    // Not under somebody's hands.
    if (this.editing || this.list.querySelector(".menu-list:not([hidden])")) return;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.list.replaceChildren(...this.draft.steps.map((step, n) => this.step(step, n)));
    this.all.hidden = !this.draft.steps.length || this.draft.steps.every((step) => step.right);
    if (focused) this.list.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  step(step, n) {
    const about = this.draft.about.get(step.id);
    const person = !about || about.mark.by === "person";
    const sure = step.right || person ? null : sureness(about?.step.confidence);
    const picture = about?.picture && h("img", { src: about.picture, alt: "", loading: "lazy", width: 480, height: 270 });
    picture?.addEventListener("error", () => picture.remove());
    const words = h("p", { class: "sentence", onclick: () => this.edit(step.id) }, sentence(step.sentence));
    const told = facts(about?.step);
    const why = h("div", { class: "why", id: `why-${step.id}`, hidden: !this.open.has(step.id) });
    if (this.open.has(step.id)) why.append(...this.reasons(step, about));
    return h(
      "li", { class: `step${step.right ? " right" : ""}`, id: `step-${step.id}`, dataset: { id: step.id }, "aria-current": this.current === step.id ? "step" : null },
      h("button", { type: "button", class: "picture", tabindex: -1, "aria-hidden": "true", onclick: () => this.go(step) }, picture, h("span", { class: "number" }, String(n + 1))),
      h("div", { class: "step-body" },
        h("div", { class: "step-line" },
          h("button", { type: "button", class: "when figures", dataset: { key: `when-${step.id}` }, "aria-label": `Step ${n + 1}: play from ${clock(step.start)} to ${clock(step.end)}`, onclick: () => this.go(step) }, `${clock(step.start)}–${clock(step.end)}`),
          sure && h("span", { class: `sure level-${sure[1]}` }, sure[0]),
          step.right && h("span", { class: "checked" }, icon("check"), "right"),
          !step.right && person && h("span", { class: "checked" }, icon("person"), "edited")),
        words,
        told.length > 0 && h("p", { class: "facts" }, told.map((fact) => h("span", {}, icon("clock"), fact))),
        this.tools(step, n), why),
    );
  }

  tools(step, n) {
    const at = n + 1;
    return h(
      "div", { class: "tools" },
      iconButton("check", step.right ? `Step ${at} is right; take the mark back` : `Mark step ${at} as right`, () => this.draft.changeStep(step.id, (one) => { one.right = !one.right; }), { "aria-pressed": String(step.right), dataset: { key: `right-${step.id}` }, class: "bare small" }),
      iconButton("pencil", `Edit step ${at}`, () => this.edit(step.id), { dataset: { key: `edit-${step.id}` }, class: "bare small" }),
      iconButton("help", `Why step ${at}?`, () => { this.open.has(step.id) ? this.open.delete(step.id) : this.open.add(step.id); this.render(); }, { "aria-expanded": String(this.open.has(step.id)), "aria-controls": `why-${step.id}`, dataset: { key: `why-${step.id}` }, class: "bare small" }),
      menu(`More for step ${at}`, () => [
        ["split", "Split here", () => this.draft.split(step.id, this.player.time), "s"],
        ["merge", "Merge with the next", () => this.draft.merge(step.id), "m", n === this.draft.steps.length - 1],
        ["start", "Starts now", () => this.draft.span(step.id, Math.min(this.player.time, step.end - 0.3), step.end), "["],
        ["end", "Ends now", () => this.draft.span(step.id, step.start, this.player.time), "]"],
        ["up", "Move words up", () => this.draft.move(step.id, -1), "", n === 0],
        ["down", "Move words down", () => this.draft.move(step.id, 1), "", n === this.draft.steps.length - 1],
        ["bin", "Delete", () => this.remove(step.id), "Del"],
      ], iconButton("dots", `More for step ${at}`, null, { dataset: { key: `more-${step.id}` }, class: "bare small" })),
    );
  }

  remove(id) {
    this.draft.remove(id);
    notice("Step deleted", { action: ["Undo", () => this.draft.undo()] });
  }

  go(step) { this.pick(step.id); this.player.seek(step.start); }

  /** Turn the sentence into a field. Enter keeps, Escape leaves it as it was. */
  edit(id) {
    const step = this.draft.steps.find((one) => one.id === id);
    if (!step || this.editing) return;
    const item = this.list.querySelector(`[data-id="${id}"]`);
    const words = item?.querySelector(".sentence");
    if (!words) return;
    this.editing = id;
    const number = this.draft.steps.indexOf(step) + 1;
    const field = h("textarea", { class: "field sentence-field", rows: 2, maxlength: 2000, "aria-label": `Sentence of step ${number}`, value: step.sentence });
    let over = false;
    const end = (keep) => {
      if (over) return;
      over = true;
      this.editing = null;
      const text = field.value.replace(/\s+/g, " ").trim();
      if (keep && text && text !== step.sentence) this.draft.changeStep(id, (one) => { one.sentence = text; });
      this.render();
      this.list.querySelector(`[data-key="edit-${id}"]`)?.focus({ preventScroll: true });
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); end(true); }
      else if (event.key === "Escape") { event.stopPropagation(); end(false); }
    });
    field.addEventListener("blur", () => end(true));
    words.replaceWith(field);
    field.focus();
    field.select();
    item.scrollIntoView({ block: "nearest" });
  }

  /** Why this step, how sure, in words a cook understands. */
  reasons(step, about) {
    const lines = [];
    const known = about?.step;
    if (!about || about.mark.by === "person") lines.push("A person wrote or changed this step.");
    else if (step.right) lines.push("A person found this step right.");
    if (known?.confidence !== null && known?.confidence !== undefined) {
      lines.push(`Of 100 steps like this one, about ${Math.round(100 * known.confidence)} were right, in time and words together.`);
    }
    const evidence = this.draft.whole.recipe.evidence;
    const candidates = evidence?.candidates?.length ?? 0;
    if (candidates && about?.reason?.event_probability !== null && about?.reason?.event_probability !== undefined) {
      lines.push(`The moment was chosen out of ${candidates} that were looked at; that something is cooked here seemed ${Math.round(100 * about.reason.event_probability)} % likely.`);
    }
    const weighed = (list) => (list ?? []).filter((item) => item.weight >= 0.05).slice(0, 4).map((item) => item.name).join(", ");
    const [actions, ingredients] = [weighed(about?.reason?.actions), weighed(about?.reason?.ingredients)];
    if (actions) lines.push(`Actions it thought of most: ${actions}.`);
    if (ingredients) lines.push(`Ingredients it thought of most: ${ingredients}.`);
    const cues = (evidence?.cues ?? []).filter((cue) => cue.span.end > step.start && cue.span.start < step.end);
    const names = { heard: "It heard", read: "It read on the screen", seen: "It saw" };
    const quotes = Object.entries(names).map(([source, name]) => {
      const found = cues.filter((cue) => cue.source === source).slice(0, 5);
      return found.length > 0 && h("div", {}, h("p", {}, `${name}:`), h("ul", {}, found.map((cue) => h("li", {}, h("button", { type: "button", class: "quote", onclick: () => this.player.seek(cue.span.start) }, h("span", { class: "figures" }, clock(cue.span.start)), ` “${cue.text}”`)))));
    });
    if (!lines.length && !quotes.some(Boolean)) lines.push("Nothing more is known about this step.");
    return [...lines.map((line) => h("p", {}, line)), ...quotes.filter(Boolean)];
  }

  /** Let the step that is being shown stand out. */
  follow(id, scroll) {
    if (id === this.current) return;
    this.current = id;
    for (const item of this.list.children) {
      if (item.dataset.id === id) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    if (scroll && id && !this.editing) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.list.querySelector(`[data-id="${id}"]`)?.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    }
  }
}
