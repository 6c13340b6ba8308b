import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { onChanged, onReplaced } from "./live-settings.ts";

let dir: string;
let file: string;
beforeEach(() => {
  vi.useFakeTimers();
  dir = mkdtempSync(join(tmpdir(), "pommel-replaced-"));
  file = join(dir, "program.cjs");
  writeFileSync(file, "old");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

/** As a package manager does. */
function install(text: string) {
  writeFileSync(join(dir, "new"), text);
  renameSync(join(dir, "new"), file);
}

it("reports a new version once, when it is stable", () => {
  const then = vi.fn();
  onReplaced(file, 1000, then);
  vi.advanceTimersByTime(3000);
  expect(then).not.toHaveBeenCalled();
  rmSync(file);
  vi.advanceTimersByTime(3000);
  install("new");
  vi.advanceTimersByTime(1000);
  expect(then).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5000);
  expect(then).toHaveBeenCalledTimes(1);
});

it("waits for an installation in progress, and reports nothing after it is stopped", () => {
  const then = vi.fn();
  const stop = onReplaced(file, 1000, then);
  for (const text of ["a", "ab", "abc"]) {
    install(text);
    vi.advanceTimersByTime(1000);
  }
  expect(then).not.toHaveBeenCalled();
  stop();
  vi.advanceTimersByTime(5000);
  expect(then).not.toHaveBeenCalled();
});

it("reports every change of any of the files, also when one appears or vanishes", () => {
  const then = vi.fn();
  const other = join(dir, "other.toml");
  const stop = onChanged([file, other], 1000, then);
  const expectCalls = (count: number) => {
    vi.advanceTimersByTime(3000);
    expect(then).toHaveBeenCalledTimes(count);
  };
  expectCalls(0);
  writeFileSync(other, "new");
  expectCalls(1);
  install("longer than before");
  expectCalls(2);
  rmSync(other);
  expectCalls(3);
  stop();
  install("x");
  expectCalls(3);
});
