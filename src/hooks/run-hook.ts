import { existsSync } from "node:fs";
import { codeOf } from "../project/errors.ts";
import { type Project, projectAround } from "../project/paths.ts";
import { type HookAgent, hookOfAgentsEvent, isHookAgent } from "../protocol/agent-hooks.ts";
import { anyHook, type HookName, hookNamed } from "../protocol/hook-names.ts";
import type { HookPayload } from "../protocol/hook-payload.ts";
import type { AgentHookItem } from "../protocol/spool-items.ts";
import { isNotification, parseObject, payloadOf, withoutHookContext } from "./payload.ts";
import { pokeDaemon } from "./poke.ts";
import { longestInput, readStdin } from "./read-stdin.ts";
import { warn } from "./warn.ts";
import { writeItem } from "./write-item.ts";

/**
 * What `pm hook [--agent <agent>] <name>` does: spools what stdin says and pokes the daemon. It never throws, never waits
 * for long, prints on stdout, which the agent reads, only what inject.ts has to tell it, and says what went wrong in one
 * line on stderr. Whoever calls it exits with 0: any other code could block the agent.
 */
export async function runHook(name: string, agent = "claude"): Promise<void> {
  try {
    const problem = isHookAgent(agent) ? await capture(name, agent) : "unknown agent";
    if (problem !== null) warn(name, `${problem}; nothing was captured`);
  } catch (error) {
    warn(name, `it failed (${codeOf(error) || "unexpected error"}); nothing was captured`);
  }
}

/** @returns why nothing was captured, for a person; null when all is well or there is nothing to do */
async function capture(name: string, agent: HookAgent): Promise<string | null> {
  const receivedAt = Date.now();
  const hook = hookNamed(name);
  if (hook === null && name !== anyHook) return "unknown hook";
  const { text, cut } = await readStdin();
  if (cut === "too long") return `its payload is longer than ${longestInput / 1024 / 1024} MB`;
  if (text.trim() === "") return cut === null ? "stdin is empty" : "stdin sent nothing in time";
  const given = parseObject(text);
  if (given === null) return `stdin is not ${cut === null ? "a JSON object" : "complete"}`;
  if (typeof given.prompt === "string") given.prompt = withoutHookContext(given.prompt);
  const payload = payloadOf(given);
  if (payload.session_id === undefined && payload.transcript_path === undefined) {
    return "its payload names no session";
  }
  const event = hook ?? hookOfAgentsEvent(agent, payload.hook_event_name);
  if (event === null || isBeside(agent, event, given, payload)) return null;
  const project = projectOf(agent, payload);
  if (project === null) return null;
  if (agent === "claude" && process.env.CLAUDE_PLUGIN_ROOT) {
    const { standsInSettings } = await import("./plugin-twin.ts");
    if (standsInSettings(project, event)) return null;
  }
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
  const whose = agent === "claude" ? {} : { agent };
  const item: AgentHookItem = { kind: "claude-hook", ...whose, event, received_at: receivedAt, payload };
  try {
    // These only say that there is something to read; the others say what no transcript does.
    const isReminder = event === "stop" || event === "post-tool-use";
    const session = payload.session_id ?? payload.transcript_path ?? "";
    writeItem(project, item, isReminder ? `${event}-${session}` : null);
  } catch (error) {
    return `cannot write to ${project.spoolDir} (${codeOf(error)})`;
  }
  if (!(await tellsAgent(project, event, given, payload))) await pokeDaemon(project);
  return null;
}

/** Whether the daemon was asked what there is to tell, and so knows what is new. */
async function tellsAgent(
  project: Project,
  event: HookName,
  given: Record<string, unknown>,
  payload: HookPayload,
): Promise<boolean> {
  if (event !== "session-start" && event !== "user-prompt" && event !== "post-tool-use") return false;
  const { tellAgent } = await import("./inject.ts");
  return tellAgent(project, event, given, payload);
}

/** What is no part of the conversation: the client's own notices, and the subagent that compaction runs. */
function isBeside(
  agent: HookAgent,
  event: HookName,
  given: Record<string, unknown>,
  payload: HookPayload,
): boolean {
  // Gemini CLI tells of it before every request, whether it compresses or not.
  if (agent === "gemini" && event === "pre-compact") return payload.trigger === "auto";
  if (event === "user-prompt") return isNotification(given);
  if (event !== "subagent-stop" || payload.agent_type !== "") return false;
  return payload.agent_transcript_path === undefined || !existsSync(payload.agent_transcript_path);
}

/**
 * The project of the session: by where the agent was launched, which is whose transcript it is, and which `cwd`
 * leaves when the agent changes directories.
 */
function projectOf(agent: HookAgent, payload: HookPayload): Project | null {
  // An agent that another one started finds that one's variables, too.
  const launchedIn = { claude: "CLAUDE_PROJECT_DIR", gemini: "GEMINI_PROJECT_DIR", codex: null }[agent];
  for (const dir of [launchedIn && process.env[launchedIn], payload.cwd, "."]) {
    const project = dir ? projectAround(dir) : null;
    if (project !== null) return project;
  }
  return null;
}
