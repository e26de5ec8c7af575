// Calls the service that this page, or the widget, was loaded from.

/**
 * @typedef {object} Citation
 * @property {number} number
 * @property {string} source_url
 * @property {string} page_title
 * @property {string} section_heading
 * @property {string} chunk_text
 * @property {number} relevance_score
 * @property {number | null} char_start
 * @property {number | null} char_end
 * @property {number | null} line_start
 * @property {number | null} line_end
 * @property {string | null} source_file
 * @property {string | null} chunk_id
 * @property {string | null} document_id
 * @property {string | null} lesson_url
 * @property {number | null} [statement_start]
 * @property {number | null} [statement_end]
 * @property {string} [statement_text] what answers best in the quote, as the answer shows it
 * @property {number | null} [page] of a PDF
 * @property {Box[] | null} [boxes] the cited lines on the page
 * @property {number | null} [slide]
 * @property {number | null} [row] of a table
 * @property {number | null} [cell] of a notebook
 */
/** @typedef {[number, number, number, number]} Box left, top, width and height, in shares of the page */
/** @typedef {{title: string, heading: string, url: string, text?: string}} Place */
/**
 * @typedef {object} Facts
 * @property {boolean} answered
 * @property {string} model
 * @property {number} query_time_ms
 * @property {boolean} cut_off
 * @property {string | null} fallback
 * @property {string | null} warning
 * @property {string} history
 * @property {Place[]} [closest] the nearest places of a question that was refused, the first perhaps with what stands there
 * @property {Place[]} [further] other places that answer, with a line of each
 */
/**
 * @typedef {object} Chunk
 * @property {string} chunk_id
 * @property {string} text
 * @property {number} score
 * @property {string | null} source_file
 * @property {string | null} section_title
 * @property {string | null} module
 * @property {number | null} chapter
 * @property {number | null} lesson
 * @property {string | null} lesson_title
 * @property {number | null} hardware_tier
 * @property {string | null} proficiency_level
 * @property {string} parent_doc_id
 * @property {string | null} prev_chunk_id
 * @property {string | null} next_chunk_id
 * @property {string | null} lesson_url
 * @property {number | null} start
 * @property {number | null} end
 */
/** @typedef {{query: string, session_id?: string, grounding?: string, mode?: string, selected_text?: string, page?: {url: string, title: string}}} Asked */
/** @typedef {{onFound: (places: Place[]) => void, onText: (text: string, isOwnWords: boolean) => void, onSources: (sources: Citation[]) => void}} Listener */

/** Where the service is: two folders above its modules. */
export const ROOT = new URL("../../", import.meta.url);

/** @type {string | null} the book that the page is about; null for the one that is kept there, or for all */
let chosen = null;
/** @type {string | null} */
let kept = null;

/** @param {string | null} id */
export function chooseBook(id) {
  chosen = id;
}

export function chosenBook() {
  return chosen;
}

/** @param {string | null} id of the book that questions are for unless they name another; null for all */
export function rememberKept(id) {
  kept = id;
}

/**
 * @param {string} id
 * @returns {string | null} the same, but null for the one that is kept there
 */
export function otherBook(id) {
  return id === kept ? null : id;
}

/**
 * @param {string} path
 * @param {string | null} [book]
 * @returns {string} the same, of the book that the page is about, or of this one
 */
export function ofBook(path, book = chosen) {
  return book === null ? path : `${path}${path.includes("?") ? "&" : "?"}book_id=${encodeURIComponent(book)}`;
}

const AWAY = "away";

/** What went wrong, in the service's words where it had any. */
export class ServiceError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number | null} [retryAfterS]
   */
  constructor(code, message, retryAfterS = null) {
    super(message);
    this.code = code;
    this.retryAfterS = retryAfterS;
  }

  get isAway() {
    return this.code === AWAY;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function get(path, options = {}) {
  return (await call(path, options)).json();
}

/**
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(path, body, signal) {
  return (await call(path, asJson(body, signal))).json();
}

/**
 * Asks a question and passes on the answer as it comes.
 * @param {Asked} asked
 * @param {Listener} listener
 * @param {AbortSignal} signal
 * @returns {Promise<Facts>}
 */
export async function ask(asked, listener, signal) {
  const reply = await call("chat/stream", asJson({ ...asked, ...(chosen !== null && { book_id: chosen }), progress: true }, signal));
  /** @type {Facts | null} */
  let facts = null;
  for await (const event of events(reply)) {
    if (event.type === "found") {
      listener.onFound(event.places);
    } else if (event.type === "chunk") {
      listener.onText(event.content, event.cited === true || event.judged === true);
    } else if (event.type === "sources") {
      listener.onSources(event.sources);
    } else if (event.type === "done") {
      facts = event.metadata;
    } else if (event.type === "error") {
      throw new ServiceError(event.error_code, event.message, event.retry_after);
    }
  }
  if (facts === null) {
    throw away();
  }
  return facts;
}

/**
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {RequestInit}
 */
function asJson(body, signal) {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body), signal };
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<Response>}
 */
async function call(path, options) {
  let reply;
  try {
    reply = await fetch(new URL(path, ROOT), { credentials: "omit", ...options });
  } catch (error) {
    throw options.signal?.aborted ? error : away();
  }
  if (!reply.ok) {
    throw await refused(reply);
  }
  return reply;
}

/**
 * The contracts word their errors differently; each has a sentence for people.
 * @param {Response} reply
 */
async function refused(reply) {
  const body = await reply.json().catch(() => ({}));
  const detail = typeof body.detail === "string" ? body.detail : null;
  const message = body.message ?? detail ?? body.error ?? `The service answered with status ${reply.status}.`;
  const wait = Number(body.retry_after ?? reply.headers.get("Retry-After"));
  const code = body.error_code ?? (reply.status === 429 ? "rate_limited" : String(reply.status));
  return new ServiceError(code, String(message), wait > 0 ? Math.ceil(wait) : null);
}

function away() {
  return new ServiceError(AWAY, "The service does not answer.");
}

/**
 * Reads Server-Sent Events; comments, which keep the connection open, are left out.
 * @param {Response} reply
 * @returns {AsyncGenerator<any>}
 */
async function* events(reply) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (reply.body).getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw error.name === "AbortError" ? error : away();
      });
      buffer += decoder.decode(value, { stream: !done });
      const frames = buffer.split("\n\n");
      buffer = frames.pop() ?? "";
      for (const frame of frames) {
        const lines = frame.split("\n").filter((line) => line.startsWith("data:"));
        if (lines.length > 0) {
          yield JSON.parse(lines.map((line) => line.slice(5)).join("\n"));
        }
      }
      if (done) {
        return;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
