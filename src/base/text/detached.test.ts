import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { detachText } from "./detached.ts";
import { makeTokenStream } from "./tokens.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes in use that `work` leaves behind. */
function kept(work: () => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  work();
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
}

describe("detached", () => {
  it.each(["", "plain", "Überprüfung", "\u0100 and more", "漢字", "\ud800 alone"])("copies %j", (text) => {
    expect(detachText(text)).toBe(text);
  });
});

it("words that are remembered do not keep the texts that they come from", () => {
  const megabytes = 20;
  const bytes = kept(() => {
    for (let i = 0; i < megabytes; i++) makeTokenStream(`rememberedIdentifier${i}${" ".repeat(1e6)}`);
  });
  expect(bytes).toBeLessThan((megabytes / 4) * 1e6);
});
