import { setMaxListeners } from "node:events";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { sessionAround } from "../../agents/profiles.ts";
import { startMissingDaemon } from "../../client/start-missing-daemon.ts";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";
import { withoutFrames, withoutFramesIn } from "../../text/quotation.ts";
import { type Tool, type ToolName, tools } from "../shapes/definitions.ts";
import { oneLine } from "../text/text.ts";
import type { ToolAnswer } from "../tool.ts";
import { readArguments } from "./call.ts";
import { type Place, placeOf, placeOfSession } from "./here.ts";
import { omitEmpty } from "./omit-empty.ts";

export { isToolName } from "../shapes/definitions.ts";

/** Where a call comes from. */
export interface Caller {
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
