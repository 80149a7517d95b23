// Small helpers that every page uses. Text from outside only ever becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("p", { class: "soft", onclick }, "text", child)`. False and null children are left out. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value" || name === "disabled" || name === "checked" || name === "muted") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}

/** One of the drawings in icons.svg; it says nothing to a screen reader. */
export function icon(name) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "icon");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `/assets/icons.svg#${name}`);
  picture.append(use);
  return picture;
}

/** A round button that shows a drawing and is called `label`. */
export function iconButton(name, label, onclick, more = {}) {
  const { class: extra = "bare", ...rest } = more;
  return h("button", { type: "button", class: `button round ${extra}`, "aria-label": label, title: label, onclick, ...rest }, icon(name));
}

export function button(label, onclick, more = {}, drawing = null) {
  const { class: extra = "", ...rest } = more;
  return h("button", { type: "button", class: `button ${extra}`, onclick, ...rest }, drawing && icon(drawing), label);
}

/** `0:07`, `12:05` or `1:02:03`. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

/** "just now", "5 minutes ago", or the date. */
export function ago(seconds) {
  const past = Date.now() / 1000 - seconds;
  if (past < 60) return "just now";
  if (past < 3600) return `${count(Math.floor(past / 60), "minute")} ago`;
  if (past < 86400) return `${count(Math.floor(past / 3600), "hour")} ago`;
  return new Date(seconds * 1000).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

let notices = null;

/** A line at the bottom that goes by itself; `action` is [label, function]. */
export function notice(text, { detail = "", action = null, stay = false } = {}) {
  if (!notices) {
    notices = h("div", { class: "notices", role: "status", "aria-live": "polite", popover: "manual" });
    document.body.append(notices);
  }
  const line = h(
    "div",
    { class: "notice" },
    h("span", {}, text, detail && h("small", {}, detail)),
    action && button(action[0], () => { line.remove(); action[1](); }),
    stay && iconButton("close", "Dismiss", () => line.remove()),
  );
  notices.append(line);
  // On top of dialogs, too.
  try { notices.hidePopover?.(); notices.showPopover?.(); } catch { /* not on the page yet */ }
  if (!stay) setTimeout(() => line.remove(), action ? 9000 : 5000);
  return line;
}

export function complain(error) {
  console.warn(error);
  notice(error.message || String(error), { detail: error.advice ?? "", stay: true });
}

/** A dialog with a heading; it removes itself when it closes. `body` and `foot` are lists of elements. */
export function dialog(title, body, foot = [], more = {}) {
  const heading = h("h2", { id: `dialog-${Math.random().toString(36).slice(2)}` }, title);
  const box = h(
    "dialog",
    { "aria-labelledby": heading.id, ...more },
    h("div", { class: "dialog-head" }, heading, iconButton("close", "Close", () => box.close())),
    h("div", { class: "dialog-body" }, body),
    foot.length > 0 && h("div", { class: "dialog-foot" }, foot),
  );
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

/** A question with two answers. */
export function confirm(title, text, yes, danger = true) {
  return new Promise((resolve) => {
    let answer = false;
    const box = dialog(title, [h("p", {}, text)], [
      button("Cancel", () => box.close(), { class: "bare" }),
      button(yes, () => { answer = true; box.close(); }, { class: danger ? "danger" : "first", autofocus: true }),
    ]);
    box.addEventListener("close", () => resolve(answer));
  });
}

/** A button that opens a list of actions: [drawing, label, function, key, disabled]. */
export function menu(label, entries, trigger = null) {
  const list = h("div", { class: "menu-list", hidden: true, role: "menu" });
  const opener = trigger ?? iconButton("dots", label, null);
  opener.setAttribute("aria-haspopup", "menu");
  opener.setAttribute("aria-expanded", "false");
  const show = (open) => {
    list.hidden = !open;
    opener.setAttribute("aria-expanded", String(open));
    if (!open) return document.removeEventListener("pointerdown", outside, true);
    list.replaceChildren(...entries().map(([drawing, text, act, key, disabled]) => h(
      "button",
      { type: "button", role: "menuitem", disabled, onclick: () => { show(false); opener.focus(); act(); } },
      icon(drawing), text, key && h("kbd", { "aria-hidden": "true" }, key),
    )));
    document.addEventListener("pointerdown", outside, true);
    list.querySelector("button:not([disabled])")?.focus();
  };
  const outside = (event) => { if (!box.contains(event.target)) show(false); };
  opener.addEventListener("click", () => show(list.hidden));
  const box = h("div", { class: "menu" }, opener, list);
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const items = [...list.querySelectorAll("button:not([disabled])")];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items.at(to % items.length)?.focus();
    else if (event.key === "Escape") { show(false); opener.focus(); }
    else if (event.key === "Tab") return show(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return box;
}
