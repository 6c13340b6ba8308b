import { afterEach, beforeEach, expect, it } from "vitest";
import { rememberSession } from "../../test/support/checkpoint-fixture.ts";
import { temporaryMemory } from "../../test/support/memory-fixture.ts";
import { saveTranscript } from "../store/memory/sessions/transcripts.ts";
import { agentsSince, noteOn } from "./agents-since.ts";

const day = 86_400_000;
const at = Date.UTC(2026, 0, 5);
let stored: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  stored = temporaryMemory();
});
afterEach(() => stored.remove());

/** A session whose transcript was read this many days after it began. */
function read(uid: string, startedAt: number, days: number): void {
  rememberSession(stored.memory, uid, ["make it"], { at: startedAt });
  const sessionId = stored.memory.prepare("SELECT id FROM sessions WHERE uid = ?").pluck().get(uid) as number;
  saveTranscript(stored.memory, {
    agent: "claude",
    path: `/home/ann/${uid}.jsonl`,
    offset: 0,
    lineHash: "",
    size: 0,
    skipped: {},
    readAt: startedAt + days * day,
    sessionId,
  });
}

it("agents are there since the first session; without one nothing is known", () => {
  expect(agentsSince(stored.memory, "/repo")).toBeNull();
  read("later", at + day, 1);
  read("first", at, 1);
  expect(agentsSince(stored.memory, "/repo")).toMatchObject({
    at,
    session_id: "first",
    first_session_at: "2026-01-05T00:00:00.000Z",
    may_be_incomplete: false,
  });
});

it("earlier sessions may be missing if the first was read when its client was about to delete it", () => {
  read("first", at, 28);
  const since = agentsSince(stored.memory, "/repo")!;
  expect(since).toMatchObject({ may_be_incomplete: true, deleted_after_days: 30 });
  expect(noteOn(since)).toBe(
    "Before agents: older than the first session here (2026-01-05); earlier sessions may be missing, as the client " +
      "deletes them after 30 days.",
  );
});
