import { answerAbout } from "../../answers/run.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import type { CommandOutcome } from "../../protocol/values.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { readTurns, type TurnEntry, type TurnInFull } from "../sessions/operation.ts";
import type { RecalledSession, RecalledTurn } from "./operation.ts";

/** Of a session that is read without naming a turn: its last ones. */
const maxTurns = 6;

/** "5f0c3a21:8": a session and one of its turns, as claims name them. */
export function parseTurnId(id: string): { session: string; turn: number | null } {
  const [, session = id, turn] = /^(.+):(\d+)$/.exec(id.trim()) ?? [];
  return { session: session.trim(), turn: turn === undefined ? null : Number(turn) };
}

/**
 * A turn of a session, or its last turns: what was said, then what was changed and run.
 * @throws PommelError `not_found`, `usage` for the beginning of several ids
 */
export async function readRecorded(
  project: Project,
  memory: Memory,
  {
    session: id,
    turn,
    limit = maxTurns,
  }: { session: string; turn: number | null; limit?: number | undefined },
): Promise<RecalledSession> {
  const session = findSession(memory, id);
  const all = listTurns(memory, session.id);
  const last = all.at(-1)?.number ?? 0;
  if (turn !== null && !all.some(({ number }) => number === turn)) {
    throw new PommelError(
      "not_found",
      `Session ${session.uid} has no turn ${turn}.`,
      `Its turns are numbered ${all[0]?.number ?? 0} to ${last}.`,
    );
  }
  const wanted = turn === null ? all.slice(-limit).map(({ number }) => number) : [turn];
  const turns: RecalledTurn[] = [];
  for (const from of wanted) {
    const read = await answerAbout(readTurns, { project, memory }, { session: session.uid, from, limit: 1 });
    turns.push(...read.turns.map((one) => readOne(one, turn !== null)));
  }
  return {
    session_id: session.uid,
    title: session.title,
    agent: session.agent,
    author: session.author,
    branch: session.branch,
    started_at: formatIsoTime(session.startedAt),
    last_at: formatIsoTime(session.lastAt),
    turns_total: all.filter(({ number }) => number > 0).length,
    turns: turns.reverse(),
    turn,
    commits: (readCommitsOfSessions(memory, [session.uid]).get(session.uid) ?? [])
      .filter(({ turns: led, confidence }) => confidence >= certain && (turn === null || led.includes(turn)))
      .slice(0, 5)
      .map(({ hash, subject }) => `${shortenHash(hash)} ${subject}`),
    notes: listStoredNotes(memory)
      .filter((note) => note.sessionUid === session.uid && (turn === null || note.turn === turn))
      .map(({ note }) => note),
  };
}

function readOne(
  { number, started_at, state, abandoned, entries }: TurnInFull,
  isWhole: boolean,
): RecalledTurn {
  const edits = new Map<string, { added: number; removed: number }>();
  for (const { tool } of entries) {
    if (tool === null || tool.is_error) continue;
    for (const { file, lines } of tool.edits) {
      const sum = edits.get(file) ?? { added: 0, removed: 0 };
      sum.added += lines.filter((line) => line.startsWith("+")).length;
      sum.removed += lines.filter((line) => line.startsWith("-")).length;
      edits.set(file, sum);
    }
  }
  const ran = entries.flatMap(({ tool }) =>
    tool?.command ? [{ line: tool.command, outcome: judgeOutcome(tool) }] : [],
  );
  const printed = entries.findLast(({ tool }) => tool?.command && tool.result)?.tool?.result ?? null;
  return {
    number,
    at: started_at,
    state: state === undefined || state === "completed" ? null : state,
    abandoned,
    words: pickWords(entries),
    edits: [...edits].map(([file, sum]) => ({ file, ...sum })),
    ran,
    output: isWhole ? printed : null,
  };
}

const judgeOutcome = ({ result, is_error }: { result: string | null; is_error: boolean }): CommandOutcome =>
  result === null ? "unknown" : is_error ? "failed" : "worked";

function pickWords(entries: readonly TurnEntry[]): RecalledTurn["words"] {
  return entries.flatMap(({ kind, text }): RecalledTurn["words"] => {
    if (kind === "prompt") return [{ by: "user", text }];
    return kind === "text" ? [{ by: "agent", text }] : [];
  });
}
