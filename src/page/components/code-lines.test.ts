import { expect, test } from "vitest";
import { findBestWindow } from "./best-window.ts";
import { listMarkedWords } from "./marked.tsx";
import { formatRelativeTime } from "./time.tsx";

const lines = ["import a", "", "function retry() {", "  wait();", "}", "retry(backoff)", "done"];

test("a window of code holds as many of the words as can be", () => {
  expect(findBestWindow(lines, listMarkedWords("retry with BACKOFF"), 2)).toBe(4);
  expect(findBestWindow(lines, ["retry", "backoff"], 4)).toBe(2);
});

test("a window of code begins at the first line without a better reason, and where the code is short", () => {
  expect(findBestWindow(lines, ["nowhere"], 3)).toBe(0);
  expect(findBestWindow(["one"], ["one"], 5)).toBe(0);
});

test("a time is relative within a week, and a date before", () => {
  const now = Date.parse("2026-03-02T09:00:00Z");
  const at = (iso: string) => formatRelativeTime(iso, now);
  expect(at("2026-03-02T08:59:50Z")).toBe("just now");
  expect(at("2026-03-02T06:10:00Z")).toBe("2 hr. ago");
  expect(at("2026-03-01T06:10:00Z")).toBe("yesterday");
  expect(at("2026-02-16T12:00:00Z")).toBe("16 Feb");
  expect(at("2024-03-01T12:00:00Z")).toBe("1 Mar 2024");
});
