import type { Agent, Cursor, TranscriptInfo, TranscriptLine } from "../../src/agents/agent.ts";

/** A transcript as the agent writes it, small. */
export interface TranscriptSample {
  /** Where it lies under one of the agent's roots. */
  path: string;
  text: string;
  info: TranscriptInfo;
  /** Files that the agent keeps beside it, by path under the root. */
  beside?: Readonly<Record<string, string>>;
}

export interface AgentSamples {
  agent: Agent;
  /** The environment in which `root` is one of the agent's roots. */
  env: (root: string) => NodeJS.ProcessEnv;
  root: (dir: string) => string;
  /** Under the root, what a transcript can be called; `one/sample.jsonl` if left out. */
  scratch?: string;
  /** At least one, all different. */
  transcripts: readonly TranscriptSample[];
  /** Every command that ran in them, each once, in any order. One at least. */
  commands: readonly string[];
  /** Files near transcripts that are none. */
  others: readonly string[];
  /** A transcript that holds a picture in every place where one can stand, and the picture's base64. */
  withPictures: { text: string; picture: string };
  /** A line of an unknown type, and what it is counted as. */
  unknownLine: { line: string; reason: string };
}

export interface ReadAll {
  lines: TranscriptLine[];
  skipped: Record<string, number>;
  cursor: Cursor | null;
}

/** Everything from `cursor` on, as one. */
export async function readAll(agent: Agent, file: string, cursor: Cursor | null = null): Promise<ReadAll> {
  const all: ReadAll = { lines: [], skipped: {}, cursor };
  for await (const batch of agent.read(file, cursor)) add(all, { ...batch, lines: batch.lines });
  return all;
}

/** Puts what was read behind what was read before. */
export function add(all: ReadAll, { lines, skipped, cursor }: ReadAll): void {
  all.lines.push(...lines);
  for (const [reason, count] of Object.entries(skipped))
    all.skipped[reason] = (all.skipped[reason] ?? 0) + count;
  all.cursor = cursor;
}

/** Where lines end: behind each line feed. */
export const endsOf = (bytes: Uint8Array): number[] =>
  [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
