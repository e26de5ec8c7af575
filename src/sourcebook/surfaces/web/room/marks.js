// Thumbs for what a reader got, with a reason; only where the operator keeps marks.

import { uuid4 } from "./conversation.js";
import { el, icon } from "./dom.js";
import { announce } from "./live_region.js";
import { get, ofBook, post } from "./service.js";

/** @typedef {"answer" | "refusal" | "hit"} About */
/** @typedef {"right" | "wrong"} Verdict */
/** @typedef {{question: string, about: About, sources: string[]}} Marked */

const MAX_REASON = 300;
const MAX_SOURCES = 20;
/** @type {Record<About, {right: string, wrong: string, reasons: string[]}>} */
const WORDS = {
  answer: { right: "This answer is right", wrong: "This answer is not right", reasons: ["It is wrong", "Something is missing", "Not what I asked", "Out of date"] },
  refusal: { right: "Right, the book does not answer this", wrong: "The book should answer this", reasons: ["The book answers it", "The book should have it"] },
  hit: { right: "This result is right", wrong: "This result is not right", reasons: ["Not what I searched for", "Out of date"] },
};
/** @type {Promise<boolean> | undefined} */
let allowed;

function takesMarks() {
  allowed ??= get(ofBook("room")).then(
    (room) => room.takes_marks === true,
    () => false,
  );
  return allowed;
}

/**
 * Adds thumbs to an element, if the service keeps marks.
 * @param {Element | undefined} parent
 * @param {Marked} marked
 */
export async function offerMarks(parent, marked) {
  if (await takesMarks()) {
    parent?.append(new MarkButtons(marked).element);
  }
}

/** Two thumbs, and after the second one a question why. */
class MarkButtons {
  /** @param {Marked} marked */
  constructor(marked) {
    this.marked = marked;
    // The same for every click: readers change their minds.
    this.id = uuid4();
    const { right, wrong } = WORDS[marked.about];
    this.right = el("button", { type: "button", class: "quiet thumb", "aria-label": right, title: right, "aria-pressed": "false", click: () => this.press("right") }, icon("thumb"));
    this.wrong = el("button", { type: "button", class: "quiet thumb down", "aria-label": wrong, title: wrong, "aria-pressed": "false", click: () => this.press("wrong") }, icon("thumb"));
    this.more = el("div", { class: "why", hidden: true });
    this.element = el("div", { class: "marks" }, this.right, this.wrong, this.more);
  }

  /** @param {Verdict} verdict */
  async press(verdict) {
    this.right.setAttribute("aria-pressed", String(verdict === "right"));
    this.wrong.setAttribute("aria-pressed", String(verdict === "wrong"));
    if (await this.send(verdict, "")) {
      verdict === "right" ? this.say("Thank you.") : this.askWhy();
    }
  }

  askWhy() {
    const chosen = WORDS[this.marked.about].reasons.map((reason) => el("button", { type: "button", class: "reason", click: () => this.explain(reason) }, reason));
    const input = el("input", { type: "text", dir: "auto", maxlength: MAX_REASON, placeholder: "Something else", "aria-label": "Another reason" });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.explain(input.value.trim());
    };
    this.more.replaceChildren(el("span", {}, "Why?"), ...chosen, el("form", { submit }, input, el("button", { class: "reason" }, "Send")));
    this.more.hidden = false;
    this.more.scrollIntoView({ block: "nearest" });
    announce("Thank you. Why?");
  }

  /** @param {string} reason */
  async explain(reason) {
    if (!reason || (await this.send("wrong", reason))) {
      this.say("Thank you, the author will see it.");
      this.wrong.focus();
    }
  }

  /**
   * @param {Verdict} verdict
   * @param {string} reason
   * @returns {Promise<boolean>} whether it was kept
   */
  async send(verdict, reason) {
    const { sources, ...marked } = this.marked;
    try {
      await post("feedback/marks", { ...marked, id: this.id, verdict, reason, sources: [...new Set(sources)].slice(0, MAX_SOURCES) });
      return true;
    } catch (error) {
      this.say(`It was not kept: ${error instanceof Error ? error.message : "something went wrong."}`);
      return false;
    }
  }

  /** @param {string} words */
  say(words) {
    this.more.replaceChildren(words);
    this.more.hidden = false;
    announce(words);
  }
}
