// A small card at a chip: where the source stands, and the exact words.

import { isHollow, placeOf } from "./answer_text.js";
import { el } from "./dom.js";

const ID = "preview";
const GAP = 8;
const MAX_LENGTH = 320;

/** Follows pointer and focus over the chips of the exchanges below an element. */
export class Preview {
  /** @param {HTMLElement} root */
  constructor(root) {
    /** @type {HTMLButtonElement | undefined} */
    this.chip = undefined;
    this.card = el("div", { id: ID, class: "preview", role: "tooltip", popover: "manual" });
    root.append(this.card);
    root.addEventListener("pointerover", (event) => this.over(event.target));
    root.addEventListener("focusin", (event) => this.over(event.target));
    root.addEventListener("focusout", () => this.hide());
    root.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  /** @param {EventTarget | null} target */
  over(target) {
    const inside = target instanceof Element ? target : null;
    const chip = inside?.closest("button.chip");
    if (chip) {
      this.show(/** @type {HTMLButtonElement} */ (chip));
    } else if (!inside?.closest(".preview")) {
      this.hide();
    }
  }

  /** @param {HTMLButtonElement} chip */
  show(chip) {
    const card = /** @type {import("./exchange.js").ExchangeCard | null} */ (chip.closest("exchange-card"));
    const source = card?.answer?.sources.find((one) => String(one.number) === chip.value);
    if (!source || this.chip === chip) {
      return;
    }
    this.hide();
    this.chip = chip;
    const words = source.chunk_text;
    this.card.replaceChildren(
      el("p", { class: "crumbs", dir: "auto" }, placeOf(source)),
      isHollow(chip) ? el("p", { class: "crumbs" }, "In the model's words. The source says:") : "",
      el("p", { class: "words", dir: "auto" }, words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)} …` : words),
    );
    this.card.showPopover();
    chip.setAttribute("aria-describedby", ID);
    this.place(chip.getBoundingClientRect());
  }

  /** @param {DOMRect} at */
  place(at) {
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const left = Math.max(GAP, Math.min(at.left - width / 2, innerWidth - width - GAP));
    // The sentence stands above its chip, and may be compared.
    const below = at.bottom + GAP;
    this.card.style.left = `${left}px`;
    this.card.style.top = `${below + height < innerHeight ? below : at.top - height - GAP}px`;
  }

  hide() {
    this.chip?.removeAttribute("aria-describedby");
    this.chip = undefined;
    if (this.card.matches(":popover-open")) {
      this.card.hidePopover();
    }
  }
}
