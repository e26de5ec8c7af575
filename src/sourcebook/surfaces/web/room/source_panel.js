// The panel beside an answer: the passage that a citation points to, with its words highlighted.

import { el, icon, outLink, safeLink } from "./dom.js";
import { highlight, scrollTo } from "./highlight.js";
import { pagePicture } from "./page_picture.js";
import { Passage } from "./passage.js";
import { atWords, lessonAddress, originalAddress } from "./addresses.js";

/** @typedef {import("./service.js").Citation} Citation */

const CITED = "cited";

/** Shows one source of an answer at a time. `step` and `close` events tell what the reader wants. */
export class SourcePanel extends HTMLElement {
  connectedCallback() {
    this.hidden = true;
    this.setAttribute("role", "complementary");
    this.setAttribute("aria-label", "Source");
    this.addEventListener("keydown", (event) => this.onKey(event));
  }

  /**
   * @param {Citation} source
   * @param {number} count how many sources the answer has
   */
  async show(source, count) {
    this.source = source;
    /** @type {Passage | null} */
    this.passage = null;
    this.hidden = false;
    this.body = el("div", { class: "passage", tabindex: 0, role: "group", "aria-label": "Passage" });
    this.facts = el("ul", { class: "facts" }, ...facts(source));
    this.heading = el("h2", { tabindex: -1, dir: "auto" }, source.page_title || "Source");
    this.links = this.bottom(source);
    this.replaceChildren(this.top(source, count), this.body, this.links);
    await this.load(source);
  }

  /** Moves the focus here, as opening a dialog would. */
  take() {
    this.heading?.focus({ preventScroll: true });
  }

  close() {
    this.hidden = true;
    highlight(CITED, []);
    this.dispatchEvent(new CustomEvent("close"));
  }

  /** @param {Citation} source */
  async load(source) {
    this.setAttribute("aria-busy", "true");
    try {
      this.passage = source.chunk_id ? await Passage.around(source.chunk_id) : null;
    } catch {
      this.passage = null;
    }
    if (this.source !== source) {
      return;
    }
    this.removeAttribute("aria-busy");
    const picture = this.passage?.hasOriginal ? pagePicture(source) : null;
    if (picture) {
      this.body?.before(picture);
    }
    this.render();
  }

  render() {
    const { source, passage, body } = this;
    if (!source || !body) {
      return;
    }
    if (!passage) {
      // Of another collection, or changed since: the quote is what is known.
      const quote = el("blockquote", { dir: "auto" }, source.chunk_text);
      body.replaceChildren(quote);
      const range = new Range();
      range.selectNodeContents(quote);
      highlight(CITED, [range]);
      return;
    }
    const text = el("div", { class: "prose" });
    const ranges = passage.renderInto(text, source);
    body.replaceChildren(this.more("up"), text, this.more("down"));
    this.facts?.replaceChildren(...facts(source, passage.chunks[0]));
    const links = this.bottom(source, passage.hasOriginal);
    this.links?.replaceWith(links);
    this.links = links;
    highlight(CITED, ranges);
    scrollTo(ranges[0], body);
  }

  /** @param {"up" | "down"} direction */
  more(direction) {
    const passage = /** @type {Passage} */ (this.passage);
    const id = direction === "up" ? passage.first.prev_chunk_id : passage.last.next_chunk_id;
    if (id === null) {
      return "";
    }
    const words = direction === "up" ? "Show what comes before" : "Show what comes after";
    const extend = async () => {
      await (direction === "up" ? passage.extendBack() : passage.extendForth()).catch(() => {});
      this.render();
    };
    return el("button", { type: "button", class: "quiet more", click: extend }, icon(direction), words);
  }

  /**
   * @param {Citation} source
   * @param {number} count
   */
  top(source, count) {
    const step = (/** @type {number} */ by) => () => this.dispatchEvent(new CustomEvent("step", { detail: by }));
    return el(
      "header",
      {},
      el(
        "div",
        { class: "panel-bar" },
        el("span", { class: "chip", "aria-hidden": "true" }, String(source.number)),
        el("span", { class: "count" }, `Source ${source.number} of ${count}`),
        el("button", { type: "button", class: "quiet", "aria-label": "Previous source", disabled: source.number <= 1, click: step(-1) }, icon("left")),
        el("button", { type: "button", class: "quiet", "aria-label": "Next source", disabled: source.number >= count, click: step(1) }, icon("right")),
        el("button", { type: "button", class: "quiet", "aria-label": "Close the source", click: () => this.close() }, icon("close")),
      ),
      this.heading,
      source.section_heading && source.section_heading !== source.page_title
        ? el("p", { class: "crumbs", dir: "auto" }, source.section_heading)
        : null,
      this.facts,
    );
  }

  /**
   * @param {Citation} source
   * @param {boolean} [isKept] whether the service has the original
   */
  bottom(source, isKept = false) {
    const kept = isKept && source.document_id ? originalAddress(source.document_id, source.page) : null;
    const original = kept ?? originalOf(source);
    return el(
      "footer",
      {},
      source.document_id && source.source_file
        ? el("a", { class: "button", href: lessonAddress(source.document_id, source.char_start, source.char_end) }, icon("book"), "Open the lesson")
        : null,
      original ? outLink(original, icon("out"), source.page ? `Open page ${source.page} of the original` : "Open original") : null,
    );
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this.close();
    }
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !(event.target instanceof HTMLElement && event.target.closest("pre, .table"))) {
      event.preventDefault();
      this.dispatchEvent(new CustomEvent("step", { detail: by }));
    }
  }
}

/**
 * @param {Citation} source
 * @param {import("./service.js").Chunk} [chunk]
 */
function facts(source, chunk) {
  const line = source.line_start === null ? "" : `:${source.line_start}`;
  const known = [
    source.source_file && `${source.source_file}${source.page ? "" : line}`,
    ...["page", "slide", "row", "cell"].map((unit) => placeIn(source, unit)),
    chunk?.hardware_tier && `tier ${chunk.hardware_tier}`,
    chunk?.proficiency_level && `level ${chunk.proficiency_level}`,
    `score ${source.relevance_score.toFixed(2)}`,
  ];
  return known.filter(Boolean).map((fact) => el("li", { dir: "auto" }, String(fact)));
}

/**
 * @param {Citation} source
 * @param {string} unit
 */
function placeIn(source, unit) {
  const number = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (source))[unit];
  return typeof number === "number" && `${unit} ${number}`;
}

/**
 * @param {Citation} source
 * @returns {string | null} the passage on the book's own website, where browsers highlight it
 */
export function originalOf(source) {
  const url = safeLink(source.source_url);
  if (url === null) {
    return null;
  }
  if (source.page) {
    return `${url.split("#")[0]}#page=${source.page}`;
  }
  return atWords(url, source.statement_text || source.chunk_text);
}

customElements.define("source-panel", SourcePanel);
