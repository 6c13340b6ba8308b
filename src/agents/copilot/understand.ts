import { posix } from "node:path";
import * as z from "zod/mini";
import type { Entry, FileEdit, FileTouch, ToolResult, ToolUse, Usage } from "../agent.ts";
import { filesInPatch } from "../codex/patch-files.ts";
import { boundedInput, bounds } from "../reading/bounds.ts";
import { changedFile, hunksOf, replacement } from "../reading/edits.ts";
import {
  anything,
  count,
  each,
  flag,
  known,
  lenient,
  orNull,
  type Parsed,
  text,
  timeOf,
  typeName,
} from "../reading/json.ts";
import { keep, skip, type Understood } from "../reading/json-lines.ts";
import { isOwnCommand, isOwnTool, withoutOwnContext } from "../reading/own-output.ts";
import { toolResult, toolUse, touched } from "../reading/tool-calls.ts";
import { lineOf, promptEntry, textEntry } from "../reading/transcript-lines.ts";

/** The parsed fields of a session's events; the client's own schema is in its package (`session-events.schema.json`). */

/** A tool call. */
const asToolRequest = lenient(
  z.object({
    toolCallId: text,
    name: text,
    /** An object; a string for tools that take free text. */
    arguments: anything,
    mcpServerName: text,
    mcpToolName: text,
  }),
);
type ToolRequest = Parsed<typeof asToolRequest>;

const usage = z.object({
  model: text,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  apiCallId: text,
});

const place = z.object({ cwd: text, branch: text });

const data = z.object({
  // session.start, session.resume
  sessionId: text,
  startTime: text,
  context: orNull(place),
  // session.context_changed
  cwd: text,
  branch: text,
  // user.message, assistant.message, system.notification
  content: text,
  /** Who wrote a user's message; missing for the human. */
  source: text,
  isAutopilotContinuation: flag,
  attachments: anything,
  model: text,
  reasoningText: text,
  toolRequests: anything,
  // tool.execution_complete
  toolCallId: text,
  success: flag,
  result: orNull(z.object({ content: text, detailedContent: text })),
  error: orNull(z.object({ message: text })),
  fileEdits: anything,
  shellExecution: orNull(z.object({ exitCode: count })),
  // session.usage_record
  usage: orNull(usage),
  // session.compaction_complete
  summaryContent: text,
  preCompactionTokens: count,
  // session.error, abort, session.title_changed
  message: text,
  reason: text,
  title: text,
});

export const asEvent = lenient(
  z.object({
    type: text,
    id: text,
    timestamp: text,
    /** The subagent. */
    agentId: text,
    data: orNull(data),
  }),
);

type Event = Parsed<typeof asEvent>;
type Data = z.infer<typeof data>;

const asFileEdit = lenient(z.object({ path: text, kind: text }));
const asAttachment = lenient(z.object({ mimeType: text, type: text }));

/** State that a session's earlier events leave for later ones. */
export interface State {
  cwd: string | null;
  branch: string | null;
  /** Calls without a result yet. */
  calls: Map<string, Call>;
  /** The line before: a rewind removes events from the file, and the next prompt shows to where. */
  last: string | null;
}

export const newState = (): State => ({ cwd: null, branch: null, calls: new Map(), last: null });

/** Parses the next event of a session. */
export function understand(value: Record<string, unknown>, state: State): Understood {
  const event = asEvent(value);
  const data = event?.data;
  if (!event || !data) return skip("malformed");
  follow(event, data, state);
  const usage = event.type === "session.usage_record" ? usageOf(data) : null;
  const entries = usage === null ? entriesOf(event, data, state) : [];
  if (typeof entries === "string") return skip(entries);
  if (entries.length === 0 && usage === null) return skip("context");
  const uid = known(event.id);
  const model = known(data.model);
  const isPrompt = entries.some(({ kind }) => kind === "prompt");
  const line = lineOf({
    uid,
    parentUid: isPrompt ? state.last : null,
    at: timeOf(event.timestamp),
    cwd: state.cwd,
    branch: state.branch,
    entries,
    usage,
    ...(model !== null && { model }),
  });
  state.last = uid ?? state.last;
  return keep(line);
}

/** Where the session is. */
function follow({ type }: Event, data: Data, state: State): void {
  if (!["session.start", "session.resume", "session.context_changed"].includes(type ?? "")) return;
  const { cwd, branch } = data.context ?? data;
  state.cwd = known(cwd) ?? state.cwd;
  state.branch = known(branch) ?? state.branch;
}

/** An event's content, or why it has none. */
function entriesOf(event: Event, data: Data, state: State): Entry[] | string {
  const isSubagent = known(event.agentId) !== null;
  switch (event.type) {
    case "user.message":
      return isSubagent ? [] : promptEntries(data);
    case "assistant.message":
      return answerEntries(data, state, isSubagent);
    case "tool.execution_complete":
      return resultEntries(data, state);
    case "session.compaction_complete":
      return data.success === false ? [] : compactionEntries(data);
    case "session.title_changed":
      return textEntry("title", withoutOwnContext(data.title ?? ""), 500);
    case "system.notification":
      return textEntry("notice", withoutOwnContext(data.content ?? ""), bounds.result);
    // As `turn-state.ts` looks for them.
    case "abort":
      return isSubagent ? [] : textEntry("notice", "[Request interrupted by user]");
    case "session.error":
      return textEntry("notice", withoutOwnContext(`API Error: ${data.message ?? ""}`), bounds.result);
    default:
      return `type:${typeName(event.type)}`;
  }
}

