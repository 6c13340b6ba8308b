import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getErrorCode } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createScrubber } from "../../src/redact/create-scrubber.ts";
import { buildKindRules } from "../../src/sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { temporaryMemory } from "../support/memory-fixture.ts";
import { Mutator } from "./mutate.ts";
import type { Tally } from "./tally.ts";
import { seedsOf } from "./transcript-seeds.ts";

const linesPerFile = 40;
const filesPerMemory = 100;

/** Reads transcripts of mutated lines with every adapter, and stores what they say. A case is a mutated line. */
export async function fuzzTranscripts(
  tally: Tally,
  cases: number,
  { seed, corpus, deadline }: { seed: number; corpus: string | null; deadline: number },
): Promise<void> {
  const all = seedsOf(corpus);
  const dir = mkdtempSync(join(tmpdir(), "pommel-fuzz-"));
  const scrubber = createScrubber({ globalFile: "", projectFile: null, pii: false });
  let kept = temporaryMemory();
  try {
    for (let at = seed; tally.cases < cases && performance.now() < deadline; at++) {
      if (at % filesPerMemory === 0) {
        kept.remove();
        kept = temporaryMemory();
      }
      const mutator = new Mutator(at);
      const { agent, path, files, whole, write, beside = {}, transcript = path } = all[at % all.length]!;
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      for (const [name, text] of Object.entries(beside)) writeFileSync(join(dir, name), text);
      const lines = mutated(mutator, mutator.pick(files));
      const end = mutator.chance(0.9) ? "\n" : "";
      if (write) write(file, lines);
      else writeFileSync(file, whole?.(lines) ?? lines.join("\n") + end);
      tally.cases += lines.length;
      const read = () =>
        ingestTranscript(
          {
            memory: kept.memory,
            agent,
            scrubber,
            ledgerKey: Buffer.alloc(32, 7),
            embedder: null,
            chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
            maxChunks: 0,
            root: "/home/dev/shop",
            worktrees: [],
            log: silentLog,
          },
          join(dir, transcript),
        );
      // An id that is none is refused by name.
      await tally.attempt(at, read, (error) => getErrorCode(error) === "transcript_refused");
    }
  } finally {
    kept.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

function mutated(mutator: Mutator, lines: readonly string[]): string[] {
  // Most keep the line that says whose transcript this is.
  const result = mutator.chance(0.8) ? [lines[0]!] : [];
  while (result.length < linesPerFile) {
    const line = mutator.pick(lines);
    result.push(mutator.chance(0.1) ? line : mutatedLine(mutator, line));
  }
  return result;
}

function mutatedLine(mutator: Mutator, line: string): string {
  if (mutator.chance(0.25)) return mutator.text(line);
  try {
    let value: unknown = JSON.parse(line);
    for (let left = 1 + mutator.below(3); left > 0; left--) value = mutator.json(value);
    return JSON.stringify(value) ?? "";
  } catch {
    return mutator.text(line);
  }
}
