import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import {
  conversation,
  edited,
  fixtureStart,
  type Happening,
  prompt,
  ran,
  used,
  wrote,
} from "../../../test/support/turn-fixture.ts";
import { turnToStore } from "../../sessions/ingest/turns.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { findFixes } from "../fix/find-fixes.ts";
import { findMentions } from "../fix/find-mentions.ts";
import { findRecurringErrors } from "../fix/recurring.ts";
import { findLostTexts } from "../lost/find-lost-text.ts";
import { computeTypicalMs, findWorkingCommands } from "./find-commands.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

const day = 24 * 3600 * 1000;

function session(uid: string, days: number, ...happenings: Happening[]) {
  const { id } = addSession(store.memory, uid, { cwd: store.dir });
  const relativize = createRelativizer({ root: store.dir, worktrees: [], cwd: store.dir });
  for (const one of conversation({ at: fixtureStart + days * day }, prompt("go"), ...happenings))
    saveTurn(store.memory, id, turn(one.number, turnToStore(one, relativize)));
}

const failed = { isError: true };

describe("how", () => {
  const how = (q: string) => findWorkingCommands(store.memory, { q, limit: 3 });

  beforeEach(() => {
    session(
      "a",
      0,
      ran("npm test", "Exit code 1\nerror: no script test", failed),
      ran("npm run test:unit", "ok"),
    );
    session("b", 1, ran("npm run test:unit", "ok"), ran("cd e2e && npm run test:slow", "ok"));
    session(
      "c",
      2,
      used("Bash", { command: "make -C docs html", description: "Build the documentation" }, "ok"),
    );
  });

  it("gives what worked, with where, how often, and what failed before it", () => {
    const { verdict, commands } = how("unit tests");
    expect(verdict).toBe("found");
    expect(commands[0]).toMatchObject({
      line: "npm run test:unit",
      directory: "",
      worked: 2,
      session_id: "b",
    });
    expect(how("slow tests").commands[0]).toMatchObject({ line: "npm run test:slow", directory: "e2e" });
  });

  it("goes by what the agent said it is for", () => {
    expect(how("build documentation").commands[0]?.line).toBe("make -C docs html");
  });

  it("gives the same program for a command line that failed", () => {
    session(
      "d",
      3,
      ran("go test ./...", "Exit code 1\nbuild constraints exclude all Go files", failed),
      ran("go test -tags=all ./...", "ok"),
    );
    expect(how("go test ./...").commands[0]).toMatchObject({
      line: "go test -tags=all ./...",
      failed_before: [{ line: "go test ./...", error: "build constraints exclude all Go files" }],
    });
  });

  it("counts a form, and gives a line as an example of it", () => {
    for (const [i, name] of ["A", "B", "C"].entries())
      session(
        `t${i}`,
        3 + i,
        ran(`go test -v ./pkg/${name} -run Test${name} -count=1`, i === 1 ? "FAIL" : "ok", {
          isError: i === 1,
        }),
      );
    expect(how("go test").commands[0]).toMatchObject({
      line: "go test -v ./pkg/C -run TestC -count=1",
      form: "go test … -run=…",
      worked: 2,
      failed: 1,
    });
  });

  it("finds a form by the words of a prompt, and of the project's files", () => {
    const { id } = addSession(store.memory, "p", { cwd: store.dir });
    const relativize = createRelativizer({ root: store.dir, worktrees: [], cwd: store.dir });
    for (const one of conversation(
      { at: fixtureStart + 5 * day },
      prompt("check the accessibility of the page"),
      ran("npm run axe", "ok"),
    ))
      saveTurn(store.memory, id, turn(one.number, turnToStore(one, relativize)));
    expect(how("accessibility").commands[0]).toMatchObject({ line: "npm run axe" });
    const scripts = [
      { line: "npm run axe", title: "axe", body: "playwright test wcag", file: "package.json" },
    ];
    expect(findWorkingCommands(store.memory, { q: "wcag", limit: 3 }).verdict).toBe("none");
    expect(findWorkingCommands(store.memory, { q: "wcag", limit: 3, scripts }).commands[0]).toMatchObject({
      line: "npm run axe",
    });
  });

  it("does not take a program for another whose name begins like it, nor a red test for a wrong call", () => {
    session(
      "g",
      4,
      ran("git commit -m x", "ok"),
      ran("npm run test:unit", "1 test failed", failed),
      ran("npm run test:slow", "ok"),
    );
    expect(how("gitleaks")).toEqual({ verdict: "none", commands: [], scripts: [] });
    expect(how("npm run test:slow").commands[0]).toMatchObject({
      line: "npm run test:slow",
      failed_before: [],
    });
  });

  it("names what the project's files define where no agent ran it", () => {
    const scripts = [
      { line: "npm run release", title: "release Publish a version", body: "", file: "package.json" },
    ];
    expect(findWorkingCommands(store.memory, { q: "publish", limit: 3, scripts })).toEqual({
      verdict: "maybe",
      commands: [],
      scripts: [
        {
          line: "npm run release",
          title: "release Publish a version",
          file: "package.json",
          task: "release",
        },
      ],
    });
  });

  it("is the project's cheat sheet without a question", () => {
    session(
      "x",
      4,
      ran("npx vitest run src/a.test.ts", "ok"),
      ran("npm run lint", "ok"),
      ran("npm run lint", "1 problem", failed),
    );
    session(
      "y",
      5,
      ran("npm run lint", "ok"),
      ran("npx eslint src/a.ts", "ok"),
      ran("go run /tmp/try.go", "ok"),
    );
    const scripts = [
      { line: "npm run build", title: "build", body: "tsc", file: "package.json" },
      { line: "npm run lint", title: "lint", body: "eslint .", file: "package.json" },
    ];
    const { verdict, commands, scripts: defined } = findWorkingCommands(store.memory, { limit: 3, scripts });
    expect(verdict).toBe("found");
    expect(commands.map(({ task, line, worked, failed: red }) => [task, line, worked, red])).toEqual([
      ["test one", "npx vitest run src/a.test.ts", 1, 0],
      ["test all", "npm run test:unit", 2, 0],
      ["lint", "npm run lint", 2, 1],
    ]);
    expect(defined.map(({ task, line }) => [task, line])).toEqual([["build", "npm run build"]]);
  });

  it("takes no time for a command's own that somebody's permission took", () => {
    expect(computeTypicalMs([2000, 2200, 2500, 3000, 660_000])).toBe(2500);
    expect(computeTypicalMs([660_000])).toBeNull();
    expect(computeTypicalMs([9000, 2000])).toBe(2000);
    expect(computeTypicalMs([])).toBeNull();
  });

  it("says nothing of what never ran or never worked", () => {
    session("d", 3, ran("cargo bench", "Exit code 1\nerror: no such command", failed));
    for (const q of ["deploy to kubernetes", "cargo bench", "how do we run this"])
      expect(how(q)).toEqual({ verdict: "none", commands: [], scripts: [] });
  });
});

