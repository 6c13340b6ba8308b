import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agent } from "../../src/agents/agent.ts";
import type { AgentName } from "../../src/agents/profiles.ts";
import { findAgentByName } from "../../src/agents/registry.ts";
import { block, tokens } from "../support/aider-fixture.ts";
import { chat } from "../support/chat-fixture.ts";
import { copilotSession } from "../support/copilot-fixture.ts";
import { called, cursorConversation } from "../support/cursor-fixture.ts";
import { edited, opencodeSession, ran, said, thought } from "../support/opencode-fixture.ts";
import { rollout } from "../support/rollout-fixture.ts";
import { transcript } from "../support/transcript-fixture.ts";

/** What to mutate: small transcripts as every agent writes them. */

export interface Seeds {
  agent: Agent;
  /** As the agent calls its transcripts. */
  path: string;
  /** The lines of whole transcripts. */
  files: string[][];
  /** The whole of a file of these lines; the lines themselves if left out. */
  whole?: (lines: readonly string[]) => string;
  /** Writes the transcript of these lines where it is no text file. */
  write?: (file: string, lines: readonly string[]) => void;
  /** Files that lie beside it, by path. */
  beside?: Readonly<Record<string, string>>;
  /** The transcript's path, where it is not the file's. */
  transcript?: string;
}

export function seedsOf(corpus: string | null): Seeds[] {
  const all: (Omit<Seeds, "agent"> & { agent: AgentName })[] = [
    {
      agent: "claude",
      path: "projects/-home-dev-shop/3f0a1b2c-0000-4000-8000-000000000000.jsonl",
      files: [[...ofClaude().text().split("\n")], ...linesIn(corpus, /\/claude-code\/.*\.jsonl$/)],
    },
    {
      agent: "codex",
      path: "sessions/2026/03/02/rollout-2026-03-02T09-00-00-01a10000-0000-7000-8000-000000000000.jsonl",
      files: [
        ...(["legacy", "paginated", "code"] as const).map((format) => ofCodex(format).text().split("\n")),
        ...linesIn(corpus, /\/codex\/.*\.jsonl$/),
      ],
    },
    {
      agent: "gemini",
      path: "tmp/shop/chats/session-2026-03-02T09-00-3f0a1b2c.jsonl",
      files: [ofGemini().text().split("\n"), ...linesIn(corpus, /\/gemini\/.*\.jsonl$/)],
    },
    {
      agent: "cline",
      path: "cline/1_a/1_a.messages.json",
      files: [ofCline()],
      // Mostly one that is whole: otherwise nothing of it would be read.
      whole: (lines: readonly string[]) => `{"messages":[${lines.filter(isJson).join(",")}]}`,
      beside: { "cline/1_a/1_a.json": '{"session_id":"1_a","cwd":"/home/dev/shop"}' },
    },
    {
      agent: "aider",
      path: ".aider.chat.history.md",
      files: [ofAider()],
      transcript: ".aider.chat.history.md/20260302T090000",
    },
    {
      agent: "qwen",
      path: "qwen/-home-dev-shop/chats/83b53ffd-bc0d-4acc-a734-c38eedb1ad77.jsonl",
      files: [ofQwen()],
    },
    {
      agent: "copilot",
      path: "copilot/25063cc8-3242-4593-82d9-33e2871fae49/events.jsonl",
      files: [ofCopilot().text().split("\n")],
    },
    {
      agent: "atif",
      path: "runs/trajectory.json",
      files: [ofAtif()],
      whole: (lines: readonly string[]) =>
        `{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[${lines.filter(isJson).join(",")}]}`,
    },
    {
      agent: "opencode",
      path: "opencode/opencode.db",
      files: [ofOpencode()],
      write: writeOpencode,
      transcript: "opencode/opencode.db/ses_1",
    },
    {
      agent: "cursor",
      path: "cursor/globalStorage/state.vscdb",
      files: [ofCursor()],
      write: writeCursor,
      transcript: `cursor/globalStorage/state.vscdb/${conversation}`,
    },
  ];
  return all.map((seeds) => ({
    ...seeds,
    agent: findAgentByName(seeds.agent)!,
    files: seeds.files.map((lines) => lines.filter((line) => line !== "")),
  }));
}

