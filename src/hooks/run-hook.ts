import type { AgentHooks, AgentProfile } from "../agents/agent.ts";
import { defaultAgentName, profileOf } from "../agents/profiles.ts";
import { codeOf } from "../project/errors.ts";
import { type Project, projectAround } from "../project/paths.ts";
import { anyHook, hookNamed, hookNames } from "../protocol/hook-names.ts";
import type { HookPayload } from "../protocol/hook-payload.ts";
import type { AgentHookItem } from "../protocol/spool-items.ts";
import { injectContext } from "./inject.ts";
import { notifyDaemon } from "./notify.ts";
import { parseObject, payloadOf } from "./payload.ts";
import { maxInputLength, readStdin } from "./read-stdin.ts";
import { warn } from "./warn.ts";
import { writeItem } from "./write-item.ts";

/**
 * What `pm hook [--agent <agent>] <name>` does: spools what stdin says and pokes the daemon. It never throws, never waits
 * for long, prints on stdout, which the agent reads, only what inject.ts has to tell it, and says what went wrong in one
 * line on stderr. Whoever calls it exits with 0: any other code could block the agent.
 */
export async function runHook(name: string, agent: string = defaultAgentName): Promise<void> {
  try {
    const profile = profileOf(agent);
    const problem = profile?.hooks ? await capture(name, profile, profile.hooks) : "unknown agent";
    if (problem !== null) warn(name, `${problem}; nothing was captured`);
  } catch (error) {
    warn(name, `it failed (${codeOf(error) || "unexpected error"}); nothing was captured`);
  }
}

/** @returns why nothing was captured, for a person; null when all is well or there is nothing to do */
async function capture(
  name: string,
  { name: agent }: AgentProfile,
  hooks: AgentHooks,
): Promise<string | null> {
  const receivedAt = Date.now();
  const hook = hookNamed(name);
  if (hook === null && name !== anyHook) return "unknown hook";
  const { text, cut } = await readStdin();
  if (cut === "too long") return `its payload is longer than ${maxInputLength / 1024 / 1024} MB`;
  if (text.trim() === "") return cut === null ? "stdin is empty" : "stdin sent nothing in time";
  const object = parseObject(text);
  if (object === null) return `stdin is not ${cut === null ? "a JSON object" : "complete"}`;
  const given = hooks.read?.(object) ?? object;
  const payload = payloadOf(given);
  if (payload.session_id === undefined && payload.transcript_path === undefined) {
    return "its payload names no session";
  }
  const event = hook ?? hookNames.find((one) => hooks.events[one] === (payload.hook_event_name ?? ""));
  if (event === undefined || hooks.ignores?.(event, given)) return null;
  const project = projectOf(hooks, payload);
  if (project === null || (await hooks.runsTwice?.(project.root, event))) return null;
  if (payload.prompt !== undefined) {
    try {
      const { scrubNotes } = await import("./scrub-notes.ts");
      payload.prompt = scrubNotes(project, payload.prompt);
    } catch (error) {
      // Nothing is stored with its secrets in it.
      delete payload.prompt;
      warn(name, `its notes cannot be scrubbed (${codeOf(error)}); they are read from the transcript later`);
    }
  }
  const whose = agent === defaultAgentName ? {} : { agent };
  const item: AgentHookItem = { kind: "claude-hook", ...whose, event, received_at: receivedAt, payload };
  try {
    // These only say that there is something to read; the others say what no transcript does.
    const isReminder = event === "stop" || event === "post-tool-use";
    const session = payload.session_id ?? payload.transcript_path ?? "";
    writeItem(project, item, isReminder ? `${event}-${session}` : null);
  } catch (error) {
    return `cannot write to ${project.spoolDir} (${codeOf(error)})`;
  }
  if (!(await injectContext(project, hooks, event, given, payload))) await notifyDaemon(project);
  return null;
}

/**
 * The project of the session: by where the agent was launched, which is whose transcript it is, and which `cwd`
 * leaves when the agent changes directories.
 */
function projectOf({ launchedIn }: AgentHooks, payload: HookPayload): Project | null {
  // An agent that another one started finds that one's variables, too.
  for (const dir of [launchedIn && process.env[launchedIn], payload.cwd, "."]) {
    const project = dir ? projectAround(dir) : null;
    if (project !== null) return project;
  }
  return null;
}