describe("fix", () => {
  const fix = (error: string) => findFixes([store.dir], store.memory, { error, limit: 3 });
  const broken = (line: number) => `Exit code 1\nsrc/a.go:${line}:2: undefined: openStore`;

  it("gives what was changed before it worked again, and whether that is still there", () => {
    const file = join(store.dir, "src/a.go");
    session(
      "a",
      0,
      ran("go build ./...", broken(3), failed),
      edited(file, "openStore()", "openStoreReadonly()"),
      ran("go build ./...", ""),
    );
    const found = fix("lib/b.go:77:9: undefined: openStore");
    expect(found).toMatchObject({
      verdict: "found",
      errors: [
        {
          command: "go build ./...",
          times: 1,
          sessions: 1,
          fix: { edits: [{ path: "src/a.go" }], commands: ["go build ./..."], stands: false },
        },
      ],
    });
    mkdirSync(join(store.dir, "src"));
    writeFileSync(file, "x = openStoreReadonly()\n");
    expect(fix("undefined: openStore").errors[0]?.fix?.stands).toBe(true);
  });

  it("gives the command that was run instead, and no fix where it just worked again", () => {
    session(
      "a",
      0,
      ran("npm ci", "Exit code 1\nnpm error lockfile mismatch found", failed),
      ran("npm ci --force", "ok"),
    );
    expect(fix("npm error lockfile mismatch found").errors[0]?.fix).toMatchObject({
      edits: [],
      commands: ["npm ci --force"],
    });
    session(
      "b",
      1,
      ran("npm i", "Exit code 1\nnpm error registry timed out again", failed),
      ran("npm i", "ok"),
    );
    expect(fix("npm error registry timed out again").errors[0]?.fix).toBeNull();
  });

  it("takes for a fix only what touches the error, before the next run of the same form without it", () => {
    const other = join(store.dir, "docs/notes.md");
    const file = join(store.dir, "src/a.go");
    session(
      "a",
      0,
      ran("go build ./...", broken(3), failed),
      edited(other, "old", "new"),
      ran("go build ./pkg/other", "ok"),
      edited(file, "openStore()", "openStoreReadonly()"),
      ran("go build ./...", broken(3), failed),
      edited(join(store.dir, "src/b.go"), "func x() {}", "func openStore() {}"),
      ran("go build ./...", ""),
    );
    const { fix: found } = fix("undefined: openStore").errors[0]!;
    expect(found?.edits.map(({ path }) => path)).toEqual(["src/b.go"]);
    session(
      "b",
      1,
      ran(
        "go test ./pkg/store",
        "--- FAIL: TestReopen (0.01s)\n    store_test.go:31: got 3 rows, want 4 of them\nFAIL",
        failed,
      ),
      ran("go test ./pkg/other", "ok"),
    );
    expect(fix("--- FAIL: TestReopen (9.99s)")).toMatchObject({ verdict: "found", errors: [{ fix: null }] });
  });

  it("knows a rule where the message is another, and does not take for an error what is printed where all is well", () => {
    const lint = (name: string) =>
      `src/${name}.go:7:10: error returned from external package is unwrapped: sig: func ${name}.Read() (wrapcheck)`;
    const noise = "warning: unable to find the cache directory of the linter";
    session(
      "a",
      0,
      ran("golangci-lint run", `Exit code 1\n${noise}\n${lint("os")}`, failed),
      edited(join(store.dir, "src/os.go"), "return err", 'return fmt.Errorf("read: %w", err)'),
      ran("golangci-lint run", noise),
    );
    expect(fix("lib/x.go:1:1: some other words entirely stand here (wrapcheck)")).toMatchObject({
      verdict: "maybe",
      errors: [{ fix: { edits: [{ path: "src/os.go" }] } }],
    });
    expect(fix(noise).verdict).toBe("none");
  });

  it("finds an error that was only said", async () => {
    const { id } = addSession(store.memory, "s", { cwd: store.dir });
    const relativize = createRelativizer({ root: store.dir, worktrees: [], cwd: store.dir });
    const pasted = prompt("this fails:\n--- FAIL: TestReverted (3.40s)\n    x_test.go:9: the branch is gone");
    for (const one of conversation({ at: fixtureStart }, pasted))
      saveTurn(store.memory, id, turn(one.number, turnToStore(one, relativize)));
    expect(fix("--- FAIL: TestReverted (1.00s)").verdict).toBe("none");
    expect(await findMentions(store.memory, "--- FAIL: TestReverted (1.00s)")).toMatchObject([
      { session_id: "s", turn: 1, text: "--- FAIL: TestReverted (3.40s)" },
    ]);
    expect(await findMentions(store.memory, "--- FAIL: TestNobodyMet")).toEqual([]);
  });

  it("says nothing of an error that nobody met", () => {
    session("a", 0, ran("go build ./...", broken(3), failed));
    for (const error of ["undefined: closeStore", "FAIL", "Exit code 1", ""])
      expect(fix(error)).toEqual({ verdict: "none", errors: [], mentions: [] });
  });
});

