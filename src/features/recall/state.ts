import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { defaultBranches, readCurrentBranch } from "../../git/history/head.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { detectTurnState } from "../../sessions/turn-state.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { listChangedFiles } from "../related/related.ts";
import { versionControl } from "../sessions/brief.ts";
import type { WorkState } from "./operation.ts";

/** Work on other branches that is older is not open any more. Milliseconds. */
const openForMs = 14 * 86_400_000;
const maxElsewhere = 3;
const maxUncommitted = 6;
const maxFailing = 2;
const maxSessions = 60;
/** Programs whose failure says that work is not done. */
const checks = /\b(?:test|tests|lint|check|build|tsc|vet|clippy|pytest|jest|vitest|mypy|eslint|verify|ci)\b/i;

interface Asked {
  /** The session that asks, and those it goes on with. */
  leaves: (session: string) => boolean;
  now: number;
  /** Nothing later is known; null: no limit. */
  until?: number | null;
}

/**
 * Where work stopped: the last words of the last session of the branch at hand, and what has happened since. Only what was said
 * and what is on disk: a summary's "open points" may be done by now.
 * @returns null where nothing is recorded
 */
export async function findWorkState(
  project: Pick<Project, "root">,
  memory: Memory,
  { leaves, now, until = null }: Asked,
): Promise<WorkState | null> {
  const branch = await readCurrentBranch(project.root);
  const sessions = listSessions(memory, { until, remembered: true, limit: maxSessions }).filter(
    ({ uid }) => !leaves(uid),
  );
  const onBranch = sessions.filter((session) => session.branch === branch);
  const last = onBranch.find((one) => readLastWords(memory, one, until) !== null);
  const elsewhere = await findOpenElsewhere(project, memory, sessions, { branch, now, until });
  if (last === undefined) {
    if (elsewhere.length === 0) return null;
    const empty = { session_id: "", author: null, turn: 0, at: null, asked: "", said: "", ended: null };
    return { ...empty, ...(await changesSince(project, null)), branch, failing: [], elsewhere };
  }
  const words = readLastWords(memory, last, until)!;
  return {
    branch,
    session_id: last.uid,
    author: last.author,
    at: formatIsoTime(words.at ?? last.lastAt),
    turn: words.turn,
    asked: words.asked,
    said: words.said,
    ended: words.ended,
    ...(await changesSince(project, words.at ?? last.lastAt)),
    failing: listFailingChecks(memory, last, until),
    elsewhere,
  };
}

export interface LastWords extends Pick<WorkState, "turn" | "asked" | "said" | "ended"> {
  at: number | null;
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
  let said = "";
  let at = last.startedAt;
  let ended: WorkState["ended"] = null;
  for (const { lines } of readStoredTurns(memory, session.id, { first: last.number, last: last.number })) {
    const state = detectTurnState(lines);
    ended = state === "completed" ? null : state;
    for (const line of lines) {
      if (until !== null && (line.at ?? 0) > until) break;
      for (const entry of line.entries)
        if (entry.kind === "text" && entry.text.trim() !== "") said = entry.text.trim();
      at = line.at ?? at;
    }
  }
  // "yes" and "/commit" are about what was asked before.
  const asked = turns.findLast(({ prompt }) => isTelling(prompt))?.prompt ?? last.prompt;
  return asked === "" && said === "" ? null : { turn: last.number, asked, said, ended, at };
}

const isTelling = (prompt: string) => prompt.trim().split(/\s+/).length >= 4 && !/^\s*[/<]/.test(prompt);

async function changesSince(
  { root }: Pick<Project, "root">,
  at: number | null,
): Promise<Pick<WorkState, "commits_since" | "latest_commit" | "uncommitted" | "uncommitted_total">> {
  const since = at === null ? null : `--since=${new Date(at + 1000).toISOString()}`;
  const [log, changed] = await Promise.all([
    since === null ? "" : readGitTextIfAny(root, ["log", "--format=%h %s", "-n", "50", since]),
    listChangedFiles({ root } as Project).catch(() => []),
  ]);
  const commits = (log ?? "").split("\n").filter((line) => line !== "");
  return {
    commits_since: commits.length,
    latest_commit: commits[0] ?? null,
    uncommitted: changed.slice(0, maxUncommitted),
    uncommitted_total: changed.length,
  };
}

/** Checks of a session that failed when they last ran. */
function listFailingChecks(memory: Memory, { id }: SessionRecord, until: number | null): string[] {
  const latest = new Map<string, { line: string; failed: boolean }>();
  for (const { form, line, name, outcome } of listCommands(memory, { sessionId: id, until }))
    if (!latest.has(form) && !versionControl.test(name) && checks.test(line))
      latest.set(form, { line, failed: outcome === "failed" });
  return [...latest.values()]
    .filter(({ failed }) => failed)
    .map(({ line }) => line)
    .slice(0, maxFailing);
}

/** Branches that are not merged, and were worked on lately. */
export async function findOpenElsewhere(
  { root }: Pick<Project, "root">,
  memory: Memory,
  sessions: readonly SessionRecord[],
  { branch, now, until }: { branch: string | null; now: number; until: number | null },
): Promise<WorkState["elsewhere"]> {
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
  const found: WorkState["elsewhere"] = [];
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
