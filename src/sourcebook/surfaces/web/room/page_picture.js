// The page of a PDF that a citation points to, with the cited lines marked on it.

import { pageAddress } from "./addresses.js";
import { el, svg } from "./dom.js";

/** @typedef {import("./service.js").Citation} Citation */
/** @typedef {import("./service.js").Box} Box */

/**
 * @param {Citation} source
 * @returns {HTMLElement | null} the page, which goes away if it cannot be drawn; null if there is none
 */
export function pagePicture(source) {
  if (!source.document_id || !source.page) {
    return null;
  }
  const boxes = source.boxes ?? [];
  const marked = boxes.length > 0 ? ", with the cited words marked" : "";
  const alt = `Page ${source.page} of ${source.source_file ?? source.page_title}${marked}`;
  const picture = el("img", {
    src: pageAddress(source.document_id, source.page),
    alt,
    load: () => scrollToBox(frame, boxes[0]),
    error: () => frame.remove(),
  });
  const sheet = el("div", { class: "sheet" }, picture, marks(boxes));
  const frame = el("div", { class: "page-picture", tabindex: 0, role: "group", "aria-label": `Page ${source.page}` }, sheet);
  return frame;
}

/**
 * @param {Box[]} boxes
 * @returns {SVGElement}
 */
function marks(boxes) {
  const rectangles = boxes.map(([x, y, width, height]) => svg("rect", { x, y, width, height }));
  return svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }, ...rectangles);
}

/**
 * Moves the cited words to the middle of the frame.
 * @param {HTMLElement} frame
 * @param {Box | undefined} box
 */
function scrollToBox(frame, box) {
  if (box) {
    const [, top, , height] = box;
    frame.scrollTop = (top + height / 2) * frame.scrollHeight - frame.clientHeight / 2;
  }
}
