import { writeSync } from "node:fs";
import type { AgentHooks, GivenPayload } from "../agents/agent.ts";
import { exchange, requestText } from "../client/raw-request.ts";
import type { Project } from "../project/paths.ts";
import type { ContextRequest } from "../protocol/context.ts";
import { readDaemonRecord } from "../protocol/daemon-record.ts";
import type { HookName } from "../protocol/hook-names.ts";
import type { HookPayload } from "../protocol/hook-payload.ts";
import type { MissedContextItem } from "../protocol/spool-items.ts";
import { isShortText, objectOf } from "./payload.ts";
import { writeItem } from "./write-item.ts";

/** Hooks that an agent is told something by. Never when a turn is over. */
const moments = ["session-start", "user-prompt", "post-tool-use"] as const;
type Moment = (typeof moments)[number];

/** Of a tool call. */
const maxFiles = 20;
/** What a prompt is about stands at its beginning. Characters. */
const maxPromptLength = 4000;
/** Between the daemon's answer and ours. Milliseconds. */
const marginMs = 10;
/** No answer is longer. Bytes. */
const maxAnswerLength = 262_144;

/**
 * Asks the daemon what there is to tell the agent now, and prints it as the agent takes it, if it comes in time. Counted
 * from the start of this process, as the agent does. Whatever goes wrong, nothing is printed.
 * @returns whether the daemon was asked, and so knows of what lies in the spool
 */
export async function injectContext(
  project: Project,
  hooks: AgentHooks,
  event: HookName,
  given: GivenPayload,
  payload: HookPayload,
): Promise<boolean> {
  const moment = moments.find((one) => one === event);
  if (moment === undefined || payload.session_id === undefined || payload.agent_id !== undefined)
    return false;
  const record = readDaemonRecord(project);
  const { mode, deadline_ms: deadline = 0 } = record?.context ?? {};
  if (record === null || (mode !== "gentle" && mode !== "eager")) return false;
  const files = () => filesEdited(hooks, given, payload);
  const request = requestFor(moment, mode, given, payload, files);
  const left = () => deadline - performance.now() - marginMs;
  if (request === null) return false;
  if (!(left() > 0)) return missed(project, moment);
  try {
    const body = JSON.stringify({ ...request, within_ms: left() });
    const asked = requestText(record, "/context", body);
    const answer = await exchange(record.port, asked, { timeoutMs: left(), maxBytes: maxAnswerLength });
    // Nobody may have been there to answer, which is no delay.
    if (answer === null || answer === "timeout") return left() > 0 ? false : missed(project, moment);
    const text = answer.status === 200 ? textIn(answer.body) : null;
    if (text === null) return true;
    if (performance.now() > deadline) return missed(project, moment);
    const name = typeof given.hook_event_name === "string" ? given.hook_event_name : hooks.events[moment];
    writeSync(1, JSON.stringify({ hookSpecificOutput: { hookEventName: name, additionalContext: text } }));
    return true;
  } catch {
    return false;
  }
}

/** @returns false: the daemon is still to be told that something lies in the spool */
function missed(project: Project, event: Moment): false {
  const took_ms = Math.round(performance.now());
  const item: MissedContextItem = { kind: "missed-context", event, received_at: Date.now(), took_ms };
  try {
    writeItem(project, item);
  } catch {
    // The hook's own item is there, or has said why not.
  }
  return false;
}

function requestFor(
  event: Moment,
  mode: "gentle" | "eager",
  given: GivenPayload,
  payload: HookPayload,
  filesEdited: () => string[],
): ContextRequest | null {
  const { session_id = "", source, cwd, transcript_path } = payload;
  const whose = { event, session_id, transcript_path, cwd };
  if (event === "session-start") return { ...whose, source };
  if (event === "user-prompt") {
    const { prompt } = given;
    return typeof prompt === "string" ? { ...whose, prompt: prompt.slice(0, maxPromptLength) } : null;
  }
  if (mode !== "eager") return null;
  const files = filesEdited();
  return files.length === 0 ? null : { ...whose, files };
}

function filesEdited(
  hooks: AgentHooks,
  given: GivenPayload,
  { tool_name: tool = "" }: HookPayload,
): string[] {
  return hooks.editedFiles(tool, objectOf(given.tool_input)).filter(isShortText).slice(0, maxFiles);
}

/** The text in an answer of POST /context; null where there is none. */
function textIn(body: string): string | null {
  const answer: unknown = JSON.parse(body);
  const text = typeof answer === "object" && answer !== null ? (answer as { text?: unknown }).text : null;
  return typeof text === "string" && text !== "" ? text : null;
}