/** Transcripts below a directory: a corpus that does not belong to the repository. */
function linesIn(corpus: string | null, name: RegExp): string[][] {
  if (corpus === null) return [];
  const files = readdirSync(corpus, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => name.test(`/${file}`))
    .map((file) =>
      readFileSync(join(corpus, file), "utf8")
        .split("\n")
        .filter((line) => line !== ""),
    )
    .filter((lines) => lines.length > 0);
}

function ofClaude() {
  const t = transcript();
  t.prompt("Add a total to the cart\nnote to pommel: totals are in cents");
  t.read("/home/dev/shop/src/cart.ts", "export const cart = [];");
  t.edit("/home/dev/shop/src/cart.ts", "[]", "[1]");
  t.write("/home/dev/shop/a.html", "<b>x</b>");
  t.bash("npm test", "1 passed");
  t.promptWithImages("look at this", 1);
  t.title("Cart total");
  t.injected("what a hook said");
  t.command("/review", "12");
  t.summaryOf(t.leaf()!, "Review of the cart");
  t.reply("We chose cents, because floats round.");
  return t;
}

function ofCodex(format: "legacy" | "paginated" | "code") {
  const r = rollout({ format });
  r.turn();
  r.prompt("Add a total to the cart");
  r.bash("npm test", "1 passed");
  r.reply("Done.");
  return r;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function ofCline(): string[] {
  const path = "/home/dev/shop/src/cart.ts";
  const use = (name: string, input: object) => [{ type: "tool_use", id: "c1", name, input }];
  const result = (name: string, content: unknown) => [
    { type: "tool_result", tool_use_id: "c1", name, content },
  ];
  const edited = `Edited ${path}\n\`\`\`diff\n-1: a\n+1: b\n\`\`\``;
  return [
    ["user", [{ type: "text", text: '<user_input mode="act">Add a total</user_input>' }]],
    ["assistant", use("editor", { path, old_text: "a", new_text: "b" })],
    ["user", result("editor", JSON.stringify({ query: "edit", result: edited, success: true }))],
    ["assistant", use("run_commands", { commands: ["npm test", "ls"] })],
    ["user", result("run_commands", [{ query: "npm test", result: "1 passed", success: true }])],
    ["assistant", [{ type: "text", text: "Done." }]],
  ].map(([role, content], at) => JSON.stringify({ id: `m${at}`, role, content, ts: 1772442000000 + at }));
}

function ofAider(): string[] {
  const edit = block("src/cart.ts", "a\n", "b\n").split("\n");
  return [
    "# aider chat started at 2026-03-02 09:00:00",
    "> Main model: gpt-4o with diff edit format  ",
    "#### Add a total  ",
    "So:",
    "",
    ...edit,
    `> ${tokens}  `,
    "> Applied edit to src/cart.ts  ",
    "> Running npm test  ",
  ];
}

function ofGemini() {
  const c = chat();
  c.begin();
  c.prompt("Add a total to the cart");
  c.write("/home/dev/shop/src/cart.test.ts", "test();\n");
  c.edit("/home/dev/shop/a.html", "x", "y");
  c.shell("npm test", "1 passed");
  c.reply("Done.");
  return c;
}

function ofQwen(): string[] {
  const parts = [
    ["user", [{ text: "Add a total to the cart" }]],
    ["assistant", [{ text: "Where is it?", thought: true }, { text: "I look." }]],
    ["assistant", [{ functionCall: { id: "c1", name: "run_shell_command", args: { command: "npm test" } } }]],
    [
      "tool_result",
      [{ functionResponse: { id: "c1", name: "run_shell_command", response: { output: "1 passed" } } }],
    ],
    ["assistant", [{ text: "Done." }]],
  ] as const;
  return parts.map(([type, of], at) =>
    JSON.stringify({
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      sessionId: "83b53ffd",
      type,
      timestamp: new Date(1772442000000 + at * 1000).toISOString(),
      cwd: "/home/dev/shop",
      version: "0.24.4",
      gitBranch: "main",
      model: "qwen3-coder",
      message: { role: type === "assistant" ? "model" : "user", parts: of },
    }),
  );
}

function ofCopilot() {
  const s = copilotSession("25063cc8-3242-4593-82d9-33e2871fae49");
  s.prompt("Add a total to the cart");
  s.edit("a", "b");
  s.shell("npm test", "1 passed");
  s.usage();
  s.answer("Done.");
  return s;
}

function ofAtif(): string[] {
  const calls = [
    { tool_call_id: "c1", function_name: "bash_command", arguments: { keystrokes: "npm test\n" } },
    { tool_call_id: "c2", function_name: "write_file", arguments: { file_path: "/app/a.ts", content: "a" } },
  ];
  const results = calls.map(({ tool_call_id }) => ({ source_call_id: tool_call_id, content: "done" }));
  return [
    { source: "user", message: [{ type: "text", text: "Add a total to the cart" }] },
    {
      source: "agent",
      message: "So:",
      reasoning_content: "Where?",
      tool_calls: calls,
      observation: { results },
    },
    { source: "agent", message: "Done.", metrics: { prompt_tokens: 100, completion_tokens: 20 } },
  ].map((step, at) =>
    JSON.stringify({ step_id: at + 1, timestamp: `2026-03-02T09:00:0${at}.000Z`, ...step }),
  );
}

/** Messages with one part each. */
function ofOpencode(): string[] {
  const cart = "/home/dev/shop/src/cart.ts";
  const time = { created: 1772442000000, completed: 1772442001000 };
  const answer = { role: "assistant", path: { cwd: "/home/dev/shop" }, modelID: "claude-sonnet-4-5", time };
  const ask = { role: "user", time, model: { modelID: "claude-sonnet-4-5" } };
  return [
    { message: ask, part: { type: "text", text: "Add a total to the cart" } },
    ...[
      thought("Where?"),
      edited("c1", cart, "a", "b"),
      ran("bash", "c2", { command: "npm test" }),
      said("Done."),
    ].map((part) => ({ message: answer, part })),
  ].map((row) => JSON.stringify(row));
}

function writeOpencode(file: string, lines: readonly string[]): void {
  opencodeSession(dirname(file)).run((db) => {
    db.exec("BEGIN");
    for (const table of ["part", "message"]) db.exec(`DELETE FROM ${table}`);
    for (const [at, line] of lines.entries()) {
      const row = (isJson(line) ? JSON.parse(line) : null) as { message?: unknown; part?: unknown } | null;
      const column = (value: unknown) => (value === undefined ? line : JSON.stringify(value));
      const id = String(at).padStart(4, "0");
      db.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)").run(id, at, at, column(row?.message));
      db.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?, ?, ?)").run(id, id, at, at, column(row?.part));
    }
    db.exec("COMMIT");
  });
}

