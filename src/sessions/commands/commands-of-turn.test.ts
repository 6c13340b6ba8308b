import { expect, it, test } from "vitest";
import { conversation, prompt, ran, used } from "../../../test/support/turn-fixture.ts";
import { createRelativizer } from "../relative-paths.ts";
import {
  extractCommands,
  extractLineSignatures,
  extractSignatures,
  normalizeErrorLine,
} from "./commands-of-turn.ts";

const relativize = createRelativizer({ root: "/repo", worktrees: [], cwd: "/repo" });
const commands = (...entries: ReturnType<typeof ran>[]) =>
  extractCommands(conversation(prompt("go"), ...entries)[0]!, relativize);
const outcomes = (...entries: ReturnType<typeof ran>[]) =>
  commands(...entries).map(({ line, outcome, status }) => [line, outcome, status]);

test("a command has its directory, purpose, time and outcome", () => {
  const [one] = commands(used("Bash", { command: "cd web && npm test", description: "Run the tests" }, "ok"));
  expect(one).toMatchObject({ line: "npm test", directory: "web", purpose: "Run the tests", tookMs: 1000 });
  expect(one).toMatchObject({ name: "npm test", outcome: "worked", status: 0, error: null });
  const [other] = commands(used("exec_command", { command: "npm test", workdir: "/repo/api" }, "ok"));
  expect(other).toMatchObject({ directory: "api" });
});

test("a call of several commands, or that waits, does not say how long each took", () => {
  const calls = ["make lint && make test", "sleep 30; make test", "cd web && make test 2>&1 | tail -3"];
  expect(calls.map((line) => commands(ran(line, "ok")).map(({ tookMs }) => tookMs))).toEqual([
    [null, null],
    [null],
    [1000],
  ]);
});

test("a failed one has its status and the error's lines", () => {
  const output = "Exit code 2\nsrc/a.ts(3,5): error TS2304: Cannot find name 'openStore'.";
  const [one] = commands(ran("npx tsc --noEmit", output, { isError: true }));
  expect(one).toMatchObject({ outcome: "failed", status: 2 });
  expect(one!.error).toContain("Cannot find name 'openStore'");
  expect(one!.signatures).toEqual([expect.stringContaining("cannot find name 'openstore'"), "rule: ts2304"]);
});

test("of a line that failed only what must have failed counts so", () => {
  const failed = { isError: true };
  expect(outcomes(ran("make a && make b", "Exit code 1\nerror: no", failed))).toEqual([
    ["make a", "unknown", null],
    ["make b", "failed", 1],
  ]);
  expect(
    outcomes(ran("go build ./... && go test ./... | tail", "Exit code 1\nx.go:1: error: y", failed)),
  ).toEqual([
    ["go build ./...", "failed", 1],
    ["go test ./...", "unknown", null],
  ]);
});

test("of a line that failed the step failed that was given what the error quotes", () => {
  const output = "Exit code 128\nfatal: a branch named 'fix-store' already exists";
  expect(outcomes(ran("git checkout -b fix-store && git push", output, { isError: true }))).toEqual([
    ["git checkout -b fix-store", "failed", 128],
    ["git push", "unknown", null],
  ]);
});

test("where a pipe hides the status, the output says it", () => {
  expect(outcomes(ran("npm test 2>&1 | tail -3", "2 tests failed"))).toEqual([["npm test", "failed", null]]);
  expect(outcomes(ran("npm test 2>&1 | tail -3", "all good"))).toEqual([["npm test", "worked", null]]);
  const notFound = "(eval):1: command not found: timeout";
  expect(outcomes(ran("timeout 900 make test 2>&1 | tail -3", notFound))).toEqual([
    ["timeout 900 make test", "failed", null],
  ]);
  expect(outcomes(ran('make; echo "exit: $?"', "exit: 2"))).toEqual([["make", "failed", 2]]);
});

