// Renders an answer: its sentences, each with the chips of the sources it was taken from.

import { el } from "./dom.js";
import { findQuote, rangesOf } from "./highlight.js";
import { renderMarkdown } from "./markdown.js";

/** @typedef {import("./service.js").Citation} Citation */
/** @typedef {{start: number, end: number}} Stretch */

/**
 * @param {Citation} source
 * @returns {string} where a source stands, in words
 */
export function placeOf(source) {
  const parts = [source.page_title, source.section_heading];
  const named = parts.filter((part, at) => part && parts.indexOf(part) === at);
  return named.join(" › ") || source.source_file || "Source";
}

/** The text of one answer, which grows while it is streamed. */
export class AnswerText {
  /** @param {(number: number, chip: HTMLButtonElement) => void} onChip called when one is used */
  constructor(onChip) {
    this.element = el("div", { class: "answer-text" });
    this.text = "";
    /** @type {Citation[]} */
    this.sources = [];
    /** @type {string[]} */
    this.shown = [];
    /** @type {Stretch[]} */
    this.ownWords = [];
    this.onChip = onChip;
  }

  /**
   * @param {string} more
   * @param {boolean} [isOwnWords] whether a model says it in its own words
   */
  add(more, isOwnWords = false) {
    if (isOwnWords) {
      this.ownWords.push({ start: this.text.length, end: this.text.length + more.length });
    }
    this.text += more;
    this.render();
  }

  /** @param {Citation[]} sources */
  setSources(sources) {
    this.sources = sources;
    this.render();
    for (const chip of this.chips()) {
      this.label(chip);
    }
  }

  /** @returns {HTMLButtonElement[]} */
  chips() {
    return [...this.element.querySelectorAll("button.chip")].map(
      (chip) => /** @type {HTMLButtonElement} */ (chip),
    );
  }

  /**
   * Lights up the sentences that a source stands for; null for none.
   * @param {number | null} number
   */
  lightUp(number) {
    for (const sentence of this.element.querySelectorAll(".cited")) {
      const numbers = sentence.getAttribute("data-sources")?.split(" ") ?? [];
      sentence.classList.toggle("lit", number !== null && numbers.includes(String(number)));
    }
    for (const chip of this.chips()) {
      chip.setAttribute("aria-pressed", String(chip.value === String(number)));
    }
  }

  /** Renders what has changed: blocks that are complete stay as they are, and so does the focus. */
  render() {
    const { fragment, pieces } = renderMarkdown(this.text, { topLevel: 3, marker: (n, place) => this.chip(n, place) });
    for (const { start, end } of this.best()) {
      rangesOf(pieces, start, end).forEach((range) => range.surroundContents(el("mark")));
    }
    const blocks = [...fragment.children];
    blocks.forEach((block, at) => {
      const text = [block, ...block.querySelectorAll("mark")].map((part) => part.textContent).join("\n");
      if (this.shown[at] !== text) {
        gatherSentences(block);
        joinSentences(block);
        this.shown[at] = text;
        const old = this.element.children[at];
        old ? old.replaceWith(block) : this.element.append(block);
      }
    });
  }

  /** Where the text says what answers best; nowhere if it says nothing else. */
  best() {
    const marked = this.sources.filter((source) => source.statement_text);
    if (marked.every((one) => one.statement_start === one.char_start && one.statement_end === one.char_end)) {
      return [];
    }
    const found = marked.map((one) => findQuote(this.text, one.statement_text ?? "", this.text.indexOf(`[${one.number}]`)));
    return found.filter((stretch) => stretch !== null);
  }

  /**
   * @param {number} number
   * @param {number} place
   */
  chip(number, place) {
    const isOwnWords = this.ownWords.some(({ start, end }) => start <= place && place < end);
    const chip = el("button", { type: "button", class: isOwnWords ? "chip hollow" : "chip", value: number, "aria-pressed": "false" });
    chip.append(String(number));
    chip.addEventListener("click", () => this.onChip(number, chip));
    this.label(chip);
    return chip;
  }

  /** @param {HTMLButtonElement} chip */
  label(chip) {
    const source = this.sources.find((one) => String(one.number) === chip.value);
    const place = source ? `: ${placeOf(source)}` : "";
    chip.setAttribute("aria-label", `Source ${chip.value}${place}${isHollow(chip) ? ", in the model's words" : ""}`);
  }
}

/**
 * Puts each sentence and the chips after it into one element, so that they light up together.
 * @param {Element} block
 */
function gatherSentences(block) {
  for (const parent of [block, ...block.querySelectorAll("li, td, p")]) {
    const nodes = [...parent.childNodes];
    if (!nodes.some(isChip)) {
      continue;
    }
    let sentence = el("span", { class: "cited" });
    nodes.forEach((node, at) => {
      const endsHere = isChip(node) && !isChip(nodes[at + 1]) && !isSpaceBeforeChip(nodes, at + 1);
      sentence.append(node);
      if (endsHere) {
        parent.append(finish(sentence));
        sentence = el("span", { class: "cited" });
      }
    });
    parent.append(...sentence.childNodes);
  }
}

/**
 * Of neighbouring sentences from the same sources, only the last one has the chips.
 * @param {Element} block
 */
function joinSentences(block) {
  const sentences = [...block.querySelectorAll(".cited")];
  sentences.forEach((sentence, at) => {
    const chips = [...sentence.querySelectorAll("button.chip")];
    if (at + 1 < sentences.length && marksOf(sentence) === marksOf(sentences[at + 1])) {
      chips.forEach((chip) => chip.remove());
    }
  });
}

/** @param {Element} sentence */
function marksOf(sentence) {
  const chips = [...sentence.querySelectorAll("button.chip")];
  return chips.map((chip) => `${chip.getAttribute("value")} ${isHollow(chip)}`).join();
}

/**
 * @param {Element} chip
 * @returns {boolean} whether what stands before it is in a model's words
 */
export function isHollow(chip) {
  return chip.classList.contains("hollow");
}

/** @param {HTMLElement} sentence */
function finish(sentence) {
  const numbers = [...sentence.querySelectorAll("button.chip")].map((chip) => chip.getAttribute("value"));
  sentence.setAttribute("data-sources", numbers.join(" "));
  return sentence;
}

/** @param {Node | undefined} node */
function isChip(node) {
  return node instanceof HTMLButtonElement && node.classList.contains("chip");
}

/**
 * @param {Node[]} nodes
 * @param {number} at
 */
function isSpaceBeforeChip(nodes, at) {
  return nodes[at] !== undefined && !nodes[at].textContent?.trim() && isChip(nodes[at + 1]);
}
