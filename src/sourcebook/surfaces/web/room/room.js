// Starts the page: chooses the view that the address names, and loads its module.

import { inRoom, parseAddress } from "./addresses.js";
import "./ask.js";
import { el } from "./dom.js";
import { ServiceError, chooseBook, chosenBook, get, ofBook, otherBook, rememberKept } from "./service.js";

/** @typedef {import("./ask.js").AskView} AskView */
/** @typedef {import("./ask.js").Room} Room */

/** @type {Record<string, {title: string, load?: () => Promise<unknown>}>} */
const VIEWS = {
  ask: { title: "Ask" },
  search: { title: "Search", load: () => import("./search.js") },
  read: { title: "Read", load: () => import("./read.js") },
  library: { title: "Library", load: () => import("./library.js") },
};
const NO_BOOK = ["not_found", "validation_error"];
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
  try {
    room ??= /** @type {Room} */ (await get(ofBook("room")));
  } catch (error) {
    main.replaceChildren(error instanceof ServiceError && NO_BOOK.includes(error.code) ? noBookNotice() : awayNotice());
    return;
  }
  rememberKept(room.kept);
  if (chosenBook() !== null && chosenBook() === room.kept) {
    location.replace(inRoom(location.hash || "#/", null));
    return;
  }
  showBook(room);
  await (name === "ask" ? element.open(room, address.query.get("q")) : element.open(address, room));
}

/** @param {string} name */
function markCurrent(name) {
  for (const link of document.querySelectorAll(".bar nav a")) {
    const { view } = parseAddress(link.getAttribute("href") ?? "");
    view === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
}

/**
 * Names the book, or offers all that there are.
 * @param {Room} room
 */
function showBook({ book_id, kept, books }) {
  const label = document.getElementById("book-name");
  if (books.length < 2) {
    label?.replaceChildren(bookName(book_id ?? books[0]));
  } else if (!label?.querySelector("select")) {
    const all = kept === null ? [el("option", { value: "", selected: book_id === null }, "All books")] : [];
    const options = [...all, ...books.map((id) => el("option", { value: id, selected: id === book_id }, bookName(id)))];
    label?.replaceChildren(el("select", { "aria-label": "Book", change: openBook }, ...options));
  }
}

/**
 * Opens the room of another book, with a conversation of its own.
 * @param {Event} event
 */
function openBook({ target }) {
  const select = /** @type {HTMLSelectElement} */ (target);
  const chosen = select.value === "" ? null : otherBook(select.value);
  // Whoever comes back finds this page as it was left.
  select.value = room?.book_id ?? "";
  location.assign(inRoom("#/", chosen));
}

/** @param {string} id */
function bookName(id) {
  const words = id.replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function noBookNotice() {
  return el("section", { class: "notice" }, el("h1", {}, "There is no such book"), el("p", {}, "Nothing is indexed under this name."), el("a", { class: "button", href: inRoom("#/", null) }, "Open the book that is kept here"));
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

chooseBook(new URLSearchParams(location.search).get("book") || null);
addEventListener("hashchange", show);
addEventListener("keydown", onShortcut);
show();
