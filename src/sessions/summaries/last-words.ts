import type { Project } from "../../base/paths.ts";
import { dayMs } from "../../base/text/day.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { defaultBranches } from "../../git/history/head.ts";
import type { TurnState } from "../../protocol/values.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { readStoredTurns } from "../turn-content.ts";
import { detectTurnState } from "../turn-state.ts";
import { EndingReader } from "./ending/closing.ts";

/** Work on other branches that is older is not open any more. Milliseconds. */
const openForMs = 14 * dayMs;

const maxElsewhere = 3;

export interface LastWords {
  turn: number;
  /** As they were said. */
  asked: string;
  said: string;
  /** How its last turn ended; null: with an answer. */
  ended: TurnState | null;
  at: number | null;
}

/** A branch that is not merged. */
interface OpenBranch {
  branch: string;
  session_id: string;
  at: string | null;
  said: string;
}

/** What was said last in a session, by both; null where nothing was. */
export function readLastWords(
  memory: Memory,
  session: SessionRecord,
  until: number | null,
): LastWords | null {
  const turns = listTurns(memory, session.id).filter(
    ({ abandoned, startedAt, number }) =>
      number > 0 && !abandoned && (until === null || (startedAt ?? 0) <= until),
  );
  const last = turns.at(-1);
  if (last === undefined) return null;
  const ending = new EndingReader();
  let at = last.startedAt;
  let ended: LastWords["ended"] = null;
  for (const turn of readStoredTurns(memory, session.id, { first: last.number, last: last.number })) {
    const lines = turn.lines.filter((line) => until === null || (line.at ?? 0) <= until);
    const state = detectTurnState(turn.lines);
    ended = state === "completed" ? null : state;
    ending.read({ ...turn, lines });
    at = lines.findLast((line) => line.at !== null)?.at ?? at;
  }
  const said = dropHousekeeping(ending.get().texts.at(-1)?.trim() ?? "");
  // "yes" and "/commit" are about what was asked before.
  const telling = turns.findLast(({ prompt }) => isTelling(prompt))?.prompt;
  const asked = telling ?? (said === "" ? last.prompt : "");
  return asked === "" && said === "" ? null : { turn: last.number, asked, said, ended, at };
}

/** The last sentences are about the session, which is over, rather than about the work: "You can /clear and start fresh." */
const aboutSession =
  /(?:^|(?<=[.!?:)]\s)|(?<=\n))[^.!?\n]*(?:\/(?:clear|compact|handoff|new)\b|\bfresh (?:session|start)\b|\b(?:this|the) (?:session|conversation) is\b|\bgood (?:luck|night)\b)[^.!?\n]*[.!?]*\s*$/i;

/** What was said without how the session itself shall end; all, where it says nothing else. */
export function dropHousekeeping(said: string): string {
  let rest = said;
  while (aboutSession.test(rest)) rest = rest.replace(aboutSession, "").trimEnd();
  return rest === "" ? said : rest;
}

const isTelling = (prompt: string) => prompt.trim().split(/\s+/).length >= 4 && !/^\s*[/<]/.test(prompt);

/** Branches that are not merged, and were worked on lately. */
export async function findOpenElsewhere(
  { root }: Pick<Project, "root">,
  memory: Memory,
  sessions: readonly SessionRecord[],
  { branch, now, until }: { branch: string | null; now: number; until: number | null },
): Promise<OpenBranch[]> {
  const recent = sessions.filter(
    (one) =>
      one.branch !== null &&
      one.branch !== branch &&
      !defaultBranches.includes(one.branch) &&
      now - (one.lastAt ?? 0) <= openForMs,
  );
  if (recent.length === 0) return [];
  const unmerged = await readGitTextIfAny(root, [
    "branch",
    "--no-merged",
    "HEAD",
    "--format=%(refname:short)",
  ]);
  const open = new Set((unmerged ?? "").split("\n").filter(Boolean));
  const seen = new Set<string>();
  const found: OpenBranch[] = [];
  for (const session of recent) {
    const name = session.branch!;
    if (!open.has(name) || seen.has(name) || found.length === maxElsewhere) continue;
    seen.add(name);
    const words = readLastWords(memory, session, until);
    if (words !== null)
      found.push({
        branch: name,
        session_id: session.uid,
        at: formatIsoTime(session.lastAt),
        said: words.said,
      });
  }
  return found;
}
