// The addresses of the views, behind the `#`: a link to any of them can be shared.

import { safeLink } from "./dom.js";
import { ROOT, chosenBook, ofBook } from "./service.js";

const LESSON = "#/read/";
const MAX_TEXT_FRAGMENT = 60;

/**
 * @param {string} documentId
 * @param {number | null} [start]
 * @param {number | null} [end]
 * @returns {string} the lesson, at the words from `start` to before `end`
 */
export function lessonAddress(documentId, start = null, end = null) {
  const place = start === null || end === null ? "" : `?from=${start}&to=${end}`;
  return `${LESSON}${encodeURIComponent(documentId)}${place}`;
}

/**
 * @param {string} documentId
 * @param {number | null} [page]
 * @returns {string} the file that a lesson was made from, at a page of it
 */
export function originalAddress(documentId, page = null) {
  const place = page ? `#page=${page}` : "";
  return new URL(ofBook(`lesson/${encodeURIComponent(documentId)}/original`) + place, ROOT).href;
}

/**
 * @param {string} documentId
 * @param {number} page
 * @returns {string} the picture of a page of the file that a lesson was made from
 */
export function pageAddress(documentId, page) {
  return new URL(ofBook(`lesson/${encodeURIComponent(documentId)}/original/pages/${page}`), ROOT).href;
}

/**
 * The question alone: the session is a secret, and whoever has it reads the conversation.
 * @param {string} question
 */
export function questionAddress(question) {
  return `#/?q=${encodeURIComponent(question)}`;
}

/**
 * @param {string} address of a view
 * @param {string | null} [book] null for the one that is kept there
 * @returns {string} the same from anywhere, also from a page that holds the widget
 */
export function inRoom(address, book = chosenBook()) {
  return new URL((book === null ? "" : `?book=${encodeURIComponent(book)}`) + address, ROOT).href;
}

/**
 * Where a place can be read: on the book's website, else in the reading room.
 * @param {import("./service.js").Place} place
 * @param {string | null} [book] of the place; null for the one that is kept there
 */
export function placeAddress({ title, heading, url, text = "" }, book = chosenBook()) {
  const original = safeLink(url);
  if (original !== null) {
    return text ? atWords(original, text) : original;
  }
  const lesson = url.indexOf(LESSON);
  return inRoom(lesson < 0 ? `#/search?q=${encodeURIComponent(heading || title)}` : url.slice(lesson), book);
}

/**
 * @param {string} url of a page
 * @param {string} text that begins there somewhere
 * @returns {string} the page at these words, where browsers highlight them
 */
export function atWords(url, text) {
  const words = text.trim().split(/\s+/).slice(0, 8).join(" ").slice(0, MAX_TEXT_FRAGMENT);
  return `${url}${url.includes("#") ? "" : "#"}:~:text=${encodeURIComponent(words).replaceAll("-", "%2D")}`;
}

/**
 * @param {string} hash
 * @returns {{view: string, id: string, query: URLSearchParams}}
 */
export function parseAddress(hash) {
  const [, path, query] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? ["", "", ""];
  const [view, id] = path.split("/", 2);
  return { view: view || "ask", id: decoded(id ?? ""), query: new URLSearchParams(query) };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
