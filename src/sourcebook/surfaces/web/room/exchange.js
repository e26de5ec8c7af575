// One question and its answer: from the search to the sources, or to an honest word why not.

import { inRoom, placeAddress, questionAddress } from "./addresses.js";
import { AnswerText } from "./answer_text.js";
import { asMarkdown, asText, withMarks } from "./copying.js";
import { el, icon } from "./dom.js";
import { announce } from "./live_region.js";
import { offerMarks } from "./marks.js";
import { ask, ServiceError } from "./service.js";

/** @typedef {import("./service.js").Citation} Citation */
/** @typedef {import("./service.js").Facts} Facts */
/** @typedef {import("./service.js").Asked} Asked */

const MAX_NAMED = 2;

/** Asks, and shows what comes. Events: `source` when one is chosen, `again` to ask once more. */
export class ExchangeCard extends HTMLElement {
  /** @param {string} question */
  begin(question) {
    this.question = question;
    this.answer = new AnswerText((number, chip) => this.choose(number, chip));
    this.heading = el("h2", { class: "question", dir: "auto", tabindex: -1 }, question);
    this.status = el("p", { class: "status" });
    this.notes = el("div", { class: "notes" });
    this.sources = el("ol", { class: "sources", "aria-label": "Sources" });
    this.actions = el("div", { class: "actions" });
    this.replaceChildren(
      el("article", { "aria-label": question }, this.heading, this.status, this.answer.element, this.notes, this.sources, this.actions),
    );
  }

  /**
   * Asks the service. What has arrived stays, however it ends.
   * @param {Asked} asked
   */
  async ask(asked) {
    this.begin(asked.query);
    this.asked = asked;
    this.stopper = new AbortController();
    this.wait("Searching the book …");
    try {
      const facts = await ask(asked, this, this.stopper.signal);
      this.finish(facts);
    } catch (error) {
      this.fail(error);
    } finally {
      this.stopper = undefined;
      this.wait(null);
    }
  }

  stop() {
    this.stopper?.abort();
  }

  get isBusy() {
    return this.stopper !== undefined;
  }

  /** @param {import("./service.js").Place[]} places that are read for the answer */
  onFound(places) {
    const titles = [...new Set(places.map(({ title, url }) => title || url))];
    const more = titles.length - MAX_NAMED;
    this.wait(`Reading ${titles.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""} …`);
  }

  /**
   * @param {string} text
   * @param {boolean} isOwnWords whether a model says it in its own words
   */
  onText(text, isOwnWords) {
    this.wait("Writing …");
    this.answer?.add(text, isOwnWords);
    announce(text.replace(/\[\d+\]/g, ""));
    this.dispatchEvent(new CustomEvent("grow", { bubbles: true }));
  }

  /** @param {Citation[]} sources */
  onSources(sources) {
    this.showSources(sources);
  }

  /**
   * Shows an exchange that the service remembers.
   * @param {string} question
   * @param {string} text
   * @param {Citation[]} sources
   */
  recall(question, text, sources) {
    this.begin(question);
    this.answer?.add(text);
    this.showSources(sources);
    this.showActions();
    this.offerMarks();
  }

  /** @param {Citation[]} sources */
  showSources(sources) {
    this.answer?.setSources(sources);
    this.sources?.replaceChildren(...sources.map((source) => el("li", {}, this.sourceCard(source))));
  }

  /** @param {Citation} source */
  sourceCard(source) {
    const card = el(
      "button",
      { type: "button", class: "source", value: source.number },
      el("span", { class: "chip", "aria-hidden": "true" }, String(source.number)),
      el("span", { class: "place" }, el("b", { dir: "auto" }, source.page_title || "Source"), el("span", { dir: "auto" }, belowTitle(source))),
    );
    card.addEventListener("click", () => this.choose(source.number, card));
    return card;
  }

  /**
   * @param {number} number
   * @param {HTMLElement} opener gets the focus back
   */
  choose(number, opener) {
    const source = this.answer?.sources.find((one) => one.number === number);
    if (source) {
      this.dispatchEvent(new CustomEvent("source", { bubbles: true, detail: { source, opener } }));
    }
  }

  /** @param {number | null} number */
  lightUp(number) {
    this.answer?.lightUp(number);
    for (const card of this.sources?.querySelectorAll("button.source") ?? []) {
      card.classList.toggle("lit", card.getAttribute("value") === String(number));
    }
  }

