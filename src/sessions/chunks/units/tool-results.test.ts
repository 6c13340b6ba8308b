import { describe, expect, test } from "vitest";
import { extractErrorLines, hasFailureReport, isDisplayCommand, showsThatItWorks } from "./tool-results.ts";

describe("lines that report an error", () => {
  test("names of failed tests come first, each line once", () => {
    const output = [
      "=== RUN TestResume",
      "    resume_test.go:9: expected 1, got 2",
      "--- FAIL: TestResume (0.01s)",
      "FAIL",
      "FAIL",
    ];
    expect(extractErrorLines(output.join("\n"), 500)).toBe(
      "TestResume\nresume_test.go:9: expected 1, got 2\n--- FAIL: TestResume (0.01s)\nFAIL",
    );
  });

  test.each([
    ["FAILED tests/x.py::test_resume - KeyError", "tests/x.py::test_resume"],
    [" × resume > twice", "resume > twice"],
    ["test resume::twice ... FAILED", "resume::twice"],
    ["not ok 3 resumes twice", "resumes twice"],
    ["TypeError: x is not a function", "TypeError"],
    ["ENOENT, open 'x'", "ENOENT"],
    ["panic: runtime error", "panic"],
  ])("%j", (output, expected) => {
    expect(extractErrorLines(`fine\n${output}\nfine`, 500)).toContain(expected);
  });

  test.each([
    "0 errors, 0 failed",
    "no errors found",
    "ok   pkg/errors 0.1s",
    "✓ reports an error",
    "entire list",
    "",
  ])("none in %j", (output) => {
    expect(extractErrorLines(output, 500)).toBe("");
  });

  test("are bounded, however long the output", () => {
    expect(
      extractErrorLines("error: x\n".repeat(2_000).concat("error: y".repeat(9_000)), 300).length,
    ).toBeLessThanOrEqual(300);
  });
});

test.each([
  ["--- FAIL: TestX (0.1s)", true],
  ["Tests  2 failed | 10 passed", true],
  ["src/x.ts(3,1): error TS2304: Cannot find name", true],
  ["Traceback (most recent call last):", true],
  ["error[E0425]: cannot find value", true],
  ["0 failed, 12 passed", false],
  ["ok  pkg 0.2s", false],
  ["handles the failure of a request", false],
])("output %j reports failure: %s", (output, fails) => {
  expect(hasFailureReport(output)).toBe(fails);
});

test.each([
  ["cat x.log", true],
  ["cd /p && git diff | head", true],
  ["git -C /p log --oneline", true],
  ["grep -rn error src; ls", true],
  ["npm test", false],
  ["cd /p && npm test", false],
  ["", false],
])("command %j only shows something: %s", (command, shows) => {
  expect(isDisplayCommand(command)).toBe(shows);
});

test.each([
  ["npm test", true],
  ["go vet ./...", true],
  ["mise run lint", true],
  ["npx tsc --noEmit", true],
  ["git log --grep test", false],
  ["npm install", false],
])("command %j is a check: %s", (command, checks) => {
  expect(showsThatItWorks(command)).toBe(checks);
});
