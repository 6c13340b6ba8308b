import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { changeMemory, toldProject } from "../../../test/support/told-project.ts";
import { conversation, edited, prompt, ran, text } from "../../../test/support/turn-fixture.ts";
import { setConfig } from "../../base/config/config-edit.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { readReadyPart } from "../../protocol/ready-context.ts";
import { extractCommands } from "../../sessions/commands/commands-of-turn.ts";
import { saveCommands } from "../../store/memory/commands.ts";
import { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { fix } from "../fix/operation.ts";
import { deadEndsInHooks } from "./before-call.ts";
import { deadEnds } from "./operation.ts";
import { makeDeadEndsReady } from "./ready.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
beforeEach(() => {
  home = temporaryHome();
  project = toldProject(join(home.dir, "shop"));
});
afterEach(() => home.remove());

const how = { without: "here" } as const;
const day = 86_400_000;

/** Records a session as reading its transcript does. */
function record(uid: string, daysAgo: number, ...happenings: Parameters<typeof conversation>): void {
  changeMemory(project, (memory) => {
    const at = Date.now() - daysAgo * day;
    const { id } = addSession(memory, uid, { cwd: project.root, startedAt: at, lastAt: at });
    for (const one of conversation({ at }, ...happenings)) {
      const content = packContent(one.lines);
      const turnId = saveTurn(memory, id, turn(one.number, { startedAt: at, endedAt: at, content }));
      saveCommands(
        memory,
        turnId,
        extractCommands(one, (path) => path.replace(`${project.root}/`, "")),
      );
    }
  });
}

const list = async (request = {}) => (await call(deadEnds, request, project, how)).dead_ends;
const failed = (command: string, error: string) => ran(command, `Exit code 1\n${error}`, { isError: true });

/** What an agent is told before a call. */
async function tell(
  session: string,
  input: Record<string, unknown>,
  cwd = project.root,
): Promise<string | null> {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  await makeDeadEndsReady(project, memory);
  memory.close();
  const ready = readReadyPart(project.root, "dead-ends");
  const ahead = { session, tool: "", input, cwd };
  return ready === null ? null : (deadEndsInHooks.beforeCall(ready, ahead)?.text ?? null);
}
const check = () => setConfig(project, "dead_ends.check", "true");

const statFails = [
  prompt("what does the pull request change?"),
  failed("gh pr diff 104 --stat", "unknown flag: --stat"),
  ran("gh pr diff 104 --name-only", "a.ts"),
];

describe("a call that never worked", () => {
  it("is listed with its error and what worked then", async () => {
    record("one", 3, ...statFails);
    expect(await list()).toMatchObject([
      {
        kind: "command",
        tried: ["gh pr diff 104 --stat"],
        error: "unknown flag: --stat",
        instead: "gh pr diff 104 --name-only",
        session_id: "one",
        turn: 1,
      },
    ]);
    expect(await list({ about: "stat flag" })).toHaveLength(1);
    expect(await list({ about: "coffee machine" })).toEqual([]);
    expect(await list({ kind: ["change"] })).toEqual([]);
  });

  it("is told before the same form runs, and of no other", async () => {
    record("one", 3, ...statFails);
    expect(await tell("new", { command: "gh pr diff 7 --stat" })).toBeNull();
    check();
    const said = await tell("new", { command: "cd x && gh pr diff 7 --stat | head" });
    expect(said).toContain("unknown flag: --stat");
    expect(said).toContain("What worked then: “gh pr diff 104 --name-only”");
    expect(await tell("new", { command: "gh pr diff 7" })).toBeNull();
    expect(await tell("new", { command: "git diff --stat" })).toBeNull();
  });

  it("is none once it worked", async () => {
    check();
    record("one", 3, ...statFails);
    record("two", 2, prompt("again"), ran("gh pr diff 105 --stat", "1 file"));
    expect(await list()).toEqual([]);
    expect(await tell("new", { command: "gh pr diff 7 --stat" })).toBeNull();
  });

  it("has not worked where a pipe hid that it failed again", async () => {
    record("one", 3, ...statFails);
    record("two", 2, prompt("again"), ran("gh pr diff 105 --stat | tail -3", "unknown flag: --stat"));
    expect(await list()).toHaveLength(1);
    record("three", 1, prompt("again"), ran("gh pr diff 106 --stat | tail -3", "1 file changed"));
    expect(await list()).toEqual([]);
  });

  it("is no check that fails for the code, nor a program that is worked on here", async () => {
    record(
      "one",
      3,
      prompt("fix it"),
      failed("npm test", "FAIL src/a.test.ts\nerror: unknown option in config: npm"),
      failed("/tmp/shop-test enabl", 'Error: Unknown command "enabl"'),
    );
    expect(await list()).toEqual([]);
  });

  it("is not the program that reports what its settings added", async () => {
    record(
      "one",
      3,
      prompt("run the tests"),
      failed("uv run pytest tests", "pytest: error: unrecognized arguments: -n"),
      failed("uv run pytest tests --timeout=60", "pytest: error: unrecognized arguments: --timeout=60"),
    );
    expect((await list()).map(({ tried }) => tried[0])).toEqual(["uv run pytest tests --timeout=60"]);
  });

  it("is also one that only looks, if it names what it did not take", async () => {
    check();
    record(
      "one",
      3,
      prompt("what is there?"),
      failed("git status --stat", "error: unknown option `stat'\nusage: git status [<options>]"),
      ran("git status --short", " M a.ts"),
      failed("sed -n 1,3p a.ts | cat -An", "cat: illegal option -- A"),
      failed("cd src && tree", "zsh: command not found: tree"),
      failed("grep -c x a.ts", ""),
      ran("grep 'illegal option -- A' notes.txt", "cat: illegal option -- A"),
    );
    expect((await list()).map(({ tried }) => tried[0]).sort()).toEqual([
      "cat -An",
      "git status --stat",
      "tree",
    ]);
    expect(await tell("new", { command: "git status --stat" })).toContain(
      "What worked then: “git status --short”",
    );
    expect(await tell("new", { command: "head a.ts | cat -A" })).toContain("illegal option");
    expect(await tell("new", { command: "cat -n a.ts" })).toBeNull();
    expect(await tell("new", { command: "git diff --stat" })).toBeNull();
    expect(await tell("new", { command: "grep -c x b.ts" })).toBeNull();
  });

  it("is a program that another one does not run, and what worked is that without it", async () => {
    record(
      "one",
      3,
      prompt("test it"),
      failed("rtk bun run test", "error: unrecognized subcommand 'bun'"),
      ran("bun run test", "12 pass"),
    );
    expect(await list()).toMatchObject([{ tried: ["rtk bun run test"], instead: "bun run test" }]);
  });

  it("is an address only where it was missing twice", async () => {
    const missing = (id: number) =>
      failed(`gh api repos/a/b/pulls/comments/${id}/replies -f body=x`, "gh: Not Found (HTTP 404)");
    record("one", 3, prompt("reply"), missing(1));
    expect(await list()).toEqual([]);
    record(
      "two",
      2,
      prompt("reply"),
      missing(2),
      ran("gh api repos/a/b/pulls/7/comments/2/replies -f body=x", "{}"),
    );
    expect(await list()).toMatchObject([
      { times: 2, sessions: 2, instead: expect.stringContaining("pulls/7") as string },
    ]);
  });

  it("is said beside what fixed the error, once agents are told", async () => {
    record("one", 3, ...statFails);
    const ask = async () => (await call(fix, { error: "unknown flag: --stat" }, project, how)).notes;
    expect(await ask()).toEqual([]);
    check();
    expect(await ask()).toEqual([expect.stringContaining("never worked here")]);
  });
});

describe("a path that is not there from where the shell is", () => {
  const missing = (line: string, path: string) =>
    failed(line, `fatal: pathspec '${path}' did not match any files`);
  const inside = () => join(project.root, "web");
  /** The shell's directory is in each line. */
  const recordIn = (uid: string, ...happenings: Parameters<typeof conversation>) => {
    changeMemory(project, (memory) => {
      const at = Date.now() - day;
      const { id } = addSession(memory, uid, { cwd: project.root, startedAt: at, lastAt: at });
      for (const one of conversation({ at }, ...happenings)) {
        const lines = one.lines.map((line) => ({ ...line, cwd: inside() }));
        saveTurn(memory, id, turn(one.number, { startedAt: at, endedAt: at, content: packContent(lines) }));
      }
    });
  };

  it("is told there alone, and not once it is there", async () => {
    check();
    recordIn("one", prompt("commit it"), missing("git add web/src/a.ts", "web/src/a.ts"));
    mkdirSync(inside());
    expect(await list()).toMatchObject([{ kind: "command", path: "web", tried: ["git add web/src/a.ts"] }]);
    const from = (cwd: string) => tell("new", { command: "ls web/lib/" }, cwd);
    expect(await from(inside())).toContain("did not match any files");
    expect(await from(project.root)).toBeNull();
    mkdirSync(join(inside(), "web"));
    expect(await from(inside())).toBeNull();
  });

  it("is none where the path was there at another time", async () => {
    recordIn("one", prompt("commit it"), missing("git add src/b.ts", "src/b.ts"), ran("git add src/a.ts"));
    expect(await list()).toEqual([]);
  });
});

const cache =
  "const cache = new LruCache(50);\nif (cache.has(key)) return cache.get(key);\ncache.set(key, value);";
const plain = "return computeValue(key);";
const takenBack = (file: string) => [
  prompt("make it faster"),
  edited(file, plain, cache),
  prompt("that gives stale values, take it out"),
  edited(file, cache, plain),
  text("Reverted the cache, because callers change values in place. Now it computes each time."),
];
const writes = (file: string, added = cache) => ({ file_path: file, old_string: plain, new_string: added });

describe("a change that was taken back", () => {
  const file = () => join(project.root, "src/a.ts");

  it("is listed with the agent's reason and what held instead", async () => {
    record("one", 3, ...takenBack(file()));
    const [end, ...others] = await list();
    expect(others).toEqual([]);
    expect(end).toMatchObject({
      kind: "change",
      path: "src/a.ts",
      taken_back_by: "edit",
      session_id: "one",
      turn: 2,
      reason: "Reverted the cache, because callers change values in place.",
      instead: "Now it computes each time.",
    });
    expect(end?.tried[0]).toBe("const cache = new LruCache(50);");
    expect(await list({ file: "src" })).toHaveLength(1);
    expect(await list({ file: "lib" })).toEqual([]);
  });

  it("is told where most of its lines come into the same file again, in another session", async () => {
    check();
    record("one", 3, ...takenBack(file()));
    expect(await tell("new", writes(file()))).toContain("Reverted the cache");
    expect(await tell("one", writes(file()))).toBeNull();
    expect(await tell("new", writes(join(project.root, "src/b.ts")))).toBeNull();
    expect(await tell("new", writes(file(), "const cache = new LruCache(50);"))).toBeNull();
  });

  it("is taken back by git, too", async () => {
    record("one", 3, prompt("faster"), edited(file(), plain, cache), ran("git checkout -- src/a.ts"));
    expect(await list()).toMatchObject([{ taken_back_by: "git", path: "src/a.ts" }]);
  });

  it.each([
    [
      "replaced by something else",
      (at: string) => [
        edited(at, plain, cache),
        prompt("no"),
        edited(at, cache, "return memoise(computeValue)(key);"),
      ],
    ],
    ["worked out within a turn", (at: string) => [edited(at, plain, cache), edited(at, cache, plain)]],
    [
      "only printed to look",
      (at: string) => [
        edited(at, plain, `${plain}\nconsole.log("value", key);\nconsole.log("again", key);`),
        prompt("no"),
        edited(at, `${plain}\nconsole.log("value", key);\nconsole.log("again", key);`, plain),
      ],
    ],
    [
      "moved to another file",
      (at: string) => [
        edited(at, plain, cache),
        prompt("no"),
        edited(at, cache, plain),
        edited(`${at}.x.ts`, plain, cache),
      ],
    ],
    [
      "put there again",
      (at: string) => [
        edited(at, plain, cache),
        prompt("no"),
        edited(at, cache, plain),
        prompt("yes"),
        edited(at, plain, cache),
      ],
    ],
    [
      "committed, and reset later",
      (at: string) => [edited(at, plain, cache), ran("git commit -am x"), ran("git checkout -- src/a.ts")],
    ],
  ])("is none where it was %s", async (_, happenings) => {
    record("one", 3, prompt("faster"), ...happenings(file()));
    expect(await list({ kind: ["change"] })).toEqual([]);
  });
});

it("an approach is what an agent's closing words give up, and is told to nobody unasked", async () => {
  check();
  record(
    "one",
    3,
    prompt("make it faster"),
    text("I tried the worker pool, but it starved the main thread. Instead the queue is drained in batches."),
    prompt("and the docs"),
    text("The docs say what happens to reverted files. Do you want me to revert the index?"),
  );
  expect(await list()).toMatchObject([
    {
      kind: "approach",
      tried: ["I tried the worker pool, but it starved the main thread."],
      instead: "Instead the queue is drained in batches.",
    },
  ]);
  expect(await tell("new", { command: "worker pool" })).toBeNull();
});

it("what colleagues shared is no dead end here", async () => {
  record("one", 3, ...statFails);
  changeMemory(project, (memory) => {
    addSession(memory, "one", { author: "Ada" });
  });
  expect(await list()).toEqual([]);
});
