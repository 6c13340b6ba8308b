import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeAgent } from "../../../test/support/agent-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { pictureData } from "../../../test/support/chat-fixture.ts";
import type { TranscriptEntry } from "../agent.ts";
import { qwen } from "./qwen.ts";

const cwd = "/home/dev/shop";
const heron = `${cwd}/src/heron.ts`;
const start = Date.UTC(2026, 2, 2, 9);

/** Lines as Qwen Code 0.24 writes them, each following the one before. */
function chat(session: string, agent?: { agentId: string; agentName: string }) {
  const lines: Record<string, unknown>[] = [];
  const add = (line: Record<string, unknown>) => {
    const at = lines.length;
    const uuid = createHash("sha256").update(`${session} ${agent?.agentId} ${at}`).digest("hex").slice(0, 32);
    const base = {
      uuid,
      parentUuid: lines.at(-1)?.uuid ?? null,
      sessionId: session,
      timestamp: new Date(start + at * 1000).toISOString(),
      cwd,
      version: "0.24.4",
      gitBranch: "main",
    };
    lines.push({ ...base, ...line, ...(agent && { ...agent, isSidechain: true }) });
    return uuid;
  };
  const system = (subtype: string, systemPayload: object = {}) =>
    add({ type: "system", subtype, provenance: "system", systemPayload });
  const usageMetadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 7,
  };
  const c = {
    add,
    system,
    text: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    prompt: (text: string, more: object[] = [], payload?: object) =>
      add({
        type: "user",
        ...(!agent && { provenance: "real_user" }),
        message: { role: "user", parts: [{ text }, ...more] },
        ...(payload && { systemPayload: payload }),
      }),
    answer: (...parts: object[]) =>
      add({
        type: "assistant",
        provenance: "assistant_output",
        model: "qwen3-coder",
        message: { role: "model", parts },
        usageMetadata,
      }),
    call: (id: string, name: string, args: object, response: object, result: object = {}) => {
      c.answer({ functionCall: { id, name, args } });
      system("ui_telemetry", { uiEvent: { "event.name": "qwen-code.tool_call" } });
      const status = "error" in response ? "error" : "success";
      return add({
        type: "tool_result",
        provenance: "tool_result",
        message: { role: "user", parts: [{ functionResponse: { id, name, response } }] },
        toolCallResult: { callId: id, status, resultDisplay: "", ...result },
      });
    },
    shell: (id: string, command: string, output: string, exit = 0) => {
      const text = `Command: ${command}\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${exit}\nSignal: (none)\nProcess Group PGID: (none)`;
      return c.call(id, "run_shell_command", { command }, exit === 0 ? { output: text } : { error: text });
    },
    edit: (id: string, before: string, after: string) => {
      const fileDiff = `Index: heron.ts\n${"=".repeat(67)}\n--- heron.ts\tCurrent\n+++ heron.ts\tProposed\n@@ -1,2 +1,2 @@\n-${before}\n+${after}\n export const limit = 7;\n`;
      const diffStat = { user_added_lines: 0, user_removed_lines: 0 };
      const args = { file_path: heron, old_string: before, new_string: after };
      return c.call(
        id,
        "edit",
        args,
        { output: "updated" },
        { resultDisplay: { fileDiff, diffStat, newContent: after } },
      );
    },
  };
  return c;
}

function conversation() {
  const c = chat("83b53ffd-bc0d-4acc-a734-c38eedb1ad77");
  c.prompt("Why does the café's importer give up? 🛒");
  c.system("attribution_snapshot", { snapshot: {} });
  c.answer({ text: "It tries once.", thought: true }, { text: "Let me look." });
  c.call("c1", "read_file", { file_path: heron }, { output: "export const a = 1;\n" });
  c.edit("c2", "export const a = 1;", "export const a = 3;");
  c.shell("c3", "npm test", "1 failed", 1);
  c.shell("c4", `cd ${cwd} && pm search heron`, "src/heron.ts");
  c.system("custom_title", { customTitle: "Heron retries", titleSource: "auto" });
  c.system("chat_compression", {
    info: { originalTokenCount: 900, newTokenCount: 90 },
    compressedHistory: [{ role: "user", parts: [{ text: "<state_snapshot>A retry.</state_snapshot>" }] }],
  });
  c.prompt("thanks");
  c.answer({ text: "Done." });
  return c;
}

const first = conversation();
const child = chat("83b53ffd-bc0d-4acc-a734-c38eedb1ad77", {
  agentId: "general-purpose-toolu_1",
  agentName: "general-purpose",
});
child.prompt("Find the limit.");
child.shell("c9", "grep -rn limit src", "src/heron.ts:2");
child.answer({ text: "It is a constant." });

function pictures(): string {
  const c = chat("p");
  c.prompt("look at this", [{ inlineData: { mimeType: "image/png", data: pictureData } }]);
  c.call("c1", "mcp__browser__shot", { image: pictureData }, { output: pictureData });
  c.call("c2", "write_file", { file_path: heron, content: pictureData }, { output: "ok" });
  c.answer({ text: pictureData }, { text: pictureData, thought: true });
  return c.text();
}

