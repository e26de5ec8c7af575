// The text around a quote: a few neighbouring chunks of a lesson, joined without their overlap.

import { findQuote, rangesOf, unitsOf } from "./highlight.js";
import { renderMarkdown } from "./markdown.js";
import { get, ofBook } from "./service.js";

/** @typedef {import("./service.js").Citation} Citation */
/** @typedef {import("./service.js").Chunk} Chunk */

/** Chunks of one lesson in reading order, which can be extended at both ends. */
export class Passage {
  /**
   * @param {Chunk[]} chunks
   * @param {boolean} hasOriginal whether the service has the file that the lesson was made from
   */
  constructor(chunks, hasOriginal = false) {
    this.chunks = chunks;
    this.hasOriginal = hasOriginal;
  }

  /**
   * @param {string} chunkId
   * @returns {Promise<Passage>}
   */
  static async around(chunkId) {
    const { chunks, has_original } = await context(chunkId, 0, 0);
    return new Passage(chunks, has_original === true);
  }

  get first() {
    return this.chunks[0];
  }

  get last() {
    return this.chunks[this.chunks.length - 1];
  }

  /** Adds the chunk before the first one. */
  async extendBack() {
    const [before] = (await context(this.first.chunk_id, 1, 0)).chunks;
    this.chunks = [before, ...this.chunks];
  }

  /** Adds the chunk after the last one. */
  async extendForth() {
    const after = (await context(this.last.chunk_id, 0, 1)).chunks[1];
    this.chunks = [...this.chunks, after];
  }

  /** @returns {string} the chunks as one text; neighbours share the end of one and the start of the next */
  get text() {
    return this.chunks.reduce((text, chunk, at) => {
      const before = this.chunks[at - 1];
      if (before === undefined) {
        return chunk.text;
      }
      const known = before.end !== null && chunk.start !== null;
      const shared = known ? Math.max(0, Number(before.end) - Number(chunk.start)) : 0;
      const own = chunk.text.slice(unitsOf(chunk.text, shared));
      return shared > 0 ? text + own : `${text}\n\n${own}`;
    }, "");
  }

  /**
   * Fills an element with the text.
   * @param {HTMLElement} element
   * @param {Citation} source
   * @returns {Range[]} where the quote of the source stands in it
   */
  renderInto(element, source) {
    const { text } = this;
    const { fragment, pieces } = renderMarkdown(text, { topLevel: 3, hidesTags: true });
    // Before the ranges are made: they would not survive the move.
    element.replaceChildren(fragment);
    const known = source.char_start !== null && this.first.start !== null;
    const from = known ? Math.max(0, Number(source.char_start) - Number(this.first.start)) : 0;
    const span = findQuote(text, source.chunk_text, unitsOf(text, from));
    return span === null ? [] : rangesOf(pieces, span.start, span.end);
  }
}

/**
 * @param {string} chunkId
 * @param {number} prev
 * @param {number} next
 * @returns {Promise<{chunks: Chunk[], has_original?: boolean}>}
 */
function context(chunkId, prev, next) {
  return get(ofBook(`context/${encodeURIComponent(chunkId)}?prev=${prev}&next=${next}`));
}
