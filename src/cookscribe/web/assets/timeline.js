// The time line: the steps, whose borders can be dragged; on demand the candidates and what was heard, read and seen.

import { button, clock, h, iconButton } from "./dom.js";

const NEAR = 7; // pixels within which a dragged border snaps
const SENSES = { heard: "Heard", read: "Read on screen", seen: "Seen" };

/** Rows for things that overlap: each goes to the first row that is free at its start. */
function rows(items, start, end) {
  const busy = [];
  return items.map((item) => {
    let row = busy.findIndex((until) => until <= start(item) + 0.25);
    if (row < 0) row = busy.push(0) - 1;
    busy[row] = end(item);
    return row;
  });
}

export class TimeLine {
  /** `player` seeks; `draft` keeps the steps; `pick(id)` is called when a step is chosen. */
  constructor(draft, player, pick) {
    Object.assign(this, { draft, player, pick, zoom: 1, chosen: null, shown: new Set() });
    this.playhead = h("div", { class: "playhead" });
    this.inner = h("div", { class: "time-inner" });
    this.scroll = h("div", { class: "time-scroll", tabindex: 0, role: "group", "aria-label": "Time line; the steps with their borders" }, this.inner);
    this.tools = h("div", { class: "time-tools" });
    this.element = h("section", { class: "time", "aria-label": "Time line" }, this.scroll, this.tools);
    this.inner.addEventListener("click", (event) => { if (!event.target.closest("button, .handle")) this.player.seek(this.timeAt(event.clientX)); });
    this.render();
  }

  get duration() { return this.draft.duration || 1; }
  share(seconds) { return `${(100 * Math.min(1, Math.max(0, seconds / this.duration))).toFixed(3)}%`; }
  timeAt(x) { const box = this.inner.getBoundingClientRect(); return Math.max(0, Math.min(this.duration, (this.duration * (x - box.left)) / box.width)); }

  render() {
    if (this.inner.querySelector(".dragging")) return;
    const focused = document.activeElement?.dataset?.key;
    this.inner.style.width = `${100 * this.zoom}%`;
    this.inner.replaceChildren(this.ruler(), this.steps(), ...this.lanes(), this.playhead);
    this.renderTools();
    this.time(this.player.time);
    if (focused) this.inner.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  ruler() {
    const width = (this.scroll.clientWidth || 600) * this.zoom;
    const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 3600].find((seconds) => (seconds / this.duration) * width > 56) ?? 7200;
    const ticks = [];
    for (let at = 0; at <= this.duration - step * 0.35; at += step) {
      const tick = h("span", {}, clock(at));
      tick.style.left = this.share(at);
      ticks.push(tick);
    }
    return h("div", { class: "ruler figures", "aria-hidden": "true" }, ticks);
  }

  steps() {
    const steps = this.draft.steps;
    const placed = rows(steps, (step) => step.start, (step) => step.end);
    const lane = h("div", { class: "lane steps-lane" }, steps.map((step, n) => this.step(step, n, placed[n])));
    lane.style.setProperty("--rows", Math.max(1, ...placed.map((row) => row + 1)));
    return lane;
  }

  step(step, n, row) {
    const chosen = step.id === this.chosen;
    const about = this.draft.about.get(step.id);
    const bar = h(
      "div", { class: `bar-step${chosen ? " chosen" : ""}${step.right || about?.mark.by === "person" || !about ? " person" : ""}`, dataset: { id: step.id } },
      h("button", { type: "button", class: "bar-seek", dataset: { key: `bar-${step.id}` }, "aria-label": `Step ${n + 1}, ${clock(step.start)} to ${clock(step.end)}: ${step.sentence}`, title: step.sentence, onclick: () => { this.pick(step.id); this.player.seek(step.start); } }, String(n + 1)),
      this.handle(step, n, "start", chosen), this.handle(step, n, "end", chosen),
    );
    this.place(bar, step);
    bar.style.setProperty("--row", row);
    return bar;
  }

  place(bar, { start, end }) {
    bar.style.left = this.share(start);
    bar.style.width = `calc(${(100 * (end - start)) / this.duration}% - 1px)`;
  }

