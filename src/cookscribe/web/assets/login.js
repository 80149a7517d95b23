// The door: a password, and on to where one wanted to go.

import { call } from "./api.js";
import { h } from "./dom.js";

const field = h("input", { class: "field", id: "password", type: "password", autocomplete: "current-password", required: true, autofocus: true });
const told = h("p", { class: "bad", role: "alert" });
const wanted = new URLSearchParams(location.search).get("to") ?? "/";
// Only places of our own: "//elsewhere" is not one.
const to = /^\/(?![/\\])/.test(wanted) ? wanted : "/";

async function enter(event) {
  event.preventDefault();
  told.textContent = "";
  try {
    await call("POST", "/api/session", { password: field.value });
    location.replace(to);
  } catch (error) {
    told.textContent = error.status === 429 ? `Too many tries: ${error.advice}.` : "That is not the password.";
    field.select();
  }
}

document.querySelector("main").append(h(
  "form", { class: "box", onsubmit: enter },
  h("img", { src: "/assets/icon.svg", alt: "" }),
  h("h1", {}, "cookscribe"),
  h("label", { class: "label", for: "password" }, "Password"), field, told,
  h("button", { class: "button first", type: "submit" }, "Log in"),
  h("p", { class: "hint" }, "It was printed where the server was started."),
));
