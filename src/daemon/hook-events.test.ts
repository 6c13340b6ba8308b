import { afterEach, beforeEach, expect, it } from "vitest";
import type { HookName } from "../agents/claude/hook-names.ts";
import { addSession, temporaryMemory } from "../store/memory/memory-fixture.ts";
import { sessionByUid } from "../store/memory/sessions.ts";
import { claudeHookEvents } from "./hook-events.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

/** Tells of an event of each session, a second after the other. */
async function tell(...events: [HookName, session: string][]): Promise<void> {
  const take = claudeHookEvents({
    work: { captures: true, memory: store.memory, readOn: () => {} },
    roots: () => ["/repo"],
    onTranscript: () => {},
    stop: AbortSignal.abort(),
  });
  for (const [i, [event, session_id]] of events.entries()) {
    const payload = { session_id, cwd: "/repo", ...(event === "session-end" && { reason: "other" }) };
    await take({ kind: "claude-hook", event, received_at: i * 1000, payload });
  }
}

it("keeps the end of a session until it is gone on with", async () => {
  await tell(["session-start", "a"], ["user-prompt", "a"], ["session-end", "a"]);
  expect(sessionByUid(store.memory, "a")).toMatchObject({ startedAt: 0, endedAt: 2000, endReason: "other" });
  await tell(["session-start", "a"], ["user-prompt", "a"]);
  expect(sessionByUid(store.memory, "a")).toMatchObject({ endedAt: null, endReason: null });
});

it("keeps the end of a fork whose start was told as that of its origin, and the origin's", async () => {
  addSession(store.memory, "origin", { lastAt: 5, ended: { at: 7, reason: "other" } });
  await tell(["session-start", "origin"], ["user-prompt", "fork"], ["session-end", "fork"]);
  expect(sessionByUid(store.memory, "fork")).toMatchObject({ endedAt: 2000, endReason: "other" });
  expect(sessionByUid(store.memory, "origin")).toMatchObject({ lastAt: 5, endedAt: 7 });
});

it("does not know a session of which nothing but its end is told", async () => {
  await tell(["session-end", "a"]);
  expect(sessionByUid(store.memory, "a")).toBeNull();
});
