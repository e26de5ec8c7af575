// Takes documents for a book: dropped onto it, or chosen.

import { el } from "./dom.js";

/** @typedef {(bookId: string, files: File[]) => Promise<void>} Upload */

/**
 * @param {Upload} upload
 */
export function dropZone(upload) {
  const book = el("input", { type: "text", "aria-label": "Book", placeholder: "Book, such as manuals", required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", maxlength: 200 });
  const files = el("input", { type: "file", multiple: true, "aria-label": "Documents", change: () => send([...(files.files ?? [])]) });
  const says = el("p", { class: "small", role: "status" }, "PDF, Word, PowerPoint, web pages, notebooks, tables, text; or a zip or tar of them.");
  const zone = el(
    "form",
    { class: "drop", submit: (/** @type {Event} */ event) => event.preventDefault(), dragover: over, dragleave: left, drop: dropped },
    book,
    el("p", {}, "Drop documents here, or choose them:"),
    files,
    says,
  );

  /** @param {DragEvent} event */
  function over(event) {
    event.preventDefault();
    zone.classList.add("over");
  }

  function left() {
    zone.classList.remove("over");
  }

  /** @param {DragEvent} event */
  function dropped(event) {
    event.preventDefault();
    left();
    send([...(event.dataTransfer?.files ?? [])]);
  }

  /** @param {File[]} chosen */
  async function send(chosen) {
    if (!chosen.length || !book.reportValidity()) {
      return;
    }
    says.textContent = "Uploading…";
    try {
      await upload(book.value.trim(), chosen);
      says.textContent = chosen.length === 1 ? "1 file was uploaded." : `${chosen.length} files were uploaded.`;
    } catch (error) {
      says.textContent = error instanceof Error ? error.message : "The files could not be uploaded.";
    }
    files.value = "";
  }

  return zone;
}
