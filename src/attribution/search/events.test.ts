import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { saveEvent } from "../../store/memory/events.ts";
import type { EventRecord } from "../../store/memory/memory-records.ts";
import { searchEvents } from "./events.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

function event(uid: string, title: string, more: Partial<EventRecord> = {}): void {
  saveEvent(store.memory, {
    uid,
    title,
    description: "",
    type: "task",
    status: "active",
    branch: null,
    startsAt: null,
    endsAt: null,
    createdAt: 1,
    updatedAt: 1,
    ...more,
  });
}

const found = async (query: string, isWanted: (event: EventRecord) => boolean = () => true) =>
  (await searchEvents(store.memory, query, isWanted, null)).results.map(({ item }) => item.uid);

it("finds events by title, description, branch and id, and nothing about anything else", async () => {
  event("aaaa11112222", "Token refresh", { description: "Access tokens are stored encrypted" });
  event("bbbb11112222", "Search in the docs", { branch: "feat/full-text" });
  expect(await found("refresh of tokens")).toEqual(["aaaa11112222"]);
  expect((await found("encrypted access"))[0]).toBe("aaaa11112222");
  expect((await found("full text"))[0]).toBe("bbbb11112222");
  expect((await found("bbbb1111"))[0]).toBe("bbbb11112222");
  expect(await found("chicken soup")).toEqual([]);
  expect(await found("refresh of tokens", ({ status }) => status === "archived")).toEqual([]);
});

it("has no answer without events", async () => {
  expect(await found("anything")).toEqual([]);
});
