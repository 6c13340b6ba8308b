import type { AttributedLines } from "../../attribution/foreign/types.ts";
import { placeOf } from "../../git/diff/changes.ts";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import { commitNamed, historyProblem } from "../../git/history/history.ts";
import { PommelError } from "../../project/errors.ts";
import { attributionsOf } from "../../store/memory/commits/attributions.ts";
import { commitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";

/** A commit with who wrote its lines; paths from the top of the repository. */
export interface AttributedCommit {
  info: CommitInfo;
  lines: AttributedLines[];
}

/**
 * The commits of a range whose lines have an attribution of our own, newest first. What another tool says about a line is
 * left out: it is not ours to repeat.
 * @param range as `git log` takes it; one revision alone is that commit; null: HEAD's history
 * @throws PommelError `usage` without a repository, `not_found` for a range that git does not know
 */
export async function* attributedCommits(
  memory: Memory,
  root: string,
  range: string | null,
  signal?: AbortSignal,
): AsyncGenerator<AttributedCommit, void, undefined> {
  const agents = new Map<string, string | null>();
  const agentOf = (uid: string) => {
    if (!agents.has(uid)) agents.set(uid, sessionByUid(memory, uid)?.agent ?? null);
    return agents.get(uid)!;
  };
  const { prefix } = await placeOf(root, signal);
  for await (const info of commitsInRange(root, range, signal)) {
    const commit = commitByHash(memory, info.hash);
    if (commit === null) continue;
    const lines = attributionsOf(memory, commit.id)
      .filter(({ how }) => how !== "note")
      .map((record) => linesOf(record, prefix, agentOf));
    if (lines.length > 0) yield { info, lines };
  }
}

function linesOf(
  { path, firstLine, lastLine, author, sessionUid, toolUse, model }: AttributionRecord,
  prefix: string,
  agentOf: (uid: string) => string | null,
): AttributedLines {
  const isAgent = author === "agent";
  return {
    path: prefix + path,
    first: firstLine,
    last: lastLine,
    author,
    tool: isAgent && sessionUid !== null ? agentOf(sessionUid) : null,
    model: isAgent ? model : null,
    session: isAgent ? sessionUid : null,
    call: isAgent ? toolUse : null,
    person: null,
  };
}

/** The commits of a range, newest first; see `attributedCommits`. */
async function* commitsInRange(
  root: string,
  range: string | null,
  signal?: AbortSignal,
): AsyncGenerator<CommitInfo, void, undefined> {
  const isOne = range !== null && !range.includes("..");
  const revisions = isOne ? ["--no-walk", range] : [range ?? "HEAD"];
  if (range?.startsWith("-")) throw noRange(range);
  if (isOne && (await commitNamed(root, range)) === null)
    throw (await historyProblem(root, signal)) ?? noRange(range);
  try {
    yield* readCommits(root, revisions, { signal });
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason !== "failed" || range === null) throw error;
    throw noRange(range);
  }
}

const noRange = (range: string) =>
  new PommelError(
    "not_found",
    `git knows no commits ${range}.`,
    "Name a commit or a range: HEAD, v1.2.0, main..HEAD.",
  );
