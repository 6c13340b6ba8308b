import { basename, dirname, join, resolve } from "node:path";
import type { Agent, TranscriptInfo } from "../agent.ts";
import { emptyToNull, parseTime } from "../reading/json.ts";
import { createReader, readFirstRecords } from "../reading/json-lines.ts";
import { listFiles } from "../reading/list-files.ts";
import { copilotProfile, locateCopilotHome } from "./profile.ts";
import { copilotSetup } from "./setup.ts";
import { asEvent, type EventState, makeState, parseEvent } from "./understand.ts";

/** Line types without useful content. */
const ignoredLineTypes: ReadonlySet<string> = new Set(
  `
  assistant.idle assistant.intent assistant.turn_end assistant.turn_retry assistant.turn_start hook.end hook.progress hook.start
  model.message model.messages_snapshot model.model_call_started model.model_call_success model.response
  model.turn_ended model.turn_started permission.completed permission.requested session.binary_asset
  session.compaction_start session.context_changed session.info session.mode_changed session.model_change
  session.permissions_changed session.plan_changed session.resume session.shutdown session.start
  session.task_complete session.todos_changed session.truncation session.usage_checkpoint session.usage_record
  session.warning session.workspace_file_changed skill.context_delivered skill.context_delivered_ref skill.invoked
  skill.invoked_ref subagent.completed subagent.configured subagent.failed subagent.started system.message
  tool.execution_start tool.user_requested
  `.match(/\S+/g),
);

const read = createReader<EventState>({ begin: makeState, understand: parseEvent });

/**
 * GitHub Copilot CLI; its sessions as the client 1.0.102 writes them, a file of events each, with subagents' events
 * among the others.
 */
export const copilot: Agent = {
  ...copilotProfile,
  setup: copilotSetup,
  listRoots: (env = process.env) => [join(resolve(locateCopilotHome(env)), "session-state")],
  sortsByPlace: false,
  isTranscript,
  findDirectoryToWatch: (path) => (isTranscript(path) ? dirname(dirname(path)) : null),
  ignoredLineTypes,
  unwatched: ["checkpoints", "files", "research", "rewind-file-snapshots"],
  list: (dir) => listFiles(dir, { isWanted: isTranscript }),
  describe: describeSession,
  read,
};

/** `session-state/<session>/events.jsonl` */
function isTranscript(path: string): boolean {
  return basename(path) === "events.jsonl" && basename(dirname(dirname(path))) === "session-state";
}

async function describeSession(file: string): Promise<TranscriptInfo | null> {
  for await (const record of readFirstRecords(file)) {
    const event = asEvent(record);
    if (event?.type !== "session.start") continue;
    const [session, cwd] = [emptyToNull(event.data?.sessionId), emptyToNull(event.data?.context?.cwd)];
    if (session === null || cwd === null) continue;
    return { session, parent: null, cwd, startedAt: parseTime(event.data?.startTime ?? event.timestamp) };
  }
  return null;
}
