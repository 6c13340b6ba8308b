import { commitsTouching } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { type AncestorSources, ancestorsAmong } from "./consumed.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { inheritedFrom } from "./origins.ts";
import type { ChangeToAttribute } from "./types.ts";
import type { Verdict } from "./verdict.ts";

/**
 * A squash merge, or a pick that git does not report, holds what commits beside its history added: their lines keep
 * their verdicts.
 */

/** A branch was begun this long before, at most. Milliseconds. */
const branchMs = 60 * 86_400_000;
const mostCommits = 100;
/** Lines that both added. */
const fewestLines = 3;
const enough = 1;
const weighty = 0.5;

/** @param verdicts by index in the file's `lines`; gets those of lines that were unclear, too */
export async function addFromSide(
  { memory, ...git }: { memory: Memory } & AncestorSources,
  change: ChangeToAttribute,
  file: FileToAttribute,
  verdicts: Map<number, Verdict>,
  signal?: AbortSignal,
): Promise<void> {
  const { hash, parent, committedAt } = change;
  if (hash === null || parent === null) return;
  const open = new Set(
    file.lines.flatMap(({ isAdded, key, weight }, i) => {
      const verdict = verdicts.get(i);
      const isOpen = verdict === undefined || verdict.author === "unknown" || verdict.how === "absence";
      return isAdded && weight >= weighty && isOpen ? [key] : [];
    }),
  );
  if (open.size < fewestLines) return;
  const range = { since: committedAt - branchMs, until: committedAt, limit: mostCommits };
  const alike = commitsTouching(memory, file.change.path, range)
    .filter((each) => each.hash !== hash && !change.predecessors.includes(each.hash))
    .filter(
      ({ added }) =>
        new Set(added.filter(({ key }) => open.has(key)).map(({ key }) => key)).size >= fewestLines,
    )
    .map((each) => each.hash);
  if (alike.length === 0) return;
  const before = await ancestorsAmong(git, parent, alike, signal);
  const side = alike.filter((each) => !before.has(each));
  for (const [i, { verdict, support }] of inheritedFrom(memory, side, file)) {
    const known = verdicts.get(i);
    if (support >= enough && (known === undefined || known.author === "unknown" || known.how === "absence"))
      verdicts.set(i, verdict);
  }
}
