// Cook mode: one step at a time in large type, its clip looping, timers, and a screen that stays awake.

import { sentence } from "./draft.js";
import { clock, h, icon, iconButton, notice } from "./dom.js";
import { facts } from "./steps.js";

/** Open cook mode over the page. `draft` holds the recipe, `first` is the id of the step to begin with. */
export function cook(draft, first = null) {
  const steps = draft.steps;
  if (!steps.length) return notice("There are no steps yet.");
  let at = Math.max(0, steps.findIndex((step) => step.id === first));
  let awake = null;
  const keepAwake = async () => { awake = document.hidden ? null : await navigator.wakeLock?.request("screen").catch(() => null); };
  const film = draft.whole.playable && h("video", { src: `/api/recipes/${draft.whole.id}/film`, muted: true, playsinline: true, preload: "auto", tabindex: -1, "aria-hidden": "true" });
  const number = h("p", { class: "cook-number", "aria-live": "polite" });
  const words = h("p", { class: "cook-words" });
  const told = h("div", { class: "cook-facts" });
  const used = h("ul", { class: "cook-used", "aria-label": "Ingredients of this step" });
  const dots = h("div", { class: "cook-dots", "aria-hidden": "true" }, steps.map(() => h("span")));
  const back = iconButton("back", "Previous step", () => show(at - 1), { class: "large" });
  const next = iconButton("next", "Next step", () => show(at + 1), { class: "large first" });
  const sound = h("button", { type: "button", class: "button", "aria-pressed": "false", onclick: () => { film.muted = !film.muted; sound.setAttribute("aria-pressed", String(!film.muted)); } }, "Sound");
  const box = h(
    "dialog", { class: "cook", "aria-label": `Cook ${draft.state.title}` },
    h("header", {}, h("p", { class: "cook-title" }, draft.state.title), film && sound, iconButton("close", "Leave cook mode", () => box.close())),
    h("div", { class: "cook-main" }, film && h("div", { class: "cook-film" }, film), h("div", { class: "cook-text" }, number, words, told, used)),
    h("footer", {}, back, dots, next),
  );

  function show(to) {
    if (to < 0 || to >= steps.length) return;
    at = to;
    const step = steps[at];
    const about = draft.about.get(step.id)?.step;
    number.textContent = `Step ${at + 1} of ${steps.length}`;
    words.textContent = sentence(step.sentence);
    told.replaceChildren(...facts({ temperatures: about?.temperatures }).map((fact) => h("span", {}, fact)), ...(about?.timers ?? []).map((timer) => countdown(timer.seconds)));
    const lines = draft.whole.lines.filter((line) => about?.ingredients?.includes(line.name));
    used.replaceChildren(...lines.map((line) => h("li", {}, line.line)));
    [...dots.children].forEach((dot, n) => { dot.className = n === at ? "now" : n < at ? "done" : ""; });
    back.disabled = at === 0;
    next.disabled = at === steps.length - 1;
    if (film) { film.poster = draft.about.get(step.id)?.picture ?? ""; film.currentTime = step.start; film.play().catch(() => {}); }
  }

  if (film) {
    film.muted = true;
    film.addEventListener("timeupdate", () => {
      const step = steps[at];
      if (film.currentTime >= step.end || film.currentTime < step.start - 1) { film.currentTime = step.start; film.play().catch(() => {}); }
    });
    film.addEventListener("ended", () => { film.currentTime = steps[at].start; film.play().catch(() => {}); });
  }
  box.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, n: at + 1, p: at - 1, PageDown: at + 1, PageUp: at - 1, Home: 0, End: steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(to);
  });
  let from = null;
  box.addEventListener("pointerdown", (event) => { from = event.pointerType === "mouse" || event.target.closest("button") ? null : event.clientX; });
  box.addEventListener("pointerup", (event) => {
    if (from !== null && Math.abs(event.clientX - from) > 60) show(at + (event.clientX < from ? 1 : -1));
    from = null;
  });
  document.addEventListener("visibilitychange", keepAwake);
  box.addEventListener("close", () => {
    document.removeEventListener("visibilitychange", keepAwake);
    awake?.release().catch(() => {});
    film?.pause();
    box.remove();
    if (location.hash === "#cook") history.replaceState(null, "", location.pathname);
  });
  document.body.append(box);
  box.showModal();
  keepAwake();
  show(at);
  next.focus();
  return box;
}

/** A button that counts a time down, and rings. */
function countdown(seconds) {
  const words = seconds >= 60 ? `${+(seconds / 60).toFixed(1)} min` : `${Math.round(seconds)} s`;
  const face = h("span", { class: "figures" }, `Start ${words}`);
  let timer = null;
  const set = h("button", { type: "button", class: "button cook-timer", onclick: () => {
    if (timer) { clearInterval(timer); timer = null; face.textContent = `Start ${words}`; set.classList.remove("first"); return; }
    const end = Date.now() + seconds * 1000;
    const tick = () => {
      const left = Math.ceil((end - Date.now()) / 1000);
      face.textContent = clock(Math.max(0, left));
      if (left <= 0) { clearInterval(timer); timer = null; face.textContent = "Done"; ring(words); }
    };
    set.classList.add("first");
    timer = setInterval(tick, 500);
    tick();
  } }, icon("clock"), face);
  return set;
}

function ring(words) {
  notice(`${words} are over`, { stay: true });
  navigator.vibrate?.([300, 150, 300]);
  try {
    const audio = new AudioContext();
    for (const at of [0, 0.35, 0.7]) {
      const tone = audio.createOscillator();
      const loud = audio.createGain();
      tone.frequency.value = 880;
      loud.gain.setValueAtTime(0.2, audio.currentTime + at);
      loud.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.3);
      tone.connect(loud).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.3);
    }
  } catch { /* no sound here */ }
}
