import { beginningOf } from "../../base/text/text-size.ts";
import { rejectedSessions } from "../../sessions/notes/notes.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { commitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, SummaryRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { bestSummaries } from "../../store/memory/sessions/summaries.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import type { SessionBrief } from "./operation.ts";

/** Characters. */
const maxLength = { asked: 240, outcome: 320, open: 240 } as const;
const maxCount = { files: 12, commits: 3, commands: 4 } as const;

/**
 * What a session was about, what came of it and what it left open, in a few lines.
 * @param until only what was known then; null: everything
 */
export function briefOf(memory: Memory, session: SessionRecord, until: number | null = null): SessionBrief {
  return {
    ...briefWithoutCommands(memory, session, until),
    commands: workingCommands(memory, session.id, until)
      .filter(({ name }) => !versionControl.test(name))
      .slice(0, maxCount.commands)
      .map(({ line }) => line),
  };
}

/** A brief without the commands, which take the longest to read. */
export function briefWithoutCommands(
  memory: Memory,
  session: SessionRecord,
  until: number | null = null,
): Omit<SessionBrief, "commands"> {
  const turns = turnsOf(memory, session.id).filter(
    ({ abandoned, startedAt }) => !abandoned && (until === null || (startedAt ?? 0) <= until),
  );
  const isOver = until === null || (session.lastAt ?? 0) <= until;
  const summary = isOver ? bestSummaries(memory, [session.id]).get(session.id) : undefined;
  const asked = turns.filter(({ number, prompt }) => number > 0 && prompt.trim() !== "");
  const [first, last] = [asked[0], asked.at(-1)];
  return {
    asked: first === undefined ? "" : oneLine(first.prompt, maxLength.asked),
    last_asked: last === undefined || last === first ? "" : oneLine(last.prompt, maxLength.asked),
    ...endOf(summary),
    rejected: rejectedSessions(memory)(session.uid),
    state: last?.state ?? null,
    files: changedIn(turns).slice(0, maxCount.files),
    commits: (commitsOfSessions(memory, [session.uid]).get(session.uid) ?? [])
      .filter(({ committedAt }) => until === null || committedAt <= until)
      .slice(0, maxCount.commits)
      .map(({ hash, subject }) => ({ hash, subject })),
  };
}

/** What came of a session and what it left open, as far as its summary says. */
export function endOf(summary: SummaryRecord | undefined): Pick<SessionBrief, "outcome" | "open"> {
  const { text, source } = summary ?? { text: "", source: null };
  const outcome = partOf(text, ["Outcome", "Current Work"]);
  return {
    // A model's summary has no parts.
    outcome: oneLine(outcome === "" && source === "llm" ? text : outcome, maxLength.outcome),
    open: oneLine(partOf(text, ["Next", "Pending Tasks", "Optional Next Step"]), maxLength.open),
  };
}

/** A part of a summary, by any of its titles; "" if it has none, or says that there is nothing. */
function partOf(summary: string, titles: readonly string[]): string {
  const head = `(?:\\d+\\.\\s*)?(?:#+\\s*)?\\**(?:${titles.join("|")})\\**:?\\**`;
  const part = new RegExp(
    `^${head}[^\\S\\n]*\\n?([\\s\\S]*?)(?=\\n\\s*\\n|\\n\\d+\\.\\s|$(?![\\s\\S]))`,
    "im",
  );
  const text = (part.exec(summary)?.[1] ?? "").trim();
  return /^[-*\s]*(?:none|no (?:pending|explicit|outstanding|remaining)\b|n\/a)/i.test(text) ? "" : text;
}

const oneLine = (text: string, max: number) =>
  beginningOf(
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
export function changedIn(turns: readonly TurnRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { files } of turns)
    for (const { path, how } of files) if (how !== "read") counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([path]) => path);
}

/** They follow any work, and say nothing of how it is done or checked. */
export const versionControl = /^(?:git|gh|glab|hg|jj|svn)\b/;

/** What a session ran, by its latest run. */
interface WorkingCommand extends Pick<CommandRecord, "form" | "line" | "name"> {
  times: number;
}

/** Commands that worked at last, the most often run first. */
export function workingCommands(memory: Memory, sessionId: number, until: number | null): WorkingCommand[] {
  const runs = listCommands(memory, { sessionId, until });
  const counts = new Map<string, WorkingCommand & { works: boolean }>();
  for (const { form, line, name, outcome } of runs) {
    const known = counts.get(form);
    // The latest come first, and say how a form fares now.
    if (known === undefined) counts.set(form, { form, line, name, times: 1, works: outcome === "worked" });
    else known.times++;
  }
  return [...counts.values()].filter(({ works }) => works).sort((a, b) => b.times - a.times);
}
