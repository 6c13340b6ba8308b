import { createHash } from "node:crypto";
import { formatUtcMinute } from "../../base/text/iso-time.ts";
import { escapeHtml, renderMarkdownAsHtml } from "../../base/text/markdown/html.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import type { Decision } from "../../protocol/decision.ts";
import { labelNote } from "../../protocol/origin.ts";
import { nameTurnInTitle } from "../../protocol/reading/names.ts";
import { formatCount } from "../../terminal/text.ts";
import { labelDecision, labelSuperseded } from "../decisions/words.ts";
import type { ToolCall, TurnEntry, TurnInFull } from "../sessions/operation.ts";
import { buildMargins, foldTurnSteps, type Margin } from "../sessions/turn-words.ts";
import {
  type ExportIndex,
  formatDecisionPlace,
  formatSessionTitle,
  listSessionFacts,
  type SessionDocument,
} from "./document.ts";

/** The colours are those of the local page (src/page/styles/tokens.css). */
const style = `
:root { color-scheme: light dark;
  --background: #fbfbfa; --surface: #fff; --border: #e7e5e1; --text: #1d1c1a; --muted: #66635d; --accent: #4549c4;
  --accent-soft: #ededfc; --added: #1b6e45; --added-soft: #e5f4ec; --removed: #b3261e; --removed-soft: #fcebe9;
  --agent: #6d3bbd; --warning: #8a5300;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root {
  --background: #101113; --surface: #17181b; --border: #292b30; --text: #ececeb; --muted: #a0a1a7; --accent: #a5a9ff;
  --accent-soft: #24264a; --added: #7bd3a4; --added-soft: #173427; --removed: #ff9a92; --removed-soft: #431f1c;
  --agent: #c3a0ff; --warning: #f0b95c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 20px 80px; max-width: 860px; background: var(--background); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; }
h2 { margin: 28px 0 10px; font-size: 18px; }
a { color: var(--accent); }
.facts { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0; color: var(--muted); font-size: 13px; }
.id, code, pre { font-family: var(--mono); font-size: 13px; }
.id { margin: 4px 0 20px; color: var(--muted); }
.block { margin: 8px 0; padding: 8px 14px; border: 1px solid var(--border); border-radius: 8px; background: var(--surface); }
summary { cursor: pointer; }
.block > summary { color: var(--muted); }
.outline, .block ul { margin: 8px 0 4px; padding-left: 20px; }
.outline { padding-left: 0; list-style: none; }
.turn { margin-top: 36px; scroll-margin-top: 16px; }
.turn > h2 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 14px; margin: 0 0 12px; padding-bottom: 6px;
  border-bottom: 1px solid var(--border); font-size: 14px; }
.turn > h2 a { color: inherit; text-decoration: none; }
.turn > h2 span { color: var(--muted); font-weight: 400; font-size: 13px; }
.abandoned { opacity: .7; }
.text { margin: 12px 0; }
.text > :first-child { margin-top: 0; }
.text > :last-child { margin-bottom: 0; }
.text h1, .text h2, .text h3 { font-size: 16px; margin: 18px 0 8px; }
.text pre, .call pre { margin: 8px 0; padding: 10px 12px; max-height: 70vh; overflow: auto; border: 1px solid var(--border);
  border-radius: 6px; background: var(--surface); line-height: 1.45; }
.text blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--border); color: var(--muted); }
.text table { display: block; overflow-x: auto; border-collapse: collapse; }
.text th, .text td { padding: 4px 10px; border: 1px solid var(--border); text-align: left; }
.text .right { text-align: right; } .text .center { text-align: center; }
.prompt { padding: 12px 16px; border-left: 3px solid var(--accent); border-radius: 0 8px 8px 0; background: var(--accent-soft); }
.call { margin: 6px 0; font-size: 13px; }
.call > summary { color: var(--muted); }
.call.bare > p { margin: 0; padding-left: 17px; color: var(--muted); }
.call b { color: var(--agent); font-weight: 600; }
.call .says { font-family: var(--mono); font-size: 12.5px; }
.call summary span + span, .call.bare span + span { margin-left: 8px; }
.call .file { margin: 8px 0 0; color: var(--muted); font-family: var(--mono); }
.call .facts { margin: 4px 0 8px; }
.added { color: var(--added); } .removed, .failed { color: var(--removed); } .hunk { color: var(--muted); }
.diff { padding: 6px 0 !important; }
.diff span { display: block; min-width: max-content; padding: 0 12px; }
.diff .added { background: var(--added-soft); } .diff .removed { background: var(--removed-soft); }
.compaction { margin: 20px 0; color: var(--warning); font-size: 13px; text-align: center; }
.beside { margin: 14px 0 0; padding: 10px 14px; list-style: none; border: 1px dashed var(--border); border-radius: 8px; font-size: 14px; }
.beside li + li { margin-top: 6px; }
.beside b { margin-right: 4px; font-size: 12px; }
.note { color: var(--added); } .decided { color: var(--agent); } .commit { color: var(--warning); }
.rows { margin: 16px 0; padding: 0; list-style: none; }
.rows > li { padding: 10px 0; border-top: 1px solid var(--border); }
.rows > li > .facts { margin-top: 3px; }
@media (max-width: 560px) { body { padding: 20px 14px 60px; } h1 { font-size: 20px; } }
.explored { padding-left: 0; } .explored > :not(summary) { margin-left: 18px; }
@media print { details::details-content { content-visibility: visible; block-size: auto; } body { max-width: none; } .text pre, .call pre { max-height: none; white-space: pre-wrap; } }
`;

