import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failed, temporaryRuns } from "../../../test/support/runs-fixture.ts";
import { edited, ran } from "../../../test/support/turn-fixture.ts";
import { findFixes } from "./find-fixes.ts";

let store: ReturnType<typeof temporaryRuns>;
beforeEach(() => {
  store = temporaryRuns();
});
afterEach(() => store.remove());

const session: ReturnType<typeof temporaryRuns>["session"] = (...given) => store.session(...given);

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

  it("names only errors of the time that is asked about", () => {
    session("a", 0, ran("go build ./...", broken(3), failed));
    session("b", 5, ran("go build ./...", broken(4), failed));
    const [known] = fix("undefined: openStore").errors;
    const since = Date.parse(known!.last_at!);
    const ask = (from: number) =>
      findFixes([store.dir], store.memory, { error: "undefined: openStore", limit: 3, since: from });
    expect(known).toMatchObject({ times: 2 });
    expect(ask(since).errors).toMatchObject([{ times: 1, session_id: "b" }]);
    expect(ask(since + 1)).toEqual({ verdict: "none", errors: [] });
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

  it("takes a call about something else for no fix of a wrong call, and one without what was refused for a fix", () => {
    session(
      "a",
      0,
      ran(
        "git worktree add ../one -b car/31 38b67c8",
        "Exit code 128\nfatal: a branch named 'car/31' already exists",
        failed,
      ),
      ran("git worktree add --detach ../two 9c4730a", "ok"),
    );
    expect(fix("fatal: a branch named 'car/31' already exists").errors[0]?.fix).toBeNull();
    session(
      "b",
      1,
      ran(
        "gh pr create --base main --label patch",
        "Exit code 1\ncould not add label: 'patch' not found",
        failed,
      ),
      ran("gh pr create --base main", "ok"),
    );
    expect(fix("could not add label: 'patch' not found").errors[0]?.fix?.commands).toEqual([
      "gh pr create --base main",
    ]);
  });

  it("gives no fix where only lines are in common that any failure of the program has", () => {
    const lines = (test: string) =>
      `Exit code 1\n1 failing\n  1) ${test}\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n+ actual - expected`;
    session(
      "a",
      0,
      ran("pnpm test", lines("shows the loading row of the tree"), failed),
      edited(join(store.dir, "test/tree.test.ts"), "old", "new"),
      ran("pnpm test", "ok"),
    );
    const { errors } = fix(
      "2 failing\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n+ actual - expected",
    );
    expect(errors.map((error) => error.fix)).toEqual([null]);
  });

  it("takes for a fix what the same program did to the same thing before the same line worked", () => {
    session(
      "a",
      0,
      ran(
        "gh pr merge 91 --squash",
        "Exit code 1\nGraphQL: Pull Request is still a draft (mergePullRequest)",
        failed,
      ),
      ran("gh pr view 17", "ok"),
      ran("gh pr ready 91", "ok"),
      ran("gh pr merge 91 --squash", "ok"),
    );
    expect(fix("GraphQL: Pull Request is still a draft (mergePullRequest)").errors[0]?.fix?.commands).toEqual(
      ["gh pr ready 91", "gh pr merge 91 --squash"],
    );
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

  it("takes no run of other tests for one in which a test of Bun's passed, nor its assertion for another's", () => {
    const failing = (test: string, expected: string) =>
      `Exit code 1\nerror: expect(received).toContain(expected)\nExpected to contain: "${expected}"\n(fail) ${test} [225.99ms]`;
    session(
      "a",
      0,
      ran("bun test", failing("Picker > moves down", "Codex"), failed),
      ran("bun test src/types.test.ts", "(pass) Types > has all [1.00ms]"),
    );
    expect(fix(failing("Picker > moves down", "Codex"))).toMatchObject({
      verdict: "found",
      errors: [{ fix: null }],
    });
    expect(fix(failing("Chat > waits", "still waiting")).verdict).not.toBe("found");
  });

  it("takes no file that was deleted for what mended its test", () => {
    const probe = join(store.dir, "src/debug_test.go");
    const error = "--- FAIL: TestDebugTree (0.01s)\n    debug_test.go:46: wrote the tree to look at it";
    session(
      "a",
      0,
      ran("go test ./src", error, failed),
      edited(probe, "package src\n\nfunc TestDebugTree(t *testing.T) {\n\tt.Fatal(1)\n}\n", ""),
      ran("go test ./src", "ok"),
    );
    expect(fix(error)).toMatchObject({ verdict: "found", errors: [{ fix: null }] });
  });

  it("takes the only change before the same line worked, not what was put in to look at it, and no prose", () => {
    const probe = join(store.dir, "probe/main.go");
    session(
      "a",
      0,
      ran("go run ./probe", "Exit code 1\nfatal: unexpected EOF while reading the header", failed),
      edited(probe, "send(10)", 'fmt.Println("looking at it")\nsend(10)'),
      edited(probe, 'fmt.Println("looking at it")\nsend(10)', "send(4)"),
      edited(join(store.dir, "NOTES.md"), "old", "header"),
      ran("go run ./probe", "ok"),
    );
    const { fix: found } = fix("fatal: unexpected EOF while reading the header").errors[0]!;
    expect(found?.edits.map(({ path, diff }) => [path, diff.includes("send(4)")])).toEqual([
      ["probe/main.go", true],
    ]);
  });

  it("takes what the program said to run, what git put out of its own way, and the same tool called in another way", () => {
    session(
      "a",
      0,
      ran(
        "git cherry-pick abc",
        "Exit code 1\nThe pick is now empty. Please use 'git cherry-pick --skip'",
        failed,
      ),
      ran("git cherry-pick --skip", "ok"),
      ran("git stash pop", "Exit code 1\nerror: Your local changes would be overwritten by merge", failed),
      ran("git checkout last-run.json", "ok"),
      ran("git stash pop", "ok"),
      ran(
        "pnpm --filter api exec jest --testPathPattern=shares",
        "Exit code 1\nError: Can't find a root directory while resolving a config file path.",
        failed,
      ),
      ran("npx jest --testPathPattern=shares", "ok"),
      ran("cargo fmt --check", "Diff in /app/src/main.rs:3:\nDiff in /app/src/lib.rs:9:", failed),
      ran("cargo fmt", ""),
    );
    const commandsFor = (error: string) => fix(error).errors[0]?.fix?.commands;
    expect(commandsFor("The pick is now empty. Please use 'git cherry-pick --skip'")).toEqual([
      "git cherry-pick --skip",
    ]);
    expect(commandsFor("Diff in /other/src/a.rs:77:")).toEqual(["cargo fmt"]);
    expect(commandsFor("error: Your local changes would be overwritten by merge")).toEqual([
      "git checkout last-run.json",
      "git stash pop",
    ]);
    expect(commandsFor("Error: Can't find a root directory while resolving a config file path.")).toEqual([
      "npx jest --testPathPattern=shares",
    ]);
  });

  it("takes the call with more about the same, with quotes, or without the value that was refused, no help, and a build for what it makes", () => {
    const url = "https://api.example.org/repos/a/b/contents/package.json?ref=topic";
    const outside = "Error: results stand below .results, not in /tmp/results-of-today";
    const missing =
      "SyntaxError: Export named 'merge' not found in module '/app/packages/core/dist/index.js'.";
    session(
      "a",
      0,
      ran(
        `curl --fail -o a.json ${url}`,
        "curl: (22) The requested URL returned error: 404 for that",
        failed,
      ),
      ran("curl --fail https://api.example.org/health", "ok"),
      ran(`curl --fail -H "Accept: x" -o a.json '${url}'`, "ok"),
      ran("workmux add topic --branch b", "error: unexpected argument '--branch' found for topic", failed),
      ran("workmux add --help", "Usage: workmux add NAME"),
      ran("workmux add topic --from b", "ok"),
      ran("evals run --output /tmp/results-of-today --dry", outside, failed),
      ran("evals run --output .results/today --dry", "ok"),
      ran("bun cli.ts skills", missing, failed),
      ran("bun run build", "ok"),
      ran("bun cli.ts skills", "ok"),
    );
    const commandsFor = (error: string) => fix(error).errors[0]?.fix?.commands;
    expect(commandsFor("curl: (22) The requested URL returned error: 404 for that")).toEqual([
      `curl --fail -H "Accept: x" -o a.json '${url}'`,
    ]);
    expect(commandsFor("error: unexpected argument '--branch' found for topic")).toEqual([
      "workmux add topic --from b",
    ]);
    expect(commandsFor(outside)).toEqual(["evals run --output .results/today --dry"]);
    expect(commandsFor(missing)).toEqual(["bun run build", "bun cli.ts skills"]);
  });

  it("takes the call with another name in place of the one that the error quotes", () => {
    session(
      "a",
      0,
      ran(
        "kubectl set image deploy/web -n front web=registry/web:2",
        'Exit code 1\nerror: unable to find container named "web"',
        failed,
      ),
      ran("kubectl get deploy web -n front", "server registry/web:1"),
      ran("kubectl set image deploy/web -n front server=registry/web:2", "deployment.apps/web image updated"),
    );
    expect(fix('error: unable to find container named "web"').errors[0]?.fix).toMatchObject({
      edits: [],
      commands: ["kubectl set image deploy/web -n front server=registry/web:2"],
    });
  });

  it("takes no scratch file outside of the project for what mended it, unless it is what failed", () => {
    const scratch = "/private/tmp/scratch/probe.go";
    session(
      "a",
      0,
      ran("go build ./...", broken(3), failed),
      edited(scratch, "a()", "openStore() // undefined: openStore"),
      edited(join(store.dir, "src/a.go"), "openStore()", "openStoreReadonly()"),
      ran("go build ./...", ""),
    );
    expect(fix("undefined: openStore").errors[0]?.fix?.edits).toMatchObject([{ path: "src/a.go" }]);
    session(
      "b",
      1,
      ran("python3 scan2.py", "Exit code 1\nSyntaxError: expected 'except' or 'finally' block", failed),
      edited("/private/tmp/scratch/scan2.py", "try:", "try:\n    except Exception:"),
      ran("python3 scan2.py", "ok"),
    );
    const own = fix("SyntaxError: expected 'except' or 'finally' block").errors[0]?.fix?.edits;
    expect(own).toMatchObject([{ path: "/private/tmp/scratch/scan2.py" }]);
  });

  it("takes a run that leaves nothing out, the rest of a rebase, and what a linter put right itself", () => {
    const config = join(store.dir, "src/config.rs");
    const error = "error[E0277]: `AppConfig` doesn't implement `Debug`";
    session(
      "a",
      0,
      ran("cargo test", `Exit code 101\n${error}\n --> src/config.rs:153:42`, failed),
      edited(config, "struct AppConfig {}", "#[derive(Debug)]\nstruct AppConfig {}"),
      edited(join(store.dir, "src/main.rs"), "run()", "start()"),
      ran("cargo test -- --skip config", "ok"),
      ran("cargo test -- --test-threads=1", "ok"),
      ran("git rebase main", "Exit code 1\nerror: could not apply 71e169ab... wip", failed),
      edited(join(store.dir, "src/block.go"), "<<<<<<< HEAD\nold()", "new()"),
      ran("GIT_EDITOR=true git rebase --continue", "ok"),
      ran(
        "fieldalignment ./...",
        "Exit code 3\nsrc/gradient.go:247:13: struct with 64 pointer bytes",
        failed,
      ),
      ran("fieldalignment -fix ./color/...", "ok"),
      ran("fieldalignment ./...", "ok"),
    );
    session(
      "b",
      1,
      ran(
        "cd src && git checkout main",
        "Exit code 1\nerror: Your local changes would be lost by checkout",
        failed,
      ),
      ran("git stash && git checkout main", "ok"),
      ran("gh pr view 5 --json state,merged", 'Exit code 1\nUnknown JSON field: "merged"', failed),
      ran("gh pr view 5 --json state,mergedAt", "ok"),
    );
    const found = (text: string) => fix(text).errors[0]?.fix;
    expect(found(error)?.edits.map(({ path }) => path)).toEqual(["src/config.rs"]);
    expect(found(error)?.commands).toEqual(["cargo test -- --test-threads=1"]);
    expect(found("error: could not apply 71e169ab... wip")).toMatchObject({
      edits: [{ path: "src/block.go" }],
      commands: ["GIT_EDITOR=true git rebase --continue"],
    });
    expect(found("src/gradient.go:247:13: struct with 64 pointer bytes")?.commands).toEqual([
      "fieldalignment -fix ./color/...",
    ]);
    expect(found("error: Your local changes would be lost by checkout")?.commands).toEqual([
      "git stash",
      "git checkout main",
    ]);
    expect(found('Unknown JSON field: "merged"')?.commands).toEqual(["gh pr view 5 --json state,mergedAt"]);
  });

  it("takes what a linter's own writing left, and no run that only tells of the program", () => {
    const [sorted, unused] = [
      "src/app.py:7:1: I001 Import block is un-sorted",
      "src/app.py:9:2: F841 Local variable `tree` is unused",
    ];
    const file = join(store.dir, "src/app.py");
    session(
      "a",
      0,
      ran("ruff check .", `Exit code 1\n${sorted}\n${unused}`, failed),
      ran("ruff check --fix .", `Exit code 1\n${unused}`, failed),
      edited(file, "tree = 1", ""),
      ran("ruff check .", "ok"),
      ran("pytest -x", "E   ModuleNotFoundError: No module named 'frontend'\n1 error in 2.38s", failed),
      edited(file, "import fitz", "import frontend as fitz"),
      ran("pytest --version", "pytest 8"),
    );
    const found = (text: string) => fix(text).errors[0]?.fix;
    expect(found(sorted)?.commands).toEqual(["ruff check --fix ."]);
    expect(found(unused)?.edits.map(({ path }) => path)).toEqual(["src/app.py"]);
    expect(found("E   ModuleNotFoundError: No module named 'frontend'")).toBeNull();
  });

  it("gives the call that PowerShell understood for one that it could not parse", () => {
    const refused = `The token '&&' is not a valid statement separator in this version.\n    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException`;
    session(
      "a",
      0,
      ran("cd client && npm run build", refused, failed),
      ran("cd client; npm run build", "ok"),
    );
    expect(fix("The token '&&' is not a valid statement separator in this version.")).toMatchObject({
      verdict: "found",
      errors: [{ command: "cd client && npm run build", fix: { commands: ["npm run build"], edits: [] } }],
    });
    const other =
      "Missing closing '}' in statement block or type definition.\n    + CategoryInfo : ParserError: (:) [], ParseException";
    expect(fix(other).verdict).toBe("none");
  });

  it("takes no option of another program for a formatter's, and no helper of PowerShell for what failed", () => {
    session(
      "a",
      0,
      ran('ssh host "psql -d app -c x"', 'ERROR:  relation "measurements" does not exist', failed),
      ran('ssh host "uptime"', "ok"),
      ran(
        "Set-Location web; npm run previews; Remove-Item Env:\\OMP_BIN",
        "Exit code 1\nError: unknown flag: --data-only of the previews",
        failed,
      ),
      ran("Set-Location web; npm run previews", "ok"),
    );
    expect(fix('ERROR:  relation "measurements" does not exist').errors[0]?.fix).toBeNull();
    expect(fix("Error: unknown flag: --data-only of the previews").errors[0]).toMatchObject({
      command: "npm run previews",
      directory: "web",
      fix: null,
    });
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

  it("finds an error whose beginning was not pasted, but no other that only reads like it", () => {
    session(
      "a",
      0,
      ran(
        "node --test",
        "Exit code 1\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from src/retry.test.ts",
        failed,
      ),
    );
    const asked = (name: string) =>
      fix(`Cannot find package '${name}' imported from src/retry.test.ts`).verdict;
    expect([asked("vitest"), asked("jest")]).toEqual(["found", "none"]);
  });

  it("says nothing of an error that nobody met", () => {
    session("a", 0, ran("go build ./...", broken(3), failed));
    for (const error of ["undefined: closeStore", "FAIL", "Exit code 1", ""])
      expect(fix(error)).toEqual({ verdict: "none", errors: [] });
  });
});