const conversation = "0b5a77aa-1111-4222-8333-444455556666";

/** Bubbles of a conversation. */
function ofCursor(): string[] {
  const edit = called("search_replace", { file_path: "a.ts", old_string: "a", new_string: "b" });
  return [
    { type: 1, text: "Add a total to the cart" },
    {
      type: 2,
      toolFormerData: called("run_terminal_command_v2", { command: "npm test" }, { output: "1 passed" }),
    },
    { type: 2, toolFormerData: edit },
    { type: 2, text: "Done." },
  ].map((bubble, at) =>
    JSON.stringify({
      _v: 3,
      bubbleId: `b${at}`,
      createdAt: `2026-03-02T09:00:0${at}.000Z`,
      text: "",
      ...bubble,
    }),
  );
}

function writeCursor(file: string, lines: readonly string[]): void {
  rmSync(file, { force: true });
  const made = cursorConversation(dirname(dirname(file)), { id: conversation });
  made.run((db) => {
    const headers = lines.map((_, at) => ({ bubbleId: `b${at}`, type: 1 }));
    const composer = {
      _v: 10,
      composerId: conversation,
      createdAt: 1772442000000,
      fullConversationHeadersOnly: headers,
    };
    db.exec("BEGIN");
    const put = db.prepare("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)");
    put.run(`composerData:${conversation}`, Buffer.from(JSON.stringify(composer)));
    for (const [at, line] of lines.entries()) put.run(`bubbleId:${conversation}:b${at}`, Buffer.from(line));
    db.exec("COMMIT");
  });
}