/** A session as a page of its own: it runs no script and asks nobody for anything. */
export function renderSessionHtml(document: SessionDocument): string {
  const { session, summary, files, turns, left_out } = document;
  const margins = buildMargins(session.id, document);
  const changed = files.filter(({ how }) => how !== "read");
  const list = changed.map(({ path }) => `<li><code>${escapeHtml(path)}</code></li>`).join("");
  return renderPage(
    formatSessionTitle(session),
    [
      `<header><h1>${escapeHtml(formatSessionTitle(session))}</h1>`,
      `<p class="facts">${listSessionFacts(session).map(renderFact).join("")}</p>`,
      `<p class="id">${escapeHtml(session.id)}</p></header>`,
      left_out.length === 0 ? "" : `<p class="facts">Left out: ${left_out.map(renderFact).join("")}</p>`,
      summary === null
        ? ""
        : renderFoldedBlock("Summary", `<div class="text">${renderMarkdownAsHtml(summary.text)}</div>`),
      changed.length === 0
        ? ""
        : renderFoldedBlock(`${formatCount(changed.length, "changed file")}`, `<ul>${list}</ul>`),
      turns.length < 3 ? "" : renderFoldedBlock("Turns", renderOutline(turns)),
      `<main>${turns.map((turn) => turnAsHtml(turn, margins.get(turn.number))).join("\n")}</main>`,
    ].join("\n"),
  );
}

/** The page of a directory of sessions. */
export function indexAsHtml({ sessions, decisions, total }: ExportIndex): string {
  const rows = sessions.map(
    ({ session, file }) =>
      `<li><a href="${escapeHtml(encodeURI(file))}">${escapeHtml(formatSessionTitle(session))}</a><p class="facts">${listSessionFacts(session).map(renderFact).join("")}</p></li>`,
  );
  const files = new Map(sessions.map(({ session, file }) => [session.id, file]));
  const decided = decisions.map((one) => {
    const file = one.session_id === null ? undefined : files.get(one.session_id);
    const place = escapeHtml(formatDecisionPlace(one));
    const from = file === undefined ? place : `<a href="${escapeHtml(encodeURI(file))}">${place}</a>`;
    return `<li>${renderDecisionHtml(one)}<p class="facts"><span>${from}</span></p></li>`;
  });
  const more = total - decisions.length;
  return renderPage(
    "Sessions",
    [
      `<header><h1>Sessions</h1><p class="facts">${renderFact(formatCount(sessions.length, "session"))}</p></header>`,
      `<ul class="rows">${rows.join("\n")}</ul>`,
      decided.length === 0 ? "" : `<h2>Decisions and notes</h2><ul class="rows">${decided.join("\n")}</ul>`,
      more > 0 ? `<p class="facts">and ${more.toLocaleString("en")} earlier ones</p>` : "",
    ].join("\n"),
  );
}

const renderFact = (text: string) => `<span>${escapeHtml(text)}</span>`;

