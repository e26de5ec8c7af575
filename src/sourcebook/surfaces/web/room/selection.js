// What a reader has selected, as text, with the place of each of its parts on the page.

/** @typedef {import("./inline.js").Piece} Piece */

const MAX_LENGTH = 10_000;
const BLOCKS = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote";

/**
 * Reads the selection inside an element. Blocks are set apart, so that sentences do not run together.
 * @param {HTMLElement} root
 * @returns {{text: string, pieces: Piece[], ranges: Range[], rect: DOMRect} | null}
 */
export function selectionIn(root) {
  const selection = getSelection();
  const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
  if (!range || range.collapsed || !root.contains(range.commonAncestorContainer)) {
    return null;
  }
  let text = "";
  /** @type {Piece[]} */
  const pieces = [];
  const ranges = [];
  let block = null;
  for (const { node, from, to } of textsIn(range)) {
    const own = node.parentElement?.closest(BLOCKS) ?? root;
    if (text && own !== block) {
      text += "\n\n";
    }
    block = own;
    const part = document.createRange();
    part.setStart(node, from);
    part.setEnd(node, to);
    ranges.push(part);
    // A piece begins where its node would, so that offsets into the node fit.
    pieces.push({ node, start: text.length - from });
    text += node.data.slice(from, to);
  }
  const isUsable = text.trim() && text.length <= MAX_LENGTH;
  return isUsable ? { text, pieces, ranges, rect: range.getBoundingClientRect() } : null;
}

/**
 * @param {Range} range
 * @returns {{node: Text, from: number, to: number}[]}
 */
function textsIn(range) {
  const root = range.commonAncestorContainer;
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = root instanceof Text ? root : walker.nextNode(); node; node = walker.nextNode()) {
    const text = /** @type {Text} */ (node);
    if (range.intersectsNode(text)) {
      const from = text === range.startContainer ? range.startOffset : 0;
      const to = text === range.endContainer ? range.endOffset : text.length;
      if (from < to) {
        found.push({ node: text, from, to });
      }
    }
  }
  return found;
}
