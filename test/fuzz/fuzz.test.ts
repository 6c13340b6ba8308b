import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import type { Project } from "../../src/base/paths.ts";
import { readAll } from "../support/agent-samples.ts";
import { fuzzCommandLines, fuzzRequests, projectToAsk } from "./questions.ts";
import { fuzzSources } from "./sources.ts";
import { Tally } from "./tally.ts";
import { seedsOf } from "./transcript-seeds.ts";
import { fuzzTranscripts } from "./transcripts.ts";

/** A short run; `npm run fuzz` is the long one. Others may load this machine, so a hang is longer here. */

let project: Project;
let remove: () => void;
beforeAll(async () => {
  ({ project, remove } = await projectToAsk());
});
afterAll(() => remove());

const options = { seed: 7, deadline: Number.POSITIVE_INFINITY };

it.each([
  ["transcript lines", 2000, (tally, cases) => fuzzTranscripts(tally, cases, { ...options, corpus: null })],
  ["sources", 150, (tally, cases) => fuzzSources(tally, cases, options)],
  ["requests", 60, (tally, cases) => fuzzRequests(tally, cases, project, options)],
  ["command lines", 60, (tally, cases) => fuzzCommandLines(tally, cases, project, options)],
] satisfies [string, number, (tally: Tally, cases: number) => Promise<void>][])(
  "mutated %s crash nothing",
  async (name, cases, run) => {
    const tally = new Tally(name, 30_000);
    await run(tally, cases);
    expect(tally.faults).toEqual([]);
    expect(tally.cases).toBeGreaterThanOrEqual(cases);
  },
);

it.each(agents.map((agent) => [agent.name, agent] as const))(
  "what is mutated of %s is read while it is whole",
  async (_, agent) => {
    const seeds = seedsOf(null).find((one) => one.agent === agent);
    if (seeds === undefined) throw new Error(`transcript-seeds.ts has none of ${agent.name}.`);
    const dir = mkdtempSync(join(tmpdir(), "pommel-fuzz-"));
    try {
      const file = join(dir, seeds.path);
      const beside = Object.entries(seeds.beside ?? {}).map(
        ([name, text]) => [join(dir, name), text] as const,
      );
      const [lines] = seeds.files;
      const text = seeds.whole?.(lines!) ?? `${lines!.join("\n")}\n`;
      mkdirSync(dirname(file), { recursive: true });
      for (const [path, content] of beside) writeFileSync(path, content);
      if (seeds.write) seeds.write(file, lines!);
      else writeFileSync(file, text);
      const read = await readAll(agent, join(dir, seeds.transcript ?? seeds.path));
      const entries = read.lines.flatMap((line) => line.entries);
      expect(entries.filter(({ kind }) => kind === "prompt").length).toBeGreaterThan(0);
      expect(entries.filter(({ kind }) => kind === "tool_use").length).toBeGreaterThan(0);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
);
