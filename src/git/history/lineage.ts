import { gitBytes } from "../git.ts";
import { linesOf } from "../output-lines.ts";

/** With more commits than this, asking git each time is cheaper than holding them. One takes about 200 bytes. */
const maxCommits = 200_000;

/** Who comes before whom among the commits that some tips reach: read once, for many questions. */
export class Lineage {
  /** The last answer: most questions in a row are about one tip. */
  private last: { tip: number; reached: Uint8Array } | null = null;

  private constructor(
    private readonly numbers: ReadonlyMap<string, number>,
    private readonly parents: readonly (readonly number[])[],
  ) {}

  /**
   * @param tips hashes
   * @returns null where there are too many commits to hold
   * @throws GitFailure
   */
  static async of(dir: string, tips: readonly string[], signal?: AbortSignal): Promise<Lineage | null> {
    const numbers = new Map<string, number>();
    const parents: number[][] = [];
    if (tips.length === 0) return new Lineage(numbers, parents);
    const args = ["rev-list", "--topo-order", "--reverse", "--parents", "--stdin"];
    const stdin = tips.map((hash) => `${hash}\n`);
    for await (const lines of linesOf(gitBytes(dir, args, { signal, stdin }))) {
      for (const line of lines) {
        const [hash = "", ...before] = line.split(" ");
        numbers.set(hash, parents.length);
        // Parents come first; what a shallow clone cut off has no number.
        parents.push(before.flatMap((parent) => numbers.get(parent) ?? []));
        if (parents.length > maxCommits) return null;
      }
    }
    return new Lineage(numbers, parents);
  }

  /**
   * Those of the commits that `tip` is, or comes after; null if the tip is not among the commits.
   * @param tip whole hash
   * @param hashes whole hashes; what no tip reaches comes before nothing
   */
  ancestorsAmong(tip: string, hashes: readonly string[]): Set<string> | null {
    const start = this.numbers.get(tip);
    if (start === undefined) return null;
    const reached = this.reachedFrom(start);
    return new Set(hashes.filter((hash) => reached[this.numbers.get(hash) ?? -1] === 1));
  }

  private reachedFrom(tip: number): Uint8Array {
    if (this.last?.tip === tip) return this.last.reached;
    const reached = new Uint8Array(tip + 1);
    reached[tip] = 1;
    // Parents have smaller numbers, so that one pass downwards meets each commit after its children.
    for (let number = tip; number >= 0; number--) {
      if (reached[number] === 1) for (const parent of this.parents[number]!) reached[parent] = 1;
    }
    this.last = { tip, reached };
    return reached;
  }
}
