// The interface for programs, made of /openapi.json.

import { get } from "./api.js";
import { h } from "./dom.js";

const spec = await get("/openapi.json");
const shapes = spec.components.schemas;
const main = document.querySelector("main");

function shape(schema) {
  if (!schema) return "";
  if (schema.$ref) { const name = schema.$ref.split("/").pop(); return h("a", { href: `#${name}` }, name); }
  if (schema.anyOf) return schema.anyOf.flatMap((part, n) => [n ? " or " : "", shape(part)]);
  if (schema.type === "array") return ["list of ", shape(schema.items ?? schema.prefixItems?.[0])];
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.format === "binary" ? "bytes" : schema.type ?? "anything";
}

const body = (content) => Object.entries(content ?? {}).map(([type, { schema }]) => h("li", {}, h("b", {}, "Body "), shape(schema), h("span", { class: "soft" }, ` ${type}`)));

function deed(path, method, { summary, description, parameters = [], requestBody, responses }) {
  const good = Object.entries(responses).find(([status]) => status < 400);
  return h(
    "section", { class: "deed" },
    h("h3", {}, h("span", { class: `method ${method}` }, method.toUpperCase()), h("code", {}, path)),
    h("p", {}, description ?? summary),
    h("ul", {},
      parameters.map((one) => h("li", {}, h("code", {}, one.name), h("span", { class: "soft" }, ` ${one.in}${one.required ? ", required" : ""}: `), shape(one.schema), one.description && ` · ${one.description}`)),
      body(requestBody?.content),
      h("li", {}, h("b", {}, `Gives ${good[0]} `), Object.values(good[1].content ?? {}).map(({ schema }) => shape(schema))),
    ),
  );
}

const groups = {};
for (const [path, methods] of Object.entries(spec.paths)) {
  for (const [method, about] of Object.entries(methods)) (groups[about.tags?.[0] ?? "other"] ??= []).push(deed(path, method, about));
}
main.append(
  h("p", {}, h("a", { href: "/" }, "← Shelf")),
  h("h1", {}, "The interface for programs"),
  h("p", { class: "soft" }, "Everything the pages do goes through this. Errors are JSON with subject, cause and advice. The same for machines: ", h("a", { href: "/openapi.json" }, "openapi.json"), "."),
  ...Object.entries(groups).map(([name, deeds]) => h("section", {}, h("h2", {}, name[0].toUpperCase() + name.slice(1)), deeds)),
  h("h2", {}, "Shapes"),
  ...Object.entries(shapes).map(([name, one]) => h("section", { class: "deed", id: name }, h("h3", {}, name), one.description && h("p", {}, one.description), h("ul", {}, Object.entries(one.properties ?? {}).map(([field, part]) => h("li", {}, h("code", {}, field), ": ", shape(part)))))),
);
