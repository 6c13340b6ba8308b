import type { AgentHooks, GivenPayload } from "../../agents/agent.ts";
import { isInside } from "../../base/paths.ts";
import { exchange, formatRequest } from "../../client/raw-request.ts";
import type { ContextRequest } from "../../features/context/operation.ts";
import { fileReadBy, searchAskedBy } from "../../features/context/search-asked.ts";
import { type ContextSettings, readDaemonRecord } from "../../protocol/daemon-record.ts";
import type { HookName, HookPayload } from "../../protocol/hooks.ts";
import { readGivenRefs } from "../../protocol/ready-context.ts";
import type { MissedContextItem } from "../../protocol/spool-items.ts";
import { writeItem } from "./deliver.ts";
import { readProcessAgeMs } from "./process-age.ts";
import { readReadyContext, tell } from "./ready.ts";
import { isShortText, toObject } from "./stdio.ts";

/** Hooks that may inject context; never at the end of a turn. */
const moments = [
  "session-start",
  "user-prompt",
  "pre-tool-use",
  "post-tool-use",
  "tool-failure",
  "pre-compact",
] as const;
type InjectionMoment = (typeof moments)[number];

/** The events of every agent with hooks. */
const usualMoments: readonly HookName[] = ["session-start", "user-prompt", "post-tool-use", "tool-failure"];

/** How much longer an answer may take than after an edit, as a factor: a start and a compaction take seconds anyway. */
const deadlineFactors: Readonly<Record<InjectionMoment, number>> = {
  "session-start": 8,
  "pre-compact": 8,
  "tool-failure": 4,
  "user-prompt": 2.4,
  "pre-tool-use": 2,
  "post-tool-use": 1,
};

/** At most this many files of a tool call are sent. */
const maxFiles = 20;
/** Only a prompt's beginning and an error's end are sent. Characters. */
const maxPromptLength = 4000;
const maxErrorLength = 8000;
/** A longer old or new text of an edit is not sent. Characters. */
const maxEditLength = 20_000;
/** Time reserved for printing the answer. Milliseconds. */
const marginMs = 10;
/** Maximum length of an answer. Bytes. */
const maxAnswerLength = 262_144;

/** Whether the daemon was asked, and so has seen the spooled item; and what to print for the agent. */
export interface DaemonReply {
  isAsked: boolean;
  answer?: object;
  /** Text to print as it is, without JSON around it. */
  plain?: string;
}

/**
 * Requests context from the daemon, and returns it in the agent's format if it arrives in time; nothing on any failure. The time
 * counts from the start of this process, as it does for the agent.
 */
export async function askContext(
  place: string,
  hooks: AgentHooks,
  event: HookName,
  given: GivenPayload,
  payload: HookPayload,
): Promise<DaemonReply> {
  const moment = moments.find((one) => one === event);
  if (moment === undefined || payload.session_id === undefined || payload.agent_id !== undefined)
    return { isAsked: false };
  if (!(hooks.takesContext ?? usualMoments).includes(moment)) return { isAsked: false };
  const listFiles = () => listEditedFiles(hooks, given, payload);
  const request = buildContextRequest(moment, given, payload, listFiles);
  if (request === null) return { isAsked: false };
  const answerWith = (text: string | null): DaemonReply => {
    if (text === null) return { isAsked: false };
    const name = typeof given.hook_event_name === "string" ? given.hook_event_name : hooks.events[moment];
    // Before a compaction, Claude Code adds the hook's output to its instructions as it is.
    if (moment === "pre-compact") return { isAsked: false, plain: text };
    const answer = hooks.answer?.(text) ?? {
      hookSpecificOutput: { hookEventName: name, additionalContext: text },
    };
    return { isAsked: false, answer };
  };
  const ready = readReadyContext(place, request);
  // No deadline here: this only reads a file, and the agent has waited for the process to start anyway.
  if (ready !== null && !ready.isBehind) return answerWith(tell(ready, place, request));
  const { mode, deadline_ms: base } = readContextSettings(place);
  const deadline = base * deadlineFactors[moment];
  const isOn = mode === "gentle" || mode === "eager";
  const computeLeftMs = () => (isOn ? deadline - readProcessAgeMs() - marginMs : 0);
  const answerLate = (): DaemonReply => {
    const text = ready === null ? null : tell(ready, place, request);
    return text === null && isOn && !(computeLeftMs() > 0) ? recordMissed(place, moment) : answerWith(text);
  };
  if (!(computeLeftMs() > 0)) return answerLate();
  try {
    const body = JSON.stringify({
      ...request,
      told: readGivenRefs(request.session_id),
      within_ms: computeLeftMs(),
    });
    const asked = formatRequest("/context", body, place);
    const answer = await exchange(asked, { timeoutMs: computeLeftMs(), maxBytes: maxAnswerLength });
    // Without a daemon there was no delay.
    if (answer === null || answer === "timeout") return answerLate();
    const text = answer.status === 200 ? parseContextText(answer.body) : null;
    if (text === null) return { isAsked: true };
    if (readProcessAgeMs() > deadline) return recordMissed(place, moment);
    return { ...answerWith(text), isAsked: true };
  } catch {
    return { isAsked: false };
  }
}

