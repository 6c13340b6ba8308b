import { extname } from "node:path/posix";
import { dayMs } from "../../base/text/day.ts";
import { listCommitsTouching } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { RecordedCommits } from "../evidence/recorded-commits.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { type AncestorSources, filterAncestors } from "./fill-between.ts";
import { inheritVerdicts, matchStoredVerdicts } from "./origins.ts";
import { type AuthorVerdict, type ChangeToAttribute, toMovedVerdict } from "./verdict.ts";

/** Lines that other stored commits added keep their verdicts. */

/** A branch was begun this long before, at most, and what is copied was committed. Milliseconds. */
const branchMs = 60 * dayMs;
const mostCommits = 100;
/** Lines that both added. */
const fewestLines = 3;
const minLineWeight = 1;
/** For a block of any file: a few lines that are the same may be new ones. */
const copied = 2.5;
const weighty = 0.5;

const isOpen = (known: AuthorVerdict | undefined) =>
  known === undefined || known.author === "unknown" || known.how === "absence";

/**
 * A squash merge, or a pick that git does not report, holds what commits beside its history added.
 * @param verdicts by index in the file's `lines`; gets those of lines that were unclear, too
 */
export async function addFromSide(
  { memory, ...git }: { memory: Memory } & AncestorSources,
  change: ChangeToAttribute,
  file: FileToAttribute,
  verdicts: Map<number, AuthorVerdict>,
  signal?: AbortSignal,
): Promise<void> {
  const { hash, parent, committedAt } = change;
  if (hash === null || parent === null) return;
  const open = new Set(
    file.lines.flatMap(({ isAdded, key, weight }, i) => {
      const verdict = verdicts.get(i);
      return isAdded && weight >= weighty && isOpen(verdict) ? [key] : [];
    }),
  );
  if (open.size < fewestLines) return;
  const range = { since: committedAt - branchMs, until: committedAt, limit: mostCommits };
  const alike = listCommitsTouching(memory, file.change.path, range)
    .filter((each) => each.hash !== hash && !change.predecessors.includes(each.hash))
    .filter(
      ({ added }) =>
        new Set(added.filter(({ key }) => open.has(key)).map(({ key }) => key)).size >= fewestLines,
    )
    .map((each) => each.hash);
  if (alike.length === 0) return;
  const before = await filterAncestors(git, parent, alike, signal);
  const side = alike.filter((each) => !before.has(each));
  for (const [i, { verdict, support }] of inheritVerdicts(memory, side, file)) {
    if (support >= minLineWeight && isOpen(verdicts.get(i))) verdicts.set(i, verdict);
  }
}

/**
 * A block that an agent wrote and somebody copied from any file, or put back, is still the agent's.
 * @param verdicts by index in the file's `lines`; gets those of lines that would be a person's
 */
export function addCopies(
  { memory, recorded }: { memory: Memory; recorded: RecordedCommits },
  { hash, committedAt }: ChangeToAttribute,
  file: FileToAttribute,
  verdicts: Map<number, AuthorVerdict>,
): void {
  const open = openBlocks(file, verdicts);
  if (open === null) return;
  const range = { since: committedAt - branchMs, until: committedAt };
  const sources = recorded.listFilesBetween(range).flatMap((commit) => {
    if (commit.hash === hash) return [];
    const paths = commit.files.flatMap(({ path, keys }) => {
      if (extname(path) !== extname(file.change.path)) return [];
      return new Set(keys.filter((key) => open.has(key))).size >= fewestLines ? [path] : [];
    });
    return paths.length > 0 ? [{ hash: commit.hash, paths }] : [];
  });
  if (sources.length === 0) return;
  for (const [i, { verdict, support }] of matchStoredVerdicts(memory, sources, file)) {
    if (support < copied || verdict.author !== "agent" || verdicts.get(i)?.how !== "absence") continue;
    verdicts.set(i, toMovedVerdict(verdict));
  }
}

/** The lines that would be a person's; null where fewer than a block stand together. */
function openBlocks(
  { lines }: FileToAttribute,
  verdicts: ReadonlyMap<number, AuthorVerdict>,
): ReadonlySet<number> | null {
  const open = new Set<number>();
  let [count, longest, last] = [0, 0, 0];
  for (const [i, { how }] of [...verdicts].sort(([a], [b]) => a - b)) {
    const { key, weight, line } = lines[i]!;
    if (how !== "absence" || weight < weighty) continue;
    open.add(key);
    count = line - last <= 3 ? count + 1 : 1;
    last = line;
    longest = Math.max(longest, count);
  }
  return longest < fewestLines ? null : open;
}
