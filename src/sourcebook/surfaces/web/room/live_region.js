// Tells screen readers what has changed, politely and one sentence at a time.

import { el } from "./dom.js";

const MAX_KEPT = 20;
let home = () => /** @type {Node} */ (document.body);
const region = el("div", { class: "visually-hidden", "aria-live": "polite", role: "log", "aria-label": "What is new" });

/**
 * Keeps what is said inside this element, for a page that is not ours.
 * @param {Node} element
 */
export function announceInside(element) {
  home = () => element;
}

/** @param {string} text */
export function announce(text) {
  if (!region.isConnected) {
    home().appendChild(region);
  }
  region.append(el("p", {}, text));
  while (region.childElementCount > MAX_KEPT) {
    region.firstElementChild?.remove();
  }
}
