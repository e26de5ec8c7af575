// Finds the words of a search in a text, to show why it was found.

import { renderMarkdown } from "./markdown.js";

const COMMON = new Set(
  "a an and are as at be by can do does for from has have how i in is it its may my of on or that the this to was what when where which who why will with you your".split(" "),
);
const ENDING = "(?:s|es|d|ed|ing|r|er|ers|ly|n|ment)?";
const MAX_SNIPPET = 280;
const BLOCKS = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6";

/**
 * @param {string} query
 * @returns {RegExp | null} matches any of its words, also with another ending
 */
export function wordsOf(query) {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const telling = words.filter((word) => !COMMON.has(word) && (word.length > 1 || /\d|[^\x00-\x7f]/.test(word)));
  const stems = (telling.length ? telling : words).map((word) => (word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, "") : word));
  return stems.length ? new RegExp(`(?<![\\p{L}\\p{N}_])(?:${stems.join("|")})${ENDING}(?![\\p{L}\\p{N}_])`, "giu") : null;
}

/**
 * @param {Node} root
 * @param {RegExp | null} words
 * @returns {Range[]}
 */
export function matchesIn(root, words) {
  const ranges = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && words; node = texts.nextNode()) {
    for (const found of /** @type {Text} */ (node).data.matchAll(words)) {
      const range = new Range();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}

/**
 * The part of a chunk that has most of the words.
 * @param {string} source
 * @param {RegExp | null} words
 * @returns {{text: string, start: number, end: number}} and where its best sentence stands in the source
 */
export function snippetOf(source, words) {
  const { fragment, pieces } = renderMarkdown(source, { hidesTags: true });
  const blocks = [...fragment.querySelectorAll(BLOCKS)].filter((block) => !block.querySelector(BLOCKS));
  const counts = blocks.map((block) => distinct(block.textContent ?? "", words) - (/^H/.test(block.tagName) ? 0.5 : 0));
  const best = blocks[counts.indexOf(Math.max(...counts))];
  if (best === undefined) {
    return { text: source.slice(0, MAX_SNIPPET), start: 0, end: 0 };
  }
  const text = best.textContent ?? "";
  const own = pieces.filter(({ node }) => best.contains(node));
  return { text: cut(text, words), ...bestSentence(text, words, own) };
}

/**
 * @param {string} text
 * @param {RegExp | null} words
 * @param {import("./inline.js").Piece[]} pieces that the text is made of
 * @returns {{start: number, end: number}} where the sentence with most of the words stands
 */
function bestSentence(text, words, pieces) {
  let best = { count: -1, from: 0, to: text.length };
  for (const found of text.matchAll(/\S[\s\S]*?(?:[.!?](?=\s)|$)/g)) {
    const count = distinct(found[0], words);
    if (count > best.count) {
      best = { count, from: found.index, to: found.index + found[0].length };
    }
  }
  return { start: placeIn(pieces, best.from), end: placeIn(pieces, best.to - 1) + 1 };
}

/**
 * @param {import("./inline.js").Piece[]} pieces
 * @param {number} at
 */
function placeIn(pieces, at) {
  let left = at;
  for (const { node, start } of pieces) {
    if (left < node.length) {
      return start + left;
    }
    left -= node.length;
  }
  return 0;
}

/**
 * @param {string} text
 * @param {RegExp | null} words
 */
function distinct(text, words) {
  return new Set((words && text.match(words))?.map((word) => word.toLowerCase().slice(0, 4))).size;
}

/**
 * @param {string} text
 * @param {RegExp | null} words
 */
function cut(text, words) {
  if (text.length <= MAX_SNIPPET) {
    return text;
  }
  const first = words ? text.search(new RegExp(words.source, "iu")) : 0;
  const sentence = text.lastIndexOf(". ", Math.max(0, first)) + 1;
  const from = first - sentence > MAX_SNIPPET / 2 ? text.lastIndexOf(" ", first - 60) + 1 : sentence;
  const shown = text.slice(Math.max(0, from), Math.max(0, from) + MAX_SNIPPET).trim();
  return `${from > 1 ? "… " : ""}${shown.replace(/\s+\S*$/, "")} …`;
}
