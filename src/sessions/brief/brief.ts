import { shortenText } from "../../base/text/text-size.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import type { SessionBrief } from "../../protocol/session-brief.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, SummaryRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { findExtracts } from "../../store/memory/sessions/summaries.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { versionControl } from "../commands/checks.ts";
import { createRejectionLookup } from "../notes/notes.ts";
import { listLastChecks, listLeftOpen } from "./after-session.ts";

/** Characters. */
const maxLength = { asked: 240, outcome: 600 } as const;
const maxCount = { files: 12, commits: 3, commands: 4 } as const;

/** What a session was about, what came of it and what it left open, in a few lines. */
export function buildBrief(memory: Memory, session: SessionRecord): SessionBrief {
  const runs = listCommands(memory, { sessionId: session.id });
  return {
    ...buildBriefWithoutCommands(memory, session),
    checks: listLastChecks(runs),
    commands: listWorkingForms(runs)
      .filter(({ name }) => !versionControl.test(name))
      .slice(0, maxCount.commands)
      .map(({ line }) => line),
  };
}

/**
 * A brief without the commands, which take the longest to read.
 * @param until only what was known then; null: everything
 */
export function buildBriefWithoutCommands(
  memory: Memory,
  session: SessionRecord,
  until: number | null = null,
): Omit<SessionBrief, "commands" | "checks"> {
  const turns = listTurns(memory, session.id).filter(
    ({ abandoned, startedAt }) => !abandoned && (until === null || (startedAt ?? 0) <= until),
  );
  const isOver = until === null || (session.lastAt ?? 0) <= until;
  const end = extractSessionEnd(isOver ? findExtracts(memory, [session.id]).get(session.id) : undefined);
  const asked = turns.filter(({ number, prompt }) => number > 0 && prompt.trim() !== "");
  const [first, last] = [asked[0], asked.at(-1)];
  const commits = (readCommitsOfSessions(memory, [session.uid]).get(session.uid) ?? []).filter(
    ({ committedAt, confidence }) => confidence >= certain && (until === null || committedAt <= until),
  );
  return {
    asked: first === undefined ? "" : condenseToLine(first.prompt, maxLength.asked),
    last_asked: last === undefined || last === first ? "" : condenseToLine(last.prompt, maxLength.asked),
    outcome: end.outcome,
    open: listLeftOpen(memory, session, { said: end.open, outcome: end.outcome, commits, last, until }).join(
      " ",
    ),
    rejected: createRejectionLookup(memory)(session.uid),
    state: last?.state ?? null,
    files: listWrittenFiles(turns).slice(0, maxCount.files),
    commits: commits.slice(0, maxCount.commits).map(({ hash, subject }) => ({ hash, subject })),
  };
}

/** What a session's extract says of how it ended. */
function extractSessionEnd(extract: SummaryRecord | undefined): { outcome: string; open: string[] } {
  const text = extract?.text ?? "";
  return {
    outcome: condenseToLine(extractPart(text, "Outcome"), maxLength.outcome),
    open: extractPart(text, "Next")
      .split("\n")
      .map((line) => line.replace(/^- /, "").trim())
      .filter((line) => line !== ""),
  };
}

/** A part of an extract; "" if it has none. */
function extractPart(extract: string, title: string): string {
  const part = extract.split("\n\n").find((each) => each.startsWith(`${title}:\n`));
  return part === undefined ? "" : part.slice(title.length + 2).trim();
}

const condenseToLine = (text: string, max: number) =>
  shortenText(
    text
      // A line says what was done; code in one line says nothing.
      .replace(/```[\s\S]*?(?:```|$)/g, "…")
      .replace(/^\s*[-*]\s+/gm, "")
      // Headings, also where a prompt is kept as one line.
      .replace(/(?<=^|\s)#{1,6}\s+(?=[A-Z0-9`])/g, "")
      .replace(/\s+/g, " ")
      .trim(),
    max,
  );

/** Files that turns wrote, the most often written first. */
export function listWrittenFiles(turns: readonly TurnRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { files } of turns)
    for (const { path, how } of files) if (how !== "read") counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([path]) => path);
}

/** What a session ran, by its latest run. */
interface BriefCommand extends Pick<CommandRecord, "form" | "line" | "name"> {
  times: number;
}

/** Commands that worked at last, the most often run first. */
export const listWorkingCommands = (
  memory: Memory,
  sessionId: number,
  until: number | null,
): BriefCommand[] => listWorkingForms(listCommands(memory, { sessionId, until }));

function listWorkingForms(runs: readonly CommandRecord[]): BriefCommand[] {
  const counts = new Map<string, BriefCommand & { works: boolean }>();
  for (const { form, line, name, outcome } of runs) {
    const known = counts.get(form);
    // The latest come first, and say how a form fares now.
    if (known === undefined) counts.set(form, { form, line, name, times: 1, works: outcome === "worked" });
    else known.times++;
  }
  return [...counts.values()].filter(({ works }) => works).sort((a, b) => b.times - a.times);
}
