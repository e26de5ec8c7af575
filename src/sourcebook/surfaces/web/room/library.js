// The view for whoever keeps the books: what is indexed, what runs, and how the service is.

import { el, icon } from "./dom.js";
import { dropZone } from "./drop_zone.js";
import { marksList, unansweredList } from "./feedback_lists.js";
import { bookCard, changesList, collectionsTable, healthList, jobRow, webhookHelp } from "./library_parts.js";
import { announce } from "./live_region.js";
import { providersForm } from "./provider_form.js";
import { get, ServiceError } from "./service.js";

/** @typedef {import("./library_parts.js").Book} Book */
/** @typedef {import("./library_parts.js").Job} Job */

const POLL_MS = 1500;
const MAX_JOBS = 5;
const MAX_FEEDBACK = 50;
const UNFINISHED = ["queued", "running"];

/** Needs the admin key, which is kept in memory alone: a reload forgets it. */
export class LibraryView extends HTMLElement {
  /** @type {HTMLElement | undefined} */
  providers;
  /** @type {any[] | undefined} the questions that were not answered, and the marks */
  feedback;
  drop = dropZone((bookId, files) => this.upload(bookId, files));

  connectedCallback() {
    if (!this.body) {
      this.body = el("div", { class: "library" });
      this.append(el("h1", {}, "Library"), this.body);
    }
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }

  async open() {
    this.key ? await this.refresh() : this.askForKey();
  }

