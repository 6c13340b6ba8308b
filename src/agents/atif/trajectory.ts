import * as z from "zod/mini";
import { fileUses, toolActions } from "../../protocol/values.ts";
import type { ToolResult, TranscriptEntry, TranscriptLine } from "../agent.ts";
import { anything, flag, makeLenientParser, orNull, type Parsed, text } from "../reading/json.ts";

/** Marks sessions from such files: their ids are those of other agents, whose sessions may be stored as well. */
export const idSuffix = "@atif";

/** A session to write as a trajectory. */
export interface SessionToWrite {
  id: string;
  agent: string;
  cwd: string;
  branch: string | null;
  title: string | null;
  lines: Iterable<Pick<TranscriptLine, "at" | "entries" | "model">>;
}

interface AtifToolCall {
  tool_call_id: string;
  function_name: string;
  arguments: Record<string, unknown>;
  extra?: object;
}

interface AtifResult {
  source_call_id?: string;
  content: string;
  extra?: object;
}

/** A step of a trajectory, as it is written. */
interface WrittenStep {
  step_id: number;
  timestamp?: string;
  source: "system" | "user" | "agent";
  model_name?: string;
  message: string;
  reasoning_content?: string;
  tool_calls?: AtifToolCall[];
  observation?: { results: AtifResult[] };
  extra?: object;
}

/**
 * A session as a trajectory of ATIF 1.7. Lines of one message of the agent become one step, with the time of the first;
 * results stand in the step of their call. Titles of the session are its own, and are not repeated.
 */
export function buildTrajectory({ id, agent, cwd, branch, title, lines }: SessionToWrite) {
  const steps: WrittenStep[] = [];
  const callers = new Map<string, WrittenStep>();
  const models = new Map<string, number>();
  const add = (step: Omit<WrittenStep, "step_id" | "timestamp">, at: number | null): WrittenStep => {
    const added = {
      step_id: steps.length + 1,
      ...(at !== null && { timestamp: formatIsoTime(at) }),
      ...step,
    };
    steps.push(added);
    return added;
  };
  for (const { at, entries, model } of lines) {
    if (model !== undefined) models.set(model, (models.get(model) ?? 0) + 1);
    for (const entry of entries) {
      if (entry.kind === "title") continue;
      if (entry.kind === "tool_result") addResult(entry, at, callers, add);
      else if (entry.kind === "thinking" || entry.kind === "text" || entry.kind === "tool_use") {
        const last = steps.at(-1);
        const step =
          last !== undefined && isOpenFor(last, entry, model)
            ? last
            : add({ source: "agent", ...(model !== undefined && { model_name: model }), message: "" }, at);
        extend(step, entry);
        if (entry.kind === "tool_use") callers.set(entry.id, step);
      } else add(makeOtherStep(entry), at);
    }
  }
  // A step without a model has the trajectory's.
  const isOfAll = steps.every(({ source, model_name }) => source !== "agent" || model_name !== undefined);
  const [main] = isOfAll ? ([...models].sort(([, a], [, b]) => b - a)[0] ?? []) : [];
  return {
    schema_version: atifVersion,
    session_id: id.endsWith(idSuffix) ? id.slice(0, -idSuffix.length) : id,
    agent: { name: agent, version: "unknown", ...(main !== undefined && { model_name: main }) },
    steps,
    extra: {
      ...(cwd !== "" && { cwd }),
      ...(branch !== null && { branch }),
      ...(title !== null && { title }),
    },
  };
}

const formatIsoTime = (at: number) => new Date(at).toISOString();

/** Whether a step of the agent can hold one more thing: it has its reasoning, a text and calls, in that order. */
function isOpenFor(step: WrittenStep, { kind }: TranscriptEntry, model: string | undefined): boolean {
  if (step.source !== "agent" || step.observation !== undefined || step.model_name !== model) return false;
  if (kind === "tool_use") return true;
  if (step.tool_calls !== undefined || step.message !== "") return false;
  return kind === "text" || step.reasoning_content === undefined;
}

function extend(
  step: WrittenStep,
  entry: Extract<TranscriptEntry, { kind: "thinking" | "text" | "tool_use" }>,
): void {
  if (entry.kind === "thinking") step.reasoning_content = entry.text;
  else if (entry.kind === "text") step.message = entry.text;
  else {
    const { id, tool, input, action, files } = entry;
    step.tool_calls ??= [];
    step.tool_calls.push({
      tool_call_id: id,
      function_name: tool,
      arguments: input,
      ...(action !== undefined && { extra: { pommel: { action, files } } }),
    });
  }
}

