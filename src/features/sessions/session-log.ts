import type { ToolResult, TranscriptEntry } from "../../agents/agent.ts";
import { buildTrajectory } from "../../agents/atif/trajectory.ts";
import { withMemory } from "../../answers/open.ts";
import type { Project } from "../../base/paths.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { type ScrubText, scrubValue } from "../../redact/scrubber.ts";
import { listChangedLines, sayUse } from "../../sessions/chunks/units/tool-uses.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { classifyToolUse, readStoredTurns, type StoredLine } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import type { TurnStatement } from "./operation.ts";

/** Characters of a tool's result that say how it went. */
const briefResult = 300;

/**
 * What was said and done in a session, statement by statement: each tool call with its result.
 * @param turn only this one
 * @param full whole results, and the changed lines of edits
 */
export function readSessionLog(
  memory: Memory,
  session: { id: number; cwd: string },
  { root, turn, full }: { root: string; turn?: number | undefined; full: boolean },
): TurnStatement[] {
  const relativize = createRelativizer({ root, worktrees: [], cwd: session.cwd });
  const statements: TurnStatement[] = [];
  for (const { number, lines } of readStoredTurns(memory, session.id, {
    first: turn ?? 0,
    last: turn ?? null,
  })) {
    const results = collectResults(lines);
    for (const { at, entries } of lines) {
      for (const entry of entries) {
        const statement = toLogStatement(entry, at, results, relativize, full);
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
export const collectResults = (lines: readonly StoredLine[]): ReadonlyMap<string, TimedResult> =>
  new Map(
    lines.flatMap(({ at, entries }) =>
      entries.flatMap((entry) => (entry.kind === "tool_result" ? [[entry.id, { result: entry, at }]] : [])),
    ),
  );

/** From a call to its result, in milliseconds; null: not known. */
export const computeDurationMs = (
  calledAt: number | null,
  answered: TimedResult | undefined,
): number | null => (calledAt === null || answered?.at == null ? null : Math.max(0, answered.at - calledAt));

function toLogStatement(
  entry: TranscriptEntry,
  at: number | null,
  results: ReadonlyMap<string, TimedResult>,
  relativize: (path: string) => string,
  full: boolean,
): Omit<TurnStatement, "turn"> | null {
  switch (entry.kind) {
    case "prompt":
      return makeStatement("prompt", entry.text.trim() || (entry.images > 0 ? "(an image)" : ""));
    case "text":
    case "thinking":
    case "notice":
    case "summary":
      return makeStatement(entry.kind, entry.text.trim());
    case "compaction":
      return makeStatement("compaction", entry.trigger ?? "the context was compacted");
    case "tool_use": {
      const answered = results.get(entry.id);
      const result = answered?.result ?? null;
      const { headline, edits } = sayUse(entry, result?.edits ?? null, relativize);
      const changed = edits ? listChangedLines(result?.edits ?? null, entry.input) : [];
      const text = result?.text.trim() ?? null;
      return {
        kind: "tool",
        text: headline,
        call: {
          tool: entry.tool,
          is_error: result?.isError ?? false,
          action: classifyToolUse(entry),
          took_ms: computeDurationMs(at, answered),
          result: text === null || full ? text : shortenText(text, briefResult),
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

function makeStatement(kind: TurnStatement["kind"], text: string): Omit<TurnStatement, "turn"> | null {
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
): Promise<ReturnType<typeof buildTrajectory>> {
  return withMemory(project, (memory) => {
    const session = findSession(memory, id);
    const { uid, agent, cwd, branch, title } = session;
    const lines = readActiveLines(memory, session.id);
    return scrubValue(buildTrajectory({ id: uid, agent, cwd, branch, title, lines }), clean);
  });
}

function* readActiveLines(memory: Memory, sessionId: number) {
  for (const { abandoned, lines } of readStoredTurns(memory, sessionId)) if (!abandoned) yield* lines;
}
