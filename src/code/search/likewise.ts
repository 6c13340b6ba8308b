import { tokenize } from "../../base/text/tokens.ts";
import type { CommitIndex } from "../../store/index/port.ts";
import type { AnalysedQuery } from "./query.ts";
import { type CommitMatch, type StemWeights, sumCoveredWeight } from "./signals.ts";

/** What earlier commits changed, by path. */
export type Changes = ReadonlyMap<string, CommitMatch>;

/** What a word counts where it is in a commit; paths are looked at as they are now. */
const weights = { subject: 4, body: 1, files: 0, author: 0 };
/** Commits that are looked at. */
const maxMatchedCommits = 20;
/** A commit that changed more files than this is about none of them. */
const maxFiles = 30;
const anyTime = { since: null, until: null };

/**
 * Files that commits changed whose messages have the words of a question: who asks for something in words that the code does not
 * use may have them in common with whoever changed it. None for names, paths and messages, which stand in the code.
 */
export async function findFilesChangedLikewise(
  commits: Pick<CommitIndex, "lexical" | "get"> | undefined,
  { intent, tokens }: AnalysedQuery,
  stemWeights: StemWeights,
): Promise<Changes> {
  const changes = new Map<string, CommitMatch>();
  if (commits === undefined || intent !== "language") return changes;
  const found = await commits.lexical(tokens, weights, maxMatchedCommits, anyTime);
  const best = found[0]?.score ?? 0;
  if (best <= 0) return changes;
  const scores = new Map(found.map(({ hash, score }) => [hash, score / best]));
  for (const { hash, files, subject, body } of await commits.get([...scores.keys()])) {
    if (files.length > maxFiles) continue;
    const covered = sumCoveredWeight([...new Set(tokenize(`${subject}\n${body}`))], stemWeights);
    const strength = (scores.get(hash)! * covered) / Math.sqrt(files.length);
    for (const file of files)
      if (strength > (changes.get(file)?.strength ?? 0)) changes.set(file, { strength, subject });
  }
  return changes;
}
