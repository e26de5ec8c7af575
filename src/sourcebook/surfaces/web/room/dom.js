// Builds elements from values. Text only ever becomes text nodes: nothing here parses HTML.

/** @typedef {Node | string | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element. A prop that is a function listens to the event of that name; `null` and
 * `false` leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") {
      node.addEventListener(name, /** @type {EventListener} */ (value));
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, String(value));
    }
  }
  node.append(...present(children));
  return node;
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return /** @type {(Node | string)[]} */ (
    children.filter((child) => child !== null && child !== undefined && child !== false)
  );
}

/** @type {Record<string, string>} */
const SHAPES = {
  ask: "M5 12h13M13 6l6 6-6 6",
  stop: "M7 7h10v10H7z",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.700l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.700l1-1",
  again: "M19 12a7 7 0 1 1-2.3-5.200M19 4v4h-4",
  plus: "M12 5v14M5 12h14",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  left: "M15 6l-6 6 6 6",
  right: "M9 6l6 6-6 6",
  out: "M9 6H5v13h13v-4M13 5h6v6M19 5l-9 9",
  book: "M4 5.500c3-1.2 5.6-1 8 .5 2.4-1.5 5-1.7 8-.5v13c-3-1.2-5.6-1-8 .5-2.4-1.5-5-1.7-8-.5zM12 6v13",
  search: "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.500L20 20",
  thumb: "M7 11v9H4v-9zM7 11l4-7.500c1.600 0 2.500 1.100 2.200 2.700L12.600 10H18a2 2 0 0 1 2 2.400l-1.200 6A2 2 0 0 1 16.800 20H7",
  quote: "M5 17c3-1 4-3 4-6V7H4v5h3M14 17c3-1 4-3 4-6V7h-5v5h3",
};

/**
 * @param {string} name one of SHAPES
 * @returns {SVGElement}
 */
export function icon(name) {
  const path = svg("path", { d: SHAPES[name] });
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...SVGElement} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, String(value));
  }
  node.append(...children);
  return /** @type {SVGElement} */ (node);
}

/**
 * @param {string} url
 * @returns {string | null} the address, if it is one that may be opened from here
 */
export function safeLink(url) {
  try {
    const parsed = new URL(url);
    return ["http:", "https:", "mailto:"].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} url
 * @param {...Child} children
 */
export function outLink(url, ...children) {
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, ...children);
}
