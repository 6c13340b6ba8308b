import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { idOf, transcript } from "../../../test/support/transcript-fixture.ts";
import { agents, findAgentByName } from "../registry.ts";
import { claude } from "./claude.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-find-"));
});

it("Claude Code is registered under its name", () => {
  expect(findAgentByName("claude")).toMatchObject({ title: claude.title, setup: claude.setup });
  expect(findAgentByName("nobody")).toBeUndefined();
  expect(new Set(agents.map(({ name }) => name)).size).toBe(agents.length);
});

it.each([
  [{}, join(homedir(), ".claude/projects")],
  [{ HOME: "/home/dev" }, "/home/dev/.claude/projects"],
  [{ HOME: "/home/dev", CLAUDE_CONFIG_DIR: "" }, "/home/dev/.claude/projects"],
  [{ HOME: "/home/dev", CLAUDE_CONFIG_DIR: "/etc/claude/" }, "/etc/claude/projects"],
])("looks with %j in %s", (env, root) => {
  expect(claude.listRoots(env)).toEqual([root]);
});

async function listed(): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of claude.list(dir)) found.push(path.slice(dir.length + 1));
  return found;
}

describe("listing", () => {
  it("is in order of path, through directories and files that begin alike", async () => {
    const paths = ["a-b/x.jsonl", "a.jsonl", "a/x.jsonl", "a/b/c/x.jsonl", "ab.jsonl"];
    for (const path of paths) {
      mkdirSync(join(dir, path, ".."), { recursive: true });
      writeFileSync(join(dir, path), "");
    }
    expect(await listed()).toEqual(paths.toSorted());
  });

  it("follows links to files, not to directories, and skips broken ones", async () => {
    writeFileSync(join(dir, "a.jsonl"), "");
    symlinkSync(join(dir, "a.jsonl"), join(dir, "b.jsonl"));
    symlinkSync(join(dir, "absent"), join(dir, "c.jsonl"));
    symlinkSync(dir, join(dir, "round"));
    mkdirSync(join(dir, "d.jsonl"));
    expect(await listed()).toEqual(["a.jsonl", "b.jsonl"]);
  });
});

describe("describing", () => {
  it("picks the session in the file's name if there are several", async () => {
    const old = transcript({ session: idOf("old"), cwd: "/old" });
    old.prompt("begin");
    const t = transcript({ session: idOf("new"), cwd: "/new" });
    t.lines.push(...old.lines);
    t.prompt("go on");
    expect(await claude.describe(t.writeTo(dir))).toMatchObject({ session: t.session, cwd: "/new" });
    const unnamed = join(dir, "export.jsonl");
    writeFileSync(unnamed, t.text());
    expect(await claude.describe(unnamed)).toMatchObject({ session: old.session, cwd: "/old" });
  });

  it("reads the launch directory from the lines, not from the folder's name", async () => {
    const t = transcript({ cwd: "/home/dev/a-b.c" });
    t.snapshot();
    t.side({ type: "mode", mode: "normal" });
    t.prompt("begin");
    const file = t.writeTo(join(dir, "-home-dev-other"));
    expect(await claude.describe(file)).toMatchObject({ cwd: "/home/dev/a-b.c", parent: null });
  });

  it("recognises a subagent by its lines, also without metadata", async () => {
    const t = transcript({ agentId: "a1" });
    t.prompt("look");
    const parent = { session: t.session, toolUse: null, agentType: null, task: null };
    const file = t.writeTo(dir);
    expect(await claude.describe(file)).toMatchObject({ session: `${t.session}/a1`, parent });
    for (const meta of ["{", "[]", '{"agentType":5,"toolUseId":null}']) {
      writeFileSync(file.replace(".jsonl", ".meta.json"), meta);
      expect(await claude.describe(file)).toMatchObject({ parent });
    }
  });

  it("reads a bounded part of the file", async () => {
    const t = transcript();
    for (let at = 0; at < 5; at++)
      t.raw(JSON.stringify({ type: "x", sessionId: "s", pad: "x".repeat(1024 * 1024) }));
    t.prompt("begin");
    expect(await claude.describe(t.writeTo(dir))).toBeNull();
  });
});