test("a line that PowerShell cannot parse ran nothing, and its error is what PowerShell says of it", () => {
  const refused = [
    "Exit code 1",
    "At line:1 char:11",
    "+ cd client && npm ci && npm run build",
    "+           ~~",
    "The token '&&' is not a valid statement separator in this version.",
    "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException",
    "    + FullyQualifiedErrorId : InvalidEndOfLine",
  ].join("\n");
  expect(commands(ran("cd client && npm ci && npm run build", refused, { isError: true }))).toMatchObject([
    {
      line: "cd client && npm ci && npm run build",
      name: "npm run build",
      directory: "client",
      outcome: "failed",
      error: "The token '&&' is not a valid statement separator in this version.",
    },
  ]);
});

test("what was declined, refused or goes on in the background is no run", () => {
  expect(
    outcomes(ran("make", "The user doesn't want to proceed with this tool use.", { isError: true })),
  ).toEqual([]);
  expect(outcomes(ran("npm start", "Command running in background with ID: b1"))).toEqual([]);
  for (const refusal of [
    "Permission for this action was denied by the Claude Code auto mode classifier. Reason: Blocked.",
    "PreToolUse:Bash hook error: [guard.sh]: not on main",
    "ENOENT: no such file or directory, posix_spawn '/bin/zsh'",
    "claude-sonnet-4-5 is temporarily unavailable, so auto mode cannot decide",
    "The user rejected this tool call. User feedback: no need to push",
    "The user denied this operation and provided the following feedback:",
    "[Operation Cancelled]",
  ])
    expect(outcomes(ran("make", refusal, { isError: true }))).toEqual([]);
  expect(outcomes(used("Bash", { command: "make" }, null))).toEqual([]);
});

it.each([
  [
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'",
    "lib/deep/b.ts(99,1): error TS2304: Cannot find name 'x'",
  ],
  ["cmd/a.go:12:3: undefined: openStore", "/home/me/w/cmd/b.go:7:9: undefined: openStore"],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", "Error: connect ECONNREFUSED 127.0.0.1:5433"],
  ["fatal: bad object 1a2b3c4d5e", "fatal: bad object 99aabbccdd00"],
  [
    "2026-01-01T10:00:00Z panic: index out of range [3]",
    "2026-02-02T11:11:11Z panic: index out of range [7]",
  ],
])("an error is the same elsewhere: %s", (one, other) => {
  expect(normalizeErrorLine(one)).toBe(normalizeErrorLine(other));
  expect(normalizeErrorLine(one)).not.toBeNull();
});

it("another name is another error", () => {
  expect(normalizeErrorLine("a.go:1:2: undefined: openStore")).not.toBe(
    normalizeErrorLine("a.go:1:2: undefined: closeStore"),
  );
});

it.each([
  "FAIL",
  "Traceback (most recent call last):",
  "goroutine 1 [running]:",
  "Exit code 1",
  "make: *** [all] Error 2",
  "3 errors",
  "2 tests failed",
  "a.ts:3:4",
])("%s says nothing of its own", (line) => {
  expect(normalizeErrorLine(line)).toBeNull();
});

it("each line counts once, and only the first ones", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `undefined: ${"abcdefghijklmnopqrst"[i]!.repeat(9)}`);
  expect(extractLineSignatures([lines[0], ...lines].join("\n"))).toHaveLength(12);
});

it("what a test runner and a linter report is known by the test and the rule", () => {
  const tests =
    "--- FAIL: TestOpen (0.01s)\n    store_test.go:31: got 3 rows, want 4 of them\nFAIL\nFAIL\texample.com/app/store\t0.01s";
  expect(extractSignatures(tests)).toEqual(["test: testopen", "got # rows, want # of them"]);
  const build = "FAIL\texample.com/app/store [build failed]\nstore/a.go:3:2: undefined: openStore";
  expect(extractSignatures(build)).toEqual(["undefined: openstore"]);
  const lint =
    "a.go:7:10: error returned from external package is unwrapped: sig: func os.ReadFile(name string) (wrapcheck)";
  expect(extractSignatures(lint).at(-1)).toBe("rule: wrapcheck");
});
