import { join } from "node:path";
import type { Agent } from "../../../src/agents/agent.ts";
import { claude } from "../../../src/agents/claude/claude.ts";
import { codex } from "../../../src/agents/codex/codex.ts";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { chat } from "../../../test/support/chat-fixture.ts";
import { type FileChange, rollout, threadId } from "../../../test/support/rollout-fixture.ts";
import { type TranscriptFixture, transcript } from "../../../test/support/transcript-fixture.ts";

/** What a session's transcript is written by: the calls of Claude Code, in the words of each client. */
export type Told = Pick<
  TranscriptFixture,
  "session" | "time" | "wait" | "prompt" | "reply" | "toolUse" | "toolResult" | "read" | "after"
> & {
  lines: readonly unknown[];
  writeTo(dir: string, meta?: Record<string, unknown>): string;
};

export type ClientName = "claude" | "codex" | "gemini";

interface Start {
  session: string;
  cwd: string;
  /** ISO time. */
  start: string;
  model: string;
  agentId?: string;
}

export const clients: Readonly<Record<ClientName, { adapter: Agent; tell(start: Start): Told }>> = {
  claude: { adapter: claude, tell: (start) => transcript(start) },
  codex: { adapter: codex, tell: codexTells },
  gemini: { adapter: gemini, tell: geminiTells },
};

interface Call {
  name: string;
  input: Record<string, unknown>;
  at: number;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

interface Written {
  filePath?: string;
  content?: string;
  originalFile?: string | null;
  /** Of several edits at once. */
  originalFileContents?: string;
  structuredPatch?: Hunk[];
}

/** Calls that wait for their results: these clients write both, with the times of both. */
function openCalls() {
  const calls = new Map<string, Call>();
  return {
    open(name: string, input: Record<string, unknown>, at: number): string {
      const id = `open-${calls.size}`;
      calls.set(id, { name, input, at });
      return id;
    },
    of: (id: string) => calls.get(id)!,
  };
}

function codexTells({ session, cwd, start }: Start): Told {
  const formats = ["legacy", "paginated", "code"] as const;
  const format = formats[session.charCodeAt(0) % formats.length]!;
  const told = rollout({ session: threadId(session), cwd, start, format });
  const calls = openCalls();
  const now = () => Date.parse(told.time());
  return {
    session: told.session,
    time: told.time,
    wait: told.wait,
    lines: told.lines,
    prompt(text) {
      told.turn();
      told.prompt(text);
      return "";
    },
    reply(text) {
      told.reply(text);
      return "";
    },
    read: () => "",
    after() {},
    toolUse: (name, input) => calls.open(name, input, now()),
    toolResult(id, content, { structured } = {}) {
      const { name, input, at } = calls.of(id);
      const from = told.lines.length;
      const written = structured as Written;
      if (typeof input.command === "string") told.bash(input.command, String(content));
      else if (written.structuredPatch)
        told.patch(...patchOf(written.filePath!, written, String(input.content ?? "")));
      else told.tool(name, input, String(content));
      const first = told.lines[from];
      if (typeof first === "object") first.timestamp = new Date(at).toISOString();
      return "";
    },
    writeTo: (dir) => told.writeTo(dir),
  };
}

function patchOf(
  path: string,
  { structuredPatch = [], originalFile, originalFileContents }: Written,
  content: string,
): [string, Record<string, FileChange>] {
  const end = ["*** End Patch"];
  if ((originalFile ?? originalFileContents) == null) {
    const lines = content
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `+${line}`);
    return [
      ["*** Begin Patch", `*** Add File: ${path}`, ...lines, ...end].join("\n"),
      { [path]: { type: "add", content } },
    ];
  }
  const hunks = structuredPatch.flatMap(({ lines }) => ["@@", ...lines]);
  const unified = structuredPatch.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return [
    ["*** Begin Patch", `*** Update File: ${path}`, ...hunks, ...end].join("\n"),
    { [path]: { type: "update", unified_diff: `${unified.join("\n")}\n`, move_path: null } },
  ];
}

function geminiTells({ session, cwd, start }: Start): Told {
  const told = chat({ session, cwd, start });
  told.begin();
  const calls = openCalls();
  const now = () => Date.parse(told.time());
  return {
    session,
    time: told.time,
    wait: told.wait,
    lines: told.records,
    prompt: (text) => told.prompt(text),
    reply: (text) => told.reply(text),
    read: () => "",
    after() {},
    toolUse: (name, input) => calls.open(name, input, now()),
    toolResult(id, content, { structured } = {}) {
      const { name, input, at } = calls.of(id);
      const end = now();
      const from = told.records.length;
      told.wait(at - end);
      const written = structured as Written;
      if (typeof input.command === "string") told.shell(input.command, String(content));
      else if (typeof input.content === "string" && written.structuredPatch)
        told.write(written.filePath!, input.content, written.originalFile ?? "");
      else if (written.structuredPatch) {
        const before = written.originalFile ?? written.originalFileContents ?? "";
        told.edit(written.filePath!, before, applied(before, written.structuredPatch));
      } else told.tool(name, input, String(content));
      // The call is as old as it is; its result has the time of now.
      const ended = new Date(end).toISOString();
      for (const record of told.records.slice(from)) {
        if (typeof record !== "object") continue;
        if (record.type === "user") record.timestamp = ended;
        for (const call of (record.toolCalls as { timestamp: string }[] | undefined) ?? [])
          call.timestamp = ended;
      }
      told.wait(Math.max(0, end + 1000 - now()));
      return "";
    },
    writeTo: (dir) => told.writeTo(join(dir, "tmp")),
  };
}

/** A text with a patch done to it. */
function applied(before: string, hunks: readonly Hunk[]): string {
  const old = before.replace(/\n$/, "").split("\n");
  const made: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    made.push(...old.slice(at, start));
    made.push(...lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1)));
    at = start + oldLines;
  }
  return `${[...made, ...old.slice(at)].join("\n")}\n`;
}
