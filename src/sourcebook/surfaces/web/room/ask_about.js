// The panel that answers from a selected text alone, and shows which of its words it used.

import { el, icon } from "./dom.js";
import { ExchangeCard } from "./exchange.js";
import { highlight, rangesOf, unitsOf } from "./highlight.js";

/** @typedef {NonNullable<ReturnType<typeof import("./selection.js").selectionIn>>} Selected */

const [CITED, SELECTED] = ["cited", "selected"];
const MAX_SHOWN = 240;

/** Asks about a selection; one click asks the whole book the same. */
export class AskAbout extends HTMLElement {
  connectedCallback() {
    this.hidden = true;
    this.setAttribute("role", "complementary");
    this.setAttribute("aria-label", "Ask about the selection");
    this.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.addEventListener("source", (event) => this.showSource(/** @type {CustomEvent} */ (event).detail.source));
    this.addEventListener("again", () => this.card?.asked && this.ask(this.card.asked));
  }

  /** @param {Selected} selected */
  open(selected) {
    this.selected = selected;
    this.hidden = false;
    this.card = /** @type {ExchangeCard} */ (document.createElement("exchange-card"));
    this.input = el("input", { type: "text", dir: "auto", maxlength: 2000, placeholder: "Ask about the selection", "aria-label": "Your question about the selection" });
    this.wider = el("button", { type: "button", class: "button", hidden: true, click: () => this.askTheBook() }, icon("book"), "Ask the whole book");
    const { text } = selected;
    this.replaceChildren(
      el(
        "header",
        {},
        el(
          "div",
          { class: "panel-bar" },
          el("h2", { class: "count" }, "Ask about this"),
          el("button", { type: "button", class: "quiet", "aria-label": "Close", click: () => this.close() }, icon("close")),
        ),
        el("blockquote", { dir: "auto" }, text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text),
      ),
      el("div", { class: "passage", tabindex: 0, role: "group", "aria-label": "Answer" }, this.card, this.wider),
      el("form", { class: "field", submit: (/** @type {Event} */ event) => this.onSubmit(event) }, this.input, el("button", { class: "send", "aria-label": "Ask" }, icon("ask"))),
    );
    highlight(SELECTED, selected.ranges);
    highlight(CITED, []);
    this.input.focus();
  }

  close() {
    if (!this.hidden) {
      this.card?.stop();
      this.hidden = true;
      highlight(SELECTED, []);
      highlight(CITED, []);
      this.dispatchEvent(new CustomEvent("close"));
    }
  }

  /** @param {Event} event */
  onSubmit(event) {
    event.preventDefault();
    const question = this.input?.value.trim();
    if (question && this.selected && !this.card?.isBusy) {
      /** @type {HTMLInputElement} */ (this.input).value = "";
      this.ask({ query: question, mode: "selected_text", selected_text: this.selected.text });
    }
  }

  askTheBook() {
    if (this.card?.question) {
      this.ask({ query: this.card.question });
    }
  }

  /** @param {import("./service.js").Asked} asked */
  async ask(asked) {
    if (this.wider) {
      this.wider.hidden = true;
    }
    const inSelection = asked.mode === "selected_text";
    this.card?.classList.toggle("from-selection", inSelection);
    const asking = this.card?.ask(asked);
    this.input?.focus();
    await asking;
    this.wider?.toggleAttribute("hidden", !inSelection);
    if (inSelection) {
      highlight(CITED, (this.card?.answer?.sources ?? []).flatMap((source) => this.rangesFor(source)));
    }
  }

  /** @param {import("./service.js").Citation} source */
  showSource(source) {
    this.card?.lightUp(source.number);
    if (this.card?.asked?.mode !== "selected_text") {
      location.hash = source.document_id ? `#/read/${source.document_id}?from=${source.char_start}&to=${source.char_end}` : "#/read";
      return;
    }
    const ranges = this.rangesFor(source);
    highlight(CITED, ranges);
    ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
  }

  /**
   * The service counts from the start of the selection.
   * @param {import("./service.js").Citation} source
   */
  rangesFor(source) {
    const { text = "", pieces = [] } = this.selected ?? {};
    if (source.char_start === null || source.char_end === null) {
      return [];
    }
    return rangesOf(pieces, unitsOf(text, source.char_start), unitsOf(text, source.char_end));
  }
}

customElements.define("ask-about", AskAbout);
