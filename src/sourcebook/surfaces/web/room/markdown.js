// Renders markdown as DOM nodes, and knows which character of the source each one comes from.

import { el } from "./dom.js";
import { InlineRenderer } from "./inline.js";

/** @typedef {import("./inline.js").Run} Run */
/** @typedef {import("./inline.js").Piece} Piece */
/** @typedef {{text: string, start: number}} Line a line without its prefix, and where it begins */
/** @typedef {{level: number, element: HTMLElement}} Heading */
/** @typedef {import("./inline.js").InlineOptions & {topLevel?: number}} Options `topLevel` is that of the first heading */
/** @typedef {{fragment: DocumentFragment, pieces: Piece[], headings: Heading[]}} Rendered */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+|$)/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const CALLOUT = /^\s*:{3,}\s*(\w+)?\s*(?:\[([^\]]*)\]|(.*))$/;
const MODULE_LINE = /^(?:import\s.+from\s|import\s+["']|export\s+(?:const|default|function)\b)/;
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const DEFINITION = /^ {0,3}\[([^\]]+)\]:\s*<?([^\s<>]+)>?(?:\s+["'(].*["')])?\s*$/;
const MAX_DEPTH = 8;

/**
 * @param {string} source
 * @param {Options} [options]
 * @returns {Rendered}
 */
export function renderMarkdown(source, options = {}) {
  const lines = linesOf(source);
  const renderer = new BlockRenderer({ ...options, references: referencesIn(lines) });
  const fragment = document.createDocumentFragment();
  renderer.blocks(lines, fragment, 0);
  return { fragment, pieces: renderer.inline.pieces, headings: renderer.headings };
}

/**
 * @param {string} source
 * @returns {Line[]} without the front matter
 */
function linesOf(source) {
  const skipped = FRONT_MATTER.exec(source)?.[0].length ?? 0;
  const lines = [];
  let start = skipped;
  for (const text of source.slice(skipped).split("\n")) {
    lines.push({ text: text.replace(/\r$/, ""), start });
    start += text.length + 1;
  }
  return lines;
}

/**
 * @param {Line[]} lines
 * @returns {Map<string, string>} the addresses that links name
 */
function referencesIn(lines) {
  const found = lines.map(({ text }) => DEFINITION.exec(text)).filter((one) => one !== null);
  return new Map(found.map(([, name, url]) => [name.toLowerCase(), url]));
}

/**
 * @param {Line} line
 * @param {number} count
 * @returns {Line}
 */
function without(line, count) {
  return { text: line.text.slice(count), start: line.start + Math.min(count, line.text.length) };
}

/**
 * @param {Line[]} lines
 * @returns {Run}
 */
function joined(lines) {
  /** @type {Run} */
  const run = { text: lines.map((line) => line.text).join("\n"), places: [] };
  for (const line of lines) {
    for (let at = 0; at <= line.text.length; at += 1) {
      run.places.push(line.start + at);
    }
  }
  run.places.length = run.text.length;
  return run;
}

/** @param {Line | undefined} line */
function isBlank(line) {
  return line === undefined || line.text.trim() === "";
}

/** Renders lines block by block. */
class BlockRenderer {
  /** @param {Options} options */
  constructor(options) {
    this.inline = new InlineRenderer(options);
    this.options = options;
    /** @type {Heading[]} */
    this.headings = [];
    /** @type {number | undefined} */
    this.firstLevel = undefined;
    /** @type {number | undefined} */
    this.lastShown = undefined;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   * @param {number} depth
   */
  blocks(lines, parent, depth) {
    let at = 0;
    while (at < lines.length) {
      at += this.block(lines.slice(at), parent, depth);
    }
  }

  /**
   * Renders the block that begins here; how many lines it took.
   * @param {Line[]} lines
   * @param {Node} parent
   * @param {number} depth
   * @returns {number}
   */
  block(lines, parent, depth) {
    const { text } = lines[0];
    if (isBlank(lines[0]) || DEFINITION.test(text) || (this.options.hidesTags && MODULE_LINE.test(text))) {
      return 1;
    }
    if (FENCE.test(text)) {
      return this.fence(lines, parent);
    }
    if (HEADING.test(text)) {
      return this.heading(lines, parent);
    }
    if (RULE.test(text)) {
      parent.appendChild(el("hr"));
      return 1;
    }
    if (depth < MAX_DEPTH && QUOTE.test(text)) {
      return this.quote(lines, parent, depth);
    }
    if (depth < MAX_DEPTH && CALLOUT.test(text) && text.trim().startsWith(":::")) {
      return this.callout(lines, parent, depth);
    }
    if (depth < MAX_DEPTH && ITEM.test(text)) {
      return this.list(lines, parent, depth);
    }
    if (text.includes("|") && TABLE_RULE.test(lines[1]?.text ?? "")) {
      return this.table(lines, parent);
    }
    return text.startsWith("    ") ? this.indented(lines, parent) : this.paragraph(lines, parent);
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   */
  fence(lines, parent) {
    const [, mark] = /** @type {RegExpExecArray} */ (FENCE.exec(lines[0].text));
    const close = lines.findIndex(
      (line, at) => at > 0 && line.text.trim().startsWith(mark) && !line.text.trim().slice(mark.length).trim(),
    );
    const end = close < 0 ? lines.length : close;
    this.codeBlock(lines.slice(1, end), parent);
    return close < 0 ? end : end + 1;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   */
  indented(lines, parent) {
    const end = lines.findIndex((line) => !isBlank(line) && !line.text.startsWith("    "));
    const own = lines.slice(0, end < 0 ? lines.length : end);
    this.codeBlock(
      own.map((line) => without(line, 4)),
      parent,
    );
    return own.length;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   */
  codeBlock(lines, parent) {
    const code = el("code");
    this.inline.text(joined(lines), code);
    // Focusable, so that the keyboard can scroll it.
    parent.appendChild(el("pre", { tabindex: 0, dir: "ltr" }, code));
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   */
  heading(lines, parent) {
    const [mark, signs] = /** @type {RegExpExecArray} */ (HEADING.exec(lines[0].text));
    const text = without(lines[0], mark.length);
    text.text = text.text.replace(/\s+#+\s*$/, "").replace(/\s*\{#[^}]*\}\s*$/, "");
    this.addHeading(signs.length, [text], parent);
    return 1;
  }

  /**
   * @param {number} level
   * @param {Line[]} lines
   * @param {Node} parent
   */
  addHeading(level, lines, parent) {
    const shown = this.shownLevel(level);
    const element = el(/** @type {"h2"} */ (`h${shown}`), { dir: "auto" });
    this.inline.render(joined(lines), element);
    this.headings.push({ level, element });
    parent.appendChild(element);
  }

  /**
   * A part of a text may begin with any level, and authors skip some; what is shown never does.
   * @param {number} level
   */
  shownLevel(level) {
    const top = this.options.topLevel ?? 1;
    this.firstLevel ??= level;
    const wanted = Math.max(top, top + level - this.firstLevel);
    this.lastShown = Math.min(6, wanted, (this.lastShown ?? top - 1) + 1);
    return this.lastShown;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   * @param {number} depth
   */
  quote(lines, parent, depth) {
    const end = lines.findIndex((line) => !QUOTE.test(line.text));
    const own = lines.slice(0, end < 0 ? lines.length : end);
    const quote = el("blockquote", { dir: "auto" });
    this.blocks(
      own.map((line) => without(line, QUOTE.exec(line.text)?.[0].length ?? 0)),
      quote,
      depth + 1,
    );
    parent.appendChild(quote);
    return own.length;
  }

  /**
   * Renders `:::note Title … :::`, as Docusaurus and others have it.
   * @param {Line[]} lines
   * @param {Node} parent
   * @param {number} depth
   */
  callout(lines, parent, depth) {
    const found = CALLOUT.exec(lines[0].text);
    const close = lines.findIndex((line, at) => at > 0 && /^\s*:{3,}\s*$/.test(line.text));
    if (!found?.[1]) {
      return 1;
    }
    const end = close < 0 ? lines.length : close;
    const title = (found[2] ?? found[3] ?? "").trim() || found[1];
    const box = el("div", { class: "callout" }, el("p", { class: "callout-title" }, title));
    this.blocks(lines.slice(1, end), box, depth + 1);
    parent.appendChild(box);
    return close < 0 ? end : end + 1;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   * @param {number} depth
   */
  list(lines, parent, depth) {
    const first = /** @type {RegExpExecArray} */ (ITEM.exec(lines[0].text));
    const ordered = /\d/.test(first[2]);
    const list = el(ordered ? "ol" : "ul", ordered ? { start: parseInt(first[2], 10) } : {});
    let at = 0;
    while (at < lines.length) {
      const mark = ITEM.exec(lines[at].text);
      if (mark === null || /\d/.test(mark[2]) !== ordered || RULE.test(lines[at].text)) {
        break;
      }
      at += this.item(lines.slice(at), mark[0].length, list, depth);
    }
    parent.appendChild(list);
    return Math.max(1, at);
  }

  /**
   * @param {Line[]} lines
   * @param {number} indent
   * @param {Node} list
   * @param {number} depth
   */
  item(lines, indent, list, depth) {
    const own = [without(lines[0], indent)];
    let at = 1;
    for (; at < lines.length; at += 1) {
      const line = lines[at];
      const margin = line.text.length - line.text.trimStart().length;
      if (isBlank(line)) {
        const next = lines.slice(at).find((one) => !isBlank(one));
        if (next === undefined || next.text.length - next.text.trimStart().length < Math.min(indent, 2)) {
          break;
        }
      } else if (margin < Math.min(indent, 2) && (isBlank(lines[at - 1]) || startsBlock(line) || ITEM.test(line.text))) {
        break;
      }
      own.push(without(line, Math.min(margin, indent)));
    }
    while (at < lines.length && isBlank(lines[at])) {
      at += 1;
    }
    const item = el("li", { dir: "auto" });
    this.blocks(own, item, depth + 1);
    const only = item.childElementCount === 1 ? item.firstElementChild : null;
    if (only?.tagName === "P") {
      only.replaceWith(...only.childNodes);
    }
    list.appendChild(item);
    return at;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   */
  table(lines, parent) {
    const end = lines.findIndex((line, at) => at > 1 && (isBlank(line) || !line.text.includes("|")));
    const own = lines.slice(0, end < 0 ? lines.length : end);
    const head = el("thead", {}, this.row(own[0], "th"));
    const body = el("tbody", {}, ...own.slice(2).map((line) => this.row(line, "td")));
    const table = el("table", {}, head, body);
    parent.appendChild(el("div", { class: "table", tabindex: 0, role: "group", "aria-label": "Table" }, table));
    return own.length;
  }

  /**
   * @param {Line} line
   * @param {"th" | "td"} tag
   */
  row(line, tag) {
    const row = el("tr");
    const open = /^\s*\|/.exec(line.text)?.[0].length ?? 0;
    const text = line.text.replace(/\|\s*$/, "");
    for (const cell of text.slice(open).matchAll(/((?:\\.|`[^`]*`|[^|\\])*)(\||$)/g)) {
      if (cell[0] === "") {
        break;
      }
      const margin = cell[1].length - cell[1].trimStart().length;
      const start = line.start + open + cell.index + margin;
      const node = el(tag, { dir: "auto" });
      this.inline.render(joined([{ text: cell[1].trim(), start }]), node);
      row.append(node);
    }
    return row;
  }

  /**
   * @param {Line[]} lines
   * @param {Node} parent
   */
  paragraph(lines, parent) {
    let end = 1;
    while (end < lines.length && !isBlank(lines[end]) && !startsBlock(lines[end])) {
      const rule = UNDERLINE.exec(lines[end].text);
      if (rule) {
        this.addHeading(rule[1][0] === "=" ? 1 : 2, lines.slice(0, end), parent);
        return end + 1;
      }
      end += 1;
    }
    const paragraph = el("p", { dir: "auto" });
    const own = lines.slice(0, end).map((line) => without(line, line.text.length - line.text.trimStart().length));
    this.inline.render(joined(own), paragraph);
    if (paragraph.textContent?.trim() || paragraph.childElementCount > 0) {
      parent.appendChild(paragraph);
    }
    return end;
  }
}

/** @param {Line} line */
function startsBlock(line) {
  const { text } = line;
  const item = ITEM.exec(text);
  return (
    FENCE.test(text) ||
    HEADING.test(text) ||
    QUOTE.test(text) ||
    /^\s*:{3,}/.test(text) ||
    (item !== null && (!/\d/.test(item[2]) || /^1[.)]/.test(item[2])))
  );
}
