import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limitTransport } from "./limit-transport.ts";

let inner: Transport;
let bounded: Transport;
let calls: string[];
beforeEach(async () => {
  vi.useFakeTimers();
  calls = [];
  inner = { start: async () => {}, send: async () => {}, close: async () => {} };
  bounded = limitTransport(inner, {
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
    onFlood: (open) => calls.push(`flood ${open}`),
    onClosed: () => calls.push("closed"),
  });
  await bounded.start();
});
afterEach(() => {
  vi.useRealTimers();
});

const receive = (message: object) => inner.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
const ask = (from: number, to: number) => {
  for (let id = from; id <= to; id++) receive({ id, method: "tools/list" });
};
const answer = (id: number) => bounded.send({ jsonrpc: "2.0", id, result: {} });

describe("a transport", () => {
  it("passes on messages, and reads on as long as answers are read", async () => {
    const received: unknown[] = [];
    bounded.onmessage = (message) => received.push(message);
    for (let id = 1; id <= 500; id++) {
      ask(id, id);
      await answer(id);
    }
    expect(received).toHaveLength(500);
    expect(calls).toEqual([]);
  });

  it("stops reading while many answers are pending, and resumes when they are sent", async () => {
    ask(1, 100);
    expect(calls).toEqual(["pause"]);
    for (let id = 1; id <= 67; id++) await answer(id);
    expect(calls).toEqual(["pause"]);
    await answer(68);
    expect(calls).toEqual(["pause", "resume"]);
  });

  it("looks again from time to time, so that the end of the input is seen", () => {
    ask(1, 100);
    vi.advanceTimersByTime(500);
    expect(calls).toEqual(["pause", "resume"]);
    ask(101, 101);
    expect(calls).toEqual(["pause", "resume", "pause"]);
  });

  it("does not wait for answers to cancelled requests", () => {
    for (let id = 1; id <= 1000; id++) {
      ask(id, id);
      receive({ method: "notifications/cancelled", params: { requestId: id } });
    }
    expect(calls).toEqual([]);
  });

  it("reports an endless flood", () => {
    for (let round = 0; round < 30; round++) {
      ask(round * 100, round * 100 + 99);
      vi.advanceTimersByTime(500);
    }
    expect(calls.find((one) => one.startsWith("flood"))).toMatch(/^flood 20\d\d$/);
  });
});
