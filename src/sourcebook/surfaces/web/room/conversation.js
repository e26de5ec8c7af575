// The session of this browser: a secret id, under which the service remembers the exchanges.

import { chosenBook, get } from "./service.js";

const KEY = "sourcebook.session";

/** @typedef {{question: string, text: string, sources: import("./service.js").Citation[]}} Exchange */

/** @returns {string} the id of the conversation that is going on, or of a new one */
export function sessionId() {
  const known = stored();
  return known ?? newSession();
}

/** @returns {string} */
export function newSession() {
  const id = uuid4();
  try {
    localStorage.setItem(key(), id);
  } catch {
    // Without storage the conversation lasts as long as the page.
  }
  return id;
}

/** Deletes the conversation on the server, too. */
export async function forgetSession() {
  const known = stored();
  if (known !== null) {
    await get(`conversations/${known}`, { method: "DELETE" });
  }
}

/** @returns {Promise<Exchange[]>} what was said before the page was loaded */
export async function history() {
  const known = stored();
  if (known === null) {
    return [];
  }
  const { messages } = await get(`conversations/${known}`);
  const exchanges = [];
  for (let at = 0; at + 1 < messages.length; at += 2) {
    const [asked, answered] = [messages[at], messages[at + 1]];
    exchanges.push({ question: asked.content, text: answered.content, sources: answered.sources ?? [] });
  }
  return exchanges;
}

/** @returns {string | null} */
function stored() {
  try {
    return localStorage.getItem(key());
  } catch {
    return null;
  }
}

/** Each book has a conversation of its own. */
function key() {
  const book = chosenBook();
  return book === null ? KEY : `${KEY}.${book}`;
}

/** `crypto.randomUUID` is missing where a page is not served over HTTPS. */
export function uuid4() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
