// Tells screen readers what has changed, politely and one sentence at a time.

import { el } from "./dom.js";

const MAX_KEPT = 20;
const region = el("div", { class: "visually-hidden", "aria-live": "polite", role: "log", "aria-label": "What is new" });

/** @param {string} text */
export function announce(text) {
  if (!region.isConnected) {
    document.body.append(region);
  }
  region.append(el("p", {}, text));
  while (region.childElementCount > MAX_KEPT) {
    region.firstElementChild?.remove();
  }
}
