import { describe, expect, it, vi } from "vitest";
import { PommelError } from "../base/errors.ts";
import { formatBytes } from "../base/text/bytes.ts";
import { formatRelativeTime } from "../base/text/relative-time.ts";
import { alignColumns, createOutput, formatMark, printError } from "./output.ts";
import { ownStreams, shouldColor } from "./streams.ts";

/** What `action` writes to stdout and stderr. */
function written(action: () => unknown): { out: string; err: string } {
  const text = { out: "", err: "" };
  const out = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text.out += chunk;
    return true;
  });
  const err = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    text.err += chunk;
    return true;
  });
  try {
    action();
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
  return text;
}

describe("createOutput", () => {
  it("prints text for people and only JSON for scripts", () => {
    const outputAs = (json: boolean) =>
      written(() => {
        const output = createOutput({ json });
        output.print("step");
        output.note("a warning");
        output.result({ n: 1 }, () => "one");
      });
    expect(outputAs(false)).toEqual({ out: "step\none\n", err: "a warning\n" });
    expect(outputAs(true)).toEqual({ out: '{\n  "n": 1\n}\n', err: "a warning\n" });
  });
});

describe("printError", () => {
  const error = new PommelError("not_found", "No such chunk.", "Search again.");

  it("prints the error and what to do on stderr, with the error's exit code", () => {
    let code = 0;
    const text = written(() => {
      code = printError(error, {});
    });
    expect(text).toEqual({ out: "", err: "error: No such chunk.\nhint: Search again.\n" });
    expect(code).toBe(5);
  });

  it("is an object on stdout with --json", () => {
    const { out, err } = written(() => printError(error, { json: true }));
    expect(JSON.parse(out)).toEqual({
      error: { code: "not_found", message: "No such chunk.", hint: "Search again." },
    });
    expect(err).toBe("");
  });

  it("shows a stack with --debug only, and calls the unexpected internal", () => {
    const crash = new TypeError("x is not a function");
    expect(written(() => printError(crash, {})).err).not.toContain("output.test.ts");
    expect(written(() => printError(crash, { debug: true })).err).toContain("output.test.ts");
    expect(written(() => printError(crash, { json: true })).out).toContain('"code": "internal"');
  });
});

it("colours what the flag, NO_COLOR, FORCE_COLOR and the terminal say, in that order", () => {
  expect(shouldColor(1, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false);
  expect(shouldColor(1, { FORCE_COLOR: "1" })).toBe(true);
  expect(shouldColor(1, { FORCE_COLOR: "0" })).toBe(false);
  expect(shouldColor(1, { TERM: "dumb" })).toBe(false);
  const streams = { ...ownStreams, hasColor: () => true };
  expect(createOutput({}, streams).colors.isColorSupported).toBe(true);
  expect(createOutput({ noColor: true }, streams).colors.isColorSupported).toBe(false);
});

it("marks with ticks", () => {
  const { colors } = createOutput({ noColor: true });
  expect([formatMark("ok", colors), formatMark("warn", colors), formatMark("fail", colors)]).toEqual([
    "✓",
    "!",
    "✗",
  ]);
});

it("aligns tables without trailing blanks", () => {
  expect(
    alignColumns([
      ["a", "bb", ""],
      ["ccc", "d", "e"],
    ]),
  ).toBe("a    bb\nccc  d   e");
});

it("aligns tables by display width", () => {
  const rows = alignColumns([
    ["修正登录", "main"],
    ["🚀 ship", "main"],
    ["e\u0301", "main"],
  ]).split("\n");
  expect(rows).toEqual(["修正登录  main", "🚀 ship   main", "e\u0301         main"]);
});

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [999_960, "1.0 MB"],
  [1_234_567, "1.2 MB"],
])("%i bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [-5, "just now"],
  [9, "just now"],
  [59, "59 seconds ago"],
  [60, "1 minute ago"],
  [7200, "2 hours ago"],
  [86_400 * 40, "40 days ago"],
])("%i seconds ago is %s", (seconds, text) => {
  expect(formatRelativeTime(1_000_000_000_000 - seconds * 1000, 1_000_000_000_000)).toBe(text);
});

it.each([
  [20, 14, "6 hours ago"],
  [26, 22, "4 hours ago"],
  [26, 18, "yesterday"],
  [49, 2, "2 days ago"],
  [30, 23, "yesterday"],
  [47, 1, "yesterday"],
])("%i o'clock after the first midnight, %i o'clock was %s, by days of the calendar", (now, then, text) => {
  const at = (hour: number) => new Date(2026, 2, 10, hour).getTime();
  expect(formatRelativeTime(at(then), at(now))).toBe(text);
});