function renderPage(title: string, body: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function renderFoldedBlock(label: string, body: string): string {
  return `<details class="block"><summary>${escapeHtml(label)}</summary>${body}</details>`;
}

function renderOutline(turns: readonly TurnInFull[]): string {
  const rows = turns.map(({ number, entries }) => {
    const prompt = entries.find(({ kind }) => kind === "prompt")?.text ?? "";
    const line = prompt.replace(/\s+/g, " ").slice(0, 160);
    return `<li><a href="#turn-${number}">${nameTurnInTitle(number)}</a> ${escapeHtml(line)}</li>`;
  });
  return `<ul class="outline">${rows.join("")}</ul>`;
}

function turnAsHtml(
  { number, started_at, abandoned, state, entries }: TurnInFull,
  margin: Margin | undefined,
): string {
  const facts = [
    started_at === null ? "" : formatUtcMinute(started_at),
    state === "interrupted" || state === "error" ? state : "",
    abandoned ? "abandoned branch" : "",
  ];
  const head = `<h2><a href="#turn-${number}">${nameTurnInTitle(number)}</a>${facts
    .filter((text) => text !== "")
    .map(renderFact)
    .join("")}</h2>`;
  const body = foldTurnSteps(entries)
    .map((step) =>
      step.kind === "one"
        ? renderEntry(step.entry)
        : `<details class="call explored"><summary>${escapeHtml(step.says)}</summary>${step.entries.map(renderEntry).join("\n")}</details>`,
    )
    .join("\n");
  return `<section class="turn${abandoned ? " abandoned" : ""}" id="turn-${number}">${head}\n${body}${renderMargin(margin)}</section>`;
}

function renderEntry({ kind, text, images, tool, omitted }: TurnEntry): string {
  const more = omitted > 0 ? `<p class="facts">${formatCount(omitted, "more character")}</p>` : "";
  if (tool !== null) return callAsHtml(tool, omitted);
  switch (kind) {
    case "prompt": {
      const pictures = images > 0 ? `<p class="facts">${formatCount(images, "image")}</p>` : "";
      return `<div class="prompt text">${renderMarkdownAsHtml(text)}${pictures}${more}</div>`;
    }
    case "text":
      return `<div class="text">${renderMarkdownAsHtml(text)}${more}</div>`;
    case "compaction":
      return `<p class="compaction">The context was compacted${text === "" ? "" : ` (${escapeHtml(text)})`}</p>`;
    case "summary":
      return renderFolded("The agent's summary so far", text, more);
    case "thinking":
      return renderFolded("Thinking", text, more);
    default:
      return renderFolded("From the client", text, more);
  }
}

const renderFolded = (label: string, text: string, more: string) =>
  `<details class="call"><summary>${label}</summary><pre>${escapeHtml(text)}</pre>${more}</details>`;

function callAsHtml({ headline, name, command, result, is_error, edits }: ToolCall, omitted: number): string {
  const about = escapeHtml(headline.startsWith(name) ? headline.slice(name.length).trim() : headline);
  const lines = edits.flatMap((edit) => edit.lines);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const [added, removed] = [count("+"), count("-")];
  const facts = [
    added > 0 ? `<span class="added">+${added}</span>` : "",
    removed > 0 ? `<span class="removed">−${removed}</span>` : "",
    is_error ? `<span class="failed">failed</span>` : "",
  ].join("");
  const summary = `<summary><b>${escapeHtml(name)}</b> <span class="says">${about}</span>${facts}</summary>`;
  const full =
    command !== null && !headline.endsWith(command)
      ? `<pre class="command">${escapeHtml(command)}</pre>`
      : "";
  const diffs = edits.map(
    ({ file, lines: changed }) =>
      `<p class="file">${escapeHtml(file)}</p><pre class="diff">${changed.map(renderDiffLine).join("")}</pre>`,
  );
  const answer =
    result === null || result === "" || edits.length > 0 ? "" : `<pre>${escapeHtml(result)}</pre>`;
  const more = omitted > 0 ? `<p class="facts">${formatCount(omitted, "more character or line")}</p>` : "";
  const body = `${full}${diffs.join("")}${answer}${more}`;
  if (body === "") return `<div class="call bare">${summary.replaceAll("summary>", "p>")}</div>`;
  return `<details class="call"${edits.length > 0 ? " open" : ""}>${summary}${body}</details>`;
}

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

function renderDiffLine(line: string): string {
  const kind = kinds[line[0] ?? ""];
  return `<span${kind === undefined ? "" : ` class="${kind}"`}>${escapeHtml(line)}\n</span>`;
}

function renderMargin(margin: Margin | undefined): string {
  if (margin === undefined) return "";
  const { notes, decisions, commits } = margin;
  const rows = [
    ...notes.map(
      (one) => `<li><b class="note">${escapeHtml(labelNote(one, "reader"))}</b> ${escapeHtml(one.note)}</li>`,
    ),
    ...decisions.map((one) => {
      const label = labelDecision(one, "reader") ?? "Decided:";
      return `<li><b class="decided">${escapeHtml(label)}</b> ${renderDecisionHtml(one)}</li>`;
    }),
    ...commits.map(
      ({ commit, subject }) =>
        `<li><b class="commit">Commit</b> <code>${escapeHtml(shortenHash(commit))}</code> ${escapeHtml(subject)}</li>`,
    ),
  ];
  return rows.length === 0 ? "" : `<ul class="beside">${rows.join("")}</ul>`;
}

function renderDecisionHtml({ text, superseded_by, superseded }: Decision): string {
  if (superseded_by === null) return escapeHtml(text);
  return `<s>${escapeHtml(text)}</s> <span class="facts">${labelSuperseded({ superseded })}: ${escapeHtml(superseded_by)}</span>`;
}
