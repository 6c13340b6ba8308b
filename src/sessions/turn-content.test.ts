import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../test/support/memory-fixture.ts";
import { packContent } from "../store/memory/sessions/content.ts";
import { saveTurn } from "../store/memory/sessions/turns.ts";
import { readStoredTurns } from "./turn-content.ts";

let kept: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  kept = temporaryMemory();
});
afterEach(() => kept.remove());

it("gives each turn of a long session once, and those from one to another", () => {
  const { memory } = kept;
  const { id } = addSession(memory, "s");
  const count = 1203;
  memory.runInTransaction(() => {
    for (let number = 1; number <= count; number++) {
      const entries = [{ kind: "prompt" as const, text: `${number}`, images: 0 }];
      const content = packContent([{ uid: `u${number}`, seq: number, at: 1000, entries }]);
      saveTurn(memory, id, turn(number, { content }));
    }
  });
  const numbers = (range = {}) => Array.from(readStoredTurns(memory, id, range), ({ number }) => number);
  const all = Array.from({ length: count }, (_, i) => i + 1);
  expect(numbers()).toEqual(all);
  expect(numbers({ first: 400, last: 1000 })).toEqual(all.slice(399, 1000));
  expect(numbers({ first: count + 1 })).toEqual([]);
});
