import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { describeDatabase } from "../../../test/support/agent-database-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { pictureData } from "../../../test/support/chat-fixture.ts";
import {
  edited,
  opencodeSession,
  opencodeStart,
  ran,
  said,
  thought,
} from "../../../test/support/opencode-fixture.ts";
import type { TranscriptEntry } from "../agent.ts";
import { opencode } from "./opencode.ts";

const heron = "/home/dev/shop/src/heron.ts";

let growing: ReturnType<typeof opencodeSession>;
let opened = "";
describeDatabase("OpenCode", {
  agent: opencode,
  begin(dir) {
    growing = opencodeSession(dir);
    return growing.path;
  },
  steps: [
    () => growing.prompt("Why does the heron importer give up? 🛒"),
    () =>
      growing.answer([
        thought("It tries once."),
        said("Let me look."),
        ran("read", "c1", { filePath: heron }),
      ]),
    () => {
      opened = growing.answer([edited("c2", heron, "a = 1", "a = 3")], { isOpen: true });
    },
    () => growing.complete(opened, [said("It retries.")]),
    () => growing.retitle("Heron retries"),
    () => growing.prompt("thanks"),
    () => growing.answer([said("Fine.")]),
  ],
  undo: () => growing.undo(opened),
  info: { session: "ses_1", parent: null, cwd: "/home/dev/shop", startedAt: opencodeStart },
});

