import { describe, expect, it } from "vitest";
import { formatLocalTime } from "../base/text/local-time.ts";
import { createPalette } from "./palette.ts";
import {
  fitToWidth,
  formatCount,
  formatExactWhen,
  formatHeading,
  formatShortAge,
  formatWhen,
  shortenId,
  toOneLine,
  toPrintableLines,
  wrapText,
  wrapWithIndent,
} from "./text.ts";

it("shortens ids so that commands still take them", () => {
  expect(shortenId("8ecde0fc-091c-4586-b688-cc9efe6f655c")).toBe("8ecde0fc");
  expect(shortenId("\u001b[2J")).toBe("·[2J");
  expect(shortenId("8ecde0fc-091c/a1b2c3d4e5")).toBe("8ecde0fc-091c/a1b2c3d4");
  expect(shortenId("01a1fd9b-688b-7d53-abbe-926542a1db0b")).toBe("01a1fd9b-688b");
});

it("shows times in the reader's time zone", () => {
  expect(formatLocalTime(new Date(2026, 2, 4, 5, 6).toISOString())).toBe("2026-03-04 05:06");
});

it("makes text safe to print", () => {
  expect(toPrintableLines("a\u001b[2J\r\n\tb\n\n")).toEqual(["a·[2J", "  b"]);
  expect(toOneLine(" a\n\u0007 b ", 10)).toBe("a · b");
  expect(toOneLine("abcdefgh", 5)).toBe("abcd…");
  expect(wrapText("one two three \u009b4", 8)).toEqual(["one two", "three ·4"]);
  expect(wrapText("a verylongword b", 6)).toEqual(["a", "verylongword", "b"]);
});

it("measures titles by display width", () => {
  expect(toOneLine("修正登录页面", 8)).toBe("修正登…");
  expect(wrapText("修正 登录 页面", 9)).toEqual(["修正 登录", "页面"]);
  expect(formatHeading("修正", createPalette())).toBe("修正\n════");
});

it("counts in words", () => {
  expect([formatCount(1, "turn"), formatCount(2000, "turn")]).toEqual(["1 turn", "2,000 turns"]);
});

describe("times", () => {
  const now = new Date(2026, 2, 10, 12, 0).getTime();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();
  const terminal = { columns: 80, now };

  it("are relative on a terminal as long as that says more, and stay the same in a pipe", () => {
    expect([0, 0.5, 3, 29].map((days) => formatWhen(daysAgo(days), terminal))).toEqual([
      "just now",
      "12 hours ago",
      "3 days ago",
      "29 days ago",
    ]);
    expect(formatWhen(daysAgo(40), terminal)).toBe("2026-01-29");
    expect(formatWhen(daysAgo(3), { columns: undefined, now })).toBe("2026-03-07 12:00");
    expect(formatWhen(null, terminal)).toBe("");
  });

  it("are exact where a single thing is shown", () => {
    expect(formatExactWhen(daysAgo(3), terminal)).toBe("2026-03-07 12:00 (3 days ago)");
    expect(formatExactWhen(daysAgo(40), terminal)).toBe("2026-01-29 12:00");
  });

  it("have a short form", () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    const spans = [0, 5 * minute, 3 * hour, 12 * day, 50 * day, 100 * day, 364 * day, 365 * day, 800 * day];
    expect(spans.map(formatShortAge)).toEqual(["0m", "5m", "3h", "12d", "7w", "3mo", "11mo", "1y", "2y"]);
  });
});

it("cuts and wraps on terminals only", () => {
  expect(fitToWidth("one two three", 8, { columns: 80 })).toBe("one two…");
  expect(fitToWidth("one two three", 8, { columns: undefined })).toBe("one two three");
  expect(wrapWithIndent("  - one two three four five six", { columns: 24 }, 4)).toEqual([
    "  - one two three four",
    "    five six",
  ]);
  expect(wrapWithIndent("one two three", { columns: undefined })).toEqual(["one two three"]);
});