  /** @param {string} [problem] */
  askForKey(problem) {
    const input = el("input", { type: "password", autocomplete: "off", "aria-label": "Admin key", placeholder: "Admin key", required: true });
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      this.key = input.value.trim();
      await this.refresh();
    };
    this.body?.replaceChildren(
      el(
        "section",
        { class: "unlock" },
        el("p", { class: "lead" }, "Books, jobs and health are for whoever keeps this service."),
        el("form", { class: "field", submit }, input, el("button", { class: "send", "aria-label": "Open the library" }, icon("ask"))),
        problem ? el("p", { class: "problem", role: "alert" }, problem) : null,
        el("p", { class: "small" }, "The key is ", el("code", {}, "ADMIN_API_KEY"), ", or the file ", el("code", {}, "admin.key"), " in the data folder. It stays in this tab and is gone when you reload."),
      ),
    );
    input.focus();
  }

  /**
   * @param {string} path
   * @param {RequestInit} [options]
   */
  call(path, options = {}) {
    return get(path, { ...options, headers: { "X-Admin-API-Key": this.key ?? "", "Content-Type": "application/json" } });
  }

  async refresh() {
    clearTimeout(this.timer);
    try {
      const [books, jobs, collections, health, known, questions, marks] = await Promise.all([
        this.call("books"),
        this.call(`ingestion/status?limit=${MAX_JOBS}`),
        this.call("collections"),
        this.call("health").catch(() => null),
        this.call("providers"),
        this.call(`feedback/questions?limit=${MAX_FEEDBACK}`),
        this.call(`feedback/marks?limit=${MAX_FEEDBACK}`),
      ]);
      this.feedback = [questions, marks];
      this.providers ??= providersForm(known.providers, (path, options) => this.call(path, options));
      this.show(books.books, jobs, collections.collections, health);
      const isBusy = jobs.some((/** @type {Job} */ job) => UNFINISHED.includes(job.status));
      if (isBusy && this.isConnected) {
        this.timer = setTimeout(() => this.refreshJobs(), POLL_MS);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** Only the jobs, while one runs; all of it once it has ended. */
  async refreshJobs() {
    try {
      /** @type {Job[]} */
      const jobs = await this.call(`ingestion/status?limit=${MAX_JOBS}`);
      this.jobs?.replaceChildren(...this.jobRows(jobs));
      if (jobs.some((job) => UNFINISHED.includes(job.status)) && this.isConnected) {
        this.timer = setTimeout(() => this.refreshJobs(), POLL_MS);
      } else {
        announce("The job has ended.");
        await this.refresh();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * @param {Book[]} books
   * @param {Job[]} jobs
   * @param {any[]} collections
   * @param {any} health
   */
  show(books, jobs, collections, health) {
    this.jobs = el("ul", { class: "cards" }, ...this.jobRows(jobs));
    const cards = books.map((book) => bookCard(book, { run: () => this.run(book.book_id), preview: (place) => this.preview(book.book_id, place) }));
    this.body?.replaceChildren(
      section("Books", books.length ? el("ul", { class: "cards" }, ...cards.map((card) => el("li", {}, card))) : el("p", { class: "small" }, "Nothing is indexed yet.")),
      section("Add documents", this.drop),
      section("Jobs", jobs.length ? this.jobs : el("p", { class: "small" }, "No job has run yet.")),
      ...this.feedbackSections(),
      section("Health", healthList(health)),
      section("Collections", collectionsTable(collections)),
      section("Try a connection", this.providers ?? el("p")),
      section("Index on every push", webhookHelp()),
    );
  }

  feedbackSections() {
    const [questions, marks] = this.feedback ?? [];
    const remove = (/** @type {string} */ path, /** @type {string} */ done) => this.act(() => this.call(`feedback/${path}`, { method: "DELETE" }), done);
    return [
      section("Questions that were not answered", unansweredList(questions, { done: (key) => remove(`questions/${key}`, "The question was deleted."), deleteAll: () => remove("questions", "All questions were deleted.") })),
      section("Marks", marksList(marks, () => remove("marks", "All marks were deleted."))),
    ];
  }

  /** @param {Job[]} jobs */
  jobRows(jobs) {
    return jobs.map((job) => el("li", {}, jobRow(job, () => this.cancel(job.job_id))));
  }

  /** @param {string} bookId */
  async run(bookId) {
    await this.act(() => this.call("ingestion/trigger", { method: "POST", body: JSON.stringify({ book_id: bookId }) }), "The job is queued.");
  }

  /**
   * @param {string} bookId
   * @param {File[]} files
   */
  async upload(bookId, files) {
    const body = new FormData();
    for (const file of files) {
      body.append("files", file, file.name);
    }
    // The browser itself says of which type the body is.
    await get(`books/${encodeURIComponent(bookId)}/files`, { method: "POST", body, headers: { "X-Admin-API-Key": this.key ?? "" } });
    announce("The files were uploaded, and a job is queued.");
    await this.refresh();
  }

  /** @param {number} jobId */
  async cancel(jobId) {
    await this.act(() => this.call(`ingestion/cancel/${jobId}`, { method: "POST", body: "{}" }), "The job will stop.");
  }

  /**
   * @param {() => Promise<unknown>} action
   * @param {string} done
   */
  async act(action, done) {
    try {
      await action();
      announce(done);
      await this.refresh();
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Shows below a book what a run would change.
   * @param {string} bookId
   * @param {HTMLElement} place
   */
  async preview(bookId, place) {
    try {
      place.replaceChildren(changesList(await this.call(`ingestion/changes?book_id=${encodeURIComponent(bookId)}`)));
    } catch (error) {
      place.replaceChildren(el("p", { class: "problem" }, error instanceof Error ? error.message : "It cannot be shown."));
    }
  }

  /** @param {unknown} error */
  fail(error) {
    const isKey = error instanceof ServiceError && ["401", "unauthorized", "rate_limited"].includes(error.code);
    if (isKey) {
      this.key = undefined;
      this.askForKey(/** @type {ServiceError} */ (error).message);
    } else {
      const words = error instanceof Error ? error.message : "Something went wrong.";
      this.body?.prepend(el("p", { class: "problem", role: "alert" }, words));
    }
  }
}

/**
 * @param {string} title
 * @param {Node} content
 */
function section(title, content) {
  return el("section", {}, el("h2", {}, title), content);
}

customElements.define("library-view", LibraryView);
