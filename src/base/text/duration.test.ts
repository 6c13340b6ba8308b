import { expect, it } from "vitest";
import { formatDuration } from "./duration.ts";

it.each([
  [0.4, "0 ms"],
  [999.6, "1.0 s"],
  [4210, "4.2 s"],
  [12_300, "12 s"],
  [59_990, "1m"],
  [192_000, "3m 12s"],
  [3_599_900, "1h"],
  [7_500_000, "2h 5m"],
  [86_400_000 * 4 + 3_600_000 * 3, "4d 3h"],
])("%d ms are %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
