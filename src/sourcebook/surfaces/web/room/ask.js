// The view where questions are asked: the conversation, the composer and the panel of sources.

import { questionAddress } from "./addresses.js";
import * as conversation from "./conversation.js";
import { el, icon } from "./dom.js";
import { ExchangeCard } from "./exchange.js";
import { announce } from "./live_region.js";
import { Preview } from "./preview.js";
import { get, ofBook } from "./service.js";
import { SourcePanel } from "./source_panel.js";

const MAX_QUESTION_LENGTH = 2000;
const NEAR_THE_END_PX = 120;
const NARROW = matchMedia("(max-width: 60rem)");

/** @typedef {{book_id: string | null, kept: string | null, books: string[], indexed: boolean, model: string, grounding: string}} Room */

/** Holds one conversation. */
export class AskView extends HTMLElement {
  connectedCallback() {
    if (this.thread) {
      return;
    }
    this.session = conversation.sessionId();
    this.follows = true;
    this.thread = el("div", { class: "thread" });
    this.panel = /** @type {SourcePanel} */ (document.createElement("source-panel"));
    this.start = el("section", { class: "start", hidden: true });
    this.heading = el("h1", { class: "visually-hidden" }, "Conversation");
    this.column = el("div", { class: "column" }, this.heading, this.start, this.thread, this.composer());
    this.append(this.column, this.panel);
    new Preview(this);
    this.listen();
  }

  listen() {
    this.addEventListener("source", (event) => this.openSource(/** @type {CustomEvent} */ (event)));
    this.addEventListener("again", (event) => this.askAgain(/** @type {ExchangeCard} */ (event.target)));
    this.addEventListener("grow", () => this.follow());
    addEventListener("scroll", () => {
      this.follows = document.body.scrollHeight - innerHeight - scrollY < NEAR_THE_END_PX;
    });
    this.addEventListener("keydown", (event) => this.onKey(event));
    this.panel?.addEventListener("close", () => this.closed());
    this.panel?.addEventListener("step", (event) => this.step(/** @type {CustomEvent} */ (event).detail));
  }

  /**
   * Shows what was said before, or how to begin. A question in the address is asked at once, in a
   * conversation of its own.
   * @param {Room} room
   * @param {string | null} question
   */
  async open(room, question) {
    this.room = room;
    this.quotesOnly?.toggleAttribute("hidden", room.grounding !== "cited");
    if (question) {
      history.replaceState(null, "", "#/");
      this.newConversation();
      this.ask(question);
      return;
    }
    await this.recall();
    this.showStart();
    // What the reader has begun meanwhile goes on.
    if (document.activeElement === document.body) {
      this.input?.focus({ preventScroll: true });
    }
  }

  /** Puts what was said before the page was loaded ahead of what has been asked since; once. */
  async recall() {
    const session = this.session;
    if (this.recalled === session) {
      return;
    }
    /** @type {string | undefined} */
    this.recalled = session;
    const earlier = await conversation.history().catch(() => []);
    if (session !== this.session) {
      return;
    }
    const cards = this.cards();
    const asked = cards.at(0);
    const before = earlier.filter((one) => cards.every((card) => card.question !== one.question));
    for (const one of before) {
      this.addCard(asked).recall(one.question, one.text, one.sources);
    }
    if (before.length > 0 && !asked) {
      scrollTo({ top: document.body.scrollHeight });
    }
  }

  composer() {
    this.input = el("textarea", {
      rows: 1,
      dir: "auto",
      maxlength: MAX_QUESTION_LENGTH,
      placeholder: "Ask the book a question",
      "aria-label": "Your question",
      enterkeyhint: "send",
      keydown: (/** @type {KeyboardEvent} */ event) => this.onEnter(event),
      input: () => this.refresh(),
    });
    this.send = el("button", { class: "send", "aria-label": "Ask" }, icon("ask"));
    this.fresh = el("button", { type: "button", class: "quiet", hidden: true, click: () => this.newConversation() }, icon("plus"), "New conversation");
    this.quotesOnly = el("label", { class: "small switch", hidden: true, title: "Without this, sentences in the model's words stand beside their sources" }, el("input", { type: "checkbox", role: "switch" }), "Quotes only");
    this.form = el(
      "form",
      { class: "composer", submit: (/** @type {Event} */ event) => this.onSubmit(event) },
      el("div", { class: "field" }, this.input, this.send),
      el("div", { class: "below" }, this.fresh, this.quotesOnly, el("span", { class: "hint" }, "Enter to ask, Shift+Enter for a new line")),
    );
    return this.form;
  }

  /** @param {Event} event */
  onSubmit(event) {
    event.preventDefault();
    const busy = this.busyCard();
    if (busy) {
      busy.stop();
    } else if (this.input?.value.trim()) {
      this.ask(this.input.value.trim());
      this.input.value = "";
      this.refresh();
    }
  }

