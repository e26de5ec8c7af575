// Starts the page: chooses the view that the address names, and loads its module.

import { parseAddress } from "./addresses.js";
import "./ask.js";
import { el } from "./dom.js";
import { get } from "./service.js";

/** @typedef {import("./ask.js").AskView} AskView */
/** @typedef {import("./ask.js").Room} Room */

/** @type {Record<string, {title: string, load?: () => Promise<unknown>}>} */
const VIEWS = {
  ask: { title: "Ask" },
  search: { title: "Search", load: () => import("./search.js") },
  read: { title: "Read", load: () => import("./read.js") },
  library: { title: "Library", load: () => import("./library.js") },
};
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {Record<string, any>} */
const opened = {};
/** @type {Room | null} */
let room = null;

async function show() {
  const address = parseAddress(location.hash);
  const name = address.view in VIEWS ? address.view : "ask";
  const view = VIEWS[name];
  await view.load?.();
  const element = (opened[name] ??= document.createElement(`${name}-view`));
  document.title = `${view.title} · Sourcebook`;
  markCurrent(name);
  if (main.firstElementChild !== element) {
    main.replaceChildren(element);
  }
  room ??= await get("room").catch(() => null);
  if (room === null) {
    main.replaceChildren(awayNotice());
    return;
  }
  const label = document.getElementById("book-name");
  label?.replaceChildren(bookName(room.book_id));
  await (name === "ask" ? element.open(room, address.query.get("q")) : element.open(address, room));
}

/** @param {string} name */
function markCurrent(name) {
  for (const link of document.querySelectorAll(".bar nav a")) {
    const { view } = parseAddress(link.getAttribute("href") ?? "");
    view === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
}

/** @param {string} id */
function bookName(id) {
  const words = id.replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function awayNotice() {
  const retry = el("button", { type: "button", class: "button", click: () => show() }, "Try again");
  return el("section", { class: "notice" }, el("h1", {}, "The service does not answer"), el("p", {}, "Is it running? This page will work as soon as it does."), retry);
}

/** @param {KeyboardEvent} event */
function onShortcut(event) {
  const writes = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
  const slash = event.key === "/" && !writes && !event.ctrlKey && !event.metaKey && !event.altKey;
  const commandK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
  if (slash || commandK) {
    event.preventDefault();
    location.hash === "#/search" ? show() : (location.hash = "#/search");
  }
}

addEventListener("hashchange", show);
addEventListener("keydown", onShortcut);
show();
