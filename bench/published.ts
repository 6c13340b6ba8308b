import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The branch on which some repositories publish the transcripts of their sessions. */
const publishedSessions = "entire/checkpoints/v1";

/** Newer ones keep each checkpoint under a ref of its own instead. */
const publishedRefs = "refs/entire/checkpoints";

/** As Codex's transcripts begin; it calls them rollouts. */
const codexHead = '"type":"session_meta"';
/** What Claude Code writes into each line, and Codex into the first one. */
const sessionIn = /(?:"sessionId" ?: ?|"type":"session_meta","payload":\{[^}]*?"id":)"([0-9a-f-]{36})"/;

/**
 * Takes the transcripts of Claude Code and Codex out of a clone that has them; of each session the longest one, as every commit adds another.
 * @param revision where they are (default: the branch, and the refs of single checkpoints)
 * @param root where the sessions are to have been held; left out: where they were
 * @param withCodex whether Codex's are wanted, too
 * @returns how many sessions there are
 */
export function takePublishedTranscripts(
  clone: string,
  dir: string,
  { revision, root, withCodex = true }: { revision?: string; root?: string; withCodex?: boolean } = {},
): number {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1e9 });
  const revisions =
    revision === undefined
      ? git("for-each-ref", "--format=%(refname)", `refs/heads/${publishedSessions}`, publishedRefs)
          .trim()
          .split("\n")
      : [revision];
  const hashes = new Set(
    revisions.flatMap((one) =>
      git("ls-tree", "-r", one)
        .split("\n")
        .filter((line) => line.endsWith("/full.jsonl"))
        .map((line) => line.split(/\s/)[2]!),
    ),
  );
  const longest = new Map<string, string>();
  for (const hash of hashes) {
    // A partial clone lacks the largest ones.
    const { status, stdout } = spawnSync("git", ["-C", clone, "cat-file", "blob", hash], {
      encoding: "utf8",
      maxBuffer: 1e9,
    });
    if (status !== 0 || (!withCodex && stdout.includes(codexHead))) continue;
    const session = sessionIn.exec(stdout)?.[1];
    if (session !== undefined && stdout.length > (longest.get(session)?.length ?? 0))
      longest.set(session, stdout);
  }
  mkdirSync(dir, { recursive: true });
  for (const [session, text] of longest) {
    const cwd = /"cwd" ?: ?"([^"]+)"/.exec(text)?.[1];
    const held = root === undefined || cwd === undefined ? text : text.replaceAll(cwd, root);
    writeFileSync(join(dir, `${text.includes(codexHead) ? "rollout-" : ""}${session}.jsonl`), held);
  }
  return longest.size;
}
