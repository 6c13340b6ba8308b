import { writeSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { AgentHooks, AgentProfile } from "../../agents/agent.ts";
import { defaultAgentName, findProfile } from "../../agents/profiles.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import { findUpwards } from "../../base/paths.ts";
import { anyHook, findHookName, type HookPayload, hookNames } from "../../protocol/hooks.ts";
import type { AgentHookItem } from "../../protocol/spool-items.ts";
import { notifyDaemon, writeItem } from "./deliver.ts";
import { askContext, type DaemonReply } from "./inject.ts";
import { answerCall, hearPrompt } from "./parts.ts";
import { describeHookFailure, maxInputLength, parseObject, pickPayload, readStdin, warn } from "./stdio.ts";

/**
 * Runs `pm hook [--agent <agent>] <name>`: spools the payload from stdin and notifies the daemon. It never throws, and has a
 * deadline. On stdout it prints only what the agent or the person is to read, and on stderr a failure, in one line. Callers exit
 * with 0: any other code could block the agent.
 */
export async function runHook(name: string, agent: string = defaultAgentName): Promise<void> {
  try {
    const profile = findProfile(agent);
    const problem = profile?.hooks ? await captureHook(name, profile, profile.hooks) : "unknown agent";
    if (problem !== null) warn(name, `${problem}; nothing was captured`);
  } catch (error) {
    warn(name, `${describeHookFailure(error)}; nothing was captured`);
  }
}

/** @returns why nothing was captured; null on success or when there is nothing to do */
async function captureHook(
  name: string,
  { name: agent }: AgentProfile,
  hooks: AgentHooks,
): Promise<string | null> {
  const receivedAt = Date.now();
  const hook = findHookName(name);
  if (hook === null && name !== anyHook) return "unknown hook";
  const { text, cut } = await readStdin();
  if (cut === "too long") return `its payload is longer than ${maxInputLength / 1024 / 1024} MB`;
  if (text.trim() === "") return cut === null ? "stdin is empty" : "stdin sent nothing in time";
  const object = parseObject(text);
  if (object === null) return `stdin is not ${cut === null ? "a JSON object" : "complete"}`;
  const given = hooks.read?.(object) ?? object;
  const payload = pickPayload(given);
  if (payload.session_id === undefined && payload.transcript_path === undefined) {
    return "its payload names no session";
  }
  const event = hook ?? hookNames.find((one) => hooks.events[one] === (payload.hook_event_name ?? ""));
  if (event === undefined || hooks.shouldIgnore?.(event, given)) return null;
  const place = findLaunchDirectory(hooks, payload);
  if (await hooks.isRunTwice?.(findUpwards(place, ".git") ?? place, event)) return null;
  let message: string | null = null;
  // A program or a subagent wrote this prompt. The transcript tells who did, so its notes are read from there.
  if (hooks.isByProgram?.(process.env) || payload.agent_id !== undefined) delete payload.prompt;
  if (payload.prompt !== undefined) {
    try {
      const { scrubNotes } = await import("./scrub-notes.ts");
      ({ prompt: payload.prompt, message } = await scrubNotes(place, payload.prompt));
    } catch (error) {
      // Never store unscrubbed text.
      delete payload.prompt;
      warn(
        name,
        `its notes cannot be scrubbed (${getErrorCode(error)}); they are read from the transcript later`,
      );
    }
  }
  const whose = agent === defaultAgentName ? {} : { agent };
  const item: AgentHookItem = {
    kind: "agent-hook",
    ...whose,
    event,
    received_at: receivedAt,
    place,
    payload,
  };
  // A call that is about to begin is not recorded: this event writes no item.
  if (event === "pre-tool-use") {
    const answer = await answerCall(place, hooks, event, given, payload);
    if (answer !== null) return print({ isAsked: false, answer }, null, hooks);
    return print(await askContext(place, hooks, event, given, payload), null, hooks);
  }
  try {
    // These only announce new lines; the others carry information missing in transcripts.
    const isReminder = ["stop", "post-tool-use", "tool-failure", "notification"].includes(event);
    const session = payload.session_id ?? payload.transcript_path ?? "";
    writeItem(item, isReminder ? `${event}-${session}` : null);
  } catch (error) {
    if (error instanceof PommelError) throw error;
    return `cannot write to ${locateDaemonFiles().spoolDir} (${getErrorCode(error)})`;
  }
  await hearPrompt(place, event, given, payload);
  const said = await answerCall(place, hooks, event, given, payload);
  const asked =
    said === null ? await askContext(place, hooks, event, given, payload) : { isAsked: false, answer: said };
  print(asked, message, hooks);
  if (!asked.isAsked) await notifyDaemon();
  return null;
}

function print({ answer, plain }: DaemonReply, message: string | null, { showsMessages }: AgentHooks): null {
  if (plain !== undefined) writeSync(1, plain);
  const shown = message !== null && showsMessages ? { systemMessage: message } : {};
  const printed = { ...answer, ...shown };
  if (plain === undefined && Object.keys(printed).length > 0) writeSync(1, JSON.stringify(printed));
  return null;
}

/** The directory in which the agent was launched. The session is about that one; `cwd` follows the agent's changes of directory. */
function findLaunchDirectory({ launchedIn }: AgentHooks, { cwd }: HookPayload): string {
  const launched = launchedIn && process.env[launchedIn];
  if (launched && isAbsolute(launched)) return launched;
  return cwd !== undefined && isAbsolute(cwd) ? cwd : process.cwd();
}
