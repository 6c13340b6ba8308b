import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { describeRewritten } from "../../../../test/support/agent-rewritten-contract.ts";
import { readAll } from "../../../../test/support/agent-samples.ts";
import type { TranscriptEntry } from "../../agent.ts";
import { cline } from "../cline.ts";

const cwd = "/home/dev/shop";
const heron = `${cwd}/src/heron.ts`;
const id = "1772442000000";
const start = Number(id);
const list = JSON.stringify([{ id, ts: start, task: "Why?", tokensIn: 1, cwdOnTaskInitialization: cwd }]);

const details = `<environment_details>\n# Current Mode\nACT MODE\n\n# Current Working Directory (${cwd}) Files\nsrc/\n</environment_details>`;
const reminder = "\n# task_progress RECOMMENDED\n\nInclude a todo list.";

/** A task's messages as clients like 2.18.0 write them. */
function conversation() {
  const messages: Record<string, unknown>[] = [];
  const user = (...texts: string[]) =>
    messages.push({
      role: "user",
      content: [...texts, reminder, details].map((text) => ({ type: "text", text })),
      ts: start + messages.length * 1000,
    });
  const c = {
    messages,
    user,
    prompt: (text: string) => user(`<task>\n${text}\n</task>`),
    answer: (...content: object[]) =>
      messages.push({
        role: "assistant",
        content,
        modelInfo: { modelId: "claude-sonnet-4-5", providerId: "anthropic", mode: "act" },
        metrics: { tokens: { prompt: 100, completion: 40, cached: 30 }, cost: 0.1 },
        ts: start + messages.length * 1000,
      }),
    call(name: string, input: object, result: string, ...more: string[]) {
      c.answer({ type: "tool_use", id: `toolu_${messages.length}`, name, input, call_id: "x" });
      user(`[${name} for 'it'] Result:\n${result}`, ...more);
    },
    text: () => JSON.stringify(messages),
  };
  return c;
}

const saved = (path: string, content: string) =>
  `The content was successfully saved to ${path}.\n\nHere is the full, updated content of the file that was saved:\n\n<final_file_content path="${path}">\n${content}\n</final_file_content>`;
const search = "------- SEARCH\na = 1\n=======\na = 3\n+++++++ REPLACE\n";

const contents: string[] = [];
const growing = conversation();
const note = () => contents.push(growing.text());
note();
growing.prompt("Why does the café's importer give up? 🛒");
note();
growing.call("read_file", { path: "src/heron.ts" }, "1 | a = 1");
note();
growing.call("replace_in_file", { path: "src/heron.ts", diff: search }, saved("src/heron.ts", "a = 3"));
note();
growing.answer({ type: "tool_use", id: "end", name: "attempt_completion", input: { result: "It retries." } });
note();

describeRewritten("A task of Cline", {
  agent: cline,
  path: `storage/tasks/${id}/api_conversation_history.json`,
  beside: { "storage/state/taskHistory.json": list },
  contents,
  info: { session: id, parent: null, cwd, startedAt: start },
});

