// The view that shows a lesson whole, beside the contents of the book.

import { lessonAddress, originalAddress } from "./addresses.js";
import "./ask_about.js";
import { el, icon, outLink, safeLink } from "./dom.js";
import { highlight, rangesOf, unitsOf } from "./highlight.js";
import { renderMarkdown } from "./markdown.js";
import { selectionIn } from "./selection.js";
import { get, ofBook, ServiceError } from "./service.js";

/** @typedef {import("./ask_about.js").AskAbout} AskAbout */
/** @typedef {{parent_doc_id: string, lesson_title: string | null, source_file: string | null, module: string | null}} Entry */
/** @typedef {{parent_doc_id: string, text: string, lesson_title: string | null, source_file: string | null, lesson_url: string | null, has_original?: boolean}} Lesson */

const CITED = "cited";
const WIDE = matchMedia("(min-width: 60.01rem)");

/** Reads lessons. */
export class ReadView extends HTMLElement {
  /** @type {Entry[] | undefined} */
  entries;

  connectedCallback() {
    if (this.article) {
      return;
    }
    this.contents = el("nav", { "aria-label": "Contents" });
    this.drawer = el("details", { class: "contents", open: WIDE.matches }, el("summary", {}, "Contents"), this.contents);
    this.article = el("article", { class: "prose lesson" });
    this.about = /** @type {AskAbout} */ (document.createElement("ask-about"));
    this.offer = el("button", { type: "button", class: "button offer", hidden: true, click: () => this.askAbout() }, icon("quote"), "Ask about this");
    this.append(this.drawer, this.article, this.offer, this.about);
    document.addEventListener("selectionchange", () => this.offerSoon());
    this.about.addEventListener("close", () => this.classList.remove("with-panel"));
    WIDE.addEventListener("change", () => this.drawer?.toggleAttribute("open", WIDE.matches));
  }

  /** @param {{id: string, query: URLSearchParams}} address */
  async open({ id, query }) {
    this.entries ??= (await get(ofBook("lessons")).catch(() => ({ lessons: undefined }))).lessons;
    const wanted = id || this.shown || this.entries?.[0]?.parent_doc_id;
    if (!wanted) {
      this.article?.replaceChildren(el("h1", {}, "There is nothing to read yet"), el("p", {}, "Index a book, then reload this page."));
      return;
    }
    if (wanted !== this.shown) {
      await this.load(wanted);
    }
    this.goTo(query);
  }

  /** @param {string} id */
  async load(id) {
    this.about?.close();
    try {
      this.lesson = /** @type {Lesson} */ (await get(ofBook(`lesson/${encodeURIComponent(id)}`)));
    } catch (error) {
      const words = error instanceof ServiceError && !error.isAway ? "This lesson is not in the book, or no longer." : "The service does not answer.";
      this.shown = undefined;
      this.article?.replaceChildren(el("h1", {}, words), el("p", {}, "Choose another from the contents."));
      this.showContents([]);
      return;
    }
    this.shown = id;
    this.render(this.lesson);
  }

  /** @param {Lesson} lesson */
  render(lesson) {
    const begin = renderMarkdown(lesson.text, { hidesTags: true });
    const [first] = begin.headings;
    const hasTitle = first !== undefined && (first.level === 1 || [null, first.element.textContent].includes(lesson.lesson_title));
    const { fragment, pieces, headings } = hasTitle ? begin : renderMarkdown(lesson.text, { hidesTags: true, topLevel: 2 });
    this.pieces = pieces;
    const title = lesson.lesson_title ?? first?.element.textContent ?? titleOf(lesson);
    const website = lesson.lesson_url ? safeLink(lesson.lesson_url) : null;
    const url = lesson.has_original ? originalAddress(lesson.parent_doc_id) : website;
    this.article?.replaceChildren(
      el("p", { class: "crumbs" }, lesson.source_file ?? "", url ? " · " : "", url ? outLink(url, "open original") : ""),
      ...(hasTitle ? [] : [el("h1", { dir: "auto" }, title)]),
      fragment,
      this.neighbours(),
    );
    document.title = `${title} · Sourcebook`;
    headings.forEach(({ element }, at) => (element.id = `section-${at}`));
    this.showContents(headings.filter(({ level }) => level === 2 || level === 3));
  }

  /** @param {URLSearchParams} query */
  goTo(query) {
    const [from, to] = [Number(query.get("from") ?? NaN), Number(query.get("to") ?? NaN)];
    const text = this.lesson?.text ?? "";
    const isPlace = Number.isInteger(from) && Number.isInteger(to) && this.pieces !== undefined;
    const ranges = isPlace ? rangesOf(this.pieces ?? [], unitsOf(text, from), unitsOf(text, to)) : [];
    highlight(CITED, ranges);
    const top = ranges[0]?.getBoundingClientRect().top;
    scrollTo({ top: top === undefined ? 0 : scrollY + top - innerHeight / 3 });
    this.drawer?.toggleAttribute("open", WIDE.matches);
  }

