import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failed, temporaryRuns } from "../../../test/support/runs-fixture.ts";
import { prompt, ran, used } from "../../../test/support/turn-fixture.ts";
import { findWorkingCommands } from "./find-commands.ts";
import { computeTypicalMs } from "./typical-time.ts";

let store: ReturnType<typeof temporaryRuns>;
beforeEach(() => {
  store = temporaryRuns();
});
afterEach(() => store.remove());

const session: ReturnType<typeof temporaryRuns>["session"] = (...given) => store.session(...given);

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
    session("p", 5, prompt("check the accessibility of the page"), ran("npm run axe", "ok"));
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

  it("leaves out of the cheat sheet what works on paths that only a shell's variable names", () => {
    session(
      "v",
      4,
      ran('cargo build --manifest-path "$POD/Cargo.toml"', "ok"),
      ran("cargo build --target-dir $OUT", "ok"),
      ran("cargo test --manifest-path ~/elsewhere/Cargo.toml", "ok"),
    );
    const lines = findWorkingCommands(store.memory, { limit: 3 }).commands.map(({ line }) => line);
    expect(lines).toEqual(["npm run test:unit"]);
    session("w", 5, ran("cargo build --release", "ok"));
    expect(
      findWorkingCommands(store.memory, { limit: 3 }).commands.map(({ task, line }) => [task, line]),
    ).toContainEqual(["build", "cargo build --release"]);
  });

  it("ranks what the project runs before a trial of its program elsewhere, and what builds it before what is called alike", () => {
    session(
      "k",
      4,
      prompt("build the binary and try it in the large repository"),
      ran("cd /tmp/large && /tmp/shop-bin hooks stop", "ok"),
      ran("cd /tmp/large && /tmp/shop-bin hooks start", "ok"),
      ran("go build -o /tmp/shop-bin ./cmd/shop", "ok"),
    );
    session("l", 5, ran("go test ./... -run TestCart", "ok"), ran("go test ./...", "ok"));
    expect(how("build the binary").commands[0]).toMatchObject({
      line: "go build -o /tmp/shop-bin ./cmd/shop",
    });
    expect(how("run a single test").commands[0]).toMatchObject({ line: "go test ./... -run TestCart" });
  });

  it("says what a command is for only where the call ran nothing else", () => {
    session(
      "f",
      4,
      used("Bash", { command: "npm ci && npm run pack:all", description: "Install and package" }, "ok"),
    );
    expect(how("npm run pack:all").commands[0]).toMatchObject({ purpose: "", took_ms: null });
    session("h", 5, used("Bash", { command: "npm run pack:all", description: "Package everything" }, "ok"));
    session(
      "i",
      6,
      used("Bash", { command: "npm ci && npm run pack:all", description: "Try it once more" }, "ok"),
    );
    expect(how("npm run pack:all").commands[0]).toMatchObject({ purpose: "Package everything", worked: 3 });
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
