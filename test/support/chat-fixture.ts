import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unifiedDiff } from "./diff-fixture.ts";

/** A record as it is in the file. */
export type RawRecord = Record<string, unknown>;

export interface ChatOptions {
  session?: string;
  cwd?: string;
  /** When the first record was written; every message takes a second. */
  start?: string;
  model?: string;
  /** Makes it the chat of a subagent, which this session started. */
  parent?: string;
}

interface CallOptions {
  status?: string;
  display?: unknown;
  /** Beside the call: `agentId`, `displayName`. */
  more?: RawRecord;
}

/** A uuid that is always the same for the same name. */
export function idOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const hashOf = (path: string) => createHash("sha256").update(path).digest("hex");

/** The bytes of a small picture that is none, in base64. */
export const pictureData = `iVBORw0KGgo${"AAAB3NCSVQICAjb4U".repeat(40)}`;

const context = "<session_context>\nThis is the Gemini CLI. We are in /home.\n</session_context>";
const contextId = "d04923d38bb0f6017037e74183378ef4";

/**
 * Writes what Gemini CLI writes, record by record, with ids and times that are the same in every run. Methods that
 * write a message return its id.
 */
export function chat(options: ChatOptions = {}) {
  const session = options.session ?? idOf("session");
  const cwd = options.cwd ?? "/home/dev/shop";
  const model = options.model ?? "gemini-2.5-pro";
  const start = options.start ?? "2026-03-02T09:00:00.000Z";
  const records: (RawRecord | string)[] = [];
  /** The history as it is now. */
  let messages: RawRecord[] = [];
  let now = Date.parse(start);
  let count = 0;

  const time = () => new Date(now).toISOString();
  const tick = () => {
    now += 1000;
  };
  const newId = () => idOf(`${session}:${start}:${++count}`);
  const set = (change: RawRecord) => void records.push({ $set: change });

  const metadata = (): RawRecord => ({
    sessionId: session,
    projectHash: hashOf(cwd),
    startTime: time(),
    lastUpdated: time(),
    kind: options.parent === undefined ? "main" : "subagent",
    directories: [cwd],
  });

  function message(type: string, content: unknown, more: RawRecord = {}): RawRecord {
    const made = { id: newId(), timestamp: time(), type, content, ...more };
    messages.push(made);
    records.push(made);
    set({ lastUpdated: time() });
    tick();
    return made;
  }

  /** The client begins, anew or by resuming. */
  function begin(): void {
    records.push(metadata());
    const first = { id: contextId, timestamp: time(), type: "user", content: [{ text: context }] };
    if (options.parent === undefined) set({ messages: [first], lastUpdated: time() });
  }

  const prompt = (text: string, more: unknown[] = []) => message("user", [{ text }, ...more]).id as string;

  function reply(
    text: string,
    { thinking, more = {} }: { thinking?: string; more?: RawRecord } = {},
  ): string {
    const thoughts = thinking === undefined ? [] : [{ subject: "Thinking", description: thinking }];
    const tokens = { input: 1000, output: 50, cached: 200, thoughts: 5, tool: 0, total: 1055 };
    return message("gemini", text, { thoughts, tokens, model, ...more }).id as string;
  }

  const response = (id: string, name: string, output: RawRecord) => ({
    functionResponse: { id, name, response: output },
  });

  /** A call with its result: the message comes bare, then whole, then the result as the user's. @returns its id */
  function tool(
    name: string,
    args: RawRecord,
    output: string,
    { status = "success", display = output, more = {} }: CallOptions = {},
  ): string {
    const id = `${name}__${name}_${now}_${count}`;
    reply("");
    const bare = messages.pop()!;
    const result = [response(id, name, status === "success" ? { output } : { error: output })];
    const call = { id, name, args, result, status, timestamp: time(), resultDisplay: display, ...more };
    const whole = { ...bare, toolCalls: [call] };
    messages.push(whole);
    records.push(whole);
    tick();
    message("user", result);
    return id;
  }

  function edit(path: string, before: string, after: string, user = { added: 0, args: {} }): string {
    const display = displayOf(path, before, after, user.added);
    const args = {
      file_path: path,
      instruction: "Change it",
      old_string: before,
      new_string: after,
      ...user.args,
    };
    return tool("replace", args, `Successfully modified file: ${path} (1 replacements).`, { display });
  }

  const write = (path: string, content: string, before = "") =>
    tool("write_file", { file_path: path, content }, `Successfully created and wrote to new file: ${path}.`, {
      display: displayOf(path, before, content),
    });

  /** A command is a success for the client, however it ends. */
  const shell = (command: string, output: string, exitCode = 0) =>
    tool(
      "run_shell_command",
      { command, description: "Run it" },
      `<untrusted_context>\nOutput: ${output}\n${exitCode === 0 ? "" : `Exit Code: ${exitCode}\n`}Process Group PGID: 23800\n</untrusted_context>`,
      { display: output },
    );

  /** The history as it is repeated: contents are parts, and results follow under ids of their own. */
  function repeated({ withCalls = true, idsOf = (id: string) => id } = {}): RawRecord[] {
    return messages.flatMap((each) => {
      const { toolCalls = [], ...rest } = each as { toolCalls?: RawRecord[] } & RawRecord;
      const calls = toolCalls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
      const text =
        typeof each.content === "string" ? [{ text: each.content }].filter(({ text: t }) => t) : each.content;
      const content = Array.isArray(text) ? [...text, ...calls] : text;
      const kept = withCalls ? { ...rest, toolCalls } : { id: rest.id, timestamp: time(), type: rest.type };
      const id = idsOf(rest.id as string);
      const answers = {
        id: `${id}_response`,
        timestamp: time(),
        type: "user",
        content: toolCalls.flatMap(resultOf),
      };
      return [{ ...kept, id, content }, ...(toolCalls.length > 0 ? [answers] : [])];
    });
  }

  return {
    session,
    cwd,
    records,
    time,
    wait(ms: number): void {
      now += ms;
    },
    begin,
    message,
    prompt,
    reply,
    tool,
    edit,
    write,
    shell,
    set,
    /** The client goes on in the same file; in the minute in which it was begun, with less of the history. */
    resume({ sameMinute = false } = {}): void {
      if (sameMinute) begin();
      set({ sessionId: session });
      const history = repeated({ withCalls: !sameMinute });
      set({ messages: [{ id: contextId, type: "user", content: [{ text: context }] }, ...history] });
      tick();
    },
    /** The history is replaced by a summary and what came last, under new ids. */
    compress(summary: string, keepLast = 2): void {
      const last = messages.slice(-keepLast);
      messages = [];
      const ids = new Map(last.map(({ id }) => [id as string, newId()]));
      messages.push(...last);
      const history = repeated({ withCalls: false, idsOf: (id) => ids.get(id) ?? id });
      messages = history;
      const text = `<state_snapshot>${summary}</state_snapshot>`;
      const summarised = [
        { id: newId(), timestamp: time(), type: "user", content: [{ text }] },
        {
          id: newId(),
          timestamp: time(),
          type: "gemini",
          content: [{ text: "Got it. Thanks for the additional context!" }],
        },
      ];
      set({ messages: [...summarised, ...history] });
      tick();
    },
    /** Goes back to before a message. */
    rewind(id: string): void {
      records.push({ $rewindTo: id });
      messages = messages.slice(
        0,
        messages.findIndex((each) => each.id === id),
      );
      set({ messages: repeated() });
      tick();
    },
    /** The file of a client that appends. */
    text: () => records.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join(""),
    /** The file of a client up to 0.36. */
    object: () => JSON.stringify({ ...metadata(), startTime: start, messages }, null, 2),
    /** Where the client keeps it, under a home. */
    path: (extension = "jsonl") =>
      options.parent === undefined
        ? `shop/chats/session-${start.slice(0, 16).replace(":", "-")}-${session.slice(0, 8)}.${extension}`
        : `shop/chats/${options.parent}/${session}.jsonl`,
    /** Writes it where the client does. @param tmp `~/.gemini/tmp` */
    writeTo(tmp: string): string {
      const file = join(tmp, this.path());
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(join(tmp, "shop", ".project_root"), cwd);
      writeFileSync(file, this.text());
      return file;
    },
  };
}

export type ChatFixture = ReturnType<typeof chat>;

const resultOf = (call: RawRecord) => (Array.isArray(call.result) ? (call.result as unknown[]) : []);

/** What the client shows of an edit: the file before and after it, whole. */
function displayOf(path: string, before: string, after: string, userLines = 0): RawRecord {
  return {
    fileDiff: unifiedDiff(path, before, after),
    fileName: path.split("/").at(-1),
    filePath: path,
    originalContent: before,
    newContent: after,
    diffStat: {
      model_added_lines: 1,
      model_removed_lines: 1,
      user_added_lines: userLines,
      user_removed_lines: 0,
    },
    isNewFile: before === "",
  };
}
