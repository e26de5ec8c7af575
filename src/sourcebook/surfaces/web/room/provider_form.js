// A form made from a provider's settings, to try a connection before it is configured.

import { el } from "./dom.js";
import { get } from "./service.js";

/** @typedef {{kind: string, id: string, display_name: string, description: string, installed: boolean, install?: string | null}} Provider */
/** @typedef {{name: string, type: string, label: string, description: string, required: boolean, default: unknown, secret: boolean, placeholder?: string | null}} Field */
/** @typedef {(path: string, options: RequestInit) => Promise<any>} Call */

const KINDS = { vector_stores: "Vector stores", embedders: "Embedders", rerankers: "Rerankers", language_models: "Language models" };
const INPUT_TYPES = { password: "password", number: "number", boolean: "checkbox" };

/**
 * @param {Provider[]} providers
 * @param {Call} call sends the admin key, which a test needs
 */
export function providersForm(providers, call) {
  const place = el("div", { class: "provider" });
  const choice = el("select", { "aria-label": "Provider", change: () => show(providers[Number(choice.value)], place, call) });
  choice.append(el("option", { value: "" }, "Choose a provider"));
  for (const [kind, label] of Object.entries(KINDS)) {
    const own = providers.filter((provider) => provider.kind === kind);
    const options = own.map((provider) => el("option", { value: providers.indexOf(provider) }, provider.display_name));
    choice.append(el("optgroup", { label }, ...options));
  }
  return el("div", {}, el("div", { class: "filters" }, choice), place);
}

/**
 * @param {Provider | undefined} provider
 * @param {HTMLElement} place
 * @param {Call} call
 */
async function show(provider, place, call) {
  if (!provider) {
    place.replaceChildren();
    return;
  }
  const about = el("p", { class: "small", dir: "auto" }, provider.description);
  if (!provider.installed) {
    place.replaceChildren(about, el("p", { class: "note" }, "Its software is not installed: ", el("code", {}, provider.install ?? "")));
    return;
  }
  const of = `${encodeURIComponent(provider.id)}`;
  const { fields } = await get(`providers/${of}/schema?kind=${provider.kind}`).catch(() => ({ fields: [] }));
  const result = el("p", { class: "small", role: "status" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    result.className = "small";
    result.textContent = "Connecting …";
    const config = configOf(/** @type {HTMLFormElement} */ (event.target), fields);
    await test(() => call(`providers/${of}/test?kind=${provider.kind}`, { method: "POST", body: JSON.stringify({ config }) }), result);
  };
  place.replaceChildren(about, el("form", { class: "settings", submit }, ...fields.map(fieldOf), el("div", { class: "actions" }, el("button", { class: "button" }, "Test the connection"), result)));
}

/**
 * @param {() => Promise<any>} send
 * @param {HTMLElement} result
 */
async function test(send, result) {
  try {
    const { duration } = await send();
    result.className = "small works";
    result.textContent = `It works: connected in ${Math.round(duration)} ms. Nothing was saved.`;
  } catch (error) {
    result.className = "problem";
    result.textContent = error instanceof Error ? error.message : "It does not work.";
  }
}

/** @param {Field} field */
function fieldOf(field) {
  const type = /** @type {Record<string, string>} */ (INPUT_TYPES)[field.type] ?? "text";
  const isBox = type === "checkbox";
  const input = el("input", {
    type,
    name: field.name,
    required: field.required && !isBox,
    autocomplete: "off",
    step: type === "number" ? "any" : null,
    placeholder: isBox || field.default === null ? field.placeholder : String(field.default),
    checked: isBox && field.default === true,
  });
  return el("label", { class: isBox ? "toggle" : "" }, isBox ? input : null, el("span", {}, field.label, field.required ? " (required)" : ""), isBox ? null : input, el("span", { class: "small" }, field.description));
}

/**
 * @param {HTMLFormElement} form
 * @param {Field[]} fields
 * @returns {Record<string, unknown>} what was entered; what was left empty is left out
 */
function configOf(form, fields) {
  /** @type {Record<string, unknown>} */
  const config = {};
  for (const { name, type } of fields) {
    const input = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
    if (type === "boolean") {
      config[name] = input.checked;
    } else if (input.value !== "") {
      config[name] = type === "number" ? Number(input.value) : input.value;
    }
  }
  return config;
}