  /** @param {Facts} facts */
  finish(facts) {
    this.classList.toggle("refused", !facts.answered);
    if (facts.cut_off) {
      this.note("The time was over before the answer was complete.");
    }
    if (facts.fallback) {
      this.note(`The language model failed, so these are quotes from the book. ${facts.warning ?? ""}`);
    }
    if (facts.history === "unavailable") {
      this.note("This conversation cannot be saved at the moment.");
    }
    this.showActions();
    this.offerMarks();
    const { further = [], closest = [] } = facts;
    this.showPlaces("Also in", further);
    this.showPlaces("Perhaps this helps", closest.filter(({ text }) => text));
    this.showPlaces("The closest places", closest.filter(({ text }) => !text));
  }

  /**
   * @param {string} label
   * @param {import("./service.js").Place[]} places
   */
  showPlaces(label, places) {
    if (places.length > 0) {
      this.notes?.append(el("p", { class: "label" }, label), el("ul", { class: "places", "aria-label": label }, ...places.map(placeItem)));
    }
  }

  /** A selection is the reader's own text: whether it was answered says nothing about the book. */
  offerMarks() {
    if (this.asked?.mode === "selected_text") {
      return;
    }
    const sources = (this.answer?.sources ?? []).map(({ source_file, document_id }) => source_file ?? document_id ?? "");
    const about = sources.length > 0 && !this.classList.contains("refused") ? "answer" : "refusal";
    offerMarks(this.actions, { question: this.question ?? "", about, sources: sources.filter(Boolean) });
  }

  /** @param {unknown} error */
  fail(error) {
    this.showActions();
    if (!(error instanceof ServiceError)) {
      const stopped = error instanceof DOMException && error.name === "AbortError";
      this.note(stopped ? "You stopped this answer." : "Something went wrong on this page. Reload it and ask again.");
      if (!stopped) {
        console.error(error);
      }
    } else if (error.isAway) {
      this.note("The service does not answer. Is it running? What has arrived stays here.", "problem");
    } else if (error.code === "rate_limited") {
      this.countDown(error.retryAfterS ?? 1);
    } else {
      this.note(error.message, "problem");
    }
  }

  /**
   * Waits until there is room again, and says how long.
   * @param {number} seconds
   */
  countDown(seconds) {
    const note = this.note("", "problem");
    const again = this.querySelector("button.again");
    const tick = (/** @type {number} */ left) => {
      note.textContent = left > 0 ? `Too many questions at once. There is room again in ${left} s.` : "You can ask again now.";
      again?.toggleAttribute("disabled", left > 0);
      if (left > 0 && this.isConnected) {
        setTimeout(() => tick(left - 1), 1000);
      }
    };
    tick(seconds);
    announce(note.textContent ?? "");
  }

  /**
   * @param {string} text
   * @param {string} [kind]
   */
  note(text, kind = "note") {
    const note = el("p", { class: kind, dir: "auto" }, text);
    this.notes?.append(note);
    if (text) {
      announce(text);
    }
    return note;
  }

  /** @param {string | null} words */
  wait(words) {
    this.status?.replaceChildren(words ?? "");
    this.classList.toggle("waiting", words !== null);
  }

  showActions() {
    const text = this.answer?.text ?? "";
    const sources = this.answer?.sources ?? [];
    const ownWords = this.answer?.ownWords ?? [];
    const question = this.question ?? "";
    this.actions?.replaceChildren(
      ...(text && sources.length
        ? [
            copyButton("Copy as Markdown", "copy", () => asMarkdown(question, withMarks(text, ownWords, "\\*"), sources)),
            copyButton("Copy as text", "copy", () => asText(question, withMarks(text, ownWords), sources)),
          ]
        : []),
      copyButton("Copy link", "link", () => inRoom(questionAddress(question))),
      el("button", { type: "button", class: "quiet again", click: () => this.dispatchEvent(new CustomEvent("again", { bubbles: true })) }, icon("again"), "Ask again"),
    );
  }
}

/**
 * @param {string} label
 * @param {string} shape
 * @param {() => string} words
 */
function copyButton(label, shape, words) {
  const name = el("span", {}, label);
  const copy = async () => {
    const done = await navigator.clipboard.writeText(words()).then(() => true, () => false);
    name.textContent = done ? "Copied" : "Your browser does not allow it";
    announce(name.textContent);
    setTimeout(() => (name.textContent = label), 2000);
  };
  return el("button", { type: "button", class: "quiet", click: copy }, icon(shape), name);
}

/** @param {Citation} source */
function belowTitle({ page_title, section_heading, source_file }) {
  return section_heading && section_heading !== page_title ? section_heading : (source_file ?? "");
}

/** @param {import("./service.js").Place} place */
function placeItem(place) {
  const { title, heading, text } = place;
  const below = heading && heading !== title ? el("span", { dir: "auto" }, heading) : null;
  const link = el("a", { href: placeAddress(place) }, el("b", { dir: "auto" }, title || place.url), below);
  return el("li", {}, link, text && el("p", { dir: "auto" }, text));
}

customElements.define("exchange-card", ExchangeCard);
