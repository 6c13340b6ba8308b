import { createHash } from "node:crypto";

/** A question from the project's own text, and its answer. */
export interface QuestionPair {
  query: string;
  targets: readonly PairTarget[];
}

/** A file, or a part of one when lines are given. */
export interface PairTarget {
  file: string;
  /** 1-based, inclusive. */
  lines?: readonly [first: number, last: number];
}

interface SourceLines {
  file: string;
  start_line: number;
  end_line: number;
  /** Files that hold the same. */
  also_in?: readonly string[];
}

/**
 * The 1-based rank of the first result for each found target. A result must lie within a target's lines: the class or
 * file around a function does not count.
 */
export function rankTargets({ targets }: QuestionPair, results: readonly SourceLines[]): number[] {
  return targets
    .map(({ file, lines }) => {
      const isIt = (result: SourceLines) =>
        lines === undefined
          ? result.file === file || result.also_in?.includes(file)
          : result.file === file && result.start_line >= lines[0] && result.end_line <= lines[1];
      return 1 + results.findIndex(isIt);
    })
    .filter((rank) => rank > 0);
}

/** Random numbers in [0, 1) that are the same for the same seed: the first bytes of SHA-256 over a counter. */
function makeSeededRandom(seed: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}\n${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** Shuffles deterministically by seed (Fisher and Yates). */
export function shuffleBySeed<T>(items: readonly T[], seed: string): T[] {
  const random = makeSeededRandom(seed);
  const left = [...items];
  for (let i = left.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left;
}
