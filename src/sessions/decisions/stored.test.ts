import { expect, test } from "vitest";
import { addSession, chunk, deciding, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { listStoredDecisions, parseReplacedDecision } from "./stored.ts";

test("a decision is as old as its turn, whatever turns its chunk spans, and stands in that order", () => {
  const { memory, remove } = temporaryMemory();
  const remember = (uid: string, said: string, decidedIn: number, starts: number[]) => {
    const { id } = addSession(memory, uid);
    for (const [i, startedAt] of starts.entries()) saveTurn(memory, id, turn(i + 1, { startedAt }));
    replaceChunks(memory, id, { type: "raw", from: 0 }, [
      chunk(0, said, { session: uid, startedAt: starts[0]!, ...deciding(said, decidedIn) }),
    ]);
  };
  remember("a", "Store the queue in one table rather than in files", 3, [1000, 2000, 5000]);
  remember("b", "Name the option after what it limits, not after its unit", 1, [3000]);
  expect(listStoredDecisions(memory).map(({ sessionUid, at }) => [sessionUid, at])).toEqual([
    ["b", 3000],
    ["a", 5000],
  ]);
  remove();
});

test.each([
  ["Instead of “We poll every second.”: we wait for events", "We poll every second."],
  ['instead of "We poll": we wait', "We poll"],
  ["Instead of “say “hi” twice”: once", "say “hi” twice"],
])("a note that replaces a decision quotes it: %s", (note, replaced) => {
  expect(parseReplacedDecision(note)).toBe(replaced);
});

test.each([
  "Instead of polling we wait for events",
  "Instead of “polling” we wait",
  "Instead of “polling”:",
  "We wait instead of “polling”: always",
])("any other note replaces nothing: %s", (note) => {
  expect(parseReplacedDecision(note)).toBeNull();
});
