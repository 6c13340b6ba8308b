import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { describeRewritten } from "../../../test/support/agent-rewritten-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { pictureData } from "../../../test/support/chat-fixture.ts";
import type { TranscriptEntry } from "../agent.ts";
import { cline } from "./cline.ts";
import { clineProfile } from "./profile.ts";
import { clineSetup } from "./setup.ts";

const cwd = "/home/dev/shop";
const heron = `${cwd}/src/heron.ts`;
const start = Date.UTC(2026, 2, 2, 9);
const id = "1772442000000_abcde";

/** Messages as Cline 3.0.65 writes them. */
function conversation(agent: "lead" | "subagent" = "lead") {
  const messages: Record<string, unknown>[] = [];
  const add = (role: string, content: unknown, more: object = {}) => {
    const ts = start + messages.length * 1000;
    messages.push({ id: `msg_${agent}${messages.length}`, role, content, ts, ...more });
  };
  const c = {
    add,
    prompt: (text: string, ...more: object[]) =>
      add("user", [{ type: "text", text: `<user_input mode="act">${text}</user_input>` }, ...more]),
    answer: (...content: object[]) =>
      add("assistant", content, {
        modelInfo: { id: "claude-sonnet-4-5", provider: "anthropic" },
        metrics: { inputTokens: 160, outputTokens: 20, cacheReadTokens: 50, cacheWriteTokens: 10, cost: 0.1 },
      }),
    result: (tool: string, call: string, content: unknown, more: object = {}) =>
      add("user", [{ type: "tool_result", tool_use_id: call, name: tool, content, ...more }]),
    call(tool: string, call: string, input: unknown, content: unknown, more: object = {}) {
      c.answer({ type: "tool_use", id: call, name: tool, input });
      c.result(tool, call, content, more);
    },
    text: () =>
      `${JSON.stringify({ version: 1, updated_at: "2026-03-02T09:10:00.000Z", agent, sessionId: id, messages }, null, 2)}\n`,
  };
  return c;
}

const editAnswer = (file: string, diff: string) =>
  JSON.stringify({
    query: `edit:${file}`,
    result: `Edited ${file}\n\`\`\`diff\n${diff}\n\`\`\``,
    success: true,
  });

const manifest = (more: object = {}) =>
  JSON.stringify({
    version: 1,
    session_id: id,
    started_at: "2026-03-02T09:00:00.000Z",
    cwd,
    workspace_root: cwd,
    metadata: { git: { branch: "main" }, ...more },
  });

const contents: string[] = [];
const growing = conversation();
const note = () => contents.push(growing.text().trimEnd());
note();
growing.prompt("Why does the café's importer give up? 🛒");
note();
growing.call("read_files", "c1", { files: [{ path: heron }] }, [
  { query: heron, result: "1 | export const a = 1;", success: true },
]);
note();
growing.call(
  "editor",
  "c2",
  { path: heron, old_text: "a = 1", new_text: "a = 3" },
  editAnswer(heron, "-1: export const a = 1;\n+1: export const a = 3;"),
);
note();
growing.answer({ type: "text", text: "It retries." });
growing.prompt("thanks");
note();

describeRewritten("Cline", {
  agent: cline,
  path: `${id}/${id}.messages.json`,
  beside: { [`${id}/${id}.json`]: manifest({ title: "Why does the café's importer give up? 🛒" }) },
  contents,
  info: { session: id, parent: null, cwd, startedAt: start },
});

