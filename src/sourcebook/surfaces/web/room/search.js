// The view that searches as you type: by words and meaning together, with the keyboard alone.

import { lessonAddress } from "./addresses.js";
import { el, icon } from "./dom.js";
import { highlight } from "./highlight.js";
import { offerMarks } from "./marks.js";
import { matchesIn, snippetOf, wordsOf } from "./matches.js";
import { chosenBook, get, ofBook, post } from "./service.js";

/** @typedef {import("./service.js").Chunk} Chunk */
/** @typedef {{chunk_id: string, dense_rank: number | null, cosine: number, keyword_rank: number | null, bm25: number | null, score: number}} Stages */
/** @typedef {{module: string | null, chapter: number | null, hardware_tier: number | null, proficiency_level: string | null}} Lesson */

const MIN_LENGTH = 3;
const MAX_RESULTS = 10;
const PAUSE_MS = 150;
const MATCH = "match";

/** Searches the book. */
export class SearchView extends HTMLElement {
  connectedCallback() {
    if (this.input) {
      return;
    }
    this.input = el("input", {
      type: "search",
      dir: "auto",
      placeholder: "Search the book",
      "aria-label": "Search the book",
      autocomplete: "off",
      spellcheck: "false",
      input: () => this.soon(),
    });
    this.filters = el("div", { class: "filters", role: "group", "aria-label": "Filters" });
    this.explains = el("input", { type: "checkbox", change: () => this.search() });
    this.status = el("p", { class: "small", role: "status" });
    this.stages = el("p", { class: "small stages", hidden: true });
    this.results = el("ol", { class: "results", "aria-label": "Results" });
    this.append(
      el("h1", { class: "visually-hidden" }, "Search"),
      el("form", { class: "field", role: "search", submit: (/** @type {Event} */ event) => this.openFirst(event) }, icon("search"), this.input),
      this.filters,
      el("div", { class: "found" }, this.status, el("label", { class: "toggle" }, this.explains, "Explain the ranking")),
      this.stages,
      this.results,
    );
    this.addEventListener("keydown", (event) => this.onKey(event));
    this.loadFilters();
  }

  /** @param {{query: URLSearchParams}} address */
  open({ query }) {
    const words = query.get("q");
    if (words !== null && words !== this.input?.value && this.input) {
      this.input.value = words;
    }
    this.input?.focus();
    this.input?.select();
    this.search();
  }

  async loadFilters() {
    const { lessons } = await get(ofBook("lessons")).catch(() => ({ lessons: [] }));
    this.lessons = /** @type {Lesson[]} */ (lessons);
    const of = (/** @type {keyof Lesson} */ field) =>
      [...new Set(this.lessons?.map((lesson) => lesson[field]).filter((value) => value !== null && value !== ""))].sort();
    this.filters?.replaceChildren(
      this.select("module", "Any module", of("module"), (value) => value),
      this.select("chapter", "Any chapter", of("chapter").filter((value) => value !== 0), (value) => `Chapter ${value}`),
      this.select("level", "Any level", of("proficiency_level"), (value) => `Level ${value}`),
      this.select("tier", "Any tier", of("hardware_tier"), (value) => `Up to tier ${value}`),
    );
  }

  /**
   * @param {string} name
   * @param {string} any
   * @param {(string | number | null)[]} values
   * @param {(value: string) => string} label
   */
  select(name, any, values, label) {
    const options = values.map((value) => el("option", { value: String(value) }, label(String(value))));
    const box = el("select", { name, "aria-label": any.replace("Any ", ""), change: () => this.search() }, el("option", { value: "" }, any), ...options);
    box.hidden = values.length < 2;
    return box;
  }