  /** @param {KeyboardEvent} event */
  onEnter(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (!this.busyCard()) {
        this.form?.requestSubmit();
      }
    }
  }

  /** @param {string} question */
  async ask(question) {
    if (this.busyCard()) {
      return;
    }
    this.panel?.close();
    const card = this.addCard();
    this.showStart();
    const asking = card.ask(this.asked(question));
    this.refresh();
    this.follows = true;
    this.follow();
    await asking;
    this.refresh();
    this.follow();
  }

  /**
   * @param {string} query
   * @returns {import("./service.js").Asked}
   */
  asked(query) {
    const strict = this.quotesOnly?.hidden === false && this.quotesOnly.querySelector("input")?.checked;
    return { query, session_id: this.session, ...(strict && { grounding: "strict" }) };
  }

  /** @param {ExchangeCard} card */
  async askAgain(card) {
    if (this.busyCard() || !card.question) {
      return;
    }
    const asking = card.ask(this.asked(card.question));
    this.refresh();
    await asking;
    this.refresh();
  }

  newConversation() {
    this.busyCard()?.stop();
    this.panel?.close();
    this.session = conversation.newSession();
    this.recalled = this.session;
    this.thread?.replaceChildren();
    this.showStart();
    this.input?.focus();
    announce("New conversation");
  }

  /** @param {ExchangeCard} [next] stands after it; without one it is the last */
  addCard(next) {
    const card = /** @type {ExchangeCard} */ (document.createElement("exchange-card"));
    this.thread?.insertBefore(card, next ?? null);
    return card;
  }

  /** @returns {ExchangeCard | undefined} */
  busyCard() {
    return this.cards().find((card) => card.isBusy);
  }

  cards() {
    return /** @type {ExchangeCard[]} */ ([...(this.thread?.children ?? [])]);
  }

  /** Fits the box to its text, and the button to what it does. */
  refresh() {
    if (!this.input || !this.send) {
      return;
    }
    const busy = this.busyCard() !== undefined;
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight}px`;
    this.send.setAttribute("aria-label", busy ? "Stop" : "Ask");
    this.send.replaceChildren(icon(busy ? "stop" : "ask"));
    this.send.toggleAttribute("disabled", !busy && !this.input.value.trim());
  }

  /** Keeps the end in sight, but only for somebody who was there. */
  follow() {
    if (this.follows && this.isConnected) {
      scrollTo({ top: document.body.scrollHeight });
    }
  }

  showStart() {
    const isEmpty = !this.thread?.childElementCount;
    this.classList.toggle("empty", isEmpty);
    this.fresh?.toggleAttribute("hidden", isEmpty);
    this.start?.toggleAttribute("hidden", !isEmpty);
    this.heading?.toggleAttribute("hidden", isEmpty);
    if (this.start && isEmpty && !this.start.childElementCount && this.room) {
      this.start.append(...startTexts(this.room));
      this.offerQuestions();
    }
    this.refresh();
  }

  async offerQuestions() {
    const offered = await get(ofBook("room/questions")).catch(() => ({ questions: [] }));
    const items = offered.questions.map((/** @type {string} */ question) =>
      el("li", {}, el("a", { href: questionAddress(question), dir: "auto" }, el("span", {}, question), icon("ask"))),
    );
    if (items.length > 0) {
      this.start?.append(el("p", { class: "label" }, "Questions this book answers"), el("ul", { class: "starters" }, ...items));
    }
  }

  /** @param {CustomEvent} event */
  openSource({ detail: { source, opener }, target }) {
    this.card = /** @type {ExchangeCard} */ (target);
    this.opener = opener;
    this.showSource(source);
    this.panel?.take();
  }

  /** @param {import("./service.js").Citation} source */
  showSource(source) {
    this.classList.add("with-panel");
    if (this.column) {
      this.column.inert = NARROW.matches;
    }
    for (const card of this.cards()) {
      card.lightUp(card === this.card ? source.number : null);
    }
    this.panel?.show(source, this.card?.answer?.sources.length ?? 1);
    this.shown = source.number;
  }

  /** @param {number} by */
  step(by) {
    const source = this.card?.answer?.sources.find((one) => one.number === (this.shown ?? 0) + by);
    if (source) {
      const hadFocus = this.panel?.contains(document.activeElement);
      this.showSource(source);
      if (hadFocus) {
        this.panel?.take();
      }
    }
  }

  closed() {
    this.classList.remove("with-panel");
    if (this.column) {
      this.column.inert = false;
    }
    this.cards().forEach((card) => card.lightUp(null));
    if (this.opener?.isConnected) {
      this.opener.focus({ preventScroll: true });
    }
    this.opener = undefined;
  }

  /**
   * Arrow keys go from chip to chip; an open panel follows.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const chip = event.target instanceof Element ? event.target.closest("button.chip") : null;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Escape" && !this.panel?.hidden) {
      this.panel?.close();
    }
    if (!chip || !by) {
      return;
    }
    event.preventDefault();
    const chips = [...this.querySelectorAll("button.chip")];
    const next = /** @type {HTMLButtonElement | undefined} */ (chips[chips.indexOf(chip) + by]);
    next?.focus();
    if (next && !this.panel?.hidden) {
      const card = /** @type {ExchangeCard} */ (next.closest("exchange-card"));
      const source = card.answer?.sources.find((one) => String(one.number) === next.value);
      if (source) {
        this.card = card;
        this.opener = next;
        this.showSource(source);
      }
    }
  }
}

/** @param {Room} room */
function startTexts(room) {
  if (!room.indexed) {
    return [
      el("h1", {}, "There is no book here yet"),
      el("p", { class: "lead" }, "Index a folder of Markdown with ", el("code", {}, "sourcebook ingest DOCS"), ", then reload this page."),
    ];
  }
  const quotes = "Answers are quotes from the book: no language model is set up.";
  return [
    el("h1", {}, "What would you like to know?"),
    el("p", { class: "lead" }, "Every sentence comes with the place it was taken from."),
    room.model === "extractive" ? el("p", { class: "small" }, quotes) : "",
  ].filter((part) => part !== "");
}

customElements.define("ask-view", AskView);
