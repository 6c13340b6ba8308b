import { pickTellingLines } from "../../base/text/telling-lines.ts";
import { streamChangedFilesOfEach } from "../../git/diff/changes.ts";
import { GitFailure } from "../../git/git.ts";
import { listEffectiveReverts } from "../../git/history/ancestry.ts";
import { readCommits } from "../../git/history/commits.ts";
import { rememberedMs } from "./find-commands.ts";
import { hashLine, type TakenBackLines } from "./match.ts";

/** What `git revert` took back, and nobody put there again by reverting the revert. */
export interface RevertedChange {
  traces: TakenBackLines[];
  /** What was taken out, the first lines. */
  lines: string[];
  hash: string;
  subject: string;
  /** Why, in the words of the commit; "" for none. */
  reason: string;
  at: number;
}

/** The latest; files of each, and lines of one. */
const maxCounts = { reverts: 30, files: 20, lines: 200 } as const;

/** @param dir a checkout; without git there are none */
export async function findReverts(dir: string): Promise<RevertedChange[]> {
  try {
    const hashes = (await listEffectiveReverts(dir, Date.now() - rememberedMs)).slice(0, maxCounts.reverts);
    if (hashes.length === 0) return [];
    const found = new Map<string, RevertedChange>();
    for await (const { hash, message, committedAt } of readCommits(dir, ["--no-walk", ...hashes])) {
      const [subject = "", ...body] = message.split("\n");
      const reason = body
        .filter((line) => !/^This reverts commit|^(?:[A-Z][\w-]+): |^\(cherry picked/.test(line))
        .join(" ")
        .replace(/^[\s,]*|\s+/g, " ")
        .trim();
      found.set(hash, { traces: [], lines: [], hash, subject, reason, at: committedAt });
    }
    for await (const { hash, files } of streamChangedFilesOfEach(dir, hashes)) {
      const revert = found.get(hash);
      for await (const { path, hunks } of files) {
        const removed = pickTellingLines(hunks.flatMap((hunk) => hunk.removed));
        if (revert === undefined || revert.traces.length >= maxCounts.files) continue;
        if (removed.length === 0 || removed.length > maxCounts.lines) continue;
        revert.traces.push({ kind: "lines", path, lines: [...new Set(removed.map(hashLine))] });
        revert.lines.push(...removed.slice(0, 4));
      }
    }
    return [...found.values()].filter(({ traces }) => traces.length > 0);
  } catch (error) {
    if (error instanceof GitFailure) return [];
    throw error;
  }
}
