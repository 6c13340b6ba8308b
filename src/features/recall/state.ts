import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { listChangedFiles } from "../../git/changed-files.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { readCurrentBranch } from "../../git/history/head.ts";
import { isCheck, versionControl } from "../../sessions/commands/checks.ts";
import { findOpenElsewhere, readLastWords } from "../../sessions/summaries/last-words.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import type { WorkState } from "./operation.ts";

const maxUncommitted = 6;
const maxFailing = 2;
const maxSessions = 60;

interface RecallScope {
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
  { leaves, now, until = null }: RecallScope,
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
    if (!latest.has(form) && !versionControl.test(name) && isCheck(line))
      latest.set(form, { line, failed: outcome === "failed" });
  return [...latest.values()]
    .filter(({ failed }) => failed)
    .map(({ line }) => line)
    .slice(0, maxFailing);
}
