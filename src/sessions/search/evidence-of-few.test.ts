import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { SessionSearch } from "./engine.ts";
import { openQuery, type SessionQuery } from "./types.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

function remember(...texts: string[]): void {
  const { id } = addSession(store.memory, "s");
  const chunks = texts.map((text, i) => chunk(i, text, { kind: i === 0 ? "decision" : "conversation" }));
  replaceChunks(store.memory, id, { type: "raw", from: 0 }, chunks);
}

async function found(query: string, more: Partial<SessionQuery> = {}): Promise<string[]> {
  const search = new SessionSearch({ root: store.dir, memory: store.memory, embedder: null });
  const { results } = await search.search({ ...openQuery, query, ...more });
  return results.map(({ content }) => content);
}

it("finds the only thing in memory", async () => {
  remember("The retry was flaky");
  expect(await found("flaky")).toEqual(["The retry was flaky"]);
  expect(await found("lunch")).toEqual([]);
});

it("finds all if all contain the word", async () => {
  remember("A flaky retry", "A flaky pause of the test, and more of it");
  expect((await found("flaky")).sort()).toEqual([
    "A flaky pause of the test, and more of it",
    "A flaky retry",
  ]);
});

it("finds the one that is left of many", async () => {
  remember("The retry was flaky", "Lunch", "Colours", "Names", "A retry of lunch");
  expect(await found("retry", { kinds: ["decision"] })).toEqual(["The retry was flaky"]);
});
