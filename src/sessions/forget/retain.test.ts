import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { fixtureStart, prompt, text } from "../../../test/support/turn-fixture.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { listSessions, readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import { listSummaries } from "../../store/memory/sessions/summaries.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { sumUpSession } from "../summaries/sum-up.ts";
import { expireOldTurns } from "./forget.ts";

const day = 86_400_000;
let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

it("removes old turns, and keeps notes, summaries and their chunks", async () => {
  const conversation = [
    prompt("Fix the parser\nNote to Pommel: parsed"),
    text("Fixed it in the tokeniser. ".repeat(60)),
  ];
  const old = await stage.store("old", ...conversation);
  const young = await stage.store("young", { at: fixtureStart + 40 * day }, ...conversation);
  for (const uid of ["old", "young"]) await sumUpSession({ ...stage.work, llm: null }, uid);
  const kept = stage.chunkTexts(old.id).filter(({ type }) => type !== "raw");
  const now = fixtureStart + 50 * day;

  expect(expireOldTurns(stage.memory, { days: 0, now })).toEqual([]);
  expect(expireOldTurns(stage.memory, { days: 365, now })).toEqual([]);
  expect(listTurns(stage.memory, old.id)).toHaveLength(1);

  expect(expireOldTurns(stage.memory, { days: 30, now })).toEqual([old.id]);
  expect(listTurns(stage.memory, old.id)).toEqual([]);
  expect(stage.chunkTexts(old.id)).toEqual(kept);
  expect(new Set(kept.map(({ type }) => type))).toEqual(new Set(["annotated", "summary"]));
  expect(listSummaries(stage.memory, old.id)).toHaveLength(1);
  // The list matches the count.
  expect(listSessions(stage.memory, { remembered: true })).toHaveLength(2);
  expect(readMemoryCounts(stage.memory)).toMatchObject({ sessions: 2, agents: { claude: 2 }, turns: 1 });
  expect(listStoredNotes(stage.memory)).toHaveLength(2);
  expect(listTurns(stage.memory, young.id)).toHaveLength(1);
  expect(stage.memory.countPages().free).toBe(0);
  expect(expireOldTurns(stage.memory, { days: 30, now })).toEqual([]);
});
