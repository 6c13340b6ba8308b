import { createHash } from "node:crypto";
import type { Decision } from "../../../protocol/operations/decisions.ts";
import type { ToolCall, TurnEntry, TurnInFull } from "../../../protocol/operations/sessions.ts";
import { type Margin, marginsOf } from "../../../protocol/reading/margin.ts";
import { storyOfTurn } from "../../../protocol/reading/story.ts";
import { minute } from "../../../protocol/reading/turn-as-markdown.ts";
import { escapeHtml, markdownAsHtml } from "../../../text/markdown/html.ts";
import { counted } from "../../terminal/text.ts";
import type { ExportIndex, SessionDocument } from "./document.ts";
import { style } from "./style.ts";
import { decisionPlace, sessionFacts, titleOf } from "./words.ts";

/** A session as a page of its own: it runs no script and asks nobody for anything. */
export function sessionAsHtml(document: SessionDocument): string {
  const { session, summary, files, turns, left_out } = document;
  const margins = marginsOf(session.id, document);
  const changed = files.filter(({ how }) => how !== "read");
  const list = changed.map(({ path }) => `<li><code>${escapeHtml(path)}</code></li>`).join("");
  return page(
    titleOf(session),
    [
      `<header><h1>${escapeHtml(titleOf(session))}</h1>`,
      `<p class="facts">${sessionFacts(session).map(fact).join("")}</p>`,
      `<p class="id">${escapeHtml(session.id)}</p></header>`,
      left_out.length === 0 ? "" : `<p class="facts">Left out: ${left_out.map(fact).join("")}</p>`,
      summary === null
        ? ""
        : foldedBlock("Summary", `<div class="text">${markdownAsHtml(summary.text)}</div>`),
      changed.length === 0
        ? ""
        : foldedBlock(`${counted(changed.length, "changed file")}`, `<ul>${list}</ul>`),
      turns.length < 3 ? "" : foldedBlock("Turns", outline(turns)),
      `<main>${turns.map((turn) => turnAsHtml(turn, margins.get(turn.number))).join("\n")}</main>`,
    ].join("\n"),
  );
}

/** The page of a directory of sessions. */
export function indexAsHtml({ sessions, decisions, total }: ExportIndex): string {
  const rows = sessions.map(
    ({ session, file }) =>
      `<li><a href="${escapeHtml(encodeURI(file))}">${escapeHtml(titleOf(session))}</a><p class="facts">${sessionFacts(session).map(fact).join("")}</p></li>`,
  );
  const files = new Map(sessions.map(({ session, file }) => [session.id, file]));
  const decided = decisions.map((one) => {
    const file = one.session_id === null ? undefined : files.get(one.session_id);
    const place = escapeHtml(decisionPlace(one));
    const from = file === undefined ? place : `<a href="${escapeHtml(encodeURI(file))}">${place}</a>`;
    return `<li>${decisionText(one)}<p class="facts"><span>${from}</span></p></li>`;
  });
  const more = total - decisions.length;
  return page(
    "Sessions",
    [
      `<header><h1>Sessions</h1><p class="facts">${fact(counted(sessions.length, "session"))}</p></header>`,
      `<ul class="rows">${rows.join("\n")}</ul>`,
      decided.length === 0 ? "" : `<h2>Decisions and notes</h2><ul class="rows">${decided.join("\n")}</ul>`,
      more > 0 ? `<p class="facts">and ${more.toLocaleString("en")} earlier ones</p>` : "",
    ].join("\n"),
  );
}

const fact = (text: string) => `<span>${escapeHtml(text)}</span>`;