  /** @param {import("./markdown.js").Heading[]} headings of the lesson that is shown */
  showContents(headings) {
    const groups = grouped(this.entries ?? []);
    const parts = groups.map(({ label, entries }) => {
      const list = el("ul", {}, ...entries.map((entry) => this.entry(entry, headings)));
      const isOpen = groups.length < 8 || entries.some((entry) => entry.parent_doc_id === this.shown);
      return label ? el("details", { open: isOpen }, el("summary", { dir: "auto" }, label), list) : list;
    });
    this.contents?.replaceChildren(...parts);
  }

  /**
   * @param {Entry} entry
   * @param {import("./markdown.js").Heading[]} headings
   */
  entry(entry, headings) {
    const isShown = entry.parent_doc_id === this.shown;
    const link = el("a", { href: lessonAddress(entry.parent_doc_id), dir: "auto", "aria-current": isShown ? "page" : null }, titleOf(entry));
    const outline = headings.map(({ level, element }) =>
      el("li", { class: `level-${level}` }, el("button", { type: "button", class: "quiet", dir: "auto", click: () => element.scrollIntoView() }, element.textContent ?? "")),
    );
    return el("li", {}, link, isShown && outline.length ? el("ul", { class: "outline", "aria-label": "On this page" }, ...outline) : null);
  }

  neighbours() {
    const at = (this.entries ?? []).findIndex((entry) => entry.parent_doc_id === this.shown);
    const [before, after] = [this.entries?.[at - 1], this.entries?.[at + 1]];
    return el(
      "nav",
      { class: "neighbours", "aria-label": "Next and previous lesson" },
      before ? el("a", { href: lessonAddress(before.parent_doc_id), rel: "prev" }, icon("left"), el("span", { dir: "auto" }, titleOf(before))) : el("span"),
      after ? el("a", { href: lessonAddress(after.parent_doc_id), rel: "next" }, el("span", { dir: "auto" }, titleOf(after)), icon("right")) : null,
    );
  }

  offerSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.offerToAsk(), 120);
  }

  /** Offers a small button at the end of a selection. */
  offerToAsk() {
    const selected = this.isConnected && this.article ? selectionIn(this.article) : null;
    if (!this.offer || (selected === null && this.offer.matches(":focus"))) {
      return;
    }
    this.offer.hidden = selected === null;
    this.selected = selected ?? this.selected;
    if (selected !== null) {
      const { bottom, left, right } = selected.rect;
      const middle = (left + right) / 2 - this.offer.offsetWidth / 2;
      this.offer.style.left = `${Math.max(8, Math.min(middle, innerWidth - this.offer.offsetWidth - 8))}px`;
      this.offer.style.top = `${Math.min(bottom + 8, innerHeight - 56)}px`;
    }
  }

  askAbout() {
    if (this.selected && this.about && this.offer) {
      this.offer.hidden = true;
      this.classList.add("with-panel");
      this.about.open(this.selected);
      getSelection()?.removeAllRanges();
    }
  }
}

/** @param {{lesson_title: string | null, source_file: string | null}} entry */
function titleOf(entry) {
  const file = entry.source_file?.split("/").pop() ?? "Lesson";
  return entry.lesson_title ?? spaced(file.replace(/\.\w+$/, ""));
}

/** @param {string} name of a file or a folder */
function spaced(name) {
  return name.replace(/[-_]+/g, " ");
}

/**
 * Groups lessons by their first folder, which is named by its own page if it has one.
 * @param {Entry[]} entries
 * @returns {{label: string, entries: Entry[]}[]}
 */
function grouped(entries) {
  /** @type {Map<string, Entry[]>} */
  const folders = new Map();
  for (const entry of entries) {
    const [folder, rest] = (entry.source_file ?? "").split("/", 2);
    const key = rest === undefined ? "" : folder;
    folders.set(key, [...(folders.get(key) ?? []), entry]);
  }
  return [...folders].map(([folder, own]) => {
    const page = own.find((entry) => /^[^/]+\/(?:readme|index|_index)\.mdx?$/i.test(entry.source_file ?? ""));
    const label = page ? titleOf(page) : spaced(folder);
    return { label, entries: page ? [page, ...own.filter((entry) => entry !== page)] : own };
  });
}

customElements.define("read-view", ReadView);
