import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes rollouts as the client does, for tests. */

type RawLine = Record<string, unknown>;

export interface RolloutOptions {
  session?: string;
  /** "legacy": as clients up to 0.125 write; "paginated": since 0.150; "code": the same, of a model in code mode. */
  format?: "legacy" | "paginated" | "code";
  cwd?: string;
  branch?: string;
  model?: string;
  /** ISO time of the first line; each is a second after the one before. */
  start?: string;
  /** More of the first line: `parent_thread_id`, `forked_from_id`, `source`. */
  meta?: RawLine;
}

export interface FileChange {
  type: "add" | "update" | "delete";
  content?: string;
  unified_diff?: string;
  move_path?: string | null;
}

/** A thread id that is always the same for the same name. */
export function threadId(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `01a1${hex.slice(4, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export type RolloutFixture = ReturnType<typeof rollout>;

export function rollout(options: RolloutOptions = {}) {
  const session = options.session ?? threadId("session");
  const { format = "paginated", cwd = "/home/dev/shop", branch = "main", model = "gpt-5.5" } = options;
  const isLegacy = format === "legacy";
  const lines: (RawLine | string)[] = [];
  let now = Date.parse(options.start ?? "2026-03-02T09:00:00.000Z");
  let calls = 0;
  let total = 0;
  const time = () => new Date(now).toISOString();

  function line(type: string, payload: RawLine): void {
    lines.push({ timestamp: time(), ...(isLegacy ? {} : { ordinal: lines.length }), type, payload });
    now += 1000;
  }
  const event = (type: string, more: RawLine = {}) => line("event_msg", { type, ...more });
  const response = (type: string, more: RawLine) => line("response_item", { type, ...more });
  const item = (type: string, more: RawLine) =>
    event("item_completed", { thread_id: session, item: { type, id: `item-${lines.length}`, ...more } });
  const message = (role: string, ...texts: string[]) => {
    const type = role === "assistant" ? "output_text" : "input_text";
    response("message", { role, content: texts.map((text) => ({ type, text })) });
  };

  /** A tool use: the call, what the client says of its end, and the output. */
  function use(call: RawLine, ended: RawLine | null, output: unknown): void {
    const id = `call_${++calls}`;
    const isCustom = call.type === "custom_tool_call";
    if (format === "code")
      response("custom_tool_call", { call_id: id, name: "exec", input: "const r = await tools.x();" });
    else response(call.type as string, { ...call, call_id: id });
    if (ended && !isLegacy)
      item(ended.type as string, { ...ended, id: format === "code" ? `exec-${session}-${id}` : id });
    const type = isCustom || format === "code" ? "custom_tool_call_output" : "function_call_output";
    response(type, { call_id: id, output });
  }

  line("session_meta", {
    id: session,
    session_id: session,
    timestamp: time(),
    cwd,
    originator: "codex-tui",
    cli_version: isLegacy ? "0.125.0" : "0.169.0",
    source: "exec",
    base_instructions: { text: "You are Codex." },
    ...(isLegacy ? {} : { history_mode: "paginated" }),
    git: { commit_hash: "0".repeat(40), branch },
    ...options.meta,
  });

  return {
    session,
    cwd,
    lines,
    line,
    event,
    response,
    item,
    time,
    wait(ms: number): void {
      now += ms;
    },
    /** The client's context for the model when a turn begins. */
    turn(more: RawLine = {}): void {
      event("task_started");
      message("developer", "<permissions>");
      message(
        "user",
        "# AGENTS.md instructions for /home/dev/shop\n\nUse two spaces.",
        "<environment_context/>",
      );
      line("turn_context", { turn_id: `turn-${lines.length}`, cwd, model, ...more });
    },
    prompt(text: string, images: string[] = []): void {
      message("user", text);
      const pictures = images.map((image_url) => ({ type: "image", image_url }));
      if (isLegacy) event("user_message", { message: text, images, local_images: [] });
      else item("UserMessage", { content: [{ type: "text", text }, ...pictures] });
    },
    think(text: string): void {
      if (isLegacy) event("agent_reasoning", { text });
      else item("Reasoning", { summary_text: [text], raw_content: [] });
      response("reasoning", { summary: [{ type: "summary_text", text }], encrypted_content: "AAAA" });
    },
    reply(text: string): void {
      if (isLegacy) event("agent_message", { message: text });
      else item("AgentMessage", { content: [{ type: "Text", text }], phase: "final_answer" });
      message("assistant", text);
    },
    bash(command: string, output: string, exitCode = 0): void {
      const status = exitCode === 0 ? "completed" : "failed";
      use(
        { type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd: command }) },
        {
          type: "CommandExecution",
          command: ["/bin/bash", "-lc", command],
          cwd: `file://${cwd}`,
          parsed_cmd: command.startsWith("cat ")
            ? [{ type: "read", cmd: command, name: "x", path: command.slice(4) }]
            : [{ type: "unknown", cmd: command }],
          status,
          aggregated_output: `${output}\n`,
          exit_code: exitCode,
        },
        `Chunk ID: 231169\nWall time: 0.0000 seconds\nProcess exited with code ${exitCode}\nOriginal token count: 12\nOutput:\n${output}\n`,
      );
    },
    /** @param changes as the client applied it, by absolute path; null where it did not fit */
    patch(envelope: string, changes: Record<string, FileChange> | null): void {
      const files = Object.keys(changes ?? {});
      const stdout = `Success. Updated the following files:\n${files.map((file) => `M ${file}\n`).join("")}`;
      const failure = "apply_patch verification failed: Failed to find expected lines";
      use(
        { type: "custom_tool_call", name: "apply_patch", status: "completed", input: envelope },
        changes && { type: "FileChange", changes, status: "completed", stdout, stderr: "" },
        changes === null
          ? failure
          : isLegacy
            ? JSON.stringify({ output: stdout, metadata: { exit_code: 0, duration_seconds: 0 } })
            : `Exit code: 0\nWall time: 0 seconds\nOutput:\n${stdout}`,
      );
    },
    mcp(server: string, tool: string, args: RawLine, answer: string): void {
      const content = [{ type: "text", text: answer }];
      use(
        { type: "function_call", name: tool, namespace: `mcp__${server}`, arguments: JSON.stringify(args) },
        { type: "McpToolCall", server, tool, arguments: args, status: "completed", result: { content } },
        JSON.stringify({ content }),
      );
    },
    /** Another tool. */
    tool(name: string, args: RawLine, output: unknown): void {
      use({ type: "function_call", name, arguments: JSON.stringify(args) }, null, output);
    },
    spawn(task: string, prompt: string, thread: string): void {
      const args = { task_name: task, message: prompt, fork_turns: "none" };
      use(
        {
          type: "function_call",
          name: "spawn_agent",
          namespace: "collaboration",
          arguments: JSON.stringify(args),
        },
        { type: "SubAgentActivity", kind: "started", agent_thread_id: thread, agent_path: `/root/${task}` },
        JSON.stringify({ task_name: `/root/${task}` }),
      );
    },
    /** What one agent says to another. */
    between(kind: "NEW_TASK" | "FINAL_ANSWER", task: string, text: string | null): void {
      const head = `Message Type: ${kind}\nTask name: /root/${task}\nSender: /root\nPayload:\n${text ?? ""}`;
      const hidden = text === null ? [{ type: "encrypted_content", encrypted_content: "AAAA" }] : [];
      response("agent_message", {
        author: kind === "NEW_TASK" ? "/root" : `/root/${task}`,
        content: [{ type: "input_text", text: head }, ...hidden],
      });
    },
    /** The client counts after each answer, and again when the next one begins. */
    tokens(input: number, output: number, cached = 0): void {
      total += input + output;
      const usage = (sum: number) => ({
        input_tokens: input,
        cached_input_tokens: cached,
        output_tokens: output,
        total_tokens: sum,
      });
      const info = { total_token_usage: usage(total), last_token_usage: usage(input + output) };
      event("token_count", { info });
      event("token_count", { info });
    },
    compact(summary: string): void {
      if (summary !== "") message("assistant", summary);
      line("compacted", {
        message: summary && `${compactionPreface}\n${summary}`,
        replacement_history: [
          { type: "message", role: "user", content: [{ type: "input_text", text: "old" }] },
        ],
      });
      if (!isLegacy) item("ContextCompaction", {});
    },
    /** What a hook put into the agent's context. */
    injected: (text: string) => message("developer", text),
    interruption(): void {
      message("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>");
      event("turn_aborted", { reason: "interrupted" });
    },
    raw(text: string): void {
      lines.push(text);
    },
    text: () => lines.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join(""),
    /** Where the client would write it, under its home. */
    path: (folder = "sessions") => {
      const name = `rollout-2026-03-02T09-00-00-${session}.jsonl`;
      return folder === "sessions" ? join(folder, "2026", "03", "02", name) : join(folder, name);
    },
    /** @returns the file */
    writeTo(home: string, folder = "sessions"): string {
      const file = join(home, this.path(folder));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, this.text());
      return file;
    },
  };
}

