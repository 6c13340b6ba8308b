import { basename, dirname, join, resolve } from "node:path";
import type { Agent, TranscriptInfo } from "../agent.ts";
import { asObject, parseTime, readJsonFile } from "../reading/json.ts";
import { listFiles } from "../reading/list-files.ts";
import { readObject } from "../reading/read-object.ts";
import { describeTask, isTask, listTaskDirectories, readTask } from "./classic/task.ts";
import { asCompaction, asManifest, asMessage, parseMessages } from "./message.ts";
import { clineProfile, locateSessionsDir } from "./profile.ts";
import { clineSetup } from "./setup.ts";

/**
 * Cline; its sessions as clients like 3.0.65 write them: `<session>/<session>.messages.json`, rewritten with every
 * message, subagents' beside it as `<agent>.messages.json`, and `<session>.json` about the session. Older ones are tasks
 * (`classic/`).
 */
export const cline: Agent = {
  ...clineProfile,
  setup: clineSetup,
  listRoots: (env = process.env) => [resolve(locateSessionsDir(env)), ...listTaskDirectories(env)],
  sortsByPlace: false,
  isTranscript,
  findDirectoryToWatch: () => null,
  list: (dir) => listFiles(dir, { isWanted: isTranscript }),
  describe,
  read: (file, cursor, signal) =>
    readObject(
      file,
      cursor,
      async ({ messages }) => {
        if (!Array.isArray(messages)) return null;
        if (isTask(file)) return readTask(file, messages);
        const [manifest, compaction] = await Promise.all([
          readManifest(file),
          readJsonFile(file.replace(ending, ".compaction.json")),
        ]);
        const isSubagent = manifest !== null && manifest.session_id !== parseSessionName(file);
        return parseMessages(messages, { manifest, compaction: asCompaction(compaction), isSubagent });
      },
      signal,
    ),
};

const ending = ".messages.json";

function isTranscript(path: string): boolean {
  return (path.endsWith(ending) && basename(path) !== ending) || isTask(path);
}

const parseSessionName = (path: string) => basename(path).slice(0, -ending.length);

async function readManifest(path: string) {
  const dir = dirname(path);
  return asManifest(await readJsonFile(join(dir, `${basename(dir)}.json`)));
}

async function describe(path: string): Promise<TranscriptInfo | null> {
  if (isTask(path)) return describeTask(path);
  const manifest = isTranscript(path) ? await readManifest(path) : null;
  const { messages } = manifest ? asObject(await readJsonFile(path)) : {};
  if (!manifest || !Array.isArray(messages)) return null;
  const { session_id: session, cwd, started_at } = manifest;
  const agent = parseSessionName(path);
  if (agent === session) return { session, parent: null, cwd, startedAt: parseTime(started_at) };
  const [first] = messages;
  const entries = parseMessages([first], { manifest, compaction: null, isSubagent: true }).lines[0]?.entries;
  const task = entries?.find((entry) => entry.kind === "prompt")?.text.slice(0, 1000) ?? null;
  const parent = { session, toolUse: null, agentType: null, task };
  return { session: `${session}/${agent}`, parent, cwd, startedAt: asMessage(first)?.ts ?? null };
}