  handle(step, n, side, chosen) {
    const handle = h("span", {
      class: `handle ${side}`, role: "slider", tabindex: chosen ? 0 : -1, dataset: { key: `${side}-${step.id}` },
      "aria-label": `${side === "start" ? "Start" : "End"} of step ${n + 1}`, "aria-orientation": "horizontal",
      "aria-valuemin": 0, "aria-valuemax": this.duration.toFixed(1), "aria-valuenow": step[side].toFixed(1), "aria-valuetext": clock(step[side]),
    });
    handle.addEventListener("pointerdown", (event) => this.drag(event, step, side));
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -0.1, ArrowRight: 0.1, ArrowDown: -0.1, ArrowUp: 0.1, PageDown: -5, PageUp: 5 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const now = this.draft.steps.find((one) => one.id === step.id);
      const moved = { ...now, [side]: now[side] + by * (event.shiftKey ? 10 : 1) };
      if (side === "start") moved.start = Math.min(moved.start, now.end - 0.3);
      this.draft.span(step.id, moved.start, moved.end);
      this.player.seek(Math.max(0, moved[side]));
    });
    return handle;
  }

  drag(down, step, side) {
    if (down.button !== 0) return;
    down.preventDefault();
    down.stopPropagation();
    this.pick(step.id);
    // The time line may have been drawn anew.
    const bar = this.inner.querySelector(`[data-id="${step.id}"]`);
    const grip = bar.querySelector(`.${side}`);
    grip.setPointerCapture(down.pointerId);
    bar.classList.add("dragging");
    const others = this.draft.steps.filter((one) => one.id !== step.id).flatMap((one) => [one.start, one.end]);
    const pixel = this.duration / this.inner.getBoundingClientRect().width;
    let moved = { start: step.start, end: step.end };
    let waiting = 0;
    const move = (event) => {
      let at = this.timeAt(event.clientX);
      const near = others.find((time) => Math.abs(time - at) < NEAR * pixel);
      if (near !== undefined && !event.altKey) at = near;
      moved = side === "start" ? this.draft.fitting(Math.min(at, step.end - 0.3), step.end) : this.draft.fitting(step.start, at);
      this.place(bar, moved);
      grip.setAttribute("aria-valuetext", clock(moved[side]));
      grip.dataset.time = `${clock(moved[side])}.${Math.floor((moved[side] % 1) * 10)}`;
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => this.player.seek(moved[side]));
    };
    const done = (event) => {
      grip.removeEventListener("pointermove", move);
      bar.classList.remove("dragging");
      delete grip.dataset.time;
      this.render();
      if (event.type === "pointerup") this.draft.span(step.id, moved.start, moved.end);
    };
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", done, { once: true });
    grip.addEventListener("pointercancel", done, { once: true });
  }

  /** What there is to show besides the steps. */
  extras() {
    const evidence = this.draft.whole.recipe.evidence;
    const found = [];
    if (evidence?.candidates?.length) found.push(["candidates", "Candidates", evidence.candidates.map((one) => ({ ...one.span, weight: one.score, chosen: one.step !== null && one.step !== undefined, text: one.caption || `candidate, score ${Math.round(100 * one.score)} %` }))]);
    for (const [source, name] of Object.entries(SENSES)) {
      const cues = (evidence?.cues ?? []).filter((cue) => cue.source === source);
      if (cues.length) found.push([source, name, cues.map((cue) => ({ ...cue.span, weight: cue.confidence, text: cue.text }))]);
    }
    return found;
  }

  lanes() {
    return this.extras().filter(([key]) => this.shown.has(key)).map(([key, name, items]) => {
      const placed = rows(items, (item) => item.start, (item) => item.end);
      const lane = h("div", { class: `lane extra ${key}`, role: "group", "aria-label": name }, items.map((item, n) => {
        const bar = h("button", { type: "button", class: item.chosen ? "chosen" : "", tabindex: -1, title: `${clock(item.start)} ${item.text}`, "aria-label": `${clock(item.start)}: ${item.text}`, onclick: () => this.player.seek(item.start) }, key === "candidates" ? "" : item.text);
        this.place(bar, { start: item.start, end: Math.max(item.end, item.start + this.duration / 300) });
        bar.style.setProperty("--row", placed[n]);
        bar.style.setProperty("--weight", (0.25 + 0.75 * item.weight).toFixed(2));
        return bar;
      }));
      lane.style.setProperty("--rows", Math.max(1, ...placed.map((row) => row + 1)));
      return h("div", { class: "extra-box" }, h("span", { class: "lane-name", "aria-hidden": "true" }, name), lane);
    });
  }

  renderTools() {
    const focused = this.tools.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent : null;
    this.tools.replaceChildren(
      ...this.extras().map(([key, name]) => button(name, () => { this.shown.has(key) ? this.shown.delete(key) : this.shown.add(key); this.render(); }, { class: "chip", "aria-pressed": String(this.shown.has(key)) })),
      h("span", { class: "grow" }),
      h("span", { class: "now figures" }),
      iconButton("minus", "Zoom out", () => this.setZoom(this.zoom / 2), { class: "bare small", disabled: this.zoom <= 1 }),
      iconButton("plus", "Zoom in", () => this.setZoom(this.zoom * 2), { class: "bare small", disabled: this.zoom >= 32 }),
    );
    if (focused) [...this.tools.querySelectorAll("button")].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === focused)?.focus();
  }

  setZoom(zoom) {
    this.zoom = Math.max(1, Math.min(32, zoom));
    this.render();
    this.scroll.scrollLeft = (this.player.time / this.duration) * this.inner.clientWidth - this.scroll.clientWidth / 2;
  }

  choose(id) { if (this.chosen !== id) { this.chosen = id; this.render(); } }

  time(seconds) {
    this.playhead.style.left = this.share(seconds);
    const now = this.tools.querySelector(".now");
    if (now) now.textContent = `${clock(seconds)} / ${clock(this.duration)}`;
  }
}
