// Renders the inside of a markdown block: emphasis, code, links and citation markers.

import { el, outLink, safeLink } from "./dom.js";

/**
 * Text with the place of each of its characters in the source.
 * @typedef {{text: string, places: number[]}} Run
 */
/** @typedef {(run: Run, at: number, rest: string, parent: Node, flush: () => void) => number} Step */
/** @typedef {{node: Text, start: number}} Piece a text node and where it begins in the source */
/**
 * @typedef {object} InlineOptions
 * @property {(number: number, place: number) => Node | null} [marker] makes the node for `[1]`,
 * which stands at this place of the source; null leaves text
 * @property {Map<string, string>} [references] the addresses that `[text][name]` stands for
 * @property {boolean} [hidesTags] leaves out HTML tags, as a book's own website would
 */

const TAG = /^<(?:\/?[A-Za-z][^<>]*|!--[\s\S]*?--)>/;
const ADDRESS = /^https?:\/\/[^\s<>"'`)\]]+[^\s<>"'`)\].,:;!?]/;
const ANGLED = /^<(https?:\/\/[^\s<>]+|mailto:[^\s<>]+)>/;
const MARKER = /^\[(\d{1,3})\](?!\()/;
const LINK = /^(!?)\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*<?([^\s<>)]*)>?(?:\s+["'(][^"')]*["')])?\s*\)/;
const MAX_DEPTH = 12;
const WORD = /\w/;
const REFERENCE = /^(!?)\[((?:[^[\]\\]|\\.)+)\](?:\[([^[\]]*)\])?/;
const DELIMITERS = /** @type {const} */ (["**", "__", "~~", "*", "_"]);
/** @type {Record<string, "strong" | "em" | "s">} */
const TAG_OF = { "**": "strong", __: "strong", "~~": "s", "*": "em", _: "em" };

/** Renders runs into elements, and notes where each text node comes from. */
export class InlineRenderer {
  /** @param {InlineOptions} options */
  constructor(options) {
    this.options = options;
    /** @type {Piece[]} */
    this.pieces = [];
    this.depth = 0;
  }

  /**
   * @param {Run} run
   * @param {Node} parent
   */
  render(run, parent) {
    if (this.depth >= MAX_DEPTH) {
      this.text(run, parent);
      return;
    }
    this.depth += 1;
    let plain = 0;
    let at = 0;
    const flush = () => this.text(slice(run, plain, at), parent);
    while (at < run.text.length) {
      const used = this.special(run, at, parent, flush);
      at += used || 1;
      if (used) {
        plain = at;
      }
    }
    flush();
    this.depth -= 1;
  }

  /**
   * Adds text as it is, one node for each stretch that stands together in the source.
   * @param {Run} run
   * @param {Node} parent
   */
  text(run, parent) {
    let from = 0;
    for (let at = 1; at <= run.text.length; at += 1) {
      if (at === run.text.length || run.places[at] !== run.places[at - 1] + 1) {
        const node = document.createTextNode(run.text.slice(from, at));
        this.pieces.push({ node, start: run.places[from] });
        parent.appendChild(node);
        from = at;
      }
    }
  }

  /**
   * Renders what begins here, if it is more than text; how many characters it took.
   * @param {Run} run
   * @param {number} at
   * @param {Node} parent
   * @param {() => void} flush
   * @returns {number}
   */
  special(run, at, parent, flush) {
    const rest = run.text.slice(at);
    switch (rest[0]) {
      case "\\":
        return this.escaped(run, at, rest, parent, flush);
      case "`":
        return this.code(run, at, rest, parent, flush);
      case "!":
      case "[":
        return this.bracket(run, at, rest, parent, flush);
      case "<":
        return this.angle(run, at, rest, parent, flush);
      case "h":
        return this.address(run, at, rest, parent, flush);
      default:
        return "*_~".includes(rest[0]) ? this.emphasis(run, at, rest, parent, flush) : 0;
    }
  }