/** The settings for this place, from the record that a running daemon wrote. Without a daemon nobody would answer. */
function readContextSettings(place: string): ContextSettings {
  const { places = {}, ...everywhere } = readDaemonRecord()?.context ?? { mode: "off", deadline_ms: 0 };
  const inside = Object.keys(places).filter((root) => isInside(place, root));
  const nearest = inside.sort((a, b) => b.length - a.length)[0];
  return nearest === undefined ? everywhere : places[nearest]!;
}

/** Records that the context came too late. The daemon still needs a notification. */
function recordMissed(place: string, event: InjectionMoment): DaemonReply {
  const took_ms = Math.round(readProcessAgeMs());
  const item: MissedContextItem = { kind: "missed-context", event, received_at: Date.now(), place, took_ms };
  try {
    writeItem(item);
  } catch {
    // The hook's own item was written, or its failure reported.
  }
  return { isAsked: false };
}

function buildContextRequest(
  event: InjectionMoment,
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
  if (event === "pre-compact") return whose;
  if (event === "pre-tool-use") {
    const [tool, input] = [payload.tool_name ?? "", toObject(given.tool_input)] as const;
    const reading = fileReadBy(tool, input);
    if (reading !== null) return { ...whose, reading };
    const search = searchAskedBy(tool, input);
    return search === null ? null : { ...whose, search };
  }
  if (event === "tool-failure") {
    const { error } = given;
    return typeof error === "string" ? { ...whose, error: error.slice(-maxErrorLength) } : null;
  }
  const files = filesEdited();
  if (files.length === 0) return null;
  return { ...whose, files, ...(files.length === 1 ? pickReplacement(toObject(given.tool_input)) : {}) };
}

/** The old and the new text of an edit, from the fields that agents' editing tools share; nothing if they are missing. */
function pickReplacement(input: GivenPayload): Pick<ContextRequest, "removed" | "added"> {
  const edits = Array.isArray(input.edits) ? input.edits.map(toObject) : [input];
  const pickTexts = (fields: readonly string[]) =>
    edits.flatMap(
      (edit) => fields.map((field) => edit[field]).find((text) => typeof text === "string") ?? [],
    );
  const removed = pickTexts(["old_string", "oldString", "old_str"]).join("\n");
  const added = pickTexts(["new_string", "newString", "new_str"]).join("\n");
  return added === "" || Math.max(removed.length, added.length) > maxEditLength ? {} : { removed, added };
}

function listEditedFiles(
  hooks: AgentHooks,
  given: GivenPayload,
  { tool_name: tool = "" }: HookPayload,
): string[] {
  return hooks.editedFiles(tool, toObject(given.tool_input)).filter(isShortText).slice(0, maxFiles);
}

/** The text in an answer of POST /context; null without one. */
function parseContextText(body: string): string | null {
  const answer: unknown = JSON.parse(body);
  const text = typeof answer === "object" && answer !== null ? (answer as { text?: unknown }).text : null;
  return typeof text === "string" && text !== "" ? text.replace(controls, "") : null;
}

/** Pommel's daemon sends no control characters, but agents print some of a hook's output on their terminal. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
