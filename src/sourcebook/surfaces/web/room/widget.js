// The widget for other sites: a button that opens a small window to ask the book.

import { lessonAddress, inRoom } from "./addresses.js";
import { placeOf } from "./answer_text.js";
import * as conversation from "./conversation.js";
import { el, icon, outLink, safeLink } from "./dom.js";
import { ExchangeCard } from "./exchange.js";
import { announceInside } from "./live_region.js";
import { Preview } from "./preview.js";
import { chooseBook } from "./service.js";
import { STYLE } from "./widget_style.js";

/** @typedef {import("./service.js").Citation} Citation */
/** @typedef {import("./service.js").Asked} Asked */

const NAME = "sourcebook-widget";
const MAX_SELECTION = 10_000;
const MAX_SHOWN = 160;
const MAX_HINT = 500;
const THEMES = ["light", "dark"];

/** Lives in a shadow tree: the styles of the site and of the widget do not touch each other. */
export class SourcebookWidget extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) {
      return;
    }
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    chooseBook(this.dataset.book || null);
    this.session = conversation.sessionId();
    this.name = this.dataset.title || "Ask the docs";
    this.button = el("button", { type: "button", class: "launch", "aria-expanded": "false", click: () => this.toggle() }, icon("quote"), el("span", {}, this.name));
    this.offer = el("button", { type: "button", class: "offer", hidden: true, click: () => this.aboutSelection() }, icon("quote"), "Ask about this");
    root.append(this.frame(), this.button, this.offer);
    announceInside(root);
    this.dress();
    root.addEventListener("source", (event) => this.showSource(/** @type {CustomEvent} */ (event)));
    root.addEventListener("again", (event) => this.again(/** @type {ExchangeCard} */ (event.target)));
    root.addEventListener("keydown", (event) => /** @type {KeyboardEvent} */ (event).key === "Escape" && this.toggle(false));
    if (this.dataset.selection !== "off") {
      document.addEventListener("selectionchange", () => this.offerSoon());
    }
  }

  /** Takes over what the script tag says about looks. */
  dress() {
    const { theme = "", accent = "", position = "" } = this.dataset;
    this.style.colorScheme = THEMES.includes(theme) ? theme : "light dark";
    if (CSS.supports("color", accent)) {
      this.style.setProperty("--accent", accent);
    }
    this.classList.toggle("left", position === "left");
  }

  frame() {
    this.thread = el("div", { class: "thread", tabindex: 0, role: "group", "aria-label": "Conversation" });
    this.about = el("div", { class: "about", hidden: true });
    this.input = el("textarea", {
      rows: 1,
      dir: "auto",
      maxlength: 2000,
      placeholder: this.dataset.placeholder || "Ask a question",
      "aria-label": "Your question",
      keydown: (/** @type {KeyboardEvent} */ event) => this.onEnter(event),
    });
    this.form = el("form", { submit: (/** @type {Event} */ event) => this.onSubmit(event) }, this.input, el("button", { class: "send", "aria-label": "Ask" }, icon("ask")));
    this.window = el(
      "section",
      { class: "window", role: "dialog", "aria-label": this.name, hidden: true },
      el(
        "header",
        {},
        el("h2", {}, this.name ?? ""),
        el("button", { type: "button", class: "quiet", "aria-label": "New conversation", click: () => this.restart() }, icon("plus")),
        el("button", { type: "button", class: "quiet", "aria-label": "Close", click: () => this.toggle(false) }, icon("close")),
      ),
      this.thread,
      this.about,
      this.form,
      el("p", { class: "by" }, "Every sentence cites its source. ", outLink(inRoom("#/"), "Reading room")),
    );
    new Preview(this.window);
    return this.window;
  }

  /** @param {boolean} [open] */
  toggle(open = this.window?.hidden !== false) {
    if (!this.window || !this.button) {
      return;
    }
    this.window.hidden = !open;
    this.button.hidden = open;
    this.button.setAttribute("aria-expanded", String(open));
    (open ? this.input : this.button)?.focus();
  }

  /** @param {KeyboardEvent} event */
  onEnter(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.form?.requestSubmit();
    }
  }

  /** @param {Event} event */
  onSubmit(event) {
    event.preventDefault();
    const question = this.input?.value.trim();
    if (!question || !this.input) {
      return;
    }
    this.input.value = "";
    this.ask(
      this.selected
        ? { query: question, mode: "selected_text", selected_text: this.selected }
        : { query: question, session_id: this.session },
    );
  }

  /** @param {Asked} asked */
  async ask(asked) {
    const card = /** @type {ExchangeCard} */ (document.createElement("exchange-card"));
    card.addEventListener("grow", () => this.follow());
    this.thread?.append(card);
    const asking = card.ask({ ...asked, ...this.pageHint() });
    this.follow();
    await asking;
    if (asked.mode === "selected_text") {
      const wider = () => this.ask({ query: asked.query, session_id: this.session });
      card.append(el("button", { type: "button", class: "wider", click: wider }, "Ask the whole documentation"));
    }
    this.follow();
  }

  /** The page that the reader looks at. What stands after `?` or `#` may be private, and stays here. */
  pageHint() {
    const url = location.href.split(/[?#]/)[0];
    if (this.dataset.page === "off" || url.length > MAX_HINT) {
      return {};
    }
    return { page: { url, title: document.title.slice(0, MAX_HINT) } };
  }

  /** @param {ExchangeCard} card */
  again(card) {
    if (card.asked && !card.isBusy) {
      card.ask(card.asked);
    }
  }

  restart() {
    this.session = conversation.newSession();
    this.thread?.replaceChildren();
    this.useSelection("");
    this.input?.focus();
  }

  follow() {
    if (this.thread) {
      this.thread.scrollTop = this.thread.scrollHeight;
    }
  }

  /**
   * Shows the quote below its source, with a link to it.
   * @param {CustomEvent} event
   */
  showSource({ detail: { source }, target }) {
    const card = /** @type {ExchangeCard} */ (target);
    card.querySelector(".quote")?.remove();
    card.lightUp(source.number);
    const address = addressOf(source);
    const quote = el(
      "figure",
      { class: "quote" },
      el("figcaption", { dir: "auto" }, address ? el("a", { href: address }, placeOf(source)) : placeOf(source)),
      el("blockquote", { dir: "auto" }, source.chunk_text),
    );
    card.querySelector(`button.source[value="${source.number}"]`)?.after(quote);
    quote.scrollIntoView({ block: "nearest" });
  }

  offerSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.offerToAsk(), 150);
  }

  offerToAsk() {
    const selection = getSelection();
    const text = selection?.toString().trim() ?? "";
    const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
    if (!this.offer || !this.window || this.offer.matches(":focus")) {
      return;
    }
    const isOurs = range !== null && this.contains(range.commonAncestorContainer);
    this.offer.hidden = text.length < 8 || text.length > MAX_SELECTION || isOurs;
    if (range !== null && !this.offer.hidden) {
      const at = range.getBoundingClientRect();
      this.offer.style.left = `${Math.max(8, Math.min(at.left, innerWidth - 180))}px`;
      this.offer.style.top = `${Math.min(at.bottom + 8, innerHeight - 48)}px`;
      this.pending = text;
    }
  }

  aboutSelection() {
    if (this.offer && this.pending) {
      this.offer.hidden = true;
      this.useSelection(this.pending);
      this.toggle(true);
    }
  }

  /** @param {string} text what questions are about; empty for the whole book */
  useSelection(text) {
    this.selected = text;
    this.about?.toggleAttribute("hidden", !text);
    this.about?.replaceChildren(
      el("q", { dir: "auto" }, text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text),
      el("button", { type: "button", class: "quiet", "aria-label": "Forget the selection", click: () => this.useSelection("") }, icon("close")),
    );
  }
}

/** @param {Citation} source */
function addressOf(source) {
  const original = safeLink(source.source_url);
  if (original !== null) {
    return original;
  }
  return source.document_id ? inRoom(lessonAddress(source.document_id, source.char_start, source.char_end)) : null;
}

/** Puts the widget on the page, with what its script tag says. */
function place() {
  const tag = [...document.querySelectorAll("script[src]")].find((script) => /\/widget\.js(?:[?#]|$)/.test(/** @type {HTMLScriptElement} */ (script).src));
  const widget = document.createElement(NAME);
  Object.assign(widget.dataset, /** @type {HTMLElement | undefined} */ (tag)?.dataset);
  document.body.append(widget);
}

if (!customElements.get(NAME)) {
  customElements.define(NAME, SourcebookWidget);
  place();
}
