import { expect, test } from "vitest";
import { askAgain } from "./ask-again.ts";
import { DaemonUnreachable, type UnreachableReason } from "./daemon-client.ts";

/** Fails for `reason` so many times, then answers with how often it was asked. */
function failing(times: number, reason: UnreachableReason) {
  let asked = 0;
  return async () => {
    asked++;
    if (asked <= times) throw new DaemonUnreachable(reason, `asked ${asked} times`);
    return asked;
  };
}

test("asks a daemon again that is too busy to answer, within the limit", async () => {
  expect(await askAgain(failing(3, "timeout"), 60_000)).toBe(4);
  await expect(askAgain(failing(3, "timeout"), -1)).rejects.toThrow("asked 1 times");
});

test("does not wait for a daemon that does not run", async () => {
  await expect(askAgain(failing(1, "not_running"), 60_000)).rejects.toThrow("asked 1 times");
});
