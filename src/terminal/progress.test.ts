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

/** Lets `seconds` pass, in each of which so many more are done. */
function pass(
  { clock, progress }: Pick<ReturnType<typeof setUp>, "clock" | "progress">,
  seconds: number,
  each: number,
  from = 0,
): number {
  let done = from;
  for (let second = 0; second < seconds; second++) {
    clock.ms += 1000;
    done += each;
    progress.update(done, 1000);
  }
  return done;
}

const lastLine = (text: string) => text.split("\r").at(-1)!;

it("draws a bar with rate and time left, and removes it", () => {
  const { clock, stream, progress } = setUp(true);
  progress.update(0, 1000);
  pass({ clock, progress }, 5, 50);
  expect(lastLine(stream.text)).toBe(
    `Indexing [${"█".repeat(6)}${"░".repeat(18)}] 250/1000 files, 50 files/s, 15 s left\x1b[K`,
  );
  progress.finish();
  expect(stream.text.endsWith("\r\x1b[K")).toBe(true);
});

it("says how fast it is now, not how fast it was at first", () => {
  const { clock, stream, progress } = setUp(true);
  progress.update(0, 1000);
  const before = pass({ clock, progress }, 60, 1);
  expect(lastLine(stream.text)).toContain("60/1000 files, 1.0 files/s, 15m 40s left");
  pass({ clock, progress }, 10, 20, before);
  expect(lastLine(stream.text)).toContain("260/1000 files, 20 files/s, 37 s left");
});

it("says a time only when it is steady, and no rate while nothing moves", () => {
  const { clock, stream, progress } = setUp(true);
  progress.update(0, 1000);
  const begun = pass({ clock, progress }, 4, 10);
  // Too early.
  expect(lastLine(stream.text)).toMatch(/40\/1000 files, 10 files\/s\u001b/);
  const faster = pass({ clock, progress }, 4, 30, begun);
  expect(lastLine(stream.text)).toMatch(/160\/1000 files, 20 files\/s\u001b/);
  pass({ clock, progress }, 11, 0, faster);
  expect(lastLine(stream.text)).toMatch(/160\/1000 files\u001b/);
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
    "Indexing: 10/100 files, 1.0 files/s, 1m 30s left\nIndexing: 20/100 files, 1.0 files/s, 1m 20s left\n",
  );
});

it("copes with nothing to do", () => {
  const { clock, stream, progress } = setUp(true);
  clock.ms = 500;
  progress.update(0, 0);
  expect(stream.text).toContain("0/0 files");
  expect(stream.text).not.toContain("NaN");
});