describe("A session of Cline", () => {
  let root: string;
  beforeEach(() => {
    root = join(mkdtempSync(join(tmpdir(), "pommel-cline-")), "sessions");
  });

  function write(name: string, text: string): string {
    const file = join(root, id, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }
  async function read(c: { text: () => string }, more: Record<string, string> = {}) {
    for (const [name, text] of Object.entries({ [`${id}.json`]: manifest(), ...more })) write(name, text);
    return (await readAll(cline, write(`${id}.messages.json`, c.text()))).lines;
  }
  const entriesOf = async (
    c: { text: () => string },
    more?: Record<string, string>,
  ): Promise<TranscriptEntry[]> => (await read(c, more)).flatMap(({ entries }) => entries);

  it("is found with its subagents, where the environment says", async () => {
    expect(cline.listRoots({ HOME: "/home/dev" })).toEqual(["/home/dev/.cline/data/sessions"]);
    expect(cline.listRoots({ CLINE_DIR: "/c", CLINE_DATA_DIR: "/d" })).toEqual(["/d/sessions"]);
    expect(cline.listRoots({ CLINE_SESSION_DATA_DIR: "/s" })).toEqual(["/s"]);
    const child = conversation("subagent");
    child.add("user", [{ type: "text", text: "Find the limit." }]);
    const lead = write(`${id}.messages.json`, growing.text());
    const file = write("agent_7.messages.json", child.text());
    for (const other of [`${id}.json`, `${id}.compaction.json`]) write(other, manifest());
    const found: string[] = [];
    for await (const { path } of cline.list(root)) found.push(path);
    expect(found).toEqual([lead, file]);
    expect(await cline.describe(file)).toEqual({
      session: `${id}/agent_7`,
      parent: { session: id, toolUse: null, agentType: null, task: "Find the limit." },
      cwd,
      startedAt: start,
    });
  });

  it("has prompts without tags, files and what hooks and the client added", async () => {
    const c = conversation();
    c.add("user", [
      {
        type: "text",
        text: '<mode_notice>The user switched from plan mode to act mode.</mode_notice><user_input mode="act">Look at @a.ts </user_input> please</user_input>\n<file_content path="/a.ts">\nlong\n</file_content>',
      },
      { type: "file", path: "/a.ts", content: "long" },
      { type: "image", data: pictureData, mediaType: "image/png" },
      { type: "text", text: "<pommel-context>known</pommel-context>" },
    ]);
    c.prompt('<user_command slash="team">find it</user_command>');
    const context = (text: string) => `<hook_context source="PostToolUse">\n${text}\n</hook_context>`;
    const system = { metadata: { displayRole: "system" } };
    c.add("user", [{ type: "text", text: context("<pommel-context>known</pommel-context>") }], system);
    c.add("user", [{ type: "text", text: context("Mind the limit.") }], system);
    expect(await entriesOf(c)).toEqual([
      { kind: "prompt", text: "Look at @a.ts </user_input> please", images: 1 },
      { kind: "prompt", text: "/team find it", images: 0 },
      { kind: "notice", text: "Mind the limit." },
    ]);
  });

  it("has each command of a call with its result", async () => {
    const c = conversation();
    c.call("run_commands", "c1", { commands: ["npm test", "pm search heron", "ls nowhere"] }, [
      { query: "npm test", result: "1 passed", success: true },
      { query: "pm search heron", result: "the answer", success: true },
      {
        query: "ls nowhere",
        result: "[Command exited with code 2]",
        error: "Command exited",
        success: false,
      },
    ]);
    c.call("run_commands", "c2", { command: "git", args: ["status"] }, "refused", { is_error: true });
    const entries = await entriesOf(c);
    const uses = entries.filter((entry) => entry.kind === "tool_use");
    expect(uses.map(({ id: use, input, action }) => [use, input.command, action])).toEqual([
      ["c1", "npm test", "command"],
      ["c1/1", "pm search heron", "command"],
      ["c1/2", "ls nowhere", "command"],
      ["c2", "git status", "command"],
    ]);
    const results = entries.filter((entry) => entry.kind === "tool_result");
    expect(results.map(({ id: use, text, isError }) => [use, text, isError])).toEqual([
      ["c1", "1 passed", false],
      ["c1/1", "", false],
      ["c1/2", "[Command exited with code 2]", true],
      ["c2", "refused", true],
    ]);
  });

  it("has what calls wrote, in whole lines where the client shows them, and nothing of those that failed", async () => {
    const c = conversation();
    const edit = { path: "src/heron.ts", old_text: "a = 1", new_text: "a = 3\nb" };
    c.call("editor", "c1", edit, editAnswer(heron, "-3: let a = 1;\n+3: let a = 3\n+4: b;"));
    c.call(
      "editor",
      "c2",
      edit,
      editAnswer(heron, "-3: let a = 1;\n... diff truncated (1 more removed) ..."),
    );
    const created = { query: "edit", result: "File created successfully at: /x", success: true };
    c.call("editor", "c3", { path: "new.ts", new_text: "new();\n" }, JSON.stringify(created));
    const inserted = { query: "edit", result: `Inserted content at line 7 in ${heron}.`, success: true };
    c.call("editor", "c4", { path: heron, insert_line: 7, new_text: "seventh" }, JSON.stringify(inserted));
    const failed = { query: "edit", result: "", error: "No replacement performed", success: false };
    c.call("editor", "c5", edit, JSON.stringify(failed));
    const patch = `*** Begin Patch\n*** Update File: src/heron.ts\n@@\n-x\n+y\n*** Delete File: old.ts\n*** End Patch\n`;
    c.call(
      "apply_patch",
      "c6",
      { input: patch },
      JSON.stringify({ query: "patch", result: "ok", success: true }),
    );
    const entries = await entriesOf(c);
    const edits = entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.edits] : []));
    expect(edits).toMatchObject([
      [{ path: heron, hunks: [{ oldStart: 3, newStart: 3, lines: ["-let a = 1;", "+let a = 3", "+b;"] }] }],
      [{ path: heron, hunks: [{ oldStart: 0, lines: ["-a = 1", "+a = 3", "+b"] }] }],
      [{ path: `${cwd}/new.ts`, hunks: [], content: "new();\n" }],
      [{ hunks: [{ oldStart: 6, oldLines: 0, newStart: 7, newLines: 1, lines: ["+seventh"] }] }],
      null,
      [{ path: heron, hunks: [{ lines: ["-x", "+y"] }] }],
    ]);
    const uses = entries.filter((entry) => entry.kind === "tool_use");
    expect(uses.map(({ action }) => action)).toEqual(Array(6).fill("write"));
    expect(uses.flatMap(({ files }) => files.map(({ how }) => how))).toEqual([
      "edit",
      "edit",
      "write",
      "edit",
      "edit",
      "edit",
    ]);
  });

  it("keeps nothing that Pommel answered, and no picture", async () => {
    const c = conversation();
    c.prompt("look", { type: "image", data: pictureData, mediaType: "image/png" });
    const answer = JSON.stringify({ content: [{ type: "text", text: "the answer" }], structuredContent: {} });
    c.call("pommel__search_code", "c1", { query: "heron" }, answer);
    c.call("read_files", "c2", { files: ["/a.png"] }, [
      {
        query: "/a.png",
        result: [{ type: "image", data: pictureData, mediaType: "image/png" }],
        success: true,
      },
    ]);
    c.call(
      "spawn_agent",
      "c3",
      { systemPrompt: "You look.", task: "Find it." },
      JSON.stringify({ text: "Found." }),
    );
    const entries = await entriesOf(c);
    expect(JSON.stringify(entries)).not.toContain("the answer");
    expect(JSON.stringify(entries)).not.toContain(pictureData.slice(0, 60));
    expect(entries).toContainEqual(expect.objectContaining({ tool: "spawn_agent", action: "delegate" }));
    expect(entries).toContainEqual(expect.objectContaining({ id: "c2", text: "[image]" }));
  });

  it("has usage without what was cached, the branch, compactions and titles that somebody gave", async () => {
    const c = conversation();
    c.prompt("Why?");
    c.answer({ type: "thinking", thinking: "Once." }, { type: "text", text: "It tries once." });
    c.prompt("And now?");
    const metadata = {
      kind: "compaction_summary",
      summary: "A retry.",
      tokensBefore: 900,
      generatedAt: start + 5,
    };
    const compaction = { version: 1, source_message_count: 2, messages: [{ role: "user", metadata }] };
    const lines = await read(c, {
      [`${id}.compaction.json`]: JSON.stringify(compaction),
      [`${id}.json`]: manifest({ title: "Retries (fork)" }),
    });
    expect(lines.map(({ entries }) => entries.map(({ kind }) => kind))).toEqual([
      ["title"],
      ["prompt"],
      ["thinking", "text"],
      ["compaction", "summary"],
      ["prompt"],
    ]);
    expect(lines[0]!.entries).toEqual([{ kind: "title", text: "Retries" }]);
    expect(lines[2]).toMatchObject({ branch: "main", usage: { input: 100, cacheRead: 50, cacheWrite: 10 } });
    expect(lines[3]!.entries[0]).toEqual({ kind: "compaction", trigger: null, preTokens: 900 });
    expect(lines[4]).toMatchObject({ parentUid: lines[2]!.uid });
    expect((await read(c, { [`${id}.json`]: manifest({ title: "Why?" }) }))[0]!.entries[0]!.kind).toBe(
      "prompt",
    );
  });
});

it("Cline's hooks name the session's file, and the prompt as it was typed", () => {
  const { read, editedFiles } = clineProfile.hooks;
  const given = read({
    session_id: id,
    cwd,
    prompt: '<user_input mode="act">Note to Pommel: x</user_input>',
  });
  expect(given).toMatchObject({ session_id: id, prompt: "Note to Pommel: x" });
  expect(given.transcript_path).toMatch(new RegExp(`/sessions/${id}/${id}\\.messages\\.json$`));
  expect(read({ session_id: "../x" })).toEqual({});
  expect(editedFiles("editor", { files: ["/a.ts"] })).toEqual(["/a.ts"]);
});

it("Cline's MCP server is registered only for all projects", () => {
  const mcp = clineSetup.parts.find(({ name }) => name === "mcp")!;
  const place = { dir: "/p", recordFile: "/p/r.json", env: { HOME: "/home/dev" } };
  expect(mcp.files({ ...place, scope: "project" })).toEqual([]);
  expect(mcp.files({ ...place, scope: "user" })).toEqual([
    "/home/dev/.cline/data/settings/cline_mcp_settings.json",
  ]);
});
