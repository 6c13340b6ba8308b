import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RawLine, ReplyOptions, ResultOptions, TranscriptOptions } from "./transcript-parts.ts";
import * as parts from "./transcript-parts.ts";

/**
 * Writes what Claude Code writes, line by line, with ids and times that are the same in every run. Every line
 * follows the one before it; `after` goes back to an earlier one, as rewinding does. Methods that write one line
 * return its uuid.
 */
export function transcript(options: TranscriptOptions = {}) {
  return build(options.session ?? idOf("session"), options, []);
}

export type TranscriptFixture = ReturnType<typeof build>;

/** Another session that goes on from where `of` is, with a copy of everything before, under the same uuids. */
export function fork(
  of: TranscriptFixture,
  session: string,
  options: TranscriptOptions = {},
): TranscriptFixture {
  const copy = of.lines.filter((line) => typeof line !== "string");
  const moved = copy.map((line) => (line.sessionId === of.session ? { ...line, sessionId: session } : line));
  return build(session, { ...of.options, start: of.time(), ...options }, moved);
}

/** A uuid that is always the same for the same name. */
export function idOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The bytes of a small picture that is none, in base64, as the client stores pasted images. */
export const pictureData = `iVBORw0KGgo${"AAAB3NCSVQICAjb4U".repeat(40)}`;

