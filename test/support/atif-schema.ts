import * as z from "zod";

/**
 * For tests: ATIF 1.7, written from the fields and rules of the Harbor project's RFC 0001 (github.com/harbor-framework/harbor,
 * rfcs/0001-trajectory-format.md) and its reference models. Fields that it does not have are refused.
 */

const extra = z.record(z.string(), z.unknown()).optional();
const image = z.strictObject({
  media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  path: z.string(),
});
const part = z.union([
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image"), source: image }),
]);
const content = z.union([z.string(), z.array(part)]);
const subagentRef = z
  .strictObject({
    trajectory_id: z.string().optional(),
    session_id: z.string().optional(),
    trajectory_path: z.string().optional(),
    extra,
  })
  .refine(({ trajectory_id, trajectory_path }) => (trajectory_id ?? trajectory_path) !== undefined);
const metrics = z.strictObject({
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  cached_tokens: z.int().optional(),
  cost_usd: z.number().optional(),
  prompt_token_ids: z.array(z.int()).optional(),
  completion_token_ids: z.array(z.int()).optional(),
  logprobs: z.array(z.number()).optional(),
  extra,
});
const finalMetrics = z.strictObject({
  total_prompt_tokens: z.int().optional(),
  total_completion_tokens: z.int().optional(),
  total_cached_tokens: z.int().optional(),
  total_cost_usd: z.number().optional(),
  total_steps: z.int().min(0).optional(),
  extra,
});
const step = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: z.iso.datetime({ offset: true }).optional(),
    source: z.enum(["system", "user", "agent"]),
    model_name: z.string().optional(),
    reasoning_effort: z.union([z.string(), z.number()]).optional(),
    message: content,
    reasoning_content: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          tool_call_id: z.string(),
          function_name: z.string(),
          arguments: z.record(z.string(), z.unknown()),
          extra,
        }),
      )
      .optional(),
    observation: z
      .strictObject({
        results: z.array(
          z.strictObject({
            source_call_id: z.string().optional(),
            content: content.optional(),
            subagent_trajectory_ref: z.array(subagentRef).optional(),
            extra,
          }),
        ),
      })
      .optional(),
    metrics: metrics.optional(),
    is_copied_context: z.boolean().optional(),
    llm_call_count: z.int().min(0).optional(),
    extra,
  })
  .refine(
    ({ source, model_name, reasoning_effort, reasoning_content, tool_calls, metrics }) =>
      source === "agent" ||
      [model_name, reasoning_effort, reasoning_content, tool_calls, metrics].every(
        (one) => one === undefined,
      ),
    "only a step of the agent has these",
  )
  .refine(
    ({ llm_call_count, metrics, reasoning_content }) =>
      llm_call_count !== 0 || (metrics ?? reasoning_content) === undefined,
    "a step without a call of a model has neither",
  )
  .refine(({ observation, tool_calls = [] }) => {
    const known = new Set(tool_calls.map(({ tool_call_id }) => tool_call_id));
    return (observation?.results ?? []).every(
      ({ source_call_id }) => source_call_id === undefined || known.has(source_call_id),
    );
  }, "a result of no call of its step");

export const atifTrajectory = z.strictObject({
  schema_version: z.literal("ATIF-v1.7"),
  session_id: z.string().optional(),
  trajectory_id: z.string().optional(),
  agent: z.strictObject({
    name: z.string(),
    version: z.string(),
    model_name: z.string().optional(),
    tool_definitions: z.array(z.record(z.string(), z.unknown())).optional(),
    extra,
  }),
  steps: z
    .array(step)
    .min(1)
    .refine((steps) => steps.every(({ step_id }, i) => step_id === i + 1), "steps are numbered from 1"),
  notes: z.string().optional(),
  final_metrics: finalMetrics.optional(),
  continued_trajectory_ref: z.string().optional(),
  extra,
  subagent_trajectories: z
    .lazy((): z.ZodType<{ trajectory_id?: string | undefined }[]> => z.array(atifTrajectory))
    .refine((embedded) => {
      const ids = embedded.map(({ trajectory_id }) => trajectory_id);
      return !ids.includes(undefined) && new Set(ids).size === ids.length;
    }, "embedded trajectories are told apart by their ids")
    .optional(),
});