const compactionPreface =
  "Another language model started to solve this problem and produced a summary of its thinking process. Use the " +
  "information in this summary to assist with your own analysis:";

/** What `codex migrate-rollouts` makes of a legacy rollout: the same lines, messages as items, numbered. */
export function migrated(legacy: string): string {
  let items = 0;
  const lines = legacy
    .trimEnd()
    .split("\n")
    .map((text, ordinal) => {
      const line = JSON.parse(text) as { type: string; payload: RawLine };
      const { type, message, images, text: thought, ...rest } = line.payload;
      const asItem = (item: RawLine) => ({
        type: "item_completed",
        item: { id: `item-${++items}`, ...item },
      });
      if (line.type === "session_meta") line.payload.history_mode = "paginated";
      else if (type === "user_message") {
        const pictures = (images as string[]).map((image_url) => ({ type: "image", image_url }));
        line.payload = asItem({
          type: "UserMessage",
          content: [{ type: "text", text: message }, ...pictures],
        });
      } else if (type === "agent_message" && line.type === "event_msg") {
        line.payload = asItem({ type: "AgentMessage", content: [{ type: "Text", text: message }], ...rest });
      } else if (type === "agent_reasoning") {
        line.payload = asItem({ type: "Reasoning", summary_text: [thought], raw_content: [] });
      }
      const { type: kind, ...others } = line;
      return JSON.stringify({ ...others, ordinal, type: kind });
    });
  return `${lines.join("\n")}\n`;
}
