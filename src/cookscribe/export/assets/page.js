"use strict";
(() => {
  const player = document.querySelector("video");
  const steps = [...document.querySelectorAll(".step")];
  const marks = [...document.querySelectorAll(".timeline button")];
  const playhead = document.querySelector(".playhead");
  const pick = document.querySelector(".pick");
  if (!player) return;
  const spans = steps.map((step) => [Number(step.dataset.start), Number(step.dataset.end)]);
  const duration = Number(player.dataset.duration);

  const seek = (seconds) => {
    player.currentTime = Math.max(0, Math.min(duration, seconds));
    follow();
  };

  // Steps may overlap: the one that started last is the one being cooked.
  const currentStep = (time) => {
    let found = -1;
    spans.forEach(([start, end], index) => {
      if (time >= start - 0.05 && time < end) found = index;
    });
    return found;
  };

  let shown = -2;
  const follow = () => {
    const time = player.currentTime;
    playhead.style.left = `${(100 * time) / duration}%`;
    const now = currentStep(time);
    if (now === shown) return;
    shown = now;
    [...steps, ...marks].forEach((element) => element.removeAttribute("aria-current"));
    if (now < 0) return;
    steps[now].setAttribute("aria-current", "step");
    marks[now].setAttribute("aria-current", "step");
    if (!player.paused) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      steps[now].scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    }
  };

  document.querySelectorAll("[data-seek]").forEach((button) => {
    button.addEventListener("click", () => seek(Number(button.dataset.seek)));
  });
  ["timeupdate", "seeked", "loadedmetadata"].forEach((name) => player.addEventListener(name, follow));

  document.querySelector(".timeline").addEventListener("click", (event) => {
    if (event.target.closest("button")) return;
    const box = event.currentTarget.getBoundingClientRect();
    seek((duration * (event.clientX - box.left)) / box.width);
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, summary, video")) return;
    const time = player.currentTime;
    const starts = spans.map(([start]) => start);
    const actions = {
      " ": () => { if (player.paused) player.play().catch(() => {}); else player.pause(); },
      ArrowLeft: () => seek(time - 5),
      ArrowRight: () => seek(time + 5),
      n: () => { const next = starts.find((start) => start > time + 0.1); if (next !== undefined) seek(next); },
      p: () => { const before = starts.filter((start) => start < time - 1.5).pop(); seek(before === undefined ? 0 : before); },
    };
    const act = actions[event.key];
    // A focused button keeps its own blank key.
    if (!act || (event.key === " " && event.target.closest("button, a"))) return;
    event.preventDefault();
    act();
  });

  player.addEventListener("error", () => pick.classList.add("shown"));
  if (player.error) pick.classList.add("shown");
  pick.querySelector("input").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (!file) return;
    player.src = URL.createObjectURL(file);
    pick.classList.remove("shown");
  });
  follow();
})();
