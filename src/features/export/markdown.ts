import { labelNote } from "../../protocol/origin.ts";
import type { Decision } from "../decisions/operation.ts";
import { labelDecision } from "../search/found-words.ts";
import type { SessionSummary } from "../sessions/operation.ts";
import { inlineCode, type Margin, marginsOf, markdownIn, turnAsMarkdown } from "../sessions/turn-words.ts";
import { decisionPlace, type ExportIndex, type SessionDocument, sessionFacts, titleOf } from "./document.ts";

/** A session as a chat log. */
export function sessionAsMarkdown(document: SessionDocument): string {
  const { session, summary, files, turns, left_out } = document;
  const margins = marginsOf(session.id, document);
  const changed = files.filter(({ how }) => how !== "read");
  const parts = [
    `# ${escaped(titleOf(session))}`,
    sessionFacts(session).map(escaped).join(" · "),
    `Session ${inlineCode(session.id)}`,
    ...(left_out.length === 0 ? [] : [`Left out: ${left_out.join(" ")}`]),
    ...(summary === null ? [] : ["## Summary", markdownIn(summary.text)]),
    ...(changed.length === 0
      ? []
      : ["## Changed files", changed.map(({ path }) => `- ${inlineCode(path)}`).join("\n")]),
    ...turns.flatMap((turn) => [
      turnAsMarkdown(turn, { results: true }),
      ...besides(margins.get(turn.number)),
    ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function besides(margin: Margin | undefined): string[] {
  if (margin === undefined) return [];
  const { notes, decisions, commits } = margin;
  const lines = [
    ...notes.map((one) => `- **${escaped(labelNote(one, "reader"))}:** ${escaped(one.note)}`),
    ...decisions.map((one) => {
      const label = labelDecision(one, "reader") ?? "Decided:";
      return `- **${escaped(label)}** ${decisionText(one)}`;
    }),
    ...commits.map(
      ({ commit, subject }) => `- **Commit** ${inlineCode(commit.slice(0, 12))} ${escaped(subject)}`,
    ),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function decisionText({ text, superseded_by }: Decision): string {
  return superseded_by === null
    ? escaped(text)
    : `~~${escaped(text)}~~ (superseded: ${escaped(superseded_by)})`;
}

/** What a directory of sessions has: each with its file, and what was noted and decided. */
export function indexAsMarkdown({ sessions, decisions, total }: ExportIndex): string {
  const row = (session: SessionSummary, file: string) =>
    `- [${escaped(titleOf(session))}](${file}): ${sessionFacts(session).map(escaped).join(" · ")}`;
  const fileOf = new Map(sessions.map(({ session, file }) => [session.id, file]));
  const decided = decisions.map((one) => {
    const file = one.session_id === null ? undefined : fileOf.get(one.session_id);
    const place = escaped(decisionPlace(one));
    return `- ${decisionText(one)} (${file === undefined ? place : `[${place}](${file})`})`;
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
function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}
