import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Agent, Cursor, ReadBatch, TranscriptInfo } from "../agent.ts";
import { emptyToNull, parseTime, readJsonFile } from "../reading/json.ts";
import {
  parseLineRecords,
  readBatches,
  readFirstRecords,
  skip,
  type UnderstoodLine,
} from "../reading/json-lines.ts";
import { listFiles } from "../reading/list-files.ts";
import { type RawLine, readLines } from "../reading/read-lines.ts";
import { recall } from "./earlier.ts";
import { locateClaudeHome } from "./home.ts";
import { asLine, asMeta, asRecord, type ClaudeLine, parseRecords } from "./line-schema.ts";
import { readPictures } from "./pictures.ts";
import { claudeProfile } from "./profile.ts";
import { claudeSetup } from "./setup.ts";
import { computeTodos, todoTools } from "./tools.ts";
import { type ClaudeContext, matchNoise, parseLine } from "./understand.ts";

/** Line types without useful content. */
const ignoredLineTypes: ReadonlySet<string> = new Set(
  `
  api-request api-request-state atis-latch attachment/date attachment/environment attachment/file
  attachment/hook_additional_context attachment/hook_blocking_error attachment/hook_cancelled
  attachment/hook_non_blocking_error attachment/hook_success attachment/hook_system_message attachment/model
  attachment/remote_session_change cost-state file-history-delta file-history-snapshot last-prompt mode
  permission-mode pr-link progress queue-operation summary system/api_error system/informational
  system/local_command system/microcompact_boundary system/stop_hook_summary system/turn_duration title
  tools-used
  `.match(/\S+/g),
);

/** Claude Code; its transcripts as clients from 2.0.76 to 2.1.329 write them. */
export const claude: Agent = {
  ...claudeProfile,
  setup: claudeSetup,
  listRoots: locateRoots,
  sortsByPlace: true,
  isTranscript,
  findDirectoryToWatch: findLaunchFolder,
  listPartFiles: (path) => (path.includes(`${sep}subagents${sep}`) ? [locateMetaFile(path)] : []),
  ignoredLineTypes,
  list,
  findMemories: listMemoryFiles,
  todos: { tools: todoTools, after: computeTodos },
  describe: describeTranscript,
  read,
  readPictures,
};

async function describeTranscript(file: string): Promise<TranscriptInfo | null> {
  return (await readIdentity(file))?.info ?? null;
}

async function* read(
  file: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const around: ClaudeContext = {
    agentId: (await readIdentity(file, signal))?.agentId ?? null,
    earlier: await recall(file, cursor?.offset ?? 0, signal),
    speaksOfThis: false,
  };
  yield* readBatches(file, cursor, signal, (line) => parseLineBytes(file, line, around, signal));
}

async function parseLineBytes(
  file: string,
  { bytes, start }: RawLine,
  around: ClaudeContext,
  signal: AbortSignal | undefined,
): Promise<UnderstoodLine> {
  const known = matchNoise(bytes);
  if (known) return known;
  const leaves = new Set<string>();
  for (const { leafUuid } of bytes.includes('"leafUuid"') ? parseRecords(bytes) : [])
    if (leafUuid && (await hasLine(file, leafUuid, start, signal))) leaves.add(leafUuid);
  return parseLineRecords(bytes, (value, isPart) => {
    const line = asRecord(value, isPart);
    return line
      ? parseLine(line, { ...around, speaksOfThis: leaves.has(line.leafUuid ?? "") })
      : skip("malformed");
  });
}

/** How much of a transcript is read for its identity. Bytes. */
const maxIdentityBytes = 4 * 1024 * 1024;

/** The identity of a transcript, and of its subagent, if any. */
interface TranscriptIdentity {
  info: TranscriptInfo;
  agentId: string | null;
}

/**
 * A transcript's identity, from its first line with both session and directory. A resumed session may begin with
 * another one's lines; then the file's name decides.
 * @returns null when no line has it (yet)
 */
