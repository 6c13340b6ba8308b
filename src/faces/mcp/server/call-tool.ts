import { setMaxListeners } from "node:events";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod/mini";
import { findCurrentSession } from "../../../agents/profiles.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../../base/errors.ts";
import { otherNames } from "../../../base/other-names.ts";
import { withoutFrames } from "../../../base/text/quotation.ts";
import { startMissingDaemon } from "../../../client/start-missing-daemon.ts";
import { isObject } from "../../../protocol/problem-in.ts";
import { readArguments } from "../arguments.ts";
import { findOldName } from "../old-names.ts";
import { type Tool, type ToolName, tools } from "../shapes/definitions.ts";
import { shortenToLine } from "../text/text.ts";
import type { CallContext } from "../tool.ts";
import { findSessionPlace, type Place, resolveCallPlace } from "./here.ts";

/** Where a call comes from. */
interface Caller {
  cwd: string;
  /** Whether searches look in all projects of this machine. */
  isAcross?: boolean;
  signal: AbortSignal;
}

/** What answers a call of a name. */
interface Callable {
  name: string;
  input: z.ZodMiniObject;
  /** Other names of its arguments. */
  synonyms: Readonly<Record<string, string>>;
  answer: (args: never, context: CallContext) => Promise<string>;
}

/** What a name calls: a tool, one of earlier versions, or one of another program. null: nobody calls anything so. */
export function findCallable(name: string): Callable | null {
  if (Object.hasOwn(tools, name)) return callableOf(name as ToolName);
  const old = findOldName(name);
  if (old !== null) {
    const { input, as, load } = old;
    const answer = async (args: never, context: CallContext): Promise<string> => {
      if (load !== undefined) return (await load())(args, context);
      const { tool, arguments: translate } = as!;
      const { answer, input: own } = callableOf(tool);
      const { args: translated } = readArguments(tool, own, await translate(args, context));
      return answer(translated as never, context);
    };
    return { name, input, synonyms: listSynonyms(name), answer };
  }
  const [today] = otherNames.find((row) => row.kind === "tool" && row.name === name)?.today ?? [];
  return today === undefined ? null : findCallable(today);
}

function callableOf(name: ToolName): Callable {
  const { input, load }: Tool = tools[name];
  return {
    name,
    input,
    synonyms: listSynonyms(name),
    answer: async (args, context) => (await load())(args, context),
  };
}

/** What other programs call the arguments of a tool. */
const listSynonyms = (tool: string): Record<string, string> =>
  Object.fromEntries(
    otherNames.flatMap(({ kind, name, today: [today] }) => {
      const [of, argument] = name.split(" ");
      return kind === "argument" && of === tool && argument !== undefined && today !== undefined
        ? [[argument, today]]
        : [];
    }),
  );

/**
 * Answers a call with text alone: some clients show a model nothing else of an answer that has a structure. What goes wrong is an
 * answer, too, which says what to do about it.
 */
export async function callTool(callable: Callable, args: unknown, caller: Caller): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: await answer(callable, args, caller) }] };
  } catch (error) {
    caller.signal.throwIfAborted();
    return { content: [{ type: "text", text: withoutFrames(explain(callable.name, error)) }], isError: true };
  }
}

/**
 * What a tool answers.
 * @throws PommelError `usage` for arguments that it cannot do without, `not_initialised`, and as the tool
 */
export async function answer(
  { name, input, synonyms, answer }: Callable,
  given: unknown,
  caller: Caller,
): Promise<string> {
  const { args, notes } = readArguments(name, input, joinLines(given), synonyms);
  const place = await resolveCallPlace(name, args, caller);
  const answerAt = async (at: Place): Promise<string> => {
    const text = await answer(args as never, {
      ...at,
      ownSession: findCurrentSession(),
      signal: caller.signal,
    });
    return withoutFrames([text, ...notes].join("\n"));
  };
  await startMissingDaemon();
  // A tool asks about many turns at once, and each question listens.
  setMaxListeners(0, caller.signal);
  try {
    return await answerAt(place);
  } catch (error) {
    if (!/^(?:not_found|no_memory)$/.test(getErrorCode(error))) throw error;
    const other = await findSessionPlace(name, args, place);
    if (other === null) throw error;
    return answerAt(other);
  }
}

/** A file and lines that are given apart, as a place: "src/a.ts:10-20". */
function joinLines(given: unknown): unknown {
  if (!isObject(given) || given.place !== undefined) return given;
  const {
    file,
    file_path: filePath,
    line,
    first_line: first,
    start_line: start,
    last_line: last,
    end_line: end,
    ...others
  } = given;
  const [path] = [file, filePath, others.path].filter((one) => typeof one === "string");
  const from = [line, first, start].find((one) => one !== undefined && one !== null);
  const to = [last, end].find((one) => one !== undefined && one !== null);
  if (path === undefined || (from === undefined && to === undefined)) return given;
  if (from === undefined)
    throw new PommelError("usage", "first_line is missing.", "Give FILE:LINES as place.");
  if (to !== undefined && Number(to) < Number(from))
    throw new PommelError("usage", "last_line is before first_line.", "Lines start at 1.");
  const { path: _, ...rest } = others;
  return { ...(path === others.path ? rest : others), place: `${path}:${from}-${to ?? from}` };
}

/** Errors name commands; a client that calls tools may have no shell. */
const toolFor = {
  "`pm session list`": "recall without arguments",
  "`pm checkpoint list`": "recall",
};

/** For a model: the code, what happened, and what to do. */
export function explain(name: string, error: unknown): string {
  if (!(error instanceof PommelError)) {
    return `${name} failed: ${shortenToLine(getErrorMessage(error), 300)}\nTry again; if it keeps failing, run \`pm doctor\`.`;
  }
  const advice = Object.entries(toolFor).reduce(
    (text, [command, tool]) => text.replaceAll(command, tool),
    error.hint,
  );
  const hint = advice === "" ? "" : `\n${shortenToLine(advice, 400)}`;
  return `${error.code}: ${shortenToLine(error.message, 400)}${hint}`;
}
