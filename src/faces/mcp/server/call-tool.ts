import { setMaxListeners } from "node:events";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { findCurrentSession } from "../../../agents/profiles.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../../base/errors.ts";
import { otherNames } from "../../../base/other-names.ts";
import { withoutFrames } from "../../../base/text/quotation.ts";
import { startMissingDaemon } from "../../../client/start-missing-daemon.ts";
import { type ToolName, tools } from "../../../features/tools.ts";
import { isObject } from "../../../protocol/problem-in.ts";
import { shortenToLine } from "../../../tools/text.ts";
import type { CallContext, Tool } from "../../../tools/tool.ts";
import { readArguments } from "../arguments.ts";
import { findOldName } from "../old-names.ts";
import { type Called, type CallSite, findSessionPlace, resolveCallPlace } from "./here.ts";

/** The circumstances of a call. */
interface ToolCaller {
  cwd: string;
  /** Whether searches look in all projects of this machine. */
  isAcross?: boolean;
  /** The session that calls, if the client names it in the call. */
  session?: string | null;
  signal: AbortSignal;
}

/** What answers a call of a name. */
interface Callable extends Called {
  /** Other names of its arguments. */
  synonyms: Readonly<Record<string, string>>;
  answer: (args: never, context: CallContext) => Promise<string>;
}

/** Finds what a name calls: a tool, an old tool, or another program's tool. null: the name is unknown. */
export function findCallable(name: string): Callable | null {
  if (Object.hasOwn(tools, name)) return makeCallable(name as ToolName);
  const old = findOldName(name);
  if (old !== null) {
    const { input, answer, readsSession = false } = old;
    const findSession: Called["findSession"] = (args) =>
      readsSession ? ((args as { session_id?: string }).session_id ?? null) : null;
    return { name, input, findSession, synonyms: listSynonyms(name), answer };
  }
  const [today] = otherNames.find((row) => row.kind === "tool" && row.name === name)?.today ?? [];
  return today === undefined ? null : findCallable(today);
}

function makeCallable(name: ToolName): Callable {
  const { input, findSession, load }: Tool = tools[name];
  return {
    name,
    input,
    findSession,
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
 * Answers a call with text only: if an answer also has a structure, some clients do not show the model its text. A failure is an
 * answer, too, and says what to do about it.
 */
export async function callTool(
  callable: Callable,
  args: unknown,
  caller: ToolCaller,
): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: await answer(callable, args, caller) }] };
  } catch (error) {
    caller.signal.throwIfAborted();
    return { content: [{ type: "text", text: withoutFrames(explain(callable.name, error)) }], isError: true };
  }
}

/**
 * Runs a tool. @returns its answer
 * @throws PommelError `usage` if required arguments are missing, `not_initialised`, and what the tool throws
 */
export async function answer(callable: Callable, given: unknown, caller: ToolCaller): Promise<string> {
  const { name, input, synonyms, answer } = callable;
  const { args, notes } = readArguments(name, input, joinLines(given), synonyms);
  await dropUnknownTimes(args, notes);
  const place = await resolveCallPlace(callable, args, caller);
  const answerAt = async (at: CallSite): Promise<string> => {
    const text = await answer(args as never, {
      ...at,
      ownSession: caller.session ?? findCurrentSession(),
      signal: caller.signal,
    });
    return withoutFrames([text, ...notes].join("\n"));
  };
  await startMissingDaemon();
  // A tool asks many questions at once, and each listens to the signal.
  setMaxListeners(0, caller.signal);
  try {
    return await answerAt(place);
  } catch (error) {
    if (!/^(?:not_found|no_memory)$/.test(getErrorCode(error))) throw error;
    const other = await findSessionPlace(callable, args, place);
    if (other === null) throw error;
    return answerAt(other);
  }
}

/** Drops times that cannot be parsed, with a note: an answer for a longer period is better than none. */
async function dropUnknownTimes(args: Record<string, unknown>, notes: string[]): Promise<void> {
  for (const name of ["since", "until"] as const) {
    const { [name]: time } = args;
    if (typeof time !== "string") continue;
    const { parseWhen } = await import("../../../base/text/dates.ts");
    try {
      await parseWhen(time, name);
    } catch (error) {
      delete args[name];
      notes.push(`${getErrorMessage(error).replace(/\.$/, "")}: ${name} was ignored.`);
    }
  }
}

/** Joins a file and lines that are separate arguments into a place: "src/a.ts:10-20". */
function joinLines(given: unknown): unknown {
  if (!isObject(given) || given.place !== undefined) return given;
  const {
    file,
    file_path: filePath,
    line,
    first_line: firstLine,
    start_line: start,
    last_line: lastLine,
    end_line: end,
    ...others
  } = given;
  const [path] = [file, filePath, others.path].filter((one) => typeof one === "string");
  const from = [line, firstLine, start].find((one) => one !== undefined && one !== null);
  const to = [lastLine, end].find((one) => one !== undefined && one !== null);
  if (path === undefined || (from === undefined && to === undefined)) return given;
  const [first, last] = [from ?? 1, to ?? from].map(Number).sort((a, b) => a - b);
  const { path: _, ...rest } = others;
  return { ...(path === others.path ? rest : others), place: `${path}:${first}-${last}` };
}

/** Words an error for a model: the code, what happened, and what to do. */
export function explain(name: string, error: unknown): string {
  if (!(error instanceof PommelError)) {
    return `${name} failed: ${shortenToLine(getErrorMessage(error), 300)}\nTry again; if it keeps failing, run \`pm doctor\`.`;
  }
  // Errors name commands; a client that calls tools may have no shell.
  const advice = Object.values<Tool>(tools)
    .flatMap(({ instead }) => Object.entries(instead))
    .reduce((text, [command, tool]) => text.replaceAll(command, tool), error.hint);
  const hint = advice === "" ? "" : `\n${shortenToLine(advice, 400)}`;
  return `${error.code}: ${shortenToLine(error.message, 400)}${hint}`;
}