it("an error of three sessions comes back, with what it cost", () => {
  const error = "Exit code 1\nError: listen EADDRINUSE: address already in use";
  for (const [i, uid] of ["a", "b", "c"].entries())
    session(uid, i, ran("npm start", error, failed), ran("npm start", "ok"));
  session("d", 3, ran("npm start", "Exit code 1\nTypeError: handler is undefined here", failed));
  expect(findRecurringErrors(store.memory)).toEqual([
    expect.objectContaining({
      error: "Error: listen EADDRINUSE: address already in use",
      sessions: 3,
      cost_ms: 6000,
    }),
  ]);
});

it("text that no commit and no file holds is lost", async () => {
  const git = (...args: string[]) => execFileSync("git", ["-C", store.dir, ...args]);
  git("init", "-q");
  const file = join(store.dir, "a.ts");
  writeFileSync(file, "const committed = 1;\n");
  git("add", "a.ts");
  git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "one");
  session(
    "a",
    0,
    edited(file, "const committed = 1;", "const replacedLater = 2;"),
    edited(file, "const replacedLater = 2;", "const destroyed = 3;"),
    ran("git checkout -- a.ts", ""),
    wrote(join(store.dir, "b.ts"), "const other = 4;"),
  );
  const { texts } = await findLostTexts(store.memory, [store.dir], { file: "a.ts", limit: 9 });
  expect(texts.map(({ lost_by, command, lines }) => [lost_by, command, lines])).toEqual([
    ["edit", null, ["const replacedLater = 2;"]],
    ["checkout", "git checkout -- a.ts", ["const destroyed = 3;"]],
  ]);
  expect((await findLostTexts(store.memory, [store.dir], { file: "c.ts", limit: 9 })).total).toBe(0);
});
