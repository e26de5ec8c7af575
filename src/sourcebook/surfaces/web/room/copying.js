// Puts an answer into words that can be pasted elsewhere, with its sources.

import { placeOf } from "./answer_text.js";
import { safeLink } from "./dom.js";

/** @typedef {import("./service.js").Citation} Citation */

/**
 * @param {string} question
 * @param {string} answer
 * @param {Citation[]} sources
 */
export function asMarkdown(question, answer, sources) {
  const listed = sources.map((source) => {
    const url = safeLink(source.source_url);
    const place = url ? `[${escapeMarkdown(placeOf(source))}](${url})` : escapeMarkdown(placeOf(source));
    return `- [${source.number}] ${place}${fileOf(source)}\n  > ${oneLine(source.chunk_text)}`;
  });
  return [`**${escapeMarkdown(question)}**`, answer.trim(), ...(listed.length ? [listed.join("\n")] : [])].join("\n\n") + "\n";
}

/**
 * @param {string} question
 * @param {string} answer
 * @param {Citation[]} sources
 */
export function asText(question, answer, sources) {
  const listed = sources.map(
    (source) => `[${source.number}] ${placeOf(source)}${fileOf(source)}\n    “${oneLine(source.chunk_text)}”`,
  );
  return [question, answer.trim(), ...(listed.length ? [listed.join("\n")] : [])].join("\n\n") + "\n";
}

/**
 * Marks the citations of what is in a model's words with a star, and says so below.
 * @param {string} answer
 * @param {import("./answer_text.js").Stretch[]} ownWords
 * @param {string} [star] as it is written there
 */
export function withMarks(answer, ownWords, star = "*") {
  const marked = [...ownWords].reverse().reduce((text, { start, end }) => {
    const own = text.slice(start, end).replace(/(\[\d{1,3}\])(?!\()/g, `$1${star}`);
    return text.slice(0, start) + own + text.slice(end);
  }, answer);
  return ownWords.length ? `${marked.trim()}\n\n${star} In the model's words; the source says it as quoted.` : marked;
}

/** @param {Citation} source */
function fileOf(source) {
  const line = source.line_start === null ? "" : `:${source.line_start}`;
  return source.source_file ? ` (${source.source_file}${line})` : "";
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** @param {string} text */
function escapeMarkdown(text) {
  return text.replace(/[\\`*_[\]<>]/g, "\\$&");
}
