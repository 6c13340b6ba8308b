import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "../../agents/agent.ts";
import { recognise } from "../../agents/registry.ts";
import { commitFatesOf } from "../../attribution/commit-fates.ts";
import { gitTextIfAny } from "../../git/git.ts";
import { recentChangesOf } from "../../git/history/file-changes.ts";
import { branchAtHand } from "../../git/history/head.ts";
import { isInside, type Project } from "../../project/paths.ts";
import type { ContextRequest, ContextResponse } from "../../protocol/operations/context.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { transcriptByPath } from "../../store/memory/sessions/transcripts.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { configOf, keeperOf, withIndex, withMemory } from "../open.ts";
import { sessionSearch } from "../search/sessions.ts";
import { answerContext } from "./answer.ts";
import { codeNamed } from "./named-code.ts";
import type { FileHistory } from "./source.ts";

/**
 * The automatic context for an agent, from what is stored now. Only a daemon records what is injected: elsewhere this is a
 * preview.
 * @throws PommelError as `withMemory`, and what a search throws
 */
export async function contextFor(project: Project, request: ContextRequest): Promise<ContextResponse> {
  const { root } = project;
  const config = configOf(project);
  return withMemory(project, async (memory) => {
    const keeper = keeperOf(project, memory);
    const [search, origin] = await Promise.all([
      sessionSearch(project, memory, config),
      originOf(memory, request),
    ]);
    return answerContext(
      {
        root,
        // An edit cannot be previewed, and so no worktree matters.
        worktrees: keeper?.roots.filter((one) => one !== root) ?? [],
        memory,
        config,
        search: (query) => search.search(query),
        // An index that is missing, or fails, must not prevent the rest of the context.
        namedCode: (prompt) =>
          withIndex(project, config, (index) => codeNamed(index, prompt)).catch(() => []),
        origin,
        summary: () => summaryIn(memory, request),
        revertOf: (commit) => inTime(commitFatesOf(root, memory).revertOf(commit)),
        history: historyIn(checkoutOf([root, ...(keeper?.roots ?? [])], request.cwd)),
        branch: () => branchAtHand(request.cwd ?? root),
        now: Date.now(),
        until: null,
      },
      keeper ? request : { ...request, preview: true },
    );
  });
}

/** Git goes on for the next answer. Milliseconds. */
const gitMs = 50;

async function inTime(asked: Promise<string | null>): Promise<string | null> {
  const late = sleep(gitMs, null, { ref: false });
  return Promise.race([asked.catch(() => null), late]);
}

/** Of a project's checkouts, the one that an agent works in. */
function checkoutOf([root = "", ...others]: readonly string[], cwd = root): string {
  const around = [root, ...others].filter((one) => isInside(cwd, one));
  return around.sort((a, b) => b.length - a.length)[0] ?? root;
}

const historyIn = (dir: string): FileHistory => ({
  changes: (file) => recentChangesOf(dir, file),
  committed: (file) => gitTextIfAny(dir, ["show", `HEAD:./${file}`]),
});

/** The origin of a new session, by its transcript, which is imported only after the hooks' request. */
async function originOf(
  memory: Memory,
  { session_id: uid, transcript_path: path }: ContextRequest,
): Promise<string | null> {
  if (path === undefined || !isAbsolute(path)) return null;
  const session = sessionByUid(memory, uid);
  if (session !== null && turnsOf(memory, session.id, { first: 1, last: 1 }).length > 0) return null;
  return (await recognise(path))?.info.forkedFrom ?? null;
}

/**
 * What the agent's context was compacted to: the last summary in the transcript. The file may be ahead of what is stored, or not
 * have it yet; then nothing is known.
 */
async function summaryIn(
  memory: Memory,
  { transcript_path: path }: Pick<ContextRequest, "transcript_path">,
): Promise<string | null> {
  const known = path === undefined || !isAbsolute(path) ? null : transcriptByPath(memory, path);
  const { agent } = (known && (await recognise(known.path))) ?? {};
  if (known === null || agent === undefined) return null;
  const { offset, lineHash, sessionId } = known;
  let summary: string | null = null;
  const look = (entries: readonly Entry[]) => {
    for (const entry of entries) if (entry.kind === "summary") summary = entry.text;
  };
  const last = sessionId === null ? undefined : turnsOf(memory, sessionId).at(-1)?.number;
  if (sessionId !== null && last !== undefined)
    for (const { lines } of storedTurns(memory, sessionId, { first: last, last }))
      for (const { entries } of lines) look(entries);
  try {
    for await (const { lines } of agent.read(known.path, { offset, lineHash }))
      for (const { entries } of lines) look(entries);
  } catch {
    // It was replaced, or is gone: what is stored has to do.
  }
  return summary;
}