function build(session: string, options: TranscriptOptions, copied: RawLine[]) {
  const { agentId } = options;
  const cwd = options.cwd ?? "/home/dev/shop";
  const model = options.model ?? "claude-opus-4-5";
  const lines: (RawLine | string)[] = [...copied];
  const uses = new Map<string, string>();
  let leaf: string | null =
    (copied.findLast((line) => typeof line.uuid === "string")?.uuid as string | undefined) ?? null;
  let now = Date.parse(options.start ?? "2026-03-02T09:00:00.000Z");
  let messages = copied.length;

  const time = () => new Date(now).toISOString();

  /** Writes a line of the tree: it gets an id, a time, a parent and where it was written. */
  function tree(type: string, more: RawLine): string {
    const uuid = idOf(`${session}:${agentId ?? ""}:${lines.length}`);
    lines.push({
      parentUuid: leaf,
      isSidechain: agentId !== undefined,
      ...(agentId === undefined ? {} : { agentId }),
      userType: "external",
      cwd,
      sessionId: session,
      version: "2.1.42",
      gitBranch: options.branch ?? "main",
      type,
      ...more,
      uuid,
      timestamp: time(),
    });
    leaf = uuid;
    now += 1000;
    return uuid;
  }

  /** Writes a line that is no part of the tree. */
  function side(line: RawLine): void {
    lines.push({ ...line, sessionId: session });
  }

  const user = (content: unknown, more: RawLine = {}) =>
    tree("user", { message: { role: "user", content }, ...more });

  function assistant(blocks: unknown[], { usage = {}, model: by = model }: ReplyOptions = {}): string {
    const id = usage.messageId ?? `msg_${++messages}`;
    let last = "";
    // One line for each block, all with the message's id and usage.
    for (const block of blocks) {
      last = tree("assistant", {
        message: parts.message(id, by, block, usage),
        requestId: `req_${messages}`,
      });
    }
    return last;
  }

  /** @returns the id of the call, for `toolResult` */
  function toolUse(name: string, input: RawLine, more: ReplyOptions = {}): string {
    const id = `toolu_${idOf(`${session}:use:${lines.length}`).replaceAll("-", "").slice(0, 24)}`;
    uses.set(id, assistant([{ type: "tool_use", id, name, input }], more));
    return id;
  }

  function toolResult(
    id: string,
    content: unknown,
    { isError = false, structured }: ResultOptions = {},
  ): string {
    const block = { tool_use_id: id, type: "tool_result", content, ...(isError ? { is_error: true } : {}) };
    const fallback = isError ? `Error: ${String(content)}` : { stdout: content, stderr: "" };
    return user([block], { toolUseResult: structured ?? fallback, sourceToolAssistantUUID: uses.get(id) });
  }

  /** A call and its result. */
  const tool = (name: string, input: RawLine, content: unknown, more: ResultOptions = {}) =>
    toolResult(toolUse(name, input), content, more);

  const text = () =>
    lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

  return {
    session,
    cwd,
    options,
    /** When the next line is written. */
    time,
    /** Lines as they are written; a string is written as it is. */
    lines,
    /** The uuid of the last line. */
    leaf: () => leaf,
    wait(ms: number): void {
      now += ms;
    },
    /** The next line answers this one. */
    after(uuid: string): void {
      leaf = uuid;
    },
    tree,
    side,
    /** Any text in place of a line. */
    raw(text: string): void {
      lines.push(text);
    },

    prompt: (text: string, more: RawLine = {}) => user(text, { promptSource: "typed", ...more }),
    /** A prompt with pictures pasted into it. */
    promptWithImages: (text: string, images = 1) =>
      user([{ type: "text", text }, ...Array.from({ length: images }, () => parts.image(pictureData))]),
    /** A user line that no human wrote. */
    meta: (text: string) => user(text, { isMeta: true }),
    command: (name: string, args = "") => user(parts.command(name, args)),
    commandOutput: (text: string) => user(`<local-command-stdout>${text}</local-command-stdout>`),
    /** "! command", and what it printed. */
    shell(command: string, output = ""): void {
      user(`<bash-input>${command}</bash-input>`);
      user(`<bash-stdout>${output}</bash-stdout><bash-stderr></bash-stderr>`);
    },
    interruption: () => user([{ type: "text", text: "[Request interrupted by user]" }]),
    notification: (summary: string) =>
      user(`<task-notification>\n<summary>${summary}</summary>\n</task-notification>`, {
        promptSource: "system",
      }),
    /** Typed while the agent works, and given to it between two of its steps. */
    queuedPrompt(content: string): void {
      side({ type: "queue-operation", operation: "enqueue", timestamp: time(), content });
      now += 1000;
      side({ type: "queue-operation", operation: "remove", timestamp: time() });
    },

    reply: (text: string, more: ReplyOptions = {}) =>
      assistant(
        [
          ...(more.thinking === undefined
            ? []
            : [{ type: "thinking", thinking: more.thinking, signature: "c2ln".repeat(30) }]),
          { type: "text", text },
        ],
        more,
      ),
    /** What the client says in the agent's place. */
    synthetic: (text: string) => assistant([{ type: "text", text }], { model: "<synthetic>" }),
    toolUse,
    toolResult,
    tool,
    bash: (command: string, output: string, more: ResultOptions = {}) =>
      tool("Bash", { command, description: "Run it" }, output, more),
    read: (path: string, content: string) =>
      tool("Read", { file_path: path }, content, { structured: parts.readResult(path, content) }),
    /** Replaces whole lines, from line `at` of the file. */
    edit: (path: string, old: string, now: string, at = 1) =>
      tool(
        "Edit",
        { file_path: path, old_string: old, new_string: now, replace_all: false },
        `The file ${path} has been updated.`,
        { structured: parts.editResult(path, old, now, at) },
      ),
    write: (path: string, content: string) =>
      tool("Write", { file_path: path, content }, `File created successfully at: ${path}`, {
        structured: { type: "create", filePath: path, content, structuredPatch: [], originalFile: null },
      }),
    /** Runs a subagent; its own transcript is another fixture, with `agentId`. */
    task: (subagent: string, prompt: string, answer: string) =>
      tool(
        "Task",
        { description: prompt.slice(0, 30), prompt, subagent_type: "general-purpose" },
        [{ type: "text", text: answer }],
        { structured: { status: "completed", agentId: subagent, prompt, totalTokens: 1200 } },
      ),

    /** The context is compacted: a boundary, and the agent's summary. */
    compact(summary: string, trigger: "auto" | "manual" = "auto"): string {
      const logicalParentUuid = leaf;
      leaf = null;
      const compactMetadata = { trigger, preTokens: 150_000 };
      tree("system", {
        logicalParentUuid,
        subtype: "compact_boundary",
        content: "Conversation compacted",
        isMeta: false,
        compactMetadata,
      });
      return user(`${parts.summaryPreface}\n\n${summary}`, {
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
      });
    },
    /** Something that a hook put into the agent's context. */
    injected: (text: string) =>
      tree("attachment", {
        attachment: { type: "hook_additional_context", content: [text], hookEvent: "SessionStart" },
      }),
    progress: (text: string) =>
      tree("progress", {
        data: { type: "bash_progress", output: text, fullOutput: text },
        toolUseID: "bash-progress-1",
        parentToolUseID: "toolu_1",
      }),
    snapshot: () =>
      lines.push({ type: "file-history-snapshot", messageId: leaf, snapshot: {}, isSnapshotUpdate: false }),
    title: (aiTitle: string) => side({ type: "ai-title", aiTitle }),
    /** As older clients name a session: by a summary that names its line. */
    summaryOf: (leafUuid: string, summary: string) => lines.push({ type: "summary", summary, leafUuid }),

    /** The file's content. */
    text,
    /**
     * Writes it where the client would, under a project's directory.
     * @param meta the content of a subagent's `.meta.json`
     * @returns the file
     */
    writeTo(dir: string, meta?: RawLine): string {
      const name =
        agentId === undefined ? `${session}.jsonl` : join(session, "subagents", `agent-${agentId}.jsonl`);
      const file = join(dir, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text(), { mode: 0o600 });
      if (meta) writeFileSync(file.replace(/\.jsonl$/, ".meta.json"), JSON.stringify(meta));
      return file;
    },
  };
}
