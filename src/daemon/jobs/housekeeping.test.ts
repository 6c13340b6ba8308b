import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { allChunks } from "../../store/memory/chunks/chunk-filter.ts";
import { matchSessionTokens } from "../../store/memory/chunks/chunk-lookup.ts";
import { mergeTerms, replaceChunks } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { Housekeeping } from "./housekeeping.ts";

let temporary: ReturnType<typeof temporaryMemory>;
let housekeeping: Housekeeping;

beforeEach(() => {
  vi.useFakeTimers();
  temporary = temporaryMemory();
  housekeeping = new Housekeeping({
    memory: temporary.memory,
    config: makeDefaultConfig(),
    isResting: () => false,
    scrubVersion: () => "1",
    enqueue: () => {},
    onFailure: () => {},
    log: silentLog,
  });
});

afterEach(() => {
  housekeeping.close();
  temporary.remove();
  vi.useRealTimers();
});

const weights = { prompt: 1, answer: 1, actions: 1, errors: 1 };
const scores = (memory: Memory) =>
  matchSessionTokens(memory, ["quince"], weights, 10, allChunks).map(({ score }) => score);

test("words keep their weight during a session, which makes its last chunks anew again and again", () => {
  const { memory } = temporary;
  const { id } = addSession(memory, "s");
  const texts = ["quince jam", "apple pie", "pear tart", "plum cake"];
  const put = (chunks: readonly string[]) =>
    replaceChunks(
      memory,
      id,
      { type: "raw", from: 0 },
      chunks.map((text, position) => chunk(position, text)),
    );
  // Chunks that stay the same are not written again.
  const store = () => {
    put([]);
    put(texts);
  };
  store();
  const expected = scores(memory);
  expect(expected).toHaveLength(1);
  for (let time = 0; time < 5; time++) store();
  expect(scores(memory)).toEqual(expected);
});

test("parts of the full-text index are merged step by step", () => {
  const { memory } = temporary;
  const { id } = addSession(memory, "s");
  for (let position = 0; position < 10; position++) {
    replaceChunks(memory, id, { type: "raw", from: position }, [chunk(position, `quince ${position}`)]);
  }
  const before = scores(memory);
  housekeeping.begin();
  vi.advanceTimersToNextTimer();
  expect(mergeTerms(memory)).toBe(false);
  expect(scores(memory)).toEqual(before);
});
