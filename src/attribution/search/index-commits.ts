import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../../base/config/settings.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { GitFailure, readGitFields, readGitText } from "../../git/git.ts";
import { type Commit, listCommits, readHeadCommit } from "../../git/history/history.ts";
import { createProjectScrubber } from "../../redact/project-scrubber.ts";
import { type Scrubber, scrubAlone } from "../../redact/scrubber.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { IndexedCommit } from "../../store/index/records.ts";

/** Key of `meta`: the commit of HEAD up to which all of history is indexed. */
export const indexedHead = "commits_head";

/** Commits in one transaction: some 30 ms, for which a save waits. With 100, two thirds more would be written. */
const commitsPerBatch = 400;
/** Characters of a message; a longer one is a log. */
const maxMessage = 8_000;
/** A commit that touches more is an import, and is not about any of them. */
const maxFiles = 300;

interface IndexCommitsOptions {
  log: Logger;
  /** Ends it early; what is indexed by then stays. */
  signal?: AbortSignal | undefined;
}

/**
 * Brings the commits of an index in step with HEAD's history: reads what is new since the last time, and forgets what a
 * rebase or another branch has left behind.
 * @throws PommelError of the index, `config_invalid` for rules of secrets that make no sense; GitFailure if git fails midway
 */
export async function indexCommits(
  project: Project,
  config: Config,
  index: Pick<CodeIndex, "commits" | "meta" | "setMeta">,
  { log, signal }: IndexCommitsOptions,
): Promise<void> {
  const { root } = project;
  const head = await readHeadCommit(root);
  const last = (await index.meta(indexedHead)) || null;
  // No repository, no git, or no commit yet.
  if (head === null || head === last) return;
  const start = performance.now();
  const toIndexed = createIndexedCommits(createProjectScrubber(project, config));
  const isLater = last !== null && (await isAncestor(root, last, head, signal));
  // Everything is looked at again where history does not just go on.
  const known = isLater ? new Set<string>() : new Set(await index.commits.listHashes());
  if (known.size > 0) {
    await index.setMeta(indexedHead, "");
    await index.commits.remove(await without(known, listHistoryHashes(root, head, signal)));
  }
  let waiting: IndexedCommit[] = [];
  let added = 0;
  const store = async () => {
    await index.commits.add(waiting);
    added += waiting.length;
    waiting = [];
    await nextTurn(undefined, { signal });
  };
  const revisions = isLater ? [head, `^${last}`] : [head];
  for await (const commit of listCommits(root, { revisions, merges: true, signal })) {
    if (known.has(commit.hash)) continue;
    waiting.push(toIndexed(commit));
    if (waiting.length === commitsPerBatch) await store();
  }
  await store();
  await index.setMeta(indexedHead, head);
  log.info(`indexed ${added} commits in ${Math.round(performance.now() - start) / 1000} s`);
}

/** Makes them of commits as git has them, one after the other: the same few people wrote them all. */
function createIndexedCommits(scrubber: Scrubber): (commit: Commit) => IndexedCommit {
  const authors = new Map<string, string>();
  return ({ hash, author: given, authoredAt, message, files }) => {
    let author = authors.get(given);
    if (author === undefined) {
      author = scrubAlone(scrubber, given);
      authors.set(given, author);
    }
    // The whole at once: a scrubber takes longer for two texts than for one as long as both.
    const [subject = "", ...body] = scrubAlone(scrubber, shortenText(message, maxMessage)).split("\n");
    return {
      hash,
      author,
      authoredAt,
      subject,
      body: body.join("\n").trim(),
      files: files.slice(0, maxFiles),
    };
  };
}

function listHistoryHashes(root: string, head: string, signal?: AbortSignal): AsyncGenerator<string> {
  return readGitFields(root, ["log", "-z", "--no-show-signature", "--format=%H", head, "--"], signal);
}

async function without(known: ReadonlySet<string>, still: AsyncIterable<string>): Promise<string[]> {
  const gone = new Set(known);
  for await (const hash of still) gone.delete(hash);
  return [...gone];
}

async function isAncestor(dir: string, old: string, head: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await readGitText(dir, ["merge-base", "--is-ancestor", old, head], signal);
    return true;
  } catch (error) {
    // It is none, or git has forgotten it.
    if (error instanceof GitFailure) return false;
    throw error;
  }
}
