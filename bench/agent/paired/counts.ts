import * as z from "zod/mini";

/** The two ways in which each task is done. */
export const arms = ["without", "with"] as const;
export type Arm = (typeof arms)[number];

/** What a run cost. null: the client was ended before it said. */
export interface Counts {
  /** Messages of the model, those of subagents included. */
  turns: number;
  toolCalls: number;
  /** Calls of Pommel's tools, and commands that begin with `pm` or `pommel`. */
  pommelCalls: number;
  /** Different files that the Read tool showed; what a command prints is not counted. */
  filesRead: number;
  /** Read and written by all models, cached ones included, as the client adds them up. */
  tokens: number | null;
  outputTokens: number | null;
  /** The client's own price. */
  usd: number | null;
}

/** What a client printed with `--output-format stream-json`, understood. */
export interface Account {
  counts: Counts;
  /** The last answer; null: none. */
  answer: string | null;
  /** null: it did not get to an end. */
  end: "answered" | "limited" | "failed" | null;
  /** What the client had at its start; null: it did not start. */
  equipment: z.infer<typeof init> | null;
  /** What the model gave to tools, as JSON. */
  inputs: string[];
}

const init = z.object({
  subtype: z.literal("init"),
  claude_code_version: z.optional(z.string()),
  model: z.optional(z.string()),
  tools: z.array(z.string()),
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })),
  skills: z._default(z.array(z.string()), []),
  plugins: z._default(z.array(z.object({ name: z.string(), path: z.optional(z.string()) })), []),
});

const block = z.looseObject({ type: z.string() });
const spoken = z.object({ content: z.union([z.string(), z.array(block)]) });
const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  is_error: z.optional(z.boolean()),
});
const used = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadInputTokens: z.number(),
  cacheCreationInputTokens: z.number(),
});

const line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("assistant"), message: z.extend(spoken, { id: z.string() }) }),
  z.object({ type: z.literal("user"), message: spoken }),
  z.object({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.optional(z.string()),
    total_cost_usd: z.number(),
    modelUsage: z.record(z.string(), used),
  }),
]);

const fileOfRead = z.object({ file_path: z.string() });
const commandOfBash = z.object({ command: z.string() });

/**
 * Counts what a client printed. A message comes as one line for each of its blocks, all with its id. Lines of other
 * types are skipped, and so is a torn last line of a client that was ended.
 */
export function accountOf(printed: string): Account {
  const messages = new Set<string>();
  const calls = new Map<string, z.infer<typeof toolUse>>();
  const failed = new Set<string>();
  const answered = new Set<string>();
  const account: Pick<Account, "answer" | "end" | "equipment"> = { answer: null, end: null, equipment: null };
  const spent: Pick<Counts, "tokens" | "outputTokens" | "usd"> = {
    tokens: null,
    outputTokens: null,
    usd: null,
  };
  for (const value of valuesIn(printed)) {
    account.equipment ??= z.safeParse(init, value).data ?? null;
    const parsed = z.safeParse(line, value).data;
    if (parsed === undefined) continue;
    if (parsed.type === "result") {
      const usages = Object.values(parsed.modelUsage);
      spent.outputTokens = sum(usages.map(({ outputTokens }) => outputTokens));
      spent.tokens = sum(usages.flatMap((usage) => Object.values(usage)));
      spent.usd = parsed.total_cost_usd;
      account.answer = parsed.result ?? null;
      account.end = endOf(parsed);
      continue;
    }
    if (parsed.type === "assistant") messages.add(parsed.message.id);
    const { content } = parsed.message;
    for (const one of typeof content === "string" ? [] : content) {
      const call = z.safeParse(toolUse, one).data;
      if (call) calls.set(call.id, call);
      const result = z.safeParse(toolResult, one).data;
      if (result) answered.add(result.tool_use_id);
      if (result?.is_error) failed.add(result.tool_use_id);
    }
  }
  const files = [...calls.values()].flatMap(({ id, name, input }) => {
    const file =
      name === "Read" && answered.has(id) && !failed.has(id) && z.safeParse(fileOfRead, input).data;
    return file ? [file.file_path] : [];
  });
  return {
    ...account,
    counts: {
      ...spent,
      turns: messages.size,
      toolCalls: calls.size,
      pommelCalls: [...calls.values()].filter(isPommels).length,
      filesRead: new Set(files).size,
    },
    inputs: [...calls.values()].map(({ input }) => JSON.stringify(input)),
  };
}

function* valuesIn(printed: string): Generator<unknown> {
  for (const text of printed.split("\n")) {
    try {
      yield JSON.parse(text);
    } catch {
      // Torn, empty, or no JSON.
    }
  }
}

/** An API error ends with the subtype "success" as well. */
function endOf({ subtype, is_error }: { subtype: string; is_error: boolean }): Account["end"] {
  if (subtype.startsWith("error_max")) return "limited";
  return subtype === "success" && !is_error ? "answered" : "failed";
}

function isPommels({ name, input }: z.infer<typeof toolUse>): boolean {
  const command = name === "Bash" && z.safeParse(commandOfBash, input).data?.command;
  return (
    name.startsWith("mcp__pommel__") || (command && /(?:^|[\s;&|(])(?:pm|pommel)\s/.test(command)) === true
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * What must not be in a run: anything that the two arms should not have, Pommel in the one without it, its absence
 * in the other, and tools that were given a path from outside.
 * @param outside paths of the user's own that no run may look at
 */
export function contaminationIn(
  { equipment, inputs }: Account,
  arm: Arm,
  outside: readonly string[],
): string[] {
  if (equipment === null) return [];
  const { tools, mcp_servers, plugins, skills } = equipment;
  const ours = mcp_servers.filter(({ name }) => name === "pommel");
  const isOurs = (tool: string) => tool.startsWith("mcp__pommel__");
  const foreign = [
    ...mcp_servers.filter((server) => !ours.includes(server)).map(({ name }) => `MCP server ${name}`),
    ...tools.filter((tool) => tool.startsWith("mcp__") && !isOurs(tool)).map((tool) => `tool ${tool}`),
    ...plugins.filter(({ path }) => path !== "builtin").map(({ name }) => `plugin ${name}`),
    ...outside.filter((path) => inputs.some((input) => input.includes(path))).map((path) => `use of ${path}`),
  ];
  if (arm === "without" && (ours.length > 0 || tools.some(isOurs) || skills.includes("pommel")))
    foreign.push("Pommel");
  const isThere = ours.length > 0 && ours.every(({ status }) => status !== "failed");
  if (arm === "with" && !isThere) foreign.push("no MCP server of Pommel");
  return foreign;
}
