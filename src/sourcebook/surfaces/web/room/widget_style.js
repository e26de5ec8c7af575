// The looks of the widget: the same design as the reading room, small enough for a corner.

export const STYLE = `
:host { --accent: light-dark(#1f5c4d, #86cbb4); --paper: light-dark(#fff, #1f1d1b); --sunk: light-dark(#f3f0ea, #2a2724); --line: light-dark(#e0dbd1, #3a3631); --ink: light-dark(#1f1c18, #ece8e1); --muted: light-dark(#635d53, #aaa297); --mark: light-dark(#fff6da, #352d17); --problem: light-dark(#9a2f1f, #f0a493);
  all: initial; position: fixed; inset: auto 1.25rem 1.25rem auto; z-index: 2147483000; color: var(--ink); --serif: Charter, "Bitstream Charter", "Charis SIL", "Iowan Old Style", Georgia, serif; font: 15px/1.5 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
:host(.left) { inset: auto auto 1.25rem 1.25rem; }
*, *::before { box-sizing: border-box; }
[hidden] { display: none !important; }
h2, p, ol, ul, figure, blockquote { margin: 0; padding: 0; list-style: none; }
button, textarea { font: inherit; color: inherit; }
button { cursor: pointer; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
.icon { width: 1.15em; height: 1.15em; flex: none; fill: none; stroke: currentcolor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.launch, .offer { display: inline-flex; align-items: center; gap: 0.5rem; padding: 0.625rem 1.125rem; border: 0; border-radius: 2rem; background: var(--accent); color: light-dark(#fff, #10201b); font-weight: 500; box-shadow: 0 4px 18px rgb(0 0 0 / 22%); }
.offer { position: fixed; padding: 0.375rem 0.875rem; font-size: 14px; }
.window { display: flex; flex-direction: column; width: min(25rem, calc(100vw - 1.5rem)); height: min(36rem, calc(100dvh - 2.5rem)); overflow: hidden; border: 1px solid var(--line); border-radius: 1rem; background: var(--paper); box-shadow: 0 12px 48px rgb(0 0 0 / 26%); }
header { display: flex; align-items: center; gap: 0.25rem; padding: 0.75rem 0.75rem 0.75rem 1.125rem; border-bottom: 1px solid var(--line); }
header h2 { flex: 1; font: 600 16px/1.3 var(--serif); }
.quiet { display: inline-flex; align-items: center; gap: 0.25rem; padding: 0.375rem; border: 0; border-radius: 6px; background: none; color: var(--muted); font-size: 13px; }
.quiet:hover { background: var(--sunk); color: var(--ink); }
.thread { flex: 1; overflow: auto; padding: 1rem 1.125rem; overscroll-behavior: contain; }
exchange-card { display: block; }
exchange-card + exchange-card { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.question { font: 600 16px/1.4 var(--serif); margin-bottom: 0.5rem; overflow-wrap: anywhere; }
.status { color: var(--muted); }
.answer-text { font: 16px/1.6 var(--serif); overflow-wrap: anywhere; }
.answer-text > * + * { margin-top: 0.625rem; }
.answer-text ul, .answer-text ol { padding-left: 1.3em; list-style: disc; }
.answer-text :is(ul, ol):has(> li:dir(rtl)) { padding-left: 0; padding-right: 1.3em; }
.answer-text pre { overflow: auto; padding: 0.625rem; border-radius: 6px; background: var(--sunk); }
.answer-text code { font: 0.85em ui-monospace, Menlo, monospace; }
.cited.lit, .cited:has(.chip:hover) { background: var(--mark); border-radius: 3px; }
.chip { display: inline-flex; align-items: center; justify-content: center; min-width: 1.25rem; height: 1.25rem; padding: 0 0.3rem; margin: 0 0.1rem; border: 0; border-radius: 0.625rem; background: var(--sunk); color: var(--accent); font: 600 12px/1 system-ui, sans-serif; vertical-align: 0.15em; }
button.chip.hollow { background: none; box-shadow: inset 0 0 0 1.5px var(--accent); }
.preview { position: fixed; inset: auto; margin: 0; width: max-content; max-width: min(22rem, calc(100vw - 1rem)); padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: var(--ink); font-size: 14px; overflow-wrap: anywhere; }
.preview .crumbs { color: var(--muted); font-size: 13px; }
button.chip:hover, button.chip[aria-pressed="true"] { background: var(--accent); color: var(--paper); }
.sources { display: flex; flex-direction: column; gap: 0.25rem; margin-top: 0.75rem; }
.source { display: flex; gap: 0.5rem; width: 100%; padding: 0.375rem 0.5rem; border: 1px solid var(--line); border-radius: 8px; background: none; text-align: start; font-size: 13px; }
.source.lit { border-color: var(--accent); }
.place { min-width: 0; }
.place b, .place span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 500; }
.place span { color: var(--muted); font-weight: 400; }
.quote { margin-top: 0.5rem; padding: 0.5rem 0.75rem; border-radius: 8px; background: var(--mark); font-size: 14px; overflow-wrap: anywhere; }
.quote blockquote { font-family: var(--serif); margin-top: 0.25rem; }
.actions { display: flex; flex-wrap: wrap; margin: 0.375rem 0 0 -0.375rem; }
.marks, .why { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem; font-size: 13px; color: var(--muted); }
.actions .marks { display: contents; }
.actions .why { flex-basis: 100%; padding-left: 0.375rem; }
.marks .down .icon { rotate: 180deg; }
.thumb[aria-pressed="true"] { color: var(--accent); background: var(--sunk); }
.why form { margin: 0; padding: 0 0 0 0.625rem; }
.why input { width: 8rem; min-width: 0; border: 0; outline: 0; background: none; font: inherit; color: inherit; }
.reason { padding: 0.125rem 0.625rem; border: 1px solid var(--line); border-radius: 2rem; background: none; font-size: 13px; }
.note, .problem, .label { color: var(--muted); font-size: 14px; margin-top: 0.5rem; }
.problem { color: var(--problem); }
.cited mark { background: linear-gradient(transparent 60%, light-dark(#ffe8a3, #5c4a12) 60%); color: inherit; }
.places li { padding: 0.25rem 0; font-size: 14px; overflow-wrap: anywhere; }
.places a { display: block; }
.places :is(span, p) { display: block; color: var(--muted); font-size: 13px; white-space: pre-line; }
.wider { margin-top: 0.5rem; padding: 0.375rem 0.75rem; border: 1px solid var(--line); border-radius: 2rem; background: none; }
.about { display: flex; align-items: flex-start; gap: 0.5rem; padding: 0.5rem 0.75rem 0.5rem 1.125rem; border-top: 1px solid var(--line); background: var(--mark); font-size: 13px; }
.about q { flex: 1; overflow-wrap: anywhere; }
form { display: flex; align-items: flex-end; gap: 0.5rem; margin: 0.75rem 0.75rem 0.375rem; padding: 0.25rem 0.25rem 0.25rem 0.875rem; border: 1px solid var(--muted); border-radius: 1.375rem; }
form:focus-within { border-color: var(--accent); outline: 1px solid var(--accent); }
textarea { flex: 1; min-width: 0; padding: 0.375rem 0; border: 0; outline: 0; background: none; resize: none; field-sizing: content; max-height: 8rem; font-size: 16px; }
::placeholder { color: var(--muted); opacity: 1; }
.send { display: grid; place-items: center; width: 2.125rem; height: 2.125rem; border: 0; border-radius: 50%; background: var(--accent); color: light-dark(#fff, #10201b); flex: none; }
.by { padding: 0 1.125rem 0.625rem; color: var(--muted); font-size: 12px; }
@media (max-width: 30rem) { :host, :host(.left) { inset: auto 0.75rem 0.75rem auto; } }
`;
