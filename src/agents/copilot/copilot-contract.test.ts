import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeAgent } from "../../../test/support/agent-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { pictureData } from "../../../test/support/chat-fixture.ts";
import { copilotSession, cwd, diffOf, heron, start } from "../../../test/support/copilot-fixture.ts";
import type { TranscriptEntry } from "../agent.ts";
import { claudeProfile } from "../claude/profile.ts";
import { copilot } from "./copilot.ts";

function conversation() {
  const s = copilotSession("25063cc8-3242-4593-82d9-33e2871fae49");
  s.prompt("Why does the café's importer give up? 🛒");
  s.add("system.message", { role: "system", content: "You are the GitHub Copilot CLI." });
  s.add("assistant.turn_start", { turnId: "0" });
  s.usage();
  s.answer("Let me look.", { reasoningText: "It tries once." });
  s.tool("view", { path: heron }, "export const a = 1;\n");
  s.edit("export const a = 1;", "export const a = 3;");
  s.shell("npm test", "1 failed", 1);
  s.shell(`cd ${cwd} && pm search heron`, "src/heron.ts");
  s.tool("task", { description: "Find", prompt: "Find the limit.", agent_type: "explore" }, "It is 7.");
  s.add("subagent.started", { toolCallId: "t", agentName: "explore" }, "14abfc55");
  s.add("user.message", { content: "Find the limit.", source: "agent-25063cc8" }, "14abfc55");
  s.answer("I look for it.", {}, "14abfc55");
  s.edit("export const limit = 7;", "export const limit = 9;", "14abfc55");
  s.add("session.compaction_complete", {
    success: true,
    preCompactionTokens: 900,
    summaryContent: "A retry was added.",
  });
  s.prompt("thanks");
  s.answer("Done.");
  return s;
}

const first = conversation();
const child = copilotSession("d40e7162-3b08-4689-9042-343a2b374c0b");
child.prompt("And the pelican?");
child.shell("ls src", "heron.ts");
child.answer("It has a label.");

function pictures(): string {
  const s = copilotSession("p");
  s.add("session.binary_asset", { assetId: "sha256:1", type: "image", data: pictureData });
  s.prompt("look at this", { attachments: [{ type: "file", path: "a.png", mimeType: "image/png" }] });
  s.tool("browser-shot", { image: pictureData }, pictureData);
  s.tool("create", { path: heron, file_text: pictureData }, "ok");
  s.answer(pictureData, { reasoningText: pictureData });
  return s.text();
}

describeAgent("GitHub Copilot CLI", {
  agent: copilot,
  root: (dir) => join(dir, ".copilot", "session-state"),
  env: (root) => ({ COPILOT_HOME: dirname(root) }),
  scratch: "scratch/events.jsonl",
  transcripts: [
    {
      path: "25063cc8-3242-4593-82d9-33e2871fae49/events.jsonl",
      text: first.text(),
      info: { session: "25063cc8-3242-4593-82d9-33e2871fae49", parent: null, cwd, startedAt: start },
    },
    {
      path: "d40e7162-3b08-4689-9042-343a2b374c0b/events.jsonl",
      text: child.text(),
      info: { session: "d40e7162-3b08-4689-9042-343a2b374c0b", parent: null, cwd, startedAt: start },
    },
  ],
  commands: ["npm test", `cd ${cwd} && pm search heron`, "ls src"],
  others: ["25063cc8/workspace.yaml", "25063cc8/files/events.jsonl", "25063cc8/checkpoints/index.md"],
  withPictures: { text: pictures(), picture: pictureData },
  unknownLine: { line: '{"type":"mystery","id":"x","data":{}}', reason: "type:mystery" },
});

