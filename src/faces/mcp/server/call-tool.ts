import { setMaxListeners } from "node:events";
import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { sessionAround } from "../../../agents/profiles.ts";
import { codeOf, messageOf, PommelError } from "../../../base/errors.ts";
import { hintForOtherName } from "../../../base/other-names.ts";
import { withoutFrames, withoutFramesIn } from "../../../base/text/quotation.ts";
import { startMissingDaemon } from "../../../client/start-missing-daemon.ts";
import { isObject, problemIn } from "../../../protocol/problem-in.ts";
import { type Tool, type ToolName, tools } from "../shapes/definitions.ts";
import { omitEmpty } from "../text/budget.ts";
import { oneLine } from "../text/text.ts";
import type { ToolAnswer } from "../tool.ts";
import { type Place, placeOf, placeOfSession } from "./here.ts";

/**
 * The arguments of a call, with defaults filled in. Models often send null or "" for a missing argument.
 * @throws PommelError `usage` that explains each invalid argument, and what it may be
 */
export function readArguments<S extends z.ZodMiniType>(tool: string, input: S, given: unknown): z.infer<S> {
  const args = isObject(given) ? givenOf(given) : (given ?? {});
  const parsed = z.safeParse(input, args);
  const problems = parsed.success
    ? Object.entries(args).flatMap((argument) => contentProblem(argument, input))
    : parsed.error.issues.flatMap((issue) => [problemIn(issue, args, "argument"), ...hintsFor(tool, issue)]);
  if (parsed.success && problems.length === 0) return parsed.data;
  const names = input instanceof z.ZodMiniObject ? Object.keys(input.shape) : [];
  const several = [...new Set(problems)].slice(0, 5).join(" ");
  throw new PommelError("usage", several, `${tool} takes: ${names.join(", ")}.`);
}

/** What unknown arguments are called here. */
const hintsFor = (tool: string, issue: z.core.$ZodIssue): string[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.flatMap((key) => hintForOtherName("argument", `${tool} ${key}`) ?? [])
    : [];

/** Longer ones are no question; a text that may be longer says so itself. */
const maxCharacters = 1000;
const maxEntries = 50;

/** Content that no argument may have, whatever the operation. */
function contentProblem([name, value]: [string, unknown], input: z.ZodMiniType): string | [] {
  const entries = [value].flat().map(String);
  // Neither file names nor git's arguments can contain one; each place would fail with an error of its own.
  if (entries.some((one) => one.includes("\0"))) return `${name} contains a NUL character.`;
  if (entries.length > maxEntries) return `${name} must be a list of at most ${maxEntries} entries.`;
  const isLong = entries.some((one) => one.length > maxCharacters);
  if (!isLong || maxLengthOf(input, name) !== undefined) return [];
  return `${name} must be a text of at most ${maxCharacters} characters.`;
}

function maxLengthOf(input: z.ZodMiniType, name: string): number | undefined {
  const { properties = {} } = z.toJSONSchema(input, { io: "input" });
  return (properties[name] as { maxLength?: number }).maxLength;
}

function givenOf(given: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmpty(value)));
}

export { isToolName } from "../shapes/definitions.ts";

/** Where a call comes from. */
interface Caller {
  cwd: string;
  /** Whether searches look in all projects of this machine. */
  isAcross?: boolean;
  signal: AbortSignal;
}

/** Answers a call. What goes wrong is an answer, too, which says what to do about it. */
export async function callTool(name: ToolName, args: unknown, caller: Caller): Promise<CallToolResult> {
  try {
    const { text, structured } = await answer(name, args, caller);
    return {
      content: [{ type: "text", text }],
      structuredContent: omitEmpty(structured) as Record<string, unknown>,
    };
  } catch (error) {
    caller.signal.throwIfAborted();
    return { content: [{ type: "text", text: withoutFrames(explain(name, error)) }], isError: true };
  }
}

/**
 * What a tool answers.
 * @throws PommelError `usage` for arguments that it does not take, `not_initialised`, and as the tool
 */
export async function answer(name: ToolName, args: unknown, caller: Caller): Promise<ToolAnswer<unknown>> {
  const tool: Tool = tools[name];
  const read = readArguments(name, tool.input, args);
  const place = await placeOf(name, read, caller);
  const handler = await tool.load();
  const answerAt = async (at: Place): Promise<ToolAnswer<unknown>> => {
    const { text, structured } = await handler(read, {
      ...at,
      ownSession: sessionAround(),
      signal: caller.signal,
    });
    return { text: withoutFrames(text), structured: withoutFramesIn(structured) };
  };
  await startMissingDaemon();
  // A tool asks about many turns at once, and each question listens.
  setMaxListeners(0, caller.signal);
  try {
    return await answerAt(place);
  } catch (error) {
    if (!/^(?:not_found|no_memory)$/.test(codeOf(error))) throw error;
    const other = await placeOfSession(name, read, place);
    if (other === null) throw error;
    return answerAt(other);
  }
}

/** Errors name commands; a client that calls tools may have no shell. */
const toolFor = {
  "`pm session list`": "search_sessions without a query",
  "`pm checkpoint list`": "list_checkpoints",
};

/** For a model: the code, what happened, and what to do. */
export function explain(name: string, error: unknown): string {
  if (!(error instanceof PommelError)) {
    return `${name} failed: ${oneLine(messageOf(error), 300)}\nTry again; if it keeps failing, run \`pm doctor\`.`;
  }
  const advice = Object.entries(toolFor).reduce(
    (text, [command, tool]) => text.replaceAll(command, tool),
    error.hint,
  );
  const hint = advice === "" ? "" : `\n${oneLine(advice, 400)}`;
  return `${error.code}: ${oneLine(error.message, 400)}${hint}`;
}
