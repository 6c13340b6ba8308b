import { beforeAll, expect, test } from "vitest";
import { bindingFiguresOf, figuresOf } from "./figures.ts";
import { type MeasuredRepository, measure } from "./measure.ts";
import { planOf } from "./weights.ts";

/** Small repositories of the corpus of `npm run bench:attribution`; its report has the figures of all of them. */
const seeds = [105, 106, 107, 108];
const steps = 16;

const measured: MeasuredRepository[] = [];

beforeAll(async () => {
  for (const seed of seeds) measured.push(await measure(seed, { plan: planOf(null), steps }));
});

const linesBy = (keeper: string) => measured.flatMap(({ by }) => by[keeper]!.lines);

test("where Pommel watched, it finds agents' lines and attributes nobody else's to them", () => {
  const lines = linesBy("live");
  const { agentPrecision, agentRecall, session, turn } = figuresOf(lines);
  for (const kind of ["agent", "human", "untold"]) {
    expect(lines.filter(({ truth }) => truth.kind === kind).length, kind).toBeGreaterThan(50);
  }
  expect(agentPrecision).toBeGreaterThanOrEqual(0.98);
  expect(agentRecall).toBeGreaterThanOrEqual(0.95);
  expect(session).toBeGreaterThanOrEqual(0.98);
  expect(turn).toBeGreaterThanOrEqual(0.97);
});

test("imported history has less evidence, and no more is claimed", () => {
  const { agentPrecision, agentRecall } = figuresOf(linesBy("imported"));
  expect(agentPrecision).toBeGreaterThanOrEqual(0.98);
  // A generator's output is in no transcript.
  expect(agentRecall).toBeGreaterThanOrEqual(0.75);
});

test("commits are linked to the sessions that led to them", () => {
  const { precision, recall } = bindingFiguresOf(measured.flatMap(({ by }) => by.live!.bindings));
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(recall).toBeGreaterThanOrEqual(0.9);
});

test("no line from before Pommel is attributed to an agent", () => {
  const before = linesBy("live").filter(({ tags }) => tags.includes("commit: before"));
  expect(before.length).toBeGreaterThan(0);
  expect(before.filter(({ verdict }) => verdict?.author === "agent")).toEqual([]);
});
