import { describe, expect, it } from "vitest";
import type { TranscriptEntry } from "../../agents/agent.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import { endOfCall } from "./period.ts";

const minute = 60_000;
const line = (at: number | null, ...entries: TranscriptEntry[]): StoredLine => ({
  uid: null,
  seq: 0,
  at,
  entries,
});
const use = (id: string): TranscriptEntry => ({ kind: "tool_use", id, tool: "Bash", input: {}, files: [] });
const result = (id: string, text = ""): TranscriptEntry => ({
  kind: "tool_result",
  id,
  text,
  isError: false,
  edits: null,
  subagent: null,
});
const text: TranscriptEntry = { kind: "text", text: "Now the tests." };
const call = { id: "c", at: 1000, input: {} };

describe("a call without a result in its turn", () => {
  it("has the one of a later turn", () => {
    const later = [
      [line(5000, { kind: "notice", text: "/cost" })],
      [line(9000, result("c", "[main 1a2b3c4] x"))],
    ];
    expect(endOfCall(call, [], later)).toMatchObject({ at: 9000, isSilent: false, said: "[main 1a2b3c4] x" });
  });

  it("ends when its session goes on without it", () => {
    expect(endOfCall(call, [line(3000, text)], [])).toMatchObject({ at: 3000, isSilent: true });
    expect(endOfCall(call, [], [[line(null, text), line(4000, text)]])).toMatchObject({ at: 4000 });
    // One of the same message says nothing; one that follows a result does.
    expect(
      endOfCall(call, [line(1100, use("d")), line(2000, result("d")), line(2500, use("e"))], []),
    ).toMatchObject({
      at: 2500,
    });
  });

  it("ends after its agent's time limit where nothing follows, as in a transcript that was cut off", () => {
    expect(endOfCall(call, [], []).at).toBe(1000 + 10 * minute);
    expect(endOfCall({ ...call, input: { timeout: 30 * minute } }, [], []).at).toBe(1000 + 30 * minute);
    expect(endOfCall(call, [], [[line(1000 + 500 * minute, text)]]).at).toBe(1000 + 10 * minute);
    expect(endOfCall({ ...call, at: null }, [], []).at).toBe(0);
  });
});
