import * as z from "zod/mini";
import { toolActions } from "../agent.ts";
import { anything, flag, orNothing, orNull, text } from "../reading/json.ts";

/**
 * The Agent Trajectory Interchange Format (ATIF) 1.7, of the Harbor project (RFC 0001: github.com/harbor-framework/harbor,
 * rfcs/0001-trajectory-format.md): a session as one JSON object. A step is a message of the user or the system, or one of the
 * agent with its reasoning, calls of tools, and their results. What Pommel knows beyond that is below `extra.pommel`.
 */
export const atifVersion = "ATIF-v1.7";

const record = orNull(z.record(z.string(), z.unknown()));
const list = orNull(z.array(z.unknown()));

const trajectory = z.object({
  schema_version: z.string().check(z.regex(/^ATIF-v1\.\d+$/)),
  session_id: text,
  trajectory_id: text,
  agent: z.object({ name: text, version: text, model_name: text }),
  steps: z.array(z.unknown()),
  subagent_trajectories: list,
  extra: record,
});
export type Trajectory = z.infer<typeof trajectory>;
export const asTrajectory = (value: unknown) => orNothing(trajectory, value);

const step = z.object({
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
});
export type Step = z.infer<typeof step>;
export const asStep = (value: unknown) => orNothing(step, value);

const part = z.object({ type: z.string(), text });
export const asParts = (value: unknown) => orNothing(z.array(part), value) ?? [];

const toolCall = z.object({
  tool_call_id: z.string().check(z.minLength(1)),
  function_name: z.string(),
  arguments: anything,
  extra: record,
});
export const asToolCall = (value: unknown) => orNothing(toolCall, value);

const result = z.object({ source_call_id: text, content: anything, extra: record });
export const asResult = (value: unknown) => orNothing(result, value);

const tokens = orNull(z.int().check(z.minimum(0)));
const metrics = z.object({ prompt_tokens: tokens, completion_tokens: tokens, cached_tokens: tokens });
export const asMetrics = (value: unknown) => orNothing(metrics, value);

/** What Pommel adds to a step, a call and a result. */
const ofStep = z.object({
  kind: orNull(z.enum(["summary", "compaction"])),
  trigger: text,
  pre_tokens: orNull(z.int()),
  images: orNull(z.int().check(z.minimum(0), z.maximum(10_000))),
});
export const asStepExtra = (value: unknown) => orNothing(ofStep, value);

const path = z.string().check(z.maxLength(4096));
const ofCall = z.object({
  action: z.enum(toolActions),
  files: z.array(z.object({ path, how: z.enum(["read", "edit", "write"]) })).check(z.maxLength(50)),
});
export const asCallExtra = (value: unknown) => orNothing(ofCall, value);

const line = z.int();
const hunk = z.object({
  oldStart: line,
  oldLines: line,
  newStart: line,
  newLines: line,
  lines: z.array(z.string()),
});
const ofResult = z.object({
  at: text,
  is_error: flag,
  subagent: text,
  edits: orNull(z.array(z.object({ path, hunks: z.array(hunk), content: z.nullable(z.string()) }))),
});
export const asResultExtra = (value: unknown) => orNothing(ofResult, value);