/** Skills, other agents and the autopilot also write as the user. */
function promptEntries({ content, source, isAutopilotContinuation, attachments }: Data): Entry[] {
  if (known(source) !== null || isAutopilotContinuation === true) return [];
  const files = each(asAttachment, attachments);
  const images = files.filter(({ mimeType }) => mimeType?.startsWith("image/")).length;
  return promptEntry(withoutOwnContext(content ?? ""), images);
}

/** Of a subagent only its calls: its answer is the result of the call that started it. */
function answerEntries(data: Data, state: State, isSubagent: boolean): Entry[] {
  const entries: Entry[] = isSubagent
    ? []
    : [...textEntry("thinking", data.reasoningText), ...textEntry("text", data.content)];
  for (const request of each(asToolRequest, data.toolRequests)) {
    const found = callOf(request, state.cwd);
    if (found === null) continue;
    state.calls.set(found.use.id, found.call);
    entries.push(found.use);
  }
  return entries;
}

function resultEntries(data: Data, state: State): Entry[] {
  const id = known(data.toolCallId);
  const call = id === null ? undefined : state.calls.get(id);
  // What the human ran, or a repeated result.
  if (id === null || call === undefined) return [];
  state.calls.delete(id);
  return [resultOf(id, data, call)];
}

function compactionEntries({ summaryContent, preCompactionTokens }: Data): Entry[] {
  return [
    { kind: "compaction", trigger: null, preTokens: preCompactionTokens ?? null },
    ...textEntry("summary", withoutOwnContext(summaryContent ?? "")),
  ];
}

/** The client's input includes tokens read from and written to the cache. */
function usageOf({ usage }: Data): Usage | null {
  if (!usage || !known(usage.apiCallId) || !known(usage.model)) return null;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    messageId: usage.apiCallId!,
    model: usage.model!,
    input: Math.max(0, (inputTokens ?? 0) - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    output: outputTokens ?? 0,
    cacheRead: cacheReadTokens ?? 0,
    cacheWrite: cacheWriteTokens ?? 0,
  };
}

/** What a call leaves for its result. */
interface Call {
  input: Record<string, unknown>;
  files: FileTouch[];
  own: boolean;
}

/** Tools that look for something; what they take as `paths` are mostly directories. */
const readers = new Set(["view", "grep", "rg", "glob"]);

/** A call, as the model asked for it; null without id or name. */
function callOf(request: ToolRequest, cwd: string | null): { use: ToolUse; call: Call } | null {
  const [id, name] = [known(request.toolCallId), known(request.name)];
  if (id === null || name === null) return null;
  const [server, mcpTool] = [known(request.mcpServerName), known(request.mcpToolName)];
  const tool = server !== null && mcpTool !== null ? `mcp__${server}__${mcpTool}` : name;
  const { arguments: given } = request;
  const input = boundedInput(typeof given === "string" ? { input: given } : given);
  const files = filesOf(tool, input, cwd);
  const own = isOwnTool(tool) || (typeof input.command === "string" && isOwnCommand(input.command));
  const use = toolUse(id, tool, { input, files, ...(readers.has(tool) && { action: "read" }) });
  return { use, call: { input, files, own } };
}

const touches: Readonly<Record<string, FileTouch["how"]>> = { view: "read", edit: "edit", create: "write" };

function filesOf(tool: string, { path, input }: Record<string, unknown>, cwd: string | null): FileTouch[] {
  if (tool === "apply_patch" && typeof input === "string")
    return filesInPatch(input).flatMap((file) => touched(file, "edit", cwd));
  const how = Object.hasOwn(touches, tool) ? touches[tool]! : null;
  // A directory can be viewed as well.
  if (how === null || (how === "read" && posix.extname(String(path)) === "")) return [];
  return touched(path, how, cwd);
}

/** What hooks added, which the client puts behind the tool's own output. */
const guidance = /\n+Tool "[^"\n]*" \w+\. Additional guidance from \w+ hooks:\n[\s\S]*$/;
/** The end of a command that succeeded. */
const ended = /\n?<shellId: \S+ completed with exit code 0>\s*$/;

function resultOf(id: string, data: Data, call: Call): ToolResult {
  const written = data.result?.content ?? data.error?.message ?? "";
  const text = withoutOwnContext(written.replace(guidance, "")).replace(ended, "").trim();
  const isError = data.success === false || (data.shellExecution?.exitCode ?? 0) !== 0;
  return toolResult(id, { text, isOwn: call.own, isError, edits: editsOf(data, call) });
}

/** The files that the call changed, with the lines of the diff that the client shows; null for other tools. */
function editsOf(data: Data, { input, files }: Call): FileEdit[] | null {
  const changed = each(asFileEdit, data.fileEdits).flatMap(({ path, kind }) =>
    known(path) === null ? [] : [{ path: path!, kind }],
  );
  const asked = files.filter(({ how }) => how !== "read").map(({ path }) => ({ path, kind: null }));
  // Older clients do not say what was changed.
  const edited = changed.length > 0 ? changed : asked;
  if (edited.length === 0) return null;
  const diffs = (data.result?.detailedContent ?? "").split(/^diff --git .*$/m).slice(1);
  const { file_text: content, old_str: before, new_str: after } = input;
  return edited
    .filter(({ kind }) => kind !== "delete")
    .map(({ path }, at) => {
      if (typeof content === "string" && edited.length === 1) return { path, hunks: [], content };
      // In the order of the changed files, unless one is missing.
      if (diffs.length === edited.length) return changedFile(path, hunksOf(diffs[at]!));
      const isOnly = edited.length === 1 && typeof after === "string";
      return changedFile(path, isOnly ? [replacement(typeof before === "string" ? before : "", after)] : []);
    });
}
