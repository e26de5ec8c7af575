// The parts of the library: each shows one reply of the service.

import { inRoom } from "./addresses.js";
import { el, icon } from "./dom.js";
import { ROOT, otherBook } from "./service.js";

/** @typedef {{job_id: number, book_id: string, mode: string, status: string, trigger: string, files_found: number, files_processed: number, files_skipped: number, files_failed: number, files_left: number, chunks_created: number, current_file: string | null, eta_seconds: number | null, queued_at: string, completed_at: string | null, error_message: string | null, warning_count: number, cancel_requested: boolean}} Job */
/** @typedef {{book_id: string, configured: boolean, files: number, chunks: number, updated_at: string | null, source: string | null, problems: number, latest_job: {status: string, error_message: string | null} | null}} Book */
/** @typedef {{new: string[], modified: string[], deleted: string[], unchanged: number, would_refuse: boolean}} Changes */

const MAX_PATHS = 12;
const ROLES = { qdrant: "Index", cohere: "Embeddings", gemini: "Answers", database: "Conversations" };

/**
 * @param {Book} book
 * @param {{run: () => void, preview: (place: HTMLElement) => void}} actions
 */
export function bookCard(book, actions) {
  const changes = el("div", { class: "changes" });
  const facts = [counted(book.files, "file"), counted(book.chunks, "chunk"), book.updated_at ? `changed ${moment(book.updated_at)}` : null];
  return el(
    "article",
    {},
    el("h3", { dir: "auto" }, book.book_id),
    el("p", { class: "small" }, facts.filter(Boolean).join(" · ")),
    book.source ? el("p", { class: "small path", dir: "auto" }, book.source) : null,
    book.problems ? el("p", { class: "problem" }, `${counted(book.problems, "warning")} in the latest job`) : null,
    el(
      "div",
      { class: "actions" },
      book.files ? el("a", { class: "button", href: inRoom("#/read", otherBook(book.book_id)) }, icon("book"), "Read") : null,
      el("button", { type: "button", class: "button", click: actions.run }, icon("again"), "Index now"),
      el("button", { type: "button", class: "button", click: () => actions.preview(changes) }, "Preview the changes"),
    ),
    changes,
  );
}

/**
 * @param {Job} job
 * @param {() => void} cancel
 */
export function jobRow(job, cancel) {
  const isOver = job.completed_at !== null;
  const done = job.files_processed + job.files_skipped;
  const facts = [`${job.mode}, by ${job.trigger}`, counted(done, "file"), job.chunks_created ? counted(job.chunks_created, "new chunk") : null, moment(job.completed_at ?? job.queued_at)];
  const label = `Progress of job ${job.job_id}`;
  return el(
    "article",
    {},
    el("h3", {}, el("span", { dir: "auto" }, `${job.book_id} #${job.job_id}`), el("span", { class: `state ${job.status}` }, job.status)),
    el("p", { class: "small" }, facts.filter(Boolean).join(" · ")),
    isOver ? null : el("progress", { max: job.files_found || null, value: job.files_found ? done : null, "aria-label": label }),
    isOver || !job.current_file ? null : el("p", { class: "small path", dir: "auto" }, job.current_file),
    job.error_message ? el("p", { class: "problem", dir: "auto" }, job.error_message) : null,
    isOver || job.cancel_requested ? null : el("div", { class: "actions" }, el("button", { type: "button", class: "button", click: cancel }, "Cancel")),
  );
}

/** @param {Changes} changes */
export function changesList(changes) {
  const kinds = /** @type {const} */ ([["new", "New"], ["modified", "Modified"], ["deleted", "Deleted"]]);
  const parts = kinds.filter(([kind]) => changes[kind].length > 0).map(([kind, word]) => paths(word, changes[kind]));
  return el(
    "div",
    {},
    ...(parts.length ? parts : [el("p", { class: "small" }, "Nothing would change.")]),
    el("p", { class: "small" }, `${counted(changes.unchanged, "file")} unchanged.`),
    changes.would_refuse ? el("p", { class: "problem" }, "So much would be deleted that a run stops; `sourcebook ingest --force` goes on.") : null,
  );
}

/**
 * @param {string} word
 * @param {string[]} listed
 */
function paths(word, listed) {
  const shown = listed.slice(0, MAX_PATHS).map((path) => el("li", { class: "path", dir: "auto" }, path));
  const more = listed.length > MAX_PATHS ? el("li", { class: "small" }, `and ${listed.length - MAX_PATHS} more`) : null;
  return el("div", {}, el("p", { class: "label" }, `${word}: ${listed.length}`), el("ul", {}, ...shown, more));
}

/** @param {any} health */
export function healthList(health) {
  if (health === null) {
    return el("p", { class: "problem" }, "The service reports that nothing can be served.");
  }
  const rows = Object.entries(health.services).map(([name, service]) => {
    const { status, message } = /** @type {{status: string, message: string | null}} */ (service);
    const role = /** @type {Record<string, string>} */ (ROLES)[name] ?? name;
    return el("tr", {}, el("th", { scope: "row" }, role), el("td", {}, el("span", { class: `state ${status}` }, status)), el("td", { dir: "auto" }, message ?? ""));
  });
  return el("div", { class: "table", tabindex: 0, role: "group", "aria-label": "Health" }, el("table", {}, el("tbody", {}, ...rows)));
}

/** @param {{name: string, count: number, metadata: Record<string, unknown> | null}[]} collections */
export function collectionsTable(collections) {
  const head = el("tr", {}, ...["Name", "Documents", "Model"].map((word) => el("th", { scope: "col" }, word)));
  const rows = collections.map(({ name, count, metadata }) =>
    el("tr", {}, el("th", { scope: "row", dir: "auto" }, name), el("td", {}, String(count)), el("td", { dir: "auto" }, String(metadata?.embedding_model ?? ""))),
  );
  return el("div", { class: "table", tabindex: 0, role: "group", "aria-label": "Collections" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
}

export function webhookHelp() {
  const step = (/** @type {import("./dom.js").Child[]} */ ...parts) => el("li", {}, ...parts);
  return el(
    "ol",
    { class: "steps" },
    step("Set ", el("code", {}, "GITHUB_WEBHOOK_SECRET"), " to a long random text and restart the service."),
    step("On GitHub, open Settings, then Webhooks, and add one with this payload address: ", el("code", {}, new URL("ingestion/webhook/github", ROOT).href)),
    step("Choose the content type ", el("code", {}, "application/json"), ", enter the same secret, and let it send pushes."),
    step("GitHub sends a ping, which the service answers with 200. From then on, every push to the book's branch is indexed."),
  );
}

/**
 * @param {number} count
 * @param {string} word
 */
export function counted(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** @param {string} time */
export function moment(time) {
  return new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
