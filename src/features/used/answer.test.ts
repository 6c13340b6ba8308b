import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { saveInjection } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { showUsed } from "./answer.ts";
import { wordUsed } from "./words.ts";

let memory: Memory;
let remove: () => void;
beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
});
afterEach(() => remove());

const now = Date.now();
const used = () => showUsed({ memory, project: undefined as never }, {});

it("counts the calls of Pommel's tools by any client, and the sessions that made them", async () => {
  for (const [uid, tools] of [
    ["a", { mcp__pommel__recall: 2, Read: 3 }],
    ["b", { pommel_recall: 1, "pommel-code": 4 }],
    ["c", { mcp__plugin_pommel_pommel__code: 1 }],
    ["d", { mcp__pommels__code: 1, Bash: 1 }],
  ] as const) {
    const { id } = addSession(memory, uid, { startedAt: now, lastAt: now });
    saveTurn(memory, id, turn(1, { startedAt: now, endedAt: now, tools }));
  }
  const answer = await used();
  expect(answer).toMatchObject({ sessions: 4, sessions_calling: 3 });
  expect(answer.calls).toEqual([
    { tool: "code", calls: 5, sessions: 2 },
    { tool: "recall", calls: 3, sessions: 2 },
  ]);
  expect(wordUsed(answer)).toBe("code 5 times, recall 3 times in 3 of 4 sessions");
});

it("says of what was injected whether the session then opened it", async () => {
  const { id } = addSession(memory, "a", { startedAt: now, lastAt: now });
  saveTurn(memory, id, turn(1, { startedAt: now, endedAt: now + 10 }));
  saveInjection(memory, {
    sessionUid: "a",
    event: "pre-tool-use",
    at: now - 5,
    reason: "r",
    tokens: 9,
    tookMs: 1,
    textHash: "h",
    callId: null,
    decision: null,
    items: [{ ref: "code:src/a.ts#retry", why: "before a search", score: null }],
  });
  const answer = await used();
  expect(answer.injections).toEqual([
    expect.objectContaining({ event: "pre-tool-use", injections: 1, used: 0 }),
  ]);
  expect(wordUsed(answer)).toContain("of 1 injection 0 used");
});