describe("A task of Cline", () => {
  let storage: string;
  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), "pommel-cline-task-"));
  });
  function write(name: string, text: string): string {
    const file = join(storage, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }
  const writeTask = (c: { text: () => string }) =>
    write(`tasks/${id}/api_conversation_history.json`, c.text());
  const read = async (c: { text: () => string }) => (await readAll(cline, writeTask(c))).lines;
  const entriesOf = async (c: { text: () => string }): Promise<TranscriptEntry[]> =>
    (await read(c)).flatMap(({ entries }) => entries);

  it.skipIf(process.platform !== "linux")(
    "is found in the client's directory and in those of editors (skipped: other paths on this system)",
    () => {
      const tasks = [
        ".cline/data/tasks",
        ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
      ].map((dir) => join(storage, dir));
      for (const dir of tasks) mkdirSync(dir, { recursive: true });
      const roots = cline.listRoots({ HOME: storage });
      expect(new Set(roots)).toEqual(new Set([join(storage, ".cline/data/sessions"), ...tasks]));
      expect(cline.isTranscript(join(tasks[1]!, id, "api_conversation_history.json"))).toBe(true);
      expect(cline.isTranscript(join(tasks[1]!, id, "ui_messages.json"))).toBe(false);
    },
  );

  it("has the directory that the client named to its model, if no list has it; or is nobody's", async () => {
    const c = conversation();
    c.prompt("Why?");
    expect(await cline.describe(writeTask(c))).toMatchObject({ session: id, cwd });
    const nowhere = { text: () => c.text().replaceAll(cwd, "Primary: shop") };
    expect(await cline.describe(writeTask(nowhere))).toBeNull();
  });

  it("has the human's words, without what the client adds for its model", async () => {
    const c = conversation();
    c.prompt("Retry.\n<pommel-context>known</pommel-context>");
    c.call("ask_followup_question", { question: "How often?" }, "<answer>\nthree times\n</answer>");
    c.call("read_file", { path: "a.xml" }, "1 | <task>\n2 | not said\n3 | </task>");
    const denied =
      "The user denied this operation and provided the following feedback:\n<feedback>\nnot so\n</feedback>";
    c.call("write_to_file", { path: "a.ts", content: "x\n" }, denied);
    c.user("[TASK RESUMPTION] This task was interrupted.", "New:\n<user_message>\nand now?\n</user_message>");
    const entries = await entriesOf(c);
    const prompts = entries.flatMap((entry) => (entry.kind === "prompt" ? entry.text : []));
    expect(prompts).toEqual(["Retry.", "three times", "not so", "and now?"]);
    expect(entries).toContainEqual({ kind: "text", text: "How often?" });
    expect(entries).toContainEqual(expect.objectContaining({ isError: true, edits: null }));
    expect(JSON.stringify(entries)).not.toMatch(/RECOMMENDED|environment_details|RESUMPTION|known/);
  });

  it("has calls with their results, edits with their lines, and the model's tokens", async () => {
    const c = conversation();
    c.prompt("Retry.");
    c.call("replace_in_file", { path: "src/heron.ts", diff: search }, saved("src/heron.ts", "a = 3"));
    c.call("write_to_file", { absolutePath: heron, content: "a = 3\n" }, saved("src/heron.ts", "a = 3"));
    c.call("execute_command", { command: "npm test" }, "Command failed with exit code 1.\nOutput:\n1 failed");
    c.call("execute_command", { command: "pm search heron" }, "Command executed.\nthe answer");
    const mcp = { server_name: "pommel", tool_name: "search_code", arguments: "{}" };
    c.call("use_mcp_tool", mcp, "the answer");
    const lines = await read(c);
    const entries = lines.flatMap((line) => line.entries);
    const edits = entries.flatMap((entry) => (entry.kind === "tool_result" ? (entry.edits ?? []) : []));
    expect(edits).toEqual([
      { path: heron, hunks: [expect.objectContaining({ lines: ["-a = 1", "+a = 3"] })], content: null },
      { path: heron, hunks: [], content: "a = 3\n" },
    ]);
    expect(entries).toContainEqual(
      expect.objectContaining({ isError: true, text: expect.stringContaining("1 failed") }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "write", files: [{ path: heron, how: "edit" }] }),
    );
    expect(JSON.stringify(entries)).not.toMatch(/the answer|final_file_content/);
    expect(lines[1]).toMatchObject({ at: start + 1000, usage: { input: 70, output: 40, cacheRead: 30 } });
  });

  it("of an older client has calls that are tags in the model's text, and the times of what was shown", async () => {
    const old = "<<<<<<< SEARCH\n<content>\n=======\n<b>\n>>>>>>> REPLACE";
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "<task>\nRetry.\n</task>" },
          { type: "text", text: details },
        ],
      },
      {
        role: "assistant",
        content: `<thinking>Once.</thinking>\n\nLooking.\n\n<replace_in_file>\n<path>src/heron.ts</path>\n<diff>\n${old}\n</diff>\n</replace_in_file>`,
      },
      {
        role: "user",
        content: [
          { type: "text", text: "[replace_in_file for 'src/heron.ts'] Result:" },
          { type: "text", text: saved("src/heron.ts", "<b>") },
        ],
      },
      { role: "assistant", content: "<execute_command>\n<command>npm test</command>\n<requires_appro" },
    ];
    const shown = [
      { ts: start, type: "say", say: "task", conversationHistoryIndex: -1 },
      { ts: start + 500, type: "say", say: "text", conversationHistoryIndex: 0 },
      { ts: start + 900, type: "ask", ask: "tool", conversationHistoryIndex: 0 },
      { ts: start + 2500, type: "ask", ask: "command", conversationHistoryIndex: 2 },
    ];
    write(`tasks/${id}/ui_messages.json`, JSON.stringify(shown));
    const lines = await read({ text: () => JSON.stringify(messages) });
    expect(lines.map(({ at }) => at! - start)).toEqual([500, 2500, 2500, 2500]);
    expect(lines[1]!.entries).toMatchObject([
      { kind: "thinking", text: "Once." },
      { kind: "text", text: "Looking." },
      { kind: "tool_use", tool: "replace_in_file", files: [{ path: heron, how: "edit" }] },
    ]);
    expect(lines[2]!.entries).toMatchObject([{ edits: [{ hunks: [{ lines: ["-<content>", "+<b>"] }] }] }]);
    expect(lines[3]!.entries).toMatchObject([{ kind: "tool_use", input: { command: "npm test" } }]);
  });
});
