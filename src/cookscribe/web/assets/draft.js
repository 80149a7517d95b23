// The recipe as it stands in this browser: changes, undo and redo, and saving. Every save is a revision on the server.

import { put } from "./api.js";

const WAIT = 800; // milliseconds after the last change
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => LETTERS[byte % 32]).join("");

/** The step at a moment: where steps overlap, the one that started last. */
export function stepAt(steps, time) {
  return steps.findLast((step) => time >= step.start - 0.05 && time < step.end) ?? null;
}

/** A sentence as people read it: with a capital and a full stop. */
export function sentence(text) {
  const shown = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…:;]["')\]”’]*$/.test(shown) ? shown : `${shown}.`;
}

export class Draft extends EventTarget {
  constructor(whole) {
    super();
    this.past = [];
    this.future = [];
    this.version = 0; // counts changes here
    this.saved = 0; // up to which of them is saved
    this.take(whole);
    addEventListener("beforeunload", (event) => { if (this.dirty) event.preventDefault(); });
    // A phone may never come back to a page that was left.
    document.addEventListener("visibilitychange", () => { if (document.hidden && this.dirty) this.save(); });
  }

  get dirty() { return this.version !== this.saved; }
  get duration() { return this.whole.recipe.video.duration; }
  get steps() { return this.state.steps; }

  /** Show what the server has. */
  take(whole) {
    this.know(whole);
    this.state = {
      title: whole.recipe.title,
      lines: whole.lines.map((line) => line.line),
      steps: whole.recipe.steps.map((step, n) => ({ id: whole.marks[n].id, start: step.span.start, end: step.span.end, sentence: step.sentence, right: whole.marks[n].right })),
    };
  }

  /** Remember what the server knows of each step, whatever was changed here since. */
  know(whole) {
    this.whole = whole;
    this.about = new Map(whole.marks.map((mark, n) => [mark.id, { step: whole.recipe.steps[n], mark, picture: whole.pictures[n], reason: whole.recipe.evidence?.steps?.[n] ?? null }]));
  }

  /** Change the state: `change` gets a copy and may do to it what it likes. */
  change(change) {
    const next = structuredClone(this.state);
    change(next);
    next.steps.sort((one, other) => one.start - other.start || one.end - other.end);
    if (JSON.stringify(next) === JSON.stringify(this.state)) return;
    this.past.push(this.state);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
    this.set(next);
  }

  changeStep(id, change) {
    this.change((state) => { const step = state.steps.find((one) => one.id === id); if (step) change(step, state); });
  }

  undo() { if (this.past.length) { this.future.push(this.state); this.set(this.past.pop()); } }
  redo() { if (this.future.length) { this.past.push(this.state); this.set(this.future.pop()); } }

  set(state) {
    this.state = state;
    this.version += 1;
    this.tell("change");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), WAIT);
  }

  /** Send what was changed; one request at a time. */
  async save() {
    clearTimeout(this.timer);
    if (!this.dirty) return;
    if (this.sending) { this.timer = setTimeout(() => this.save(), 200); return; }
    const version = this.version;
    const { title, lines, steps } = this.state;
    this.tell("saving");
    this.sending = put(`/api/recipes/${this.whole.id}`, { revision: this.whole.revision, title, ingredients: lines, steps });
    try {
      const whole = await this.sending;
      this.saved = version;
      this.know(whole);
      // Lines may be read a little differently than they were typed.
      if (this.version === version) this.state.lines = whole.lines.map((line) => line.line);
      this.tell("saved");
    } catch (error) {
      this.problem = error;
      if (error.status === 0 || error.status >= 500) this.timer = setTimeout(() => this.save(), 4000);
      this.tell("unsaved");
    } finally {
      this.sending = null;
    }
  }

  /** Throw away what is not saved and show the server's recipe. */
  reset(whole) {
    clearTimeout(this.timer);
    this.past = [];
    this.future = [];
    this.saved = this.version;
    this.take(whole);
    this.tell("change");
    this.tell("saved");
  }

  tell(name) { this.dispatchEvent(new Event(name)); }

  // What can be done to steps

  add(start) {
    const after = this.steps.find((step) => step.start > start);
    const end = Math.min(this.duration, start + 10, after && after.start > start + 1 ? after.start : Infinity);
    const step = { id: newId(), start: Math.max(0, Math.min(start, end - 0.5)), end, sentence: "New step", right: false };
    this.change((state) => state.steps.push(step));
    return step.id;
  }

  remove(id) { this.change((state) => { state.steps = state.steps.filter((step) => step.id !== id); }); }

  split(id, time) {
    this.changeStep(id, (step, state) => {
      const at = time > step.start + 0.3 && time < step.end - 0.3 ? time : (step.start + step.end) / 2;
      const halves = step.sentence.match(/^(.+?)(?:,? and then |; |, then |\. | and )(.+)$/);
      state.steps.push({ id: newId(), start: at, end: step.end, sentence: halves ? halves[2] : step.sentence, right: false });
      Object.assign(step, { end: at, sentence: halves ? halves[1] : step.sentence, right: false });
    });
  }

  merge(id) {
    const next = this.steps[this.steps.findIndex((step) => step.id === id) + 1];
    if (!next) return;
    this.changeStep(id, (step, state) => {
      const same = step.sentence.toLowerCase() === next.sentence.toLowerCase();
      Object.assign(step, { end: Math.max(step.end, next.end), sentence: same ? step.sentence : `${step.sentence.replace(/\.$/, "")} and ${next.sentence}`, right: false });
      state.steps = state.steps.filter((one) => one.id !== next.id);
    });
  }

  /** Let a step change places with its neighbour: words and marks go, the times stay. */
  move(id, by) {
    const at = this.steps.findIndex((step) => step.id === id);
    const other = this.steps[at + by];
    if (!other) return;
    const mine = this.steps[at];
    this.change((state) => {
      const [one, two] = [state.steps.find((step) => step.id === id), state.steps.find((step) => step.id === other.id)];
      Object.assign(one, { start: other.start, end: other.end });
      Object.assign(two, { start: mine.start, end: mine.end });
    });
  }

  /** Set borders, within the film and at least a third of a second apart. */
  span(id, start, end) {
    this.changeStep(id, (step) => Object.assign(step, this.fitting(start, end)));
  }

  fitting(start, end) {
    const from = Math.max(0, Math.min(start, this.duration - 0.3));
    return { start: from, end: Math.min(this.duration, Math.max(end, from + 0.3)) };
  }
}