describe("A session of GitHub Copilot CLI", () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-copilot-"));
  async function linesOf(s: { text: () => string }) {
    const file = join(dir, "events.jsonl");
    writeFileSync(file, s.text());
    return (await readAll(copilot, file)).lines;
  }
  const entriesOf = async (s: { text: () => string }): Promise<TranscriptEntry[]> =>
    (await linesOf(s)).flatMap(({ entries }) => entries);

  it("has the human's prompts, and of other users' only what they did", async () => {
    const s = copilotSession("a");
    s.prompt("Go on.");
    s.prompt("<skill>", { source: "skill-pdf" });
    s.prompt("continue", { isAutopilotContinuation: true });
    s.add("user.message", { content: "Find it.", source: "agent-a" }, "sub");
    s.answer("Found.", {}, "sub");
    s.tool("grep", { pattern: "x", paths: "src" }, "heron.ts", { agentId: "sub" });
    expect(await entriesOf(s)).toMatchObject([
      { kind: "prompt", text: "Go on.", images: 0 },
      { kind: "tool_use", tool: "grep", action: "read" },
      { kind: "tool_result", text: "heron.ts", isError: false },
    ]);
  });

  it("has what calls wrote, by the diff, the content or the patch", async () => {
    const s = copilotSession("b");
    s.edit("const a = 1;", "const a = 3;");
    s.tool("create", { path: `${cwd}/new.ts`, file_text: "new();\n" }, "Created", {
      ended: { fileEdits: [{ path: `${cwd}/new.ts`, kind: "create" }] },
    });
    s.tool("apply_patch", "*** Begin Patch\n*** Update File: src/heron.ts\n@@\n-a\n+b\n*** End Patch\n", "", {
      ended: {
        fileEdits: [
          { path: heron, kind: "edit" },
          { path: `${cwd}/ibis.ts`, kind: "create" },
        ],
        result: {
          content: "Modified",
          detailedContent: `\n${diffOf(heron, "a", "b")}\n\n${diffOf(`${cwd}/ibis.ts`, "c", "d")}`,
        },
      },
    });
    s.tool("edit", { path: heron, old_str: "x", new_str: "y" }, "", {
      ended: { success: false, result: undefined, error: { message: "No match found" } },
    });
    s.tool("edit", { path: heron, old_str: "x", new_str: "y" }, "older clients say no more than this");
    const results = (await entriesOf(s)).filter((entry) => entry.kind === "tool_result");
    expect(results.map(({ edits }) => edits)).toMatchObject([
      [
        {
          path: heron,
          hunks: [
            { oldStart: 1, lines: ["-const a = 1;", "+const a = 3;", " export const limit = 7;", " "] },
          ],
        },
      ],
      [{ path: `${cwd}/new.ts`, hunks: [], content: "new();\n" }],
      [
        { path: heron, hunks: [{ lines: ["-a", "+b", " export const limit = 7;", " "] }] },
        { path: `${cwd}/ibis.ts`, hunks: [{ lines: ["-c", "+d", " export const limit = 7;", " "] }] },
      ],
      null,
      [{ path: heron, hunks: [{ oldStart: 0, lines: ["-x", "+y"] }] }],
    ] as never);
    expect(results[0]).toMatchObject({ text: `File ${heron} updated.` });
    expect(results[3]).toMatchObject({ isError: true, text: "No match found" });
  });

  it("has nothing of what Pommel answered", async () => {
    const s = copilotSession("c");
    const mcp = { mcpServerName: "pommel", mcpToolName: "search_code" };
    s.tool("pommel-search_code", { query: "heron" }, "the answer", { mcp });
    s.shell("pommel why src/heron.ts:1", "the answer");
    s.tool("view", { path: heron }, "text\n\n<pommel-context>the answer</pommel-context>");
    s.prompt("hi <pommel-context>the answer</pommel-context>");
    const entries = await entriesOf(s);
    expect(entries[0]).toMatchObject({ kind: "tool_use", tool: "mcp__pommel__search_code" });
    expect(JSON.stringify(entries)).not.toContain("the answer");
  });

  it("has compactions with their summary, how turns ended, usage, model and branch", async () => {
    const entries = await entriesOf(first);
    expect(entries).toContainEqual({ kind: "compaction", trigger: null, preTokens: 900 });
    expect(entries).toContainEqual({ kind: "summary", text: "A retry was added." });
    const lines = await linesOf(first);
    expect(lines.find(({ usage }) => usage !== null)).toMatchObject({
      branch: "main",
      usage: { model: "claude-sonnet-4.5", input: 100, output: 20, cacheRead: 10, cacheWrite: 5 },
    });
    const s = copilotSession("d");
    s.add("abort", { reason: "user_initiated" });
    s.add("session.error", { errorType: "quota", message: "too much" });
    s.add("session.resume", { context: { cwd, branch: "retries" } });
    s.prompt("again");
    expect(await entriesOf(s)).toMatchObject([
      { kind: "notice", text: "[Request interrupted by user]" },
      { kind: "notice", text: "API Error: too much" },
      { kind: "prompt" },
    ]);
    expect((await linesOf(s)).at(-1)?.branch).toBe("retries");
  });

  it("shows to where a human went back: the client removes the events in between", async () => {
    const s = copilotSession("e");
    s.prompt("one");
    const last = s.answer("first");
    s.prompt("two");
    s.answer("second");
    s.events.splice(-2);
    s.add("session.info", { infoType: "rewind", message: "Rewound the conversation." });
    s.prompt("three");
    expect((await linesOf(s)).at(-1)).toMatchObject({ parentUid: last });
  });

  it("has hooks that leave out subagents' events, and is not taken for Claude Code", () => {
    const { read, shouldIgnore, editedFiles } = copilot.hooks!;
    process.env.COPILOT_HOME = "/home/dev/.copilot";
    const given = { session_id: "s", cwd, timestamp: "2026-03-02T09:00:00Z", source: "new" };
    expect(read?.(given)).toMatchObject({
      transcript_path: "/home/dev/.copilot/session-state/s/events.jsonl",
      source: "startup",
    });
    expect(read?.({ ...given, session_id: "../x" }).transcript_path).toBeUndefined();
    delete process.env.COPILOT_HOME;
    expect(shouldIgnore?.("stop", given)).toBe(false);
    expect(shouldIgnore?.("stop", { ...given, agent_id: "14abfc55" })).toBe(true);
    expect(editedFiles("Edit", { path: heron })).toEqual([heron]);
    expect(editedFiles("Edit", { input: "*** Begin Patch\n*** Add File: a.ts\n+a\n" })).toEqual(["a.ts"]);
    expect(editedFiles("Read", { path: heron })).toEqual([]);
    expect(claudeProfile.hooks.shouldIgnore("stop", given)).toBe(false);
    process.env.COPILOT_CLI = "1";
    expect(claudeProfile.hooks.shouldIgnore("stop", given)).toBe(true);
    expect(claudeProfile.hooks.shouldIgnore("stop", { ...given, timestamp: undefined })).toBe(false);
    delete process.env.COPILOT_CLI;
  });
});
