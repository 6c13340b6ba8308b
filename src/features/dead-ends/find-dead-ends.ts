import type { FileEdit } from "../../agents/agent.ts";
import { hashFnv1a } from "../../base/text/hash.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { pickTellingLines } from "../../base/text/telling-lines.ts";
import { shortenText, toPlainLine } from "../../base/text/text-size.ts";
import { pickChangedLines, readStoredTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { findAbandoned } from "./find-abandoned.ts";
import { findTakenBack, type TakenBackChange } from "./find-changes.ts";
import { findWrongCalls, rememberedMs, type WrongCall } from "./find-commands.ts";
import { findMissingPaths, type MissingPath } from "./find-paths.ts";
import { findReverts, type RevertedChange } from "./find-reverts.ts";
import { type DeadEndTrace, hashLine } from "./match.ts";
import type { DeadEnd } from "./operation.ts";
import { missesPath, pickLooks, readFileEvents } from "./read-edits.ts";

/** A dead end, with what it is recognised by when it is tried again. */
export interface TracedDeadEnd extends DeadEnd {
  traces: DeadEndTrace[];
  /** Sessions that know it: ids, whole. */
  knownIn: string[];
}

/** Lines of a change that are shown; sessions whose closing words are read; characters of a command line. */
const maxCounts = { lines: 4, sessions: 200, characters: 300 } as const;

/**
 * Everything that is recognised before it is tried again, the latest first.
 * @param roots of the project and its worktrees
 */
export async function findTraced(memory: Memory, roots: readonly string[]): Promise<TracedDeadEnd[]> {
  const events = await readFileEvents(memory, roots);
  const commands = findWrongCalls(memory, pickLooks(events)).map(describeWrongCall);
  const paths = findMissingPaths(events).flatMap((path) => describeMissingPath(memory, path) ?? []);
  const changes = findTakenBack(events).flatMap((change) => describeTakenBack(memory, change) ?? []);
  const reverts = (await findReverts(roots[0] ?? "")).map(describeRevert);
  return [...commands, ...paths, ...changes, ...reverts].sort(byTime);
}

/** The latest first. */
export const byTime = (a: DeadEnd, b: DeadEnd): number => ((a.at ?? "") < (b.at ?? "") ? 1 : -1);

const toId = (key: unknown): string => hashFnv1a(JSON.stringify(key)).toString(16).padStart(8, "0");

function describeWrongCall({ trace, runs, error, instead }: WrongCall): TracedDeadEnd {
  const [latest] = runs;
  return {
    id: toId(trace),
    kind: "command",
    tried: [latest!.line],
    path: trace.kind === "word" ? trace.directory : null,
    error: error.trim(),
    reason: null,
    instead,
    taken_back_by: null,
    times: runs.length,
    sessions: new Set(runs.map(({ sessionUid }) => sessionUid)).size,
    session_id: latest!.sessionUid,
    turn: latest!.turn,
    at: formatIsoTime(latest!.at),
    traces: [trace],
    knownIn: [],
  };
}

/** @returns null where the turn is not stored any more */
function describeMissingPath(memory: Memory, { trace, events }: MissingPath): TracedDeadEnd | null {
  const latest = events.at(-1)!;
  const { session, turn: number, seq, at } = latest;
  const [turn] = readStoredTurns(memory, session.id, { first: number, last: number });
  const result = turn?.lines
    .find((one) => one.seq === seq)
    ?.entries.find((entry) => entry.kind === "tool_result" && missesPath.test(entry.text));
  if (result?.kind !== "tool_result") return null;
  const use = turn?.lines
    .flatMap(({ entries }) => entries)
    .find((entry) => entry.kind === "tool_use" && entry.id === result.id);
  if (use?.kind !== "tool_use") return null;
  return {
    id: toId(trace),
    kind: "command",
    tried: [shortenText(toPlainLine(String(use.input.command)), maxCounts.characters)],
    path: trace.directory,
    error: (result.text.split("\n").find((line) => missesPath.test(line)) ?? "").trim(),
    reason: null,
    instead: null,
    taken_back_by: null,
    times: events.length,
    sessions: new Set(events.map((event) => event.session.id)).size,
    session_id: session.uid,
    turn: number,
    at: formatIsoTime(at),
    traces: [trace],
    knownIn: [],
  };
}

/** @returns null where the turns are not stored any more */
function describeTakenBack(
  memory: Memory,
  { traces, written, taken }: TakenBackChange,
): TracedDeadEnd | null {
  const gone = new Set(traces.flatMap(({ lines }) => lines));
  const path = traces[0]!.path;
  const lines: string[] = [];
  for (const turn of readStoredTurns(memory, written.session.id, { first: written.turn, last: written.turn }))
    for (const { entries } of turn.lines)
      for (const entry of entries)
        if (entry.kind === "tool_result")
          for (const edit of entry.edits ?? []) lines.push(...pickWritten(edit, gone));
  if (lines.length === 0) return null;
  const [turn] = readStoredTurns(memory, taken.session.id, { first: taken.turn, last: taken.turn });
  const [abandoned] = turn === undefined ? [] : findAbandoned(turn);
  return {
    id: toId([path, ...traces[0]!.lines]),
    kind: "change",
    tried: [...new Set(lines)].slice(0, maxCounts.lines),
    path,
    error: null,
    reason: abandoned?.said ?? null,
    instead: abandoned?.instead ?? null,
    taken_back_by: taken.what.kind === "restore" ? "git" : "edit",
    times: 1,
    sessions: new Set([written.session.uid, taken.session.uid]).size,
    session_id: taken.session.uid,
    turn: taken.turn,
    at: formatIsoTime(taken.at),
    traces,
    knownIn: [...new Set([written.session.uid, taken.session.uid])],
  };
}

const pickWritten = (edit: FileEdit, gone: ReadonlySet<number>): string[] =>
  pickTellingLines(pickChangedLines(edit).added).filter((line) => gone.has(hashLine(line)));

const describeRevert = ({ traces, lines, hash, subject, reason, at }: RevertedChange): TracedDeadEnd => ({
  id: toId(hash),
  kind: "change",
  tried: [subject.replace(/^Revert "(.*)"$/, "$1"), ...lines].slice(0, maxCounts.lines),
  path: traces[0]!.path,
  error: null,
  reason: reason === "" ? null : reason,
  instead: null,
  taken_back_by: hash,
  times: 1,
  sessions: 0,
  session_id: null,
  turn: 0,
  at: formatIsoTime(at),
  traces,
  knownIn: [],
});

/** What agents' closing words say that they gave up, the latest first. */
export function findSaid(memory: Memory): DeadEnd[] {
  const sessions = listSessions(memory, {
    shared: false,
    remembered: true,
    since: Date.now() - rememberedMs,
    limit: maxCounts.sessions,
  });
  return sessions
    .flatMap(({ id, uid }) =>
      [...readStoredTurns(memory, id)].flatMap((turn) =>
        turn.abandoned
          ? []
          : findAbandoned(turn).map(
              ({ said, instead }): DeadEnd => ({
                id: toId([uid, said]),
                kind: "approach",
                tried: [said],
                path: null,
                error: null,
                reason: null,
                instead,
                taken_back_by: null,
                times: 1,
                sessions: 1,
                session_id: uid,
                turn: turn.number,
                at: formatIsoTime(turn.record.endedAt ?? turn.record.startedAt),
              }),
            ),
      ),
    )
    .sort(byTime);
}