  /** @type {Step} */
  escaped = (run, at, rest, parent, flush) => {
    if (!/^\\[!-/:-@[-`{-~]/.test(rest)) {
      return 0;
    }
    flush();
    this.text(slice(run, at + 1, at + 2), parent);
    return 2;
  };

  /** @type {Step} */
  code = (run, at, rest, parent, flush) => {
    const ticks = /^`+/.exec(rest)?.[0] ?? "";
    const close = new RegExp(`(?<!\`)${ticks}(?!\`)`).exec(rest.slice(ticks.length));
    if (close === null) {
      return 0;
    }
    flush();
    const from = at + ticks.length;
    const code = el("code");
    this.text(slice(run, from, from + close.index), code);
    parent.appendChild(code);
    return 2 * ticks.length + close.index;
  };

  /** @type {Step} */
  bracket = (run, at, rest, parent, flush) => {
    const marker = MARKER.exec(rest);
    const node = marker && this.options.marker?.(Number(marker[1]), run.places[at]);
    if (marker && node) {
      flush();
      parent.appendChild(node);
      return marker[0].length;
    }
    const link = LINK.exec(rest) ?? this.reference(rest);
    if (link === null) {
      return 0;
    }
    flush();
    const from = at + link[1].length + 1;
    const label = slice(run, from, from + link[2].length);
    this.link(link[3], parent, link[1] ? `image${link[2] ? ": " : ""}` : "", (inside) =>
      this.render(label, inside),
    );
    return link[0].length;
  };

  /**
   * Finds a link whose address stands elsewhere in the text.
   * @param {string} rest
   * @returns {[string, string, string, string] | null} as LINK would match it
   */
  reference(rest) {
    const [whole = "", image = "", label = "", name = ""] = REFERENCE.exec(rest) ?? [];
    const url = this.options.references?.get((name || label).toLowerCase());
    return url ? [whole, image, label, url] : null;
  }

  /** @type {Step} */
  angle = (run, at, rest, parent, flush) => {
    const angled = ANGLED.exec(rest);
    if (angled !== null) {
      flush();
      const label = slice(run, at + 1, at + 1 + angled[1].length);
      this.link(angled[1], parent, "", (inside) => this.text(label, inside));
      return angled[0].length;
    }
    const tag = this.options.hidesTags ? TAG.exec(rest) : null;
    if (tag !== null) {
      flush();
    }
    return tag === null ? 0 : tag[0].length;
  };

  /** @type {Step} */
  address = (run, at, rest, parent, flush) => {
    const found = WORD.test(run.text[at - 1] ?? "") ? null : ADDRESS.exec(rest);
    if (found === null) {
      return 0;
    }
    flush();
    const label = slice(run, at, at + found[0].length);
    this.link(found[0], parent, "", (inside) => this.text(label, inside));
    return found[0].length;
  };

  /** @type {Step} */
  emphasis = (run, at, rest, parent, flush) => {
    const mark = DELIMITERS.find((one) => rest.startsWith(one));
    const isWord = mark?.startsWith("_") && WORD.test(run.text[at - 1] ?? "");
    if (mark === undefined || isWord || !/\S/.test(rest[mark.length] ?? "")) {
      return 0;
    }
    const end = closing(rest, mark);
    if (end < 0) {
      return 0;
    }
    flush();
    const inside = el(TAG_OF[mark]);
    this.render(slice(run, at + mark.length, at + end), inside);
    parent.appendChild(inside);
    return end + mark.length;
  };

  /**
   * Adds a link that shows where it leads; one that may not be opened is text. An image is a link,
   * too: nothing is loaded without a click.
   * @param {string} url
   * @param {Node} parent
   * @param {string} prefix
   * @param {(inside: Node) => void} fill
   */
  link(url, parent, prefix, fill) {
    const href = safeLink(url);
    if (href === null) {
      const text = el("span", { class: "dead-link" }, prefix);
      fill(text);
      parent.appendChild(text);
      return;
    }
    const link = outLink(href, prefix);
    fill(link);
    const { host } = new URL(href);
    parent.appendChild(link);
    if (host && !link.textContent?.includes(host)) {
      parent.appendChild(el("span", { class: "host" }, ` (${host})`));
    }
  }
}

/**
 * @param {Run} run
 * @param {number} from
 * @param {number} to
 * @returns {Run}
 */
export function slice(run, from, to) {
  return { text: run.text.slice(from, to), places: run.places.slice(from, to) };
}

/**
 * Where the delimiter closes: after something that is not a space, and outside of code.
 * @param {string} text
 * @param {string} mark
 */
function closing(text, mark) {
  for (let at = mark.length + 1; at <= text.length - mark.length; at += 1) {
    if (text[at] === "`") {
      const end = text.indexOf("`", at + 1);
      at = end < 0 ? at : end;
      continue;
    }
    const closes = text.startsWith(mark, at) && /\S/.test(text[at - 1]) && text[at - 1] !== "\\";
    const doubled = mark.length === 1 && (text[at + 1] === mark || text[at - 1] === mark);
    const inWord = mark.startsWith("_") && /\w/.test(text[at + mark.length] ?? "");
    if (closes && !doubled && !inWord) {
      return at;
    }
  }
  return -1;
}
