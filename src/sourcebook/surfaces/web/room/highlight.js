// Highlights stretches of rendered text, without changing the text's elements.

/** @typedef {import("./inline.js").Piece} Piece */

/**
 * The service counts characters, as Python does; JavaScript counts UTF-16 units.
 * @param {string} text
 * @param {number} characters
 * @returns {number} where so many characters end
 */
export function unitsOf(text, characters) {
  let units = 0;
  for (let left = characters; left > 0 && units < text.length; left -= 1) {
    units += /** @type {number} */ (text.codePointAt(units)) > 0xffff ? 2 : 1;
  }
  return units;
}

/**
 * @param {Piece[]} pieces in reading order
 * @param {number} start
 * @param {number} end
 * @returns {Range[]} what was rendered from the source's `start` to before its `end`
 */
export function rangesOf(pieces, start, end) {
  const ranges = [];
  for (const { node, start: from } of pieces) {
    const first = Math.max(0, start - from);
    const last = Math.min(node.length, end - from);
    if (first < last && node.data.slice(first, last).trim()) {
      const range = new Range();
      range.setStart(node, first);
      range.setEnd(node, last);
      ranges.push(range);
    }
  }
  return ranges;
}

/**
 * Finds a quote in a text, nearest to where it is said to be.
 * @param {string} text
 * @param {string} quote
 * @param {number} near
 * @returns {{start: number, end: number} | null}
 */
export function findQuote(text, quote, near) {
  let best = null;
  for (let at = text.indexOf(quote); quote && at >= 0; at = text.indexOf(quote, at + 1)) {
    if (best === null || Math.abs(at - near) < Math.abs(best - near)) {
      best = at;
    }
  }
  return best === null ? null : { start: best, end: best + quote.length };
}

/**
 * Shows these ranges under the name that the style sheet has for them.
 * @param {string} name
 * @param {Range[]} ranges
 */
export function highlight(name, ranges) {
  if ("highlights" in CSS) {
    CSS.highlights.set(name, new Highlight(...ranges));
  }
}

/**
 * Scrolls only the box that holds the range, and puts it a third of the way down.
 * @param {Range | undefined} range
 * @param {HTMLElement} box
 */
export function scrollTo(range, box) {
  if (range !== undefined) {
    const offset = range.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += offset - box.clientHeight / 3;
  }
}