  /** @param {string} name */
  chosen(name) {
    const box = /** @type {HTMLSelectElement | null | undefined} */ (this.filters?.querySelector(`[name=${name}]`));
    return box?.value ?? "";
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), PAUSE_MS);
  }

  async search() {
    clearTimeout(this.timer);
    this.pending?.abort();
    const query = this.input?.value.trim() ?? "";
    history.replaceState(null, "", query ? `#/search?q=${encodeURIComponent(query)}` : "#/search");
    if (query.length < MIN_LENGTH) {
      this.show("Type three letters or more. ↑ and ↓ choose a result, Enter opens it.", []);
      return;
    }
    this.pending = new AbortController();
    const { signal } = this.pending;
    const started = performance.now();
    try {
      const found = await post("search", this.body(query), signal);
      const took = Math.round(performance.now() - started);
      const count = found.results.length;
      this.show(count ? `${count} ${count === 1 ? "place" : "places"}, best first · ${took} ms` : "Nothing in the book fits these words.", found.results, found.explain);
    } catch (error) {
      if (!signal.aborted) {
        this.show(error instanceof Error ? error.message : "The search failed.", []);
      }
    }
  }

  /** @param {string} query */
  body(query) {
    const [module, chapter, level, tier] = ["module", "chapter", "level", "tier"].map((name) => this.chosen(name));
    return {
      query,
      limit: MAX_RESULTS,
      explain: this.explains?.checked ?? false,
      ...(chosenBook() !== null && { book_id: chosenBook() }),
      ...(module && { module }),
      ...(chapter && { chapter_min: Number(chapter), chapter_max: Number(chapter) }),
      ...(level && { proficiency_levels: [level] }),
      ...(tier && { hardware_tier: Number(tier) }),
    };
  }

  /**
   * @param {string} status
   * @param {Chunk[]} hits
   * @param {any} [explained]
   */
  show(status, hits, explained) {
    const words = wordsOf(this.input?.value ?? "");
    this.status?.replaceChildren(status);
    this.results?.replaceChildren(...hits.map((hit, at) => result(hit, words, this.input?.value.trim() ?? "", explained?.results[at])));
    this.stages?.toggleAttribute("hidden", !explained);
    if (explained) {
      const times = ["embedding", "terms", "index", "ledger", "reranking"].filter((stage) => explained[`${stage}_ms`] != null);
      const listed = times.map((stage) => `${stage} ${explained[`${stage}_ms`].toFixed(1)} ms`);
      this.stages?.replaceChildren([`mode ${explained.mode}`, ...listed].join(" · "));
    }
    highlight(MATCH, this.results ? matchesIn(this.results, words) : []);
  }

  links() {
    return /** @type {HTMLAnchorElement[]} */ ([...(this.results?.querySelectorAll("a") ?? [])]);
  }

  /** @param {Event} event */
  async openFirst(event) {
    event.preventDefault();
    await this.search();
    this.links()[0]?.click();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const links = this.links();
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const isSelect = document.activeElement instanceof HTMLSelectElement;
    if (event.key === "ArrowDown" && !isSelect) {
      event.preventDefault();
      links[Math.min(at + 1, links.length - 1)]?.focus();
    } else if (event.key === "ArrowUp" && !isSelect) {
      event.preventDefault();
      at > 0 ? links[at - 1].focus() : this.input?.focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      document.activeElement === this.input && !this.input?.value ? (location.hash = "#/") : this.back();
    }
  }

  /** Esc goes back one step: to the box, then to an empty box, then to the questions. */
  back() {
    if (this.input && document.activeElement === this.input) {
      this.input.value = "";
      this.search();
    }
    this.input?.focus();
  }
}

/**
 * @param {Chunk} hit
 * @param {RegExp | null} words
 * @param {string} question
 * @param {Stages} [stages]
 */
function result(hit, words, question, stages) {
  const snippet = snippetOf(hit.text, words);
  const title = hit.lesson_title ?? hit.source_file ?? "";
  const facts = [hit.module && `module ${hit.module}`, hit.hardware_tier && `tier ${hit.hardware_tier}`, `score ${hit.score.toFixed(2)}`];
  const item = el(
    "li",
    {},
    el(
      "a",
      { class: "result", href: placeAddress(hit, snippet) },
      el("b", { dir: "auto" }, title),
      hit.section_title && hit.section_title !== title ? el("span", { class: "crumbs", dir: "auto" }, hit.section_title) : null,
      el("span", { class: "snippet", dir: "auto" }, snippet.text),
      el("span", { class: "small" }, stages ? stagesText(stages) : facts.filter(Boolean).join(" · ")),
    ),
  );
  offerMarks(item, { question, about: "hit", sources: [hit.source_file ?? hit.parent_doc_id] });
  return item;
}

/** @param {Stages} stages */
function stagesText(stages) {
  const meaning = stages.dense_rank === null ? "not among the nearest" : `meaning: rank ${stages.dense_rank}, cosine ${stages.cosine.toFixed(2)}`;
  const words = stages.keyword_rank === null || stages.bm25 === null ? "no words in common" : `words: rank ${stages.keyword_rank}, BM25 ${stages.bm25.toFixed(1)}`;
  return `${meaning} · ${words} · score ${stages.score.toFixed(2)}`;
}

/**
 * @param {Chunk} hit
 * @param {{start: number, end: number}} snippet
 */
function placeAddress(hit, snippet) {
  const characters = (/** @type {number} */ units) => [...hit.text.slice(0, units)].length;
  const isExact = hit.start !== null && hit.end !== null && hit.end - hit.start === characters(hit.text.length);
  return isExact
    ? lessonAddress(hit.parent_doc_id, Number(hit.start) + characters(snippet.start), Number(hit.start) + characters(snippet.end))
    : lessonAddress(hit.parent_doc_id, hit.start, hit.start);
}

customElements.define("search-view", SearchView);
