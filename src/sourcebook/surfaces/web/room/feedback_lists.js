// What readers told the author: questions that were not answered, and marks.

import { inRoom, placeAddress, questionAddress } from "./addresses.js";
import { el, icon } from "./dom.js";
import { counted, moment } from "./library_parts.js";
import { otherBook } from "./service.js";

/** @typedef {import("./service.js").Place} Place */
/** @typedef {{key: string, book_id: string, question: string, count: number, first_asked_at: string, last_asked_at: string, closest: Place[]}} Unanswered */
/** @typedef {{id: string, question: string, about: string, verdict: "right" | "wrong", reason: string, sources: string[], marked_at: string}} Mark */

/**
 * @param {{kept: boolean, retention_days: number, questions: Unanswered[]}} reply
 * @param {{done: (key: string) => void, deleteAll: () => void}} actions
 */
export function unansweredList({ kept, retention_days, questions }, actions) {
  const words = kept
    ? `What readers asked and the book does not answer, the most frequent first. Kept for ${counted(retention_days, "day")} after it was last asked; nothing says who asked.`
    : switchedOff("SOURCEBOOK_KEEP_UNANSWERED");
  return el(
    "div",
    { class: "feedback" },
    el("p", { class: "small" }, ...[words].flat()),
    questions.length ? el("ul", { class: "cards" }, ...questions.map((one) => el("li", {}, unansweredCard(one, actions.done)))) : empty(kept, "Nothing was refused yet."),
    questions.length ? el("button", { type: "button", class: "quiet", click: actions.deleteAll }, "Delete all questions") : null,
  );
}

/**
 * @param {Unanswered} one
 * @param {(key: string) => void} done
 */
function unansweredCard(one, done) {
  const places = one.closest.map((place) => {
    const name = [place.title, place.heading].filter((part, at, all) => part && all.indexOf(part) === at).join(" › ");
    return el("li", {}, el("a", { href: placeAddress(place, otherBook(one.book_id)), dir: "auto" }, name || place.url));
  });
  return el(
    "article",
    {},
    el("h3", {}, el("span", { dir: "auto" }, one.question), el("span", { class: "state" }, counted(one.count, "time"))),
    el("p", { class: "small" }, `${one.book_id} · last asked ${moment(one.last_asked_at)}`),
    places.length ? el("p", { class: "small" }, "The closest places:") : null,
    places.length ? el("ul", { class: "near" }, ...places) : null,
    el(
      "div",
      { class: "actions" },
      el("a", { class: "button", href: inRoom(questionAddress(one.question), otherBook(one.book_id)) }, icon("ask"), "Ask it now"),
      el("button", { type: "button", class: "button", "aria-label": `Done: ${one.question}`, click: () => done(one.key) }, "Done"),
    ),
  );
}

/**
 * @param {{kept: boolean, retention_days: number, marks: Mark[]}} reply
 * @param {() => void} deleteAll
 */
export function marksList({ kept, marks }, deleteAll) {
  const right = marks.filter(({ verdict }) => verdict === "right").length;
  const words = kept ? ["Make a question set of them with ", el("code", {}, "sourcebook eval record questions.jsonl --from-marks"), "."] : switchedOff("SOURCEBOOK_MARKS");
  return el(
    "div",
    { class: "feedback" },
    el("p", { class: "small" }, ...words),
    marks.length ? el("p", {}, `Of the latest ${counted(marks.length, "mark")}, ${right} say right and ${marks.length - right} say wrong.`) : empty(kept, "Nothing was marked yet."),
    marks.length ? el("ul", { class: "cards" }, ...marks.map((one) => el("li", {}, markCard(one)))) : null,
    marks.length ? el("button", { type: "button", class: "quiet", click: deleteAll }, "Delete all marks") : null,
  );
}

/** @param {Mark} one */
function markCard(one) {
  return el(
    "article",
    {},
    el("h3", {}, el("span", { dir: "auto" }, one.question), el("span", { class: `state ${one.verdict === "right" ? "completed" : "failed"}` }, `${one.about} ${one.verdict}`)),
    one.reason ? el("p", { dir: "auto" }, one.reason) : null,
    el("p", { class: "small path", dir: "auto" }, one.sources.join(", ")),
    el("p", { class: "small" }, moment(one.marked_at)),
  );
}

/** @param {string} setting */
function switchedOff(setting) {
  return ["Switched off, so none are kept. ", el("code", {}, `${setting}=true`), " switches it on."];
}

/**
 * @param {boolean} kept
 * @param {string} words
 */
function empty(kept, words) {
  return kept ? el("p", {}, words) : null;
}
