import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type {
  Agent,
  FileEdit,
  FileTouch,
  ReadBatch,
  ToolResult,
  ToolUse,
  TranscriptEntry,
  TranscriptInfo,
  TranscriptLine,
  Usage,
} from "../agent.ts";
import { atifProfile } from "../profiles.ts";
import { boundInput, bounds, boundText as cut, parseLeftOutMark, pictureMark } from "../reading/bounds.ts";
import { makeHunksEdit, makeReplacementHunk, makeWholeFileEdit } from "../reading/edits.ts";
import { asObject, emptyToNull, parseTime, readJsonFile } from "../reading/json.ts";
import { listFiles } from "../reading/list-files.ts";
import { isOwnCommand } from "../reading/own-output.ts";
import { readObject } from "../reading/read-object.ts";
import { makeToolUse, makeTouches } from "../reading/tool-calls.ts";
import { countReason } from "../reading/transcript-lines.ts";
import {
  type AtifStep,
  asCallExtra,
  asMetrics,
  asParts,
  asResult,
  asResultExtra,
  asStep,
  asStepExtra,
  asToolCall,
  asTrajectory,
  idSuffix,
  type Trajectory,
} from "./trajectory.ts";

/** Trajectories in files of ATIF 1.x, by any tool. They have no place of their own: a path is given on request. */
export const atif: Agent = {
  ...atifProfile,
  listRoots: () => [],
  sortsByPlace: false,
  isTranscript: (path) => path.endsWith(".json"),
  findDirectoryToWatch: () => null,
  ignoredLineTypes: new Set(["copied", "subagent"]),
  list: (path) => listFiles(resolve(path), { isWanted: (file) => file.endsWith(".json") }),
  describe,
  read: (file, cursor, signal) => readObject(file, cursor, parseTrajectory, signal),
};

async function describe(file: string): Promise<TranscriptInfo | null> {
  const trajectory = asTrajectory(await readJsonFile(file));
  if (trajectory === null || trajectory.steps.length === 0) return null;
  const times = trajectory.steps.flatMap((step) => parseTime(asStep(step)?.timestamp) ?? []);
  const session = chooseSessionId(trajectory);
  const lastAt = times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b));
  return {
    session,
    parent: null,
    cwd: parseCwd(trajectory),
    startedAt: times[0] ?? null,
    copyOf: { session: session.slice(0, -idSuffix.length), agent: trajectory.agent.name ?? "", lastAt },
  };
}

/** Room for the mark in a text that was cut before it was written to the file. Characters. */
const markRoom = 100;

/** As `cut`, but what is cut already stays, and so does the number of characters that its mark names. */
function boundOnce(text: string, max: number = bounds.text): string {
  const isCut =
    text.length > max &&
    text.length <= max + markRoom &&
    text.split("\n").some((line) => parseLeftOutMark(line) !== null);
  return cut(text, isCut ? text.length : max);
}

/** The session's id here; where the file has none, a hash of its first step. */
function chooseSessionId({ session_id, trajectory_id, agent, steps }: Trajectory): string {
  const id = emptyToNull(session_id) ?? emptyToNull(trajectory_id);
  const hash = () =>
    createHash("sha256")
      .update(JSON.stringify([agent.name, steps[0]]))
      .digest("hex");
  return (id ?? hash().slice(0, 32)).slice(0, 200) + idSuffix;
}

/** The directory that the agent ran in, which the format has no field for; "" where nothing says it. */
function parseCwd({ extra }: Trajectory): string {
  const cwd = extra?.cwd;
  return typeof cwd === "string" && cwd.length <= 4096 ? cwd : "";
}

