import type { Entry, ToolResult } from "../../agents/agent.ts";
import { trajectoryOf } from "../../agents/atif/trajectory.ts";
import { withMemory } from "../../answers/open.ts";
import type { Project } from "../../base/paths.ts";
import { beginningOf } from "../../base/text/text-size.ts";
import { type ScrubText, scrubValue } from "../../redact/scrubber.ts";
import { changedLines, sayUse } from "../../sessions/chunks/units/tool-uses.ts";
import { relativizer } from "../../sessions/relative-paths.ts";
import { actionOf, type StoredLine, storedTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import type { Statement } from "./operation.ts";

/** Characters of a tool's result that say how it went. */
const briefResult = 300;

/**
 * What was said and done in a session, statement by statement: each tool call with its result.
 * @param turn only this one
 * @param full whole results, and the changed lines of edits
 */
export function sessionLog(
  memory: Memory,
  session: { id: number; cwd: string },
  { root, turn, full }: { root: string; turn?: number | undefined; full: boolean },
): Statement[] {
  const relativize = relativizer({ root, worktrees: [], cwd: session.cwd });
  const statements: Statement[] = [];
  for (const { number, lines } of storedTurns(memory, session.id, { first: turn ?? 0, last: turn ?? null })) {
    const results = resultsIn(lines);
    for (const { at, entries } of lines) {
      for (const entry of entries) {
        const statement = statementOf(entry, at, results, relativize, full);
        if (statement !== null) statements.push({ turn: number, ...statement });
      }
    }
  }
  return statements;
}

export interface TimedResult {
  result: ToolResult;
  at: number | null;
}

/** The results of tool calls, by the id of their call. */
export const resultsIn = (lines: readonly StoredLine[]): ReadonlyMap<string, TimedResult> =>
  new Map(
    lines.flatMap(({ at, entries }) =>
      entries.flatMap((entry) => (entry.kind === "tool_result" ? [[entry.id, { result: entry, at }]] : [])),
    ),
  );

/** From a call to its result, in milliseconds; null: not known. */
export const tookMs = (calledAt: number | null, answered: TimedResult | undefined): number | null =>
  calledAt === null || answered?.at == null ? null : Math.max(0, answered.at - calledAt);

function statementOf(
  entry: Entry,
  at: number | null,
  results: ReadonlyMap<string, TimedResult>,
  relativize: (path: string) => string,
  full: boolean,
): Omit<Statement, "turn"> | null {
  switch (entry.kind) {
    case "prompt":
      return said("prompt", entry.text.trim() || (entry.images > 0 ? "(an image)" : ""));
    case "text":
    case "thinking":
    case "notice":
    case "summary":
      return said(entry.kind, entry.text.trim());
    case "compaction":
      return said("compaction", entry.trigger ?? "the context was compacted");
    case "tool_use": {
      const answered = results.get(entry.id);
      const result = answered?.result ?? null;
      const { headline, edits } = sayUse(entry, result?.edits ?? null, relativize);
      const changed = edits ? changedLines(result?.edits ?? null, entry.input) : [];
      const text = result?.text.trim() ?? null;
      return {
        kind: "tool",
        text: headline,
        call: {
          tool: entry.tool,
          is_error: result?.isError ?? false,
          action: actionOf(entry),
          took_ms: tookMs(at, answered),
          result: text === null || full ? text : beginningOf(text, briefResult),
          added: changed.filter((line) => line.startsWith("+")).length,
          removed: changed.filter((line) => line.startsWith("-")).length,
          changed: full ? changed : [],
        },
      };
    }
    case "tool_result":
    case "title":
      return null;
  }
}

function said(kind: Statement["kind"], text: string): Omit<Statement, "turn"> | null {
  return text === "" ? null : { kind, text, call: null };
}

/**
 * A stored session as a trajectory of ATIF, scrubbed again. Abandoned branches of the conversation are left out.
 * @throws PommelError `not_found`, `usage` for an ambiguous id; as `withMemory`
 */
export function exportTrajectory(
  project: Project,
  id: string,
  clean: ScrubText,
): Promise<ReturnType<typeof trajectoryOf>> {
  return withMemory(project, (memory) => {
    const session = findSession(memory, id);
    const { uid, agent, cwd, branch, title } = session;
    const lines = linesOf(memory, session.id);
    return scrubValue(trajectoryOf({ id: uid, agent, cwd, branch, title, lines }), clean);
  });
}

function* linesOf(memory: Memory, sessionId: number) {
  for (const { abandoned, lines } of storedTurns(memory, sessionId)) if (!abandoned) yield* lines;
}