describeAgent("Qwen Code", {
  agent: qwen,
  root: (dir) => join(dir, ".qwen", "projects"),
  env: (root) => ({ QWEN_HOME: dirname(root) }),
  scratch: "-home-dev-shop/chats/sample.jsonl",
  transcripts: [
    {
      path: "-home-dev-shop/chats/83b53ffd-bc0d-4acc-a734-c38eedb1ad77.jsonl",
      text: first.text(),
      info: { session: "83b53ffd-bc0d-4acc-a734-c38eedb1ad77", parent: null, cwd, startedAt: start },
    },
    {
      path: "-home-dev-shop/subagents/83b53ffd-bc0d-4acc-a734-c38eedb1ad77/agent-general-purpose-toolu_1.jsonl",
      text: child.text(),
      info: {
        session: "83b53ffd-bc0d-4acc-a734-c38eedb1ad77/general-purpose-toolu_1",
        parent: {
          session: "83b53ffd-bc0d-4acc-a734-c38eedb1ad77",
          toolUse: "toolu_1",
          agentType: "general-purpose",
          task: "Find the limit.",
        },
        cwd,
        startedAt: start,
      },
    },
  ],
  commands: ["npm test", `cd ${cwd} && pm search heron`, "grep -rn limit src"],
  others: [
    "-home-dev-shop/meta.json",
    "-home-dev-shop/memory/MEMORY.md",
    "-home-dev-shop/usage_record.jsonl",
  ],
  withPictures: { text: pictures(), picture: pictureData },
  unknownLine: { line: '{"type":"mystery","uuid":"x"}', reason: "type:mystery" },
});

describe("A chat of Qwen Code", () => {
  async function entriesOf(c: { text: () => string }): Promise<TranscriptEntry[]> {
    const file = join(mkdtempSync(join(tmpdir(), "pommel-qwen-")), "chat.jsonl");
    writeFileSync(file, c.text());
    return (await readAll(qwen, file)).lines.flatMap(({ entries }) => entries);
  }

  it("has prompts without what hooks and the client added", async () => {
    const c = chat("a");
    const context = "&lt;pommel-context&gt;known&lt;/pommel-context&gt;";
    const tagged = {
      text: `<qwen:user-prompt-submit-context>\n${context}\n</qwen:user-prompt-submit-context>`,
    };
    c.prompt("<system-reminder>\n1 background agent was restored.\n</system-reminder>\n\n", [
      { text: "Go on." },
      tagged,
    ]);
    c.prompt("Typed, with a file", [{ text: "--- Content ---" }, tagged], {
      displayText: "Typed, with @a.ts",
    });
    c.add({
      type: "user",
      subtype: "notification",
      provenance: "system",
      message: { role: "user", parts: [{ text: "<task-notification>done</task-notification>" }] },
    });
    expect(await entriesOf(c)).toEqual([
      { kind: "prompt", text: "Go on.", images: 0 },
      { kind: "prompt", text: "Typed, with @a.ts", images: 0 },
      { kind: "notice", text: "<task-notification>done</task-notification>" },
    ]);
  });

  it("has what calls wrote, and nothing of those that failed or of what Pommel answered", async () => {
    const c = chat("b");
    c.edit("c1", "const a = 1;", "const a = 3;");
    c.call("c2", "write_file", { file_path: `${cwd}/new.ts`, content: "new();\n" }, { output: "ok" });
    c.call("c3", "edit", { file_path: heron, old_string: "x", new_string: "y" }, { error: "0 occurrences" });
    c.call("c4", "mcp__pommel__search_code", { query: "heron" }, { output: "the answer" });
    c.call(
      "c5",
      "read_file",
      { file_path: heron },
      { output: "text\n\n&lt;pommel-context&gt;the answer&lt;/pommel-context&gt;" },
    );
    const entries = await entriesOf(c);
    const [edit, write, failed] = entries.filter((entry) => entry.kind === "tool_result");
    expect(edit!.edits).toMatchObject([
      {
        path: heron,
        hunks: [{ oldStart: 1, lines: ["-const a = 1;", "+const a = 3;", " export const limit = 7;"] }],
      },
    ]);
    expect(write!.edits).toMatchObject([{ path: `${cwd}/new.ts`, content: "new();\n" }]);
    expect(failed).toMatchObject({ isError: true, edits: null });
    expect(JSON.stringify(entries)).not.toContain("the answer");
  });

  it("has compressions with their summary, titles, subagents and usage", async () => {
    const entries = await entriesOf(first);
    expect(entries).toContainEqual({ kind: "compaction", trigger: null, preTokens: 900 });
    expect(entries).toContainEqual({ kind: "summary", text: "<state_snapshot>A retry.</state_snapshot>" });
    expect(entries).toContainEqual({ kind: "title", text: "Heron retries" });
    const c = chat("d");
    c.call(
      "toolu_1",
      "agent",
      { prompt: "Find it.", description: "Find", subagent_type: "Explore" },
      { output: "ok" },
    );
    const result = (await entriesOf(c)).find((entry) => entry.kind === "tool_result");
    expect(result).toMatchObject({ subagent: "Explore-toolu_1" });
    const file = join(mkdtempSync(join(tmpdir(), "pommel-qwen-")), "chat.jsonl");
    writeFileSync(file, c.text());
    expect((await readAll(qwen, file)).lines[0]).toMatchObject({
      branch: "main",
      usage: { model: "qwen3-coder", input: 60, output: 27, cacheRead: 40 },
    });
  });
});
