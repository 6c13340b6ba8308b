import { expect, it } from "vitest";
import { createProgress } from "./progress.ts";

/** A progress on a stream and a clock of its own. */
function setUp(isTerminal: boolean, columns = 80) {
  const clock = { ms: 0 };
  const stream = {
    text: "",
    columns,
    write(text: string) {
      this.text += text;
    },
  };
  const progress = createProgress({
    label: "Indexing",
    unit: "files",
    stream,
    isTerminal,
    now: () => clock.ms,
  });
  return { clock, stream, progress };
}

it("draws a bar with rate and time left, and removes it", () => {
  const { clock, stream, progress } = setUp(true);
  clock.ms = 2000;
  progress.update(250, 1000);
  expect(stream.text).toBe(
    `\rIndexing [${"█".repeat(6)}${"░".repeat(18)}] 250/1000 files, 125/s, 6.0 s left\x1b[K`,
  );
  progress.finish();
  expect(stream.text.endsWith("\r\x1b[K")).toBe(true);
});

it("says what it waits for in place of a rate that is not true", () => {
  const { clock, stream, progress } = setUp(true, 120);
  clock.ms = 2000;
  progress.update(250, 1000, "3/9 files", "The disk is full.");
  expect(stream.text).toContain("250/1000 files, 3/9 files, waiting: The disk is full.");
});

it("does not redraw too often, nor wider than the terminal", () => {
  const { clock, stream, progress } = setUp(true, 20);
  progress.update(1, 3);
  clock.ms = 50;
  progress.update(2, 3);
  expect(stream.text).toMatch(/^\r.{19}\x1b\[K$/);
});

it("prints a plain line now and then without a terminal", () => {
  const { clock, stream, progress } = setUp(false);
  for (clock.ms = 0; clock.ms <= 25_000; clock.ms += 1000) progress.update(clock.ms / 1000, 100);
  progress.finish();
  expect(stream.text).toBe(
    "Indexing: 10/100 files, 1.0/s, 1m 30s left\nIndexing: 20/100 files, 1.0/s, 1m 20s left\n",
  );
});

it("copes with nothing to do", () => {
  const { clock, stream, progress } = setUp(true);
  clock.ms = 500;
  progress.update(0, 0);
  expect(stream.text).toContain("0/0 files");
  expect(stream.text).not.toContain("NaN");
});