async function readIdentity(file: string, signal?: AbortSignal): Promise<TranscriptIdentity | null> {
  let first: ClaudeLine | null = null;
  let startedAt: number | null = null;
  for await (const record of readFirstRecords(file, { bytes: maxIdentityBytes, signal })) {
    const line = asLine(record);
    if (line === null || !emptyToNull(line.sessionId)) continue;
    startedAt ??= parseTime(line.timestamp);
    if (!emptyToNull(line.cwd)) continue;
    if (basename(file).includes(line.sessionId!) || isSubagent(line))
      return buildIdentity(file, line, startedAt);
    first ??= line;
  }
  return first && buildIdentity(file, first, startedAt);
}

function isSubagent(line: ClaudeLine): boolean {
  return line.isSidechain === true && emptyToNull(line.agentId) !== null;
}

async function buildIdentity(
  file: string,
  line: ClaudeLine,
  startedAt: number | null,
): Promise<TranscriptIdentity> {
  const session = line.sessionId!;
  const cwd = line.cwd!;
  if (!isSubagent(line)) return { info: { session, parent: null, cwd, startedAt }, agentId: null };
  const meta = asMeta(await readJsonFile(locateMetaFile(file)));
  const parent = {
    session,
    toolUse: emptyToNull(meta?.toolUseId),
    agentType: emptyToNull(meta?.agentType),
    task: emptyToNull(meta?.description)?.slice(0, 1000) ?? null,
  };
  return { info: { session: `${session}/${line.agentId}`, parent, cwd, startedAt }, agentId: line.agentId! };
}

/** What is known of a subagent besides its transcript. */
const locateMetaFile = (file: string): string => file.replace(/\.jsonl$/, ".meta.json");

/** Whether a transcript contains a line with this uuid before `end`. */
async function hasLine(file: string, uuid: string, end: number, signal?: AbortSignal): Promise<boolean> {
  if (end === 0 || !/^[\w-]{1,64}$/.test(uuid)) return false;
  const wanted = `"uuid":"${uuid}"`;
  for await (const { lines } of readLines(file, null, { end, signal })) {
    if (lines.some(({ bytes }) => bytes.includes(wanted))) return true;
  }
  return false;
}

/** Where Claude Code keeps its transcripts. */
function locateRoots(env: NodeJS.ProcessEnv = process.env): string[] {
  return [resolve(locateClaudeHome(env), "projects")];
}

/** Folder of long tool outputs; never contains transcripts. */
const toolResults = "tool-results";

function isTranscript(path: string): boolean {
  return path.endsWith(".jsonl") && !path.split(sep).includes(toolResults);
}

/** Each launch directory has a folder in `projects`. */
function findLaunchFolder(path: string): string | null {
  const directory = dirname(path);
  return basename(dirname(directory)) === "projects" ? directory : null;
}

/** Every `.jsonl` under a directory, or the one file that `path` is, in order of path. */
function list(path: string) {
  return listFiles(path, { isWanted: isTranscript, without: new Set([toolResults]) });
}

/** The directory of a longer path is cut, with a hash at its end. */
const longestPlace = 200;

/**
 * `<projects>/<place>/memory/*.md`. Paths that differ only in special characters share a place, so its transcripts must
 * be of this project alone.
 */
async function listMemoryFiles(root: string, env: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const real = await realpath(root).catch(() => root);
  const place = real.replace(/[^A-Za-z0-9]/g, "-");
  const [projects] = locateRoots(env);
  if (projects === undefined || place.length > longestPlace) return [];
  const dir = join(projects, place);
  const entries = await readdir(join(dir, "memory"), { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".md"));
  if (files.length === 0 || !(await lstat(join(dir, "memory"))).isDirectory()) return [];
  for (const name of await readdir(dir)) {
    const info = name.endsWith(".jsonl") ? await describeTranscript(join(dir, name)) : null;
    if (info === null) continue;
    const isOurs = [root, real].some((own) => info.cwd === own || info.cwd.startsWith(own + sep));
    if (!isOurs) return [];
  }
  return files.map(({ name }) => join(dir, "memory", name)).sort();
}