/** The lines of a trajectory; null: it is none. */
export function parseTrajectory(
  object: Record<string, unknown>,
): Pick<ReadBatch, "lines" | "skipped"> | null {
  const trajectory = asTrajectory(object);
  if (trajectory === null) return null;
  const session = chooseSessionId(trajectory);
  const cwd = emptyToNull(parseCwd(trajectory));
  const skipped: Record<string, number> = {};
  const skip = (reason: string, n = 1) => countReason(skipped, reason, n);
  const subagents = trajectory.subagent_trajectories?.length ?? 0;
  if (subagents > 0) skip("subagent", subagents);
  const lines: TranscriptLine[] = [];
  const seen = new Set<number>();
  for (const each of trajectory.steps) {
    const step = asStep(each);
    if (step === null || seen.has(step.step_id)) skip("malformed");
    else if (step.is_copied_context) skip("copied");
    else {
      seen.add(step.step_id);
      const uid = `${session}:${step.step_id}`;
      const model = emptyToNull(step.model_name) ?? emptyToNull(trajectory.agent.model_name);
      for (const line of makeStepLines(step, uid, model, cwd)) {
        const parentUid = lines.at(-1)?.uid ?? null;
        lines.push({ ...line, parentUid, cwd, branch: parseTrajectoryBranch(trajectory) });
      }
    }
  }
  return { lines, skipped };
}

function parseTrajectoryBranch({ extra }: Trajectory): string | null {
  return typeof extra?.branch === "string" && extra.branch.length <= 500 ? emptyToNull(extra.branch) : null;
}

type AtifLine = Omit<TranscriptLine, "parentUid" | "cwd" | "branch">;

function* makeStepLines(
  step: AtifStep,
  uid: string,
  model: string | null,
  cwd: string | null,
): Generator<AtifLine> {
  const at = parseTime(step.timestamp);
  const isAgent = step.source === "agent";
  const entries = isAgent ? parseAgentEntries(step, cwd) : [parseOtherEntry(step)];
  const usage = isAgent ? parseUsage(step, uid, model) : null;
  yield { uid, at, entries, usage, ...(isAgent && model !== null && usage === null && { model }) };
  const calls = new Map(entries.flatMap((entry) => (entry.kind === "tool_use" ? [[entry.id, entry]] : [])));
  for (const [i, each] of (step.observation?.results ?? []).entries()) {
    const result = asResult(each);
    if (result === null) continue;
    const extra = asResultExtra(result.extra?.pommel);
    const id = emptyToNull(result.source_call_id);
    const call = id === null ? undefined : calls.get(id);
    const { text } = extractContent(result.content);
    if (id === null || call === undefined) {
      // Nobody asked for it.
      if (text !== "")
        yield { uid: `${uid}:${i}`, at, entries: [{ kind: "notice", text: boundOnce(text) }], usage: null };
      continue;
    }
    const isError = extra?.is_error ?? result.extra?.is_error === true;
    const isOwn = call.action === "command" && isOwnCommand(String(call.input.command));
    const answer: ToolResult = {
      kind: "tool_result",
      id,
      isError,
      subagent: emptyToNull(extra?.subagent),
      text: isOwn ? "" : boundOnce(text, bounds.result),
      edits: isError ? null : (extra?.edits?.map(boundEdit) ?? findEdits(call)),
    };
    yield { uid: `${uid}:${i}`, at: parseTime(extra?.at) ?? at, entries: [answer], usage: null };
  }
}

function parseOtherEntry(step: AtifStep): TranscriptEntry {
  const { text: raw, images } = extractContent(step.message);
  const extra = asStepExtra(step.extra?.pommel);
  const text = boundOnce(raw);
  if (step.source === "user") return { kind: "prompt", text, images: extra?.images ?? images };
  if (extra?.kind === "compaction")
    return { kind: "compaction", trigger: emptyToNull(extra.trigger), preTokens: extra.pre_tokens ?? null };
  return { kind: extra?.kind === "summary" ? "summary" : "notice", text };
}

