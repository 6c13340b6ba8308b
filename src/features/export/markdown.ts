import { shortenHash } from "../../base/text/short-hash.ts";
import type { Decision } from "../../protocol/decision.ts";
import { labelNote } from "../../protocol/origin.ts";
import { labelDecision, labelSuperseded } from "../decisions/words.ts";
import type { SessionSummary } from "../sessions/operation.ts";
import {
  buildMargins,
  formatInlineCode,
  type Margin,
  sanitiseMarkdown,
  turnAsMarkdown,
} from "../sessions/turn-words.ts";
import {
  type ExportIndex,
  formatDecisionPlace,
  formatSessionTitle,
  listSessionFacts,
  type SessionDocument,
} from "./document.ts";

/** A session as a chat log. */
export function renderSessionMarkdown(document: SessionDocument): string {
  const { session, summary, files, turns, left_out } = document;
  const margins = buildMargins(session.id, document);
  const changed = files.filter(({ how }) => how !== "read");
  const parts = [
    `# ${escapeMarkdown(formatSessionTitle(session))}`,
    listSessionFacts(session).map(escapeMarkdown).join(" · "),
    `Session ${formatInlineCode(session.id)}`,
    ...(left_out.length === 0 ? [] : [`Left out: ${left_out.join(" ")}`]),
    ...(summary === null ? [] : ["## Summary", sanitiseMarkdown(summary.text)]),
    ...(changed.length === 0
      ? []
      : ["## Changed files", changed.map(({ path }) => `- ${formatInlineCode(path)}`).join("\n")]),
    ...turns.flatMap((turn) => [
      turnAsMarkdown(turn, { results: true }),
      ...formatMargin(margins.get(turn.number)),
    ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function formatMargin(margin: Margin | undefined): string[] {
  if (margin === undefined) return [];
  const { notes, decisions, commits } = margin;
  const lines = [
    ...notes.map((one) => `- **${escapeMarkdown(labelNote(one, "reader"))}:** ${escapeMarkdown(one.note)}`),
    ...decisions.map((one) => {
      const label = labelDecision(one, "reader") ?? "Decided:";
      return `- **${escapeMarkdown(label)}** ${formatDecisionText(one)}`;
    }),
    ...commits.map(
      ({ commit, subject }) =>
        `- **Commit** ${formatInlineCode(shortenHash(commit))} ${escapeMarkdown(subject)}`,
    ),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function formatDecisionText({ text, superseded_by, superseded }: Decision): string {
  return superseded_by === null
    ? escapeMarkdown(text)
    : `~~${escapeMarkdown(text)}~~ (${labelSuperseded({ superseded }).toLowerCase()}: ${escapeMarkdown(superseded_by)})`;
}

/** What a directory of sessions has: each with its file, and what was noted and decided. */
export function indexAsMarkdown({ sessions, decisions, total }: ExportIndex): string {
  const row = (session: SessionSummary, file: string) =>
    `- [${escapeMarkdown(formatSessionTitle(session))}](${file}): ${listSessionFacts(session).map(escapeMarkdown).join(" · ")}`;
  const fileOf = new Map(sessions.map(({ session, file }) => [session.id, file]));
  const decided = decisions.map((one) => {
    const file = one.session_id === null ? undefined : fileOf.get(one.session_id);
    const place = escapeMarkdown(formatDecisionPlace(one));
    return `- ${formatDecisionText(one)} (${file === undefined ? place : `[${place}](${file})`})`;
  });
  const more = total - decisions.length;
  const parts = [
    ...(sessions.length === 0
      ? []
      : ["# Sessions", sessions.map(({ session, file }) => row(session, file)).join("\n")]),
    ...(decided.length === 0 ? [] : ["# Decisions and notes", decided.join("\n")]),
    ...(more > 0 ? [`and ${more.toLocaleString("en")} earlier ones`] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** A text as a line of Markdown that says just that. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}
