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