function parseAgentEntries(
  { reasoning_content, message, tool_calls }: AtifStep,
  cwd: string | null,
): TranscriptEntry[] {
  const { text } = extractContent(message);
  const entries: TranscriptEntry[] = [];
  const thinking = emptyToNull(reasoning_content);
  if (thinking !== null) entries.push({ kind: "thinking", text: boundOnce(thinking) });
  if (text !== "") entries.push({ kind: "text", text: boundOnce(text) });
  const ids = new Set<string>();
  for (const each of tool_calls ?? []) {
    const call = asToolCall(each);
    if (call === null || ids.has(call.tool_call_id)) continue;
    ids.add(call.tool_call_id);
    const input = withCommand(boundInput(call.arguments));
    const extra = asCallExtra(call.extra?.pommel);
    const files = extra?.files ?? listTouchedFiles(input, cwd);
    const action = extra && { action: extra.action };
    entries.push(makeToolUse(call.tool_call_id, call.function_name, { input, files, ...action }));
  }
  return entries;
}

/** A command is a `command`, whatever a tool calls it. */
function withCommand(input: Record<string, unknown>): Record<string, unknown> {
  const { command, cmd, keystrokes } = input;
  const said = [cmd, keystrokes].find((one) => typeof one === "string" && one.trim() !== "");
  return command === undefined && typeof said === "string" ? { ...input, command: said.trim() } : input;
}

/** The text of a message or a result, and how many pictures are in it. */
function extractContent(content: unknown): { text: string; images: number } {
  if (typeof content === "string") return { text: content, images: 0 };
  const parts = asParts(content);
  return {
    text: parts.map(({ type, text }) => (type === "text" ? (text ?? "") : pictureMark)).join("\n"),
    images: parts.filter(({ type }) => type === "image").length,
  };
}

const pathFields = ["file_path", "path", "absolute_path", "notebook_path", "filename"];
const wholeFields = ["content", "file_text"];
const oldFields = ["old_string", "old_str"];
const newFields = ["new_string", "new_str", "insert_text", "new_source", "patch", "diff"];

const findField = (input: Record<string, unknown>, fields: readonly string[]) =>
  fields.map((name) => input[name]).find((value) => typeof value === "string") as string | undefined;

/** What a call touches, by the names that most tools give to their arguments. */
function listTouchedFiles(input: Record<string, unknown>, cwd: string | null): FileTouch[] {
  const path = findField(input, pathFields);
  if (path === undefined || /[*?{\n]/.test(path)) return [];
  const isEdit = findField(input, [...oldFields, ...newFields]) !== undefined;
  const how = isEdit ? "edit" : findField(input, wholeFields) !== undefined ? "write" : "read";
  return makeTouches(path, how, cwd);
}

/** What a successful call wrote, as far as its arguments say; null: nothing. */
function findEdits({ input, files }: Pick<ToolUse, "input" | "files">): FileEdit[] | null {
  const touch = files.find(({ how }) => how !== "read");
  if (touch === undefined) return null;
  const whole = findField(input, wholeFields);
  if (touch.how === "write" && whole !== undefined) return [makeWholeFileEdit(touch.path, whole)];
  const [before, after] = [findField(input, oldFields), findField(input, newFields.slice(0, 4))];
  if (before === undefined && after === undefined) return null;
  return [makeHunksEdit(touch.path, [makeReplacementHunk(before ?? "", after ?? "")])];
}

const boundEdit = ({ path, hunks, content }: FileEdit): FileEdit => ({
  path,
  hunks: hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map((text) => boundOnce(text, bounds.input)) })),
  content: content === null ? null : boundOnce(content, bounds.input),
});

function parseUsage({ metrics }: AtifStep, messageId: string, model: string | null): Usage | null {
  const { prompt_tokens, completion_tokens, cached_tokens } = asMetrics(asObject(metrics)) ?? {};
  if (model === null || (prompt_tokens == null && completion_tokens == null)) return null;
  const cacheRead = Math.min(cached_tokens ?? 0, prompt_tokens ?? 0);
  // The format counts cached tokens among those of the prompt.
  const input = (prompt_tokens ?? 0) - cacheRead;
  return { messageId, model, input, output: completion_tokens ?? 0, cacheRead, cacheWrite: 0 };
}