function makeOtherStep(
  entry: Extract<TranscriptEntry, { kind: "prompt" | "notice" | "summary" | "compaction" }>,
): Omit<WrittenStep, "step_id" | "timestamp"> {
  switch (entry.kind) {
    case "prompt": {
      const { text, images } = entry;
      return { source: "user", message: text, ...(images > 0 && { extra: { pommel: { images } } }) };
    }
    case "notice":
      return { source: "system", message: entry.text };
    case "summary":
      return { source: "system", message: entry.text, extra: { pommel: { kind: "summary" } } };
    case "compaction": {
      const pommel = { kind: "compaction", trigger: entry.trigger, pre_tokens: entry.preTokens };
      return { source: "system", message: "", extra: { pommel } };
    }
  }
}

function addResult(
  { id, text, isError, edits, subagent }: ToolResult,
  at: number | null,
  callers: ReadonlyMap<string, WrittenStep>,
  add: (step: Omit<WrittenStep, "step_id" | "timestamp">, at: number | null) => WrittenStep,
): void {
  const caller = callers.get(id);
  // Of a call that is not stored.
  if (caller === undefined) {
    add({ source: "system", message: "", observation: { results: [{ content: text }] } }, at);
    return;
  }
  const pommel = {
    ...(at !== null && { at: formatIsoTime(at) }),
    ...(isError && { is_error: true }),
    ...(edits !== null && { edits }),
    ...(subagent !== null && { subagent }),
  };
  caller.observation ??= { results: [] };
  caller.observation.results.push({
    source_call_id: id,
    content: text,
    ...(Object.keys(pommel).length > 0 && { extra: { pommel } }),
  });
}

/**
 * The Agent Trajectory Interchange Format (ATIF) 1.7, of the Harbor project (RFC 0001: github.com/harbor-framework/harbor,
 * rfcs/0001-trajectory-format.md): a session as one JSON object. A step is a message of the user or the system, or one of the
 * agent with its reasoning, calls of tools, and their results. What Pommel knows beyond that is below `extra.pommel`.
 */
const atifVersion = "ATIF-v1.7";

const record = orNull(z.record(z.string(), z.unknown()));
const list = orNull(z.array(z.unknown()));

export const asTrajectory = makeLenientParser(
  z.object({
    schema_version: z.string().check(z.regex(/^ATIF-v1\.\d+$/)),
    session_id: text,
    trajectory_id: text,
    agent: z.object({ name: text, version: text, model_name: text }),
    steps: z.array(z.unknown()),
    subagent_trajectories: list,
    extra: record,
  }),
);
export type Trajectory = Parsed<typeof asTrajectory>;

export const asStep = makeLenientParser(
  z.object({
    step_id: z.int(),
    timestamp: text,
    source: z.enum(["system", "user", "agent"]),
    model_name: text,
    message: anything,
    reasoning_content: text,
    tool_calls: list,
    observation: orNull(z.object({ results: list })),
    is_copied_context: flag,
    metrics: anything,
    extra: record,
  }),
);
export type AtifStep = Parsed<typeof asStep>;

const part = z.object({ type: z.string(), text });
const asPartList = makeLenientParser(z.array(part));
export const asParts = (value: unknown) => asPartList(value) ?? [];

export const asToolCall = makeLenientParser(
  z.object({
    tool_call_id: z.string().check(z.minLength(1)),
    function_name: z.string(),
    arguments: anything,
    extra: record,
  }),
);

export const asResult = makeLenientParser(
  z.object({ source_call_id: text, content: anything, extra: record }),
);

const tokens = orNull(z.int().check(z.minimum(0)));
export const asMetrics = makeLenientParser(
  z.object({ prompt_tokens: tokens, completion_tokens: tokens, cached_tokens: tokens }),
);

/** What Pommel adds to a step, a call and a result. */
export const asStepExtra = makeLenientParser(
  z.object({
    kind: orNull(z.enum(["summary", "compaction"])),
    trigger: text,
    pre_tokens: orNull(z.int()),
    images: orNull(z.int().check(z.minimum(0), z.maximum(10_000))),
  }),
);

const path = z.string().check(z.maxLength(4096));
export const asCallExtra = makeLenientParser(
  z.object({
    action: z.enum(toolActions),
    files: z.array(z.object({ path, how: z.enum(fileUses) })).check(z.maxLength(50)),
  }),
);

const line = z.int();
const hunk = z.object({
  oldStart: line,
  oldLines: line,
  newStart: line,
  newLines: line,
  lines: z.array(z.string()),
});
export const asResultExtra = makeLenientParser(
  z.object({
    at: text,
    is_error: flag,
    subagent: text,
    edits: orNull(z.array(z.object({ path, hunks: z.array(hunk), content: z.nullable(z.string()) }))),
  }),
);