function page(title: string, body: string): string {
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

function foldedBlock(label: string, body: string): string {
  return `<details class="block"><summary>${escapeHtml(label)}</summary>${body}</details>`;
}

function outline(turns: readonly TurnInFull[]): string {
  const rows = turns.map(({ number, entries }) => {
    const prompt = entries.find(({ kind }) => kind === "prompt")?.text ?? "";
    const line = prompt.replace(/\s+/g, " ").slice(0, 160);
    return `<li><a href="#turn-${number}">${turnName(number)}</a> ${escapeHtml(line)}</li>`;
  });
  return `<ul class="outline">${rows.join("")}</ul>`;
}

const turnName = (number: number) => (number === 0 ? "Before the first prompt" : `Turn ${number}`);

function turnAsHtml(
  { number, started_at, abandoned, state, entries }: TurnInFull,
  margin: Margin | undefined,
): string {
  const facts = [
    started_at === null ? "" : minute(started_at),
    state === "interrupted" || state === "error" ? state : "",
    abandoned ? "abandoned branch" : "",
  ];
  const head = `<h2><a href="#turn-${number}">${turnName(number)}</a>${facts
    .filter((text) => text !== "")
    .map(fact)
    .join("")}</h2>`;
  const body = storyOfTurn(entries)
    .map((step) =>
      step.kind === "one"
        ? entryAsHtml(step.entry)
        : `<details class="call explored"><summary>${escapeHtml(step.says)}</summary>${step.entries.map(entryAsHtml).join("\n")}</details>`,
    )
    .join("\n");
  return `<section class="turn${abandoned ? " abandoned" : ""}" id="turn-${number}">${head}\n${body}${besides(margin)}</section>`;
}

function entryAsHtml({ kind, text, images, tool, omitted }: TurnEntry): string {
  const more = omitted > 0 ? `<p class="facts">${counted(omitted, "more character")}</p>` : "";
  if (tool !== null) return callAsHtml(tool, omitted);
  switch (kind) {
    case "prompt": {
      const pictures = images > 0 ? `<p class="facts">${counted(images, "image")}</p>` : "";
      return `<div class="prompt text">${markdownAsHtml(text)}${pictures}${more}</div>`;
    }
    case "text":
      return `<div class="text">${markdownAsHtml(text)}${more}</div>`;
    case "compaction":
      return `<p class="compaction">The context was compacted${text === "" ? "" : ` (${escapeHtml(text)})`}</p>`;
    case "summary":
      return folded("The agent's summary so far", text, more);
    case "thinking":
      return folded("Thinking", text, more);
    default:
      return folded("From the client", text, more);
  }
}

const folded = (label: string, text: string, more: string) =>
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
      `<p class="file">${escapeHtml(file)}</p><pre class="diff">${changed.map(diffLine).join("")}</pre>`,
  );
  const answer =
    result === null || result === "" || edits.length > 0 ? "" : `<pre>${escapeHtml(result)}</pre>`;
  const more = omitted > 0 ? `<p class="facts">${counted(omitted, "more character or line")}</p>` : "";
  const body = `${full}${diffs.join("")}${answer}${more}`;
  if (body === "") return `<div class="call bare">${summary.replaceAll("summary>", "p>")}</div>`;
  return `<details class="call"${edits.length > 0 ? " open" : ""}>${summary}${body}</details>`;
}

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

function diffLine(line: string): string {
  const kind = kinds[line[0] ?? ""];
  return `<span${kind === undefined ? "" : ` class="${kind}"`}>${escapeHtml(line)}\n</span>`;
}

function besides(margin: Margin | undefined): string {
  if (margin === undefined) return "";
  const { notes, decisions, commits } = margin;
  const rows = [
    ...notes.map(({ note }) => `<li><b class="note">Note</b> ${escapeHtml(note)}</li>`),
    ...decisions.map((one) => `<li><b class="decided">Decided</b> ${decisionText(one)}</li>`),
    ...commits.map(
      ({ commit, subject }) =>
        `<li><b class="commit">Commit</b> <code>${escapeHtml(commit.slice(0, 12))}</code> ${escapeHtml(subject)}</li>`,
    ),
  ];
  return rows.length === 0 ? "" : `<ul class="beside">${rows.join("")}</ul>`;
}

function decisionText({ text, superseded_by }: Decision): string {
  if (superseded_by === null) return escapeHtml(text);
  return `<s>${escapeHtml(text)}</s> <span class="facts">Superseded: ${escapeHtml(superseded_by)}</span>`;
}
