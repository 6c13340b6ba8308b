import { posix } from "node:path";
import * as z from "zod/mini";
import type { FileEdit, FileTouch, ToolResult, ToolUse, TranscriptEntry, Usage } from "../agent.ts";
import { listPatchFiles } from "../codex/patch-files.ts";
import { boundInput, bounds } from "../reading/bounds.ts";
import { makeHunksEdit, makeReplacementHunk, parseUnifiedDiff } from "../reading/edits.ts";
import {
  anything,
  count,
  emptyToNull,
  flag,
  makeLenientParser,
  orNull,
  type Parsed,
  parseEach,
  parseTime,
  text,
  toTypeName,
} from "../reading/json.ts";
import { keep, skip, type UnderstoodLine } from "../reading/json-lines.ts";
import { isOwnCommand, isOwnTool, withoutOwnContext } from "../reading/own-output.ts";
import { makeToolResult, makeToolUse, makeTouches } from "../reading/tool-calls.ts";
import { makePromptEntries, makeTextEntries, makeTranscriptLine } from "../reading/transcript-lines.ts";

/** The parsed fields of a session's events; the client's own schema is in its package (`session-events.schema.json`). */

/** A tool call. */
const asToolRequest = makeLenientParser(
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

export const asEvent = makeLenientParser(
  z.object({
    type: text,
    id: text,
    timestamp: text,
    /** The subagent. */
    agentId: text,
    data: orNull(data),
  }),
);

type CopilotEvent = Parsed<typeof asEvent>;
type EventData = z.infer<typeof data>;

const asFileEdit = makeLenientParser(z.object({ path: text, kind: text }));
const asAttachment = makeLenientParser(z.object({ mimeType: text, type: text }));

/** State that a session's earlier events leave for later ones. */
export interface EventState {
  cwd: string | null;
  branch: string | null;
  /** Calls without a result yet. */
  calls: Map<string, CopilotCall>;
  /** The line before: a rewind removes events from the file, and the next prompt shows to where. */
  last: string | null;
}

export const makeState = (): EventState => ({ cwd: null, branch: null, calls: new Map(), last: null });

/** Parses the next event of a session. */
export function parseEvent(value: Record<string, unknown>, state: EventState): UnderstoodLine {
  const event = asEvent(value);
  const data = event?.data;
  if (!event || !data) return skip("malformed");
  follow(event, data, state);
  const usage = event.type === "session.usage_record" ? parseUsage(data) : null;
  const entries = usage === null ? parseEntries(event, data, state) : [];
  if (typeof entries === "string") return skip(entries);
  if (entries.length === 0 && usage === null) return skip("context");
  const uid = emptyToNull(event.id);
  const model = emptyToNull(data.model);
  const isPrompt = entries.some(({ kind }) => kind === "prompt");
  const line = makeTranscriptLine({
    uid,
    parentUid: isPrompt ? state.last : null,
    at: parseTime(event.timestamp),
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
function follow({ type }: CopilotEvent, data: EventData, state: EventState): void {
  if (!["session.start", "session.resume", "session.context_changed"].includes(type ?? "")) return;
  const { cwd, branch } = data.context ?? data;
  state.cwd = emptyToNull(cwd) ?? state.cwd;
  state.branch = emptyToNull(branch) ?? state.branch;
}

/** An event's content, or why it has none. */
function parseEntries(event: CopilotEvent, data: EventData, state: EventState): TranscriptEntry[] | string {
  const isSubagent = emptyToNull(event.agentId) !== null;
  switch (event.type) {
    case "user.message":
      return isSubagent ? [] : parsePromptEntries(data);
    case "assistant.message":
      return answerEntries(data, state, isSubagent);
    case "tool.execution_complete":
      return parseResultEntries(data, state);
    case "session.compaction_complete":
      return data.success === false ? [] : makeCompactionEntries(data);
    case "session.title_changed":
      return makeTextEntries("title", withoutOwnContext(data.title ?? ""), 500);
    case "system.notification":
      return makeTextEntries("notice", withoutOwnContext(data.content ?? ""), bounds.result);
    // As `turn-state.ts` looks for them.
    case "abort":
      return isSubagent ? [] : makeTextEntries("notice", "[Request interrupted by user]");
    case "session.error":
      return makeTextEntries("notice", withoutOwnContext(`API Error: ${data.message ?? ""}`), bounds.result);
    default:
      return `type:${toTypeName(event.type)}`;
  }
}

/** Skills, other agents and the autopilot also write as the user. */
function parsePromptEntries({
  content,
  source,
  isAutopilotContinuation,
  attachments,
}: EventData): TranscriptEntry[] {
  if (emptyToNull(source) !== null || isAutopilotContinuation === true) return [];
  const files = parseEach(asAttachment, attachments);
  const images = files.filter(({ mimeType }) => mimeType?.startsWith("image/")).length;
  return makePromptEntries(withoutOwnContext(content ?? ""), images);
}

/** Of a subagent only its calls: its answer is the result of the call that started it. */
function answerEntries(data: EventData, state: EventState, isSubagent: boolean): TranscriptEntry[] {
  const entries: TranscriptEntry[] = isSubagent
    ? []
    : [...makeTextEntries("thinking", data.reasoningText), ...makeTextEntries("text", data.content)];
  for (const request of parseEach(asToolRequest, data.toolRequests)) {
    const found = parseCall(request, state.cwd);
    if (found === null) continue;
    state.calls.set(found.use.id, found.call);
    entries.push(found.use);
  }
  return entries;
}

function parseResultEntries(data: EventData, state: EventState): TranscriptEntry[] {
  const id = emptyToNull(data.toolCallId);
  const call = id === null ? undefined : state.calls.get(id);
  // What the human ran, or a repeated result.
  if (id === null || call === undefined) return [];
  state.calls.delete(id);
  return [parseToolResult(id, data, call)];
}

function makeCompactionEntries({ summaryContent, preCompactionTokens }: EventData): TranscriptEntry[] {
  return [
    { kind: "compaction", trigger: null, preTokens: preCompactionTokens ?? null },
    ...makeTextEntries("summary", withoutOwnContext(summaryContent ?? "")),
  ];
}

/** The client's input includes tokens read from and written to the cache. */
function parseUsage({ usage }: EventData): Usage | null {
  if (!usage || !emptyToNull(usage.apiCallId) || !emptyToNull(usage.model)) return null;
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
interface CopilotCall {
  input: Record<string, unknown>;
  files: FileTouch[];
  own: boolean;
}

/** Tools that look for something; what they take as `paths` are mostly directories. */
const readers = new Set(["view", "grep", "rg", "glob"]);

/** A call, as the model asked for it; null without id or name. */
function parseCall(request: ToolRequest, cwd: string | null): { use: ToolUse; call: CopilotCall } | null {
  const [id, name] = [emptyToNull(request.toolCallId), emptyToNull(request.name)];
  if (id === null || name === null) return null;
  const [server, mcpTool] = [emptyToNull(request.mcpServerName), emptyToNull(request.mcpToolName)];
  const tool = server !== null && mcpTool !== null ? `mcp__${server}__${mcpTool}` : name;
  const { arguments: given } = request;
  const input = boundInput(typeof given === "string" ? { input: given } : given);
  const files = listTouchedFiles(tool, input, cwd);
  const own = isOwnTool(tool) || (typeof input.command === "string" && isOwnCommand(input.command));
  const use = makeToolUse(id, tool, { input, files, ...(readers.has(tool) && { action: "read" }) });
  return { use, call: { input, files, own } };
}

const touchesByTool: Readonly<Record<string, FileTouch["how"]>> = {
  view: "read",
  edit: "edit",
  create: "write",
};

function listTouchedFiles(
  tool: string,
  { path, input }: Record<string, unknown>,
  cwd: string | null,
): FileTouch[] {
  if (tool === "apply_patch" && typeof input === "string")
    return listPatchFiles(input).flatMap((file) => makeTouches(file, "edit", cwd));
  const how = Object.hasOwn(touchesByTool, tool) ? touchesByTool[tool]! : null;
  // A directory can be viewed as well.
  if (how === null || (how === "read" && posix.extname(String(path)) === "")) return [];
  return makeTouches(path, how, cwd);
}

/** What hooks added, which the client puts behind the tool's own output. */
const guidance = /\n+Tool "[^"\n]*" \w+\. Additional guidance from \w+ hooks:\n[\s\S]*$/;
/** The end of a command that succeeded. */
const ended = /\n?<shellId: \S+ completed with exit code 0>\s*$/;

function parseToolResult(id: string, data: EventData, call: CopilotCall): ToolResult {
  const written = data.result?.content ?? data.error?.message ?? "";
  const text = withoutOwnContext(written.replace(guidance, "")).replace(ended, "").trim();
  const isError = data.success === false || (data.shellExecution?.exitCode ?? 0) !== 0;
  return makeToolResult(id, { text, isOwn: call.own, isError, edits: findEdits(data, call) });
}

/** The files that the call changed, with the lines of the diff that the client shows; null for other tools. */
function findEdits(data: EventData, { input, files }: CopilotCall): FileEdit[] | null {
  const changed = parseEach(asFileEdit, data.fileEdits).flatMap(({ path, kind }) =>
    emptyToNull(path) === null ? [] : [{ path: path!, kind }],
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
      if (diffs.length === edited.length) return makeHunksEdit(path, parseUnifiedDiff(diffs[at]!));
      const isOnly = edited.length === 1 && typeof after === "string";
      return makeHunksEdit(
        path,
        isOnly ? [makeReplacementHunk(typeof before === "string" ? before : "", after)] : [],
      );
    });
}
