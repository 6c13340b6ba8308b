import { basename, dirname, resolve, sep } from "node:path";
import type { Agent, TranscriptInfo } from "../agent.ts";
import { asParts } from "../gemini/record-schema.ts";
import { emptyToNull, parseTime } from "../reading/json.ts";
import { createReader, readFirstRecords } from "../reading/json-lines.ts";
import { listFiles } from "../reading/list-files.ts";
import { makeTodosReader } from "../reading/tool-calls.ts";
import { locateQwenHome, qwenProfile } from "./profile.ts";
import { qwenSetup } from "./setup.ts";
import { asLine, type Calls, parseLine, type QwenLine } from "./understand.ts";

/** Line types without useful content. */
const ignoredLineTypes: ReadonlySet<string> = new Set(
  `
  system/at_command system/attribution_snapshot system/branch_checkpoint system/file_history_snapshot
  system/goal_runtime system/goal_state system/goal_turn_end system/parent_session system/rewind
  system/session_artifact_event system/session_artifact_snapshot system/session_model system/session_source
  system/session_sources_snapshot system/slash_command system/ui_telemetry system/user_text_elements
  `.match(/\S+/g),
);

/** Its state: calls that wait for their results. */
const read = createReader<Calls>({ begin: () => new Map(), understand: parseLine });

/** Qwen Code, a fork of Gemini CLI; its chats as clients from 0.15 to 0.24 write them. */
export const qwen: Agent = {
  ...qwenProfile,
  setup: qwenSetup,
  listRoots: (env = process.env) => [resolve(env.QWEN_RUNTIME_DIR || locateQwenHome(env), "projects")],
  sortsByPlace: true,
  isTranscript,
  findDirectoryToWatch: findLaunchFolder,
  ignoredLineTypes,
  todos: makeTodosReader("todo_write"),
  list: (dir) => listFiles(dir, { isWanted: isTranscript }),
  describe: describeChat,
  read,
};

/** `<place>/chats/<session>.jsonl`, `<place>/subagents/<session>/agent-<id>.jsonl` */
function isTranscript(path: string): boolean {
  if (!path.endsWith(".jsonl")) return false;
  const dir = dirname(path);
  return basename(dir) === "chats" || basename(dirname(dir)) === "subagents";
}

/** The folder of one launch directory. */
function findLaunchFolder(path: string): string | null {
  const parts = dirname(path).split(sep);
  const at = parts.lastIndexOf("projects");
  return at >= 0 && at + 2 < parts.length ? parts.slice(0, at + 2).join(sep) : null;
}

async function describeChat(file: string): Promise<TranscriptInfo | null> {
  for await (const record of readFirstRecords(file)) {
    const line = asLine(record);
    const info = line && parseIdentity(line);
    if (info) return info;
  }
  return null;
}

function parseIdentity(line: QwenLine): TranscriptInfo | null {
  const [session, cwd, agent] = [
    emptyToNull(line.sessionId),
    emptyToNull(line.cwd),
    emptyToNull(line.agentId),
  ];
  // Other agents' lines have a session and a directory as well.
  if (session === null || cwd === null || (line.type !== "system" && line.message?.parts === undefined))
    return null;
  const startedAt = parseTime(line.timestamp);
  if (agent === null) return { session, parent: null, cwd, startedAt };
  const agentType = emptyToNull(line.agentName);
  const toolUse =
    agentType !== null && agent.startsWith(`${agentType}-`) ? agent.slice(agentType.length + 1) : null;
  const task = emptyToNull(asParts(line.message?.parts)[0]?.text)?.slice(0, 1000) ?? null;
  return { session: `${session}/${agent}`, parent: { session, toolUse, agentType, task }, cwd, startedAt };
}
