import { afterAll, beforeAll, expect, it } from "vitest";
import type { Project } from "../../src/project/paths.ts";
import { fuzzCommandLines, fuzzRequests, projectToAsk } from "./questions.ts";
import { fuzzSources } from "./sources.ts";
import { Tally } from "./tally.ts";
import { fuzzTranscripts } from "./transcripts.ts";

/** A short run; `npm run fuzz` is the long one. Others may load this machine, so a hang is longer here. */

let project: Project;
let remove: () => void;
beforeAll(async () => {
  ({ project, remove } = await projectToAsk());
}, 60_000);
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
  60_000,
);
