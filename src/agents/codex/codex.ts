import { basename, dirname, join, resolve, sep } from "node:path";
import type { Agent, Cursor, ReadBatch, TranscriptFile } from "../agent.ts";
import { isCompressed, readCompressed } from "../reading/compressed.ts";
import { createReader, makeLineParser } from "../reading/json-lines.ts";
import { listFiles } from "../reading/list-files.ts";
import { readIdentity } from "./describe.ts";
import { codexProfile } from "./profile.ts";
import { codexSetup } from "./setup.ts";
import { makeState, type RolloutState } from "./state.ts";
import { locateCodexHome } from "./trusted-hooks.ts";
import { parseLine } from "./understand.ts";

/** Line types without useful content. */
const ignoredLineTypes: ReadonlySet<string> = new Set(
  `
  event_msg/agent_reasoning event_msg/item_completed/CollabAgentToolCall
  event_msg/item_completed/CommandExecution event_msg/item_completed/ContextCompaction
  event_msg/item_completed/Reasoning event_msg/item_completed/SubAgentActivity event_msg/task_complete
  event_msg/task_started event_msg/thread_settings_applied event_msg/token_count
  inter_agent_communication_metadata response_item/additional_tools response_item/custom_tool_call
  response_item/custom_tool_call_output response_item/function_call_output response_item/ghost_snapshot
  response_item/message response_item/reasoning session_meta token_usage_record turn_context world_state
  `.match(/\S+/g),
);

const understanding = {
  begin: async (file: string, signal?: AbortSignal) => makeState(await readIdentity(file, signal)),
  understand: parseLine,
  // Do not cache the state of a file without identity.
  isKept: ({ thread }: RolloutState) => thread !== "",
};
const readGrowing = createReader(understanding);

async function* read(
  file: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  if (!isCompressed(file)) yield* readGrowing(file, cursor, signal);
  else {
    const state = await understanding.begin(file, signal);
    yield* readCompressed(file, cursor, signal, makeLineParser(understanding, state));
  }
}

/** Codex CLI; its rollouts as clients from 0.63 to 0.169 write them. */
export const codex: Agent = {
  ...codexProfile,
  setup: codexSetup,
  listRoots: locateRoots,
  sortsByPlace: false,
  isTranscript,
  findDirectoryToWatch: findRolloutFolder,
  ignoredLineTypes,
  list,
  describe: async (file) => (await readIdentity(file))?.info ?? null,
  read,
};

/** Current sessions, and those moved by `codex archive`. */
const folders = ["sessions", "archived_sessions"];

/** `rollout-<local time>-<thread id>.jsonl`; compressed under `local_thread_store_compression`. */
const rollout = /^rollout-.*\.jsonl(?:\.zst)?$/;

/** Codex CLI's transcript directories, for all projects and subagents, by day. */
function locateRoots(env: NodeJS.ProcessEnv = process.env): string[] {
  const home = resolve(locateCodexHome(env));
  return folders.map((folder) => join(home, folder));
}

function isTranscript(path: string): boolean {
  return rollout.test(basename(path));
}

/** The folder above the day folders, if the path is inside one. */
function findRolloutFolder(path: string): string | null {
  const parts = dirname(path).split(sep);
  const at = parts.findLastIndex((part) => folders.includes(part));
  return at === -1 ? null : parts.slice(0, at + 1).join(sep);
}

/** Without compressed files that have a plain one beside them, which the client prefers, too. */
async function* list(dir: string): AsyncGenerator<TranscriptFile, void, undefined> {
  let plain = "";
  // In order of path, the plain file comes right before the compressed one.
  for await (const file of listFiles(dir, { isWanted: isTranscript })) {
    if (!isCompressed(file.path)) plain = file.path;
    else if (file.path === `${plain}.zst`) continue;
    yield file;
  }
}
