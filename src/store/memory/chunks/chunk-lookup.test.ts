import { afterAll, beforeAll, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import { rareTokens } from "./chunk-lookup.ts";
import { replaceChunks } from "./chunks.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeAll(() => {
  store = temporaryMemory();
});
afterAll(() => store.remove());

it("leaves out the tokens of more than half of the chunks, where there are many and others remain", () => {
  const { memory } = store;
  const { id } = addSession(memory, "s");
  const chunks = Array.from({ length: 1000 }, (_, i) =>
    chunk(i, `common ${i < 500 ? "half" : "other"} ${i === 7 ? "rare" : ""}`),
  );
  const replace = (count: number) =>
    replaceChunks(memory, id, { type: "raw", from: 0 }, chunks.slice(0, count));
  replace(999);
  expect(rareTokens(memory, ["common", "rare"])).toEqual(["common", "rare"]);
  replace(1000);
  expect(rareTokens(memory, ["common", "half", "rare", "unknown"])).toEqual(["half", "rare", "unknown"]);
  expect(rareTokens(memory, ["common"])).toEqual(["common"]);
});
