import { loadConfig } from "../../base/config/config.ts";
import type { Project } from "../../base/paths.ts";
import { readGitFields, readGitText, readGitTextIfAny } from "../../git/git.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";

/** Branches on which another tool keeps sessions, and no code: Entire's. */
const foreign = /^refs\/(heads|remotes\/[^/]+)\/entire\//;

/**
 * The tips of history, as hashes of commits: branches, remote branches and tags, and the checked-out commit of each
 * worktree; without the branches that share sessions.
 * @throws GitFailure without a repository, or without git
 */
export async function listHistoryTips(project: Project, signal?: AbortSignal): Promise<string[]> {
  // Before the first commit there are no names, but there is a repository.
  await readGitText(project.root, ["rev-parse", "--git-dir"], signal);
  const shared = loadConfig(project).config["sync.branch"];
  const tips = new Set<string>();
  const format = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00";
  const args = ["for-each-ref", format, "refs/heads", "refs/remotes", "refs/tags"];
  const fields = readGitFields(project.root, args, signal);
  for await (const name of fields) {
    const ref = name.replace(/^\n/, "");
    const [type, hash, taggedType, tagged] = [
      (await fields.next()).value,
      (await fields.next()).value,
      (await fields.next()).value,
      (await fields.next()).value,
    ];
    const isMemory = ref.replace(/^refs\/(heads|remotes\/[^/]+)\//, "") === shared || foreign.test(ref);
    if (isMemory) continue;
    if (type === "commit" && hash) tips.add(hash);
    else if (taggedType === "commit" && tagged) tips.add(tagged);
  }
  for (const root of await listProjectRoots(project.root, signal)) {
    const head = await readHeadIfAny(root, signal);
    if (head !== null) tips.add(head);
  }
  return [...tips];
}

const readHeadIfAny = (root: string, signal?: AbortSignal): Promise<string | null> =>
  readGitTextIfAny(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], signal);