describe("A session of OpenCode", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "pommel-opencode-"));
  });

  async function entriesOf(s: { path: string }): Promise<TranscriptEntry[]> {
    return (await readAll(opencode, s.path)).lines.flatMap(({ entries }) => entries);
  }
  const answersOf = async (s: { path: string }) =>
    (await entriesOf(s)).filter((entry) => entry.kind === "tool_result");

  it("has prompts without what the client and Pommel added, and with the number of pictures", async () => {
    const s = opencodeSession(dir);
    s.prompt('"What is in @src/\\"heron.ts\\"?"', [
      { type: "text", text: "Called the Read tool", synthetic: true },
      { type: "file", mime: "text/plain", url: `file://${heron}` },
      { type: "file", mime: "image/png", url: `data:image/png;base64,${pictureData}` },
      { type: "text", text: "<pommel-context>known</pommel-context>", synthetic: true },
    ]);
    s.answer([said("A number.")]);
    const entries = await entriesOf(s);
    expect(entries[0]).toEqual({ kind: "prompt", text: 'What is in @src/"heron.ts"?', images: 1 });
    expect(JSON.stringify(entries)).not.toMatch(/Called|known|AAAB3NCSVQ/);
  });

  it("has calls with what they wrote, and none of what failed", async () => {
    const s = opencodeSession(dir);
    s.prompt("Let it retry.");
    const patch =
      "@@ -1,2 +1,2 @@\n export const a = 3;\n-export const limit = 7;\n+export const limit = 9;\n";
    s.answer([
      edited("c1", heron, "const a = 1;", "const a = 3;"),
      ran(
        "write",
        "c2",
        { filePath: "src/new.ts", content: "new();\n" },
        { output: "Wrote file successfully." },
      ),
      ran(
        "apply_patch",
        "c3",
        { patchText: "*** Begin Patch" },
        { metadata: { files: [{ filePath: heron, type: "update", patch }] } },
      ),
      ran(
        "edit",
        "c4",
        { filePath: heron, oldString: "x", newString: "y" },
        { error: "Could not find oldString" },
      ),
      ran("bash", "c5", { command: "npm test" }, { output: "1 failed", metadata: { exit: 1 } }),
    ]);
    const [edit, write, patched, failed, command] = await answersOf(s);
    const lines = ["-const a = 1;", "+const a = 3;", " export const limit = 7;"];
    expect(edit!.edits).toEqual([
      { path: heron, hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }], content: null },
    ]);
    expect(write!.edits).toEqual([{ path: "/home/dev/shop/src/new.ts", hunks: [], content: "new();\n" }]);
    expect(patched!.edits).toMatchObject([
      { path: heron, hunks: [{ lines: patch.split("\n").slice(1, 4) }] },
    ]);
    expect(failed).toMatchObject({ isError: true, edits: null, text: "Could not find oldString" });
    expect(command).toMatchObject({ isError: true, edits: null, text: "1 failed" });
    const uses = (await entriesOf(s)).filter((entry) => entry.kind === "tool_use");
    expect(uses.map(({ action }) => action)).toEqual(["write", "write", "write", "write", "command"]);
    expect(uses.map(({ files }) => files.map(({ how }) => how))).toEqual([
      ["edit"],
      ["write"],
      ["edit"],
      ["edit"],
      [],
    ]);
  });

  it("has nothing of what Pommel answered", async () => {
    const s = opencodeSession(dir);
    s.prompt("What do we know?");
    s.answer([
      ran("pommel_search_code", "c1", { query: "heron" }, { output: "the answer" }),
      ran("bash", "c2", { command: "cd a && pm search heron" }, { output: "the answer" }),
      ran("read", "c3", { filePath: heron }, { output: "text\n<pommel-context>the answer</pommel-context>" }),
    ]);
    expect(JSON.stringify(await entriesOf(s))).not.toContain("the answer");
  });

  it("has a subagent as a child of its session, and the call that ran it", async () => {
    const s = opencodeSession(dir);
    s.prompt("Delegate.");
    const task = { description: "Find", prompt: "Find the limit.", subagent_type: "general" };
    s.answer([ran("task", "c1", task, { metadata: { sessionId: "ses_2" } })]);
    const child = opencodeSession(dir, {
      session: "ses_2",
      parent: "ses_1",
      agent: "general",
      title: "Find the limit (@general subagent)",
    });
    expect(await opencode.describe(child.path)).toMatchObject({
      session: "ses_1/ses_2",
      parent: { session: "ses_1", agentType: "general", task: "Find the limit" },
    });
    expect((await answersOf(s))[0]).toMatchObject({ subagent: "ses_2" });
    expect((await entriesOf(s)).find((entry) => entry.kind === "tool_use")).toMatchObject({
      action: "delegate",
    });
  });

  it("has the same lines in a fork", async () => {
    const s = opencodeSession(dir);
    s.prompt("Let it retry.");
    s.answer([said("It retries."), ran("bash", "c1", { command: "npm test" })]);
    const fork = s.fork("ses_3");
    const uids = async (path: string) => (await readAll(opencode, path)).lines.map(({ uid }) => uid);
    expect(await uids(fork.path)).toEqual(await uids(s.path));
    // Another session that says the same is another one.
    const other = opencodeSession(dir, { session: "ses_4", start: opencodeStart + 1 });
    other.prompt("Let it retry.");
    other.answer([said("It retries."), ran("bash", "c1", { command: "npm test" })]);
    expect(await uids(other.path)).not.toEqual(expect.arrayContaining(await uids(s.path)));
  });

  it("goes on where an undone message was, under a new line", async () => {
    const s = opencodeSession(dir);
    s.prompt("First.");
    s.answer([said("Done.")]);
    const undone = s.prompt("Now break it.");
    s.answer([said("Broken.")]);
    const before = (await readAll(opencode, s.path)).lines;
    s.undo(undone);
    s.prompt("Instead.");
    s.answer([said("Fine.")]);
    const after = (await readAll(opencode, s.path)).lines;
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]!.parentUid).toBe(before[1]!.uid);
  });

  it("has compactions with their summary, commands that the human ran, and errors", async () => {
    const s = opencodeSession(dir);
    s.message({ role: "user", time: { created: opencodeStart } }, [{ type: "compaction", auto: false }]);
    s.answer([said("The heron importer retries.")], { summary: true });
    s.prompt("", [{ type: "text", text: "The following tool was executed by the user", synthetic: true }]);
    s.answer([ran("bash", "c1", { command: "echo hi" }, { output: "hi" })]);
    s.prompt("Go on.");
    s.answer([], { error: { name: "MessageAbortedError", data: { message: "Aborted" } } });
    expect(await entriesOf(s)).toEqual([
      { kind: "compaction", trigger: "manual", preTokens: null },
      { kind: "summary", text: "The heron importer retries." },
      { kind: "notice", text: "! echo hi\nhi" },
      { kind: "prompt", text: "Go on.", images: 0 },
      { kind: "notice", text: "MessageAbortedError: Aborted" },
    ]);
  });

  it("has usage, a title once a model gave it one, and its list of things to do", async () => {
    const s = opencodeSession(dir);
    s.prompt("Plan.");
    const todos = [
      { content: "Label the pelican", status: "pending", priority: "high" },
      { content: "Count", status: "cancelled", priority: "low" },
    ];
    s.answer([ran("todowrite", "c1", { todos })]);
    expect((await entriesOf(s)).filter(({ kind }) => kind === "title")).toEqual([]);
    const { cursor } = await readAll(opencode, s.path);
    s.retitle("Pelican label");
    const { lines } = await readAll(opencode, s.path, cursor);
    expect(lines.flatMap(({ entries }) => entries)).toEqual([{ kind: "title", text: "Pelican label" }]);
    expect(opencode.todos!.after(await entriesOf(s))).toEqual([
      { text: "Label the pelican", status: "pending" },
    ]);
    const usage = (await readAll(opencode, s.path)).lines.flatMap((line) => line.usage ?? []);
    expect(usage[0]).toMatchObject({
      model: "claude-sonnet-4-5",
      input: 100,
      output: 27,
      cacheRead: 40,
      cacheWrite: 3,
    });
  });

  it("counts parts of unknown types, and survives whatever a row contains", async () => {
    const s = opencodeSession(dir);
    s.prompt("Go.");
    s.answer([{ type: "mystery" }, said("Fine.")]);
    expect((await readAll(opencode, s.path)).skipped).toEqual({ "type:mystery": 1 });
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), async (message, part) => {
        s.run((db) => {
          db.prepare("UPDATE message SET data = ? WHERE id LIKE '%0001'").run(message);
          db.prepare("UPDATE part SET data = ? WHERE id LIKE '%0005'").run(part);
        });
        expect((await readAll(opencode, s.path)).cursor!.offset).toBe(opencode.database!.stat(s.path)!.size);
      }),
      { numRuns: 50 },
    );
  });

  it("is in no database of another kind, and not in one that is damaged", async () => {
    const path = join(dir, "opencode.db", "ses_1");
    writeFileSync(join(dir, "opencode.db"), "");
    expect([await opencode.describe(path), opencode.database!.stat(path)]).toEqual([null, null]);
    writeFileSync(join(dir, "opencode.db"), "no database, but long enough to be taken for one".repeat(99));
    await expect(readAll(opencode, path)).rejects.toMatchObject({ code: "unreadable" });
  });
});
