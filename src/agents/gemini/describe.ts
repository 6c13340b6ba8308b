import { createHash } from "node:crypto";
import { open, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { TranscriptInfo } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import {
  asObject,
  emptyToNull,
  isWholeJson,
  parseEach,
  parseJsonLine,
  parseRecordsOnLine,
  parseTime,
} from "../reading/json.ts";
import { readLines } from "../reading/read-lines.ts";
import { parseUserMessage } from "./message-text.ts";
import { asCall, asRecord, type ChatRecord } from "./record-schema.ts";

/** A chat's identity; null when it is missing (yet), or the launch directory is unknown. */
export async function readIdentity(file: string, signal?: AbortSignal): Promise<TranscriptInfo | null> {
  const head = await readHead(file, signal);
  const cwd = head && (await findLaunchDirectory(file, head));
  if (!head || cwd === null) return null;
  const { sessionId, startTime, kind } = head.metadata;
  const session = sessionId!;
  const startedAt = parseTime(startTime);
  const above = kind === "subagent" ? findParentSession(file) : null;
  if (above === null) return { session, parent: null, cwd, startedAt };
  const call = await findStartingCall(file, above, session, signal);
  const parent = {
    session: above,
    toolUse: call.id,
    agentType: call.agentType,
    task: findTask(head) ?? call.task,
  };
  return { session: `${above}/${session}`, parent, cwd, startedAt };
}

/** `chats/<session>/<agent>.jsonl`; for copied chats, the folder's name may be the only trace. */
function findParentSession(file: string): string | null {
  const folder = dirname(file);
  const name = basename(folder);
  return basename(dirname(folder)) === "chats" || /^[0-9a-f-]{36}$/.test(name) ? name : null;
}

const maxTaskLength = 1000;

/** A subagent's first prompt. */
function findTask({ text }: Head): string | null {
  for (const line of text.split("\n")) {
    for (const record of parseEach(asRecord, parseRecordsOnLine(Buffer.from(line)).records)) {
      const prompt =
        record.type === "user" ? parseUserMessage(record).find(({ kind }) => kind === "prompt") : undefined;
      if (prompt?.kind === "prompt") return prompt.text.slice(0, maxTaskLength);
    }
  }
  return null;
}

interface StartedBy {
  id: string | null;
  agentType: string | null;
  task: string | null;
}

/** The call that started a subagent, from its session's chat, where it appears once the subagent is done. */
async function findStartingCall(
  file: string,
  session: string,
  agent: string,
  signal?: AbortSignal,
): Promise<StartedBy> {
  const unknownAgent = { id: null, agentType: null, task: null };
  const chats = dirname(dirname(file));
  const names = await readdir(chats).catch(() => []);
  const needle = `"agentId":${JSON.stringify(agent)}`;
  for (const name of names.filter((each) => each.endsWith(`-${session.slice(0, 8)}.jsonl`))) {
    try {
      for await (const { lines } of readLines(join(chats, name), null, { isWhole: isWholeJson, signal })) {
        for (const { bytes } of lines) {
          const records = bytes.includes(needle)
            ? parseEach(asRecord, parseRecordsOnLine(bytes).records)
            : [];
          const calls = records.flatMap(({ toolCalls }) => parseEach(asCall, toolCalls));
          const call = calls.find(({ agentId }) => agentId === agent);
          if (!call) continue;
          const args = asObject(call.args);
          return {
            id: emptyToNull(call.id),
            agentType: shortenTask(args.agent_name),
            task: shortenTask(args.prompt),
          };
        }
      }
    } catch {
      signal?.throwIfAborted();
      // The client may have deleted that chat; the subagent's own is enough.
    }
  }
  return unknownAgent;
}

const shortenTask = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, maxTaskLength) : null;

/** `tmp/<place>/chats/<session>/<agent>.jsonl`, and `projects.json` beside `tmp`. */
const maxLevels = 5;

/** The files above a chat that may name its launch directory. */
export const listPlaceFiles = (file: string): string[] =>
  listAncestors(dirname(file))
    .slice(0, maxLevels)
    .flatMap((dir) => [join(dir, ".project_root"), join(dir, "projects.json")]);

/** Maximum number of candidate paths to try. */
const maxPaths = 500;

/**
 * The launch directory. It is in no record, but beside the chats; where that is missing (up to 0.20, or copied chats),
 * candidate paths are compared with the chat's hash of it: known launch directories, the current one, and paths in the
 * chat.
 * @returns null when unknown
 */
async function findLaunchDirectory(file: string, { metadata, text }: Head): Promise<string | null> {
  const above = listAncestors(dirname(file)).slice(0, maxLevels);
  for (const dir of above) {
    const root = (await readTextFile(join(dir, ".project_root")))?.trim();
    if (root) return root;
  }
  const hash = emptyToNull(metadata.projectHash);
  const directories = Array.isArray(metadata.directories) ? metadata.directories.filter(isPath) : [];
  for (const dir of above) {
    const projects = await readProjects(join(dir, "projects.json"));
    const found = projects.find(([path, slug]) =>
      hash === null ? isNamed(slug, above) : hashPath(path) === hash,
    );
    if (found) return found[0];
  }
  const others = hash === null ? [] : [...directories, process.cwd(), ...listPaths(text)];
  return others.flatMap(listAncestors).find((path) => hashPath(path) === hash) ?? directories[0] ?? null;
}

const isNamed = (slug: unknown, above: readonly string[]) => above.some((dir) => basename(dir) === slug);
const isPath = (value: unknown): value is string => typeof value === "string" && value !== "";
const hashPath = (path: string) => createHash("sha256").update(path).digest("hex");

/** A directory and those above it. */
function listAncestors(path: string): string[] {
  const all = [path];
  for (let dir = dirname(path); dir !== all.at(-1); dir = dirname(dir)) all.push(dir);
  return all;
}

/** Distinct absolute paths in JSON text. */
function listPaths(text: string): string[] {
  const found = new Set<string>();
  for (const [path] of text.matchAll(/\/[^\s"'`\\<>:,;()*?]{2,1000}/g)) {
    found.add(path);
    if (found.size >= maxPaths) break;
  }
  return [...found];
}

/** Known launch directories, with their names under `tmp`. */
async function readProjects(file: string): Promise<[string, unknown][]> {
  const content = await readTextFile(file);
  const projects = content === null ? null : parseJsonLine(Buffer.from(content))?.projects;
  return typeof projects === "object" && projects !== null ? Object.entries(projects) : [];
}

async function readTextFile(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}

/** How much of a chat is read for its identity. Bytes. */
const maxIdentityBytes = 1024 * 1024;

export interface Head {
  /** The first metadata record. */
  metadata: ChatRecord;
  /** The first messages, unparsed. */
  text: string;
}

/** Whether a chat is a single object, rewritten for every message. */
export function isOneObject(path: string): boolean {
  return /^session-.*\.json$/.test(basename(path));
}

/** Whether a record identifies the file's session. */
export function isMetadata(record: ChatRecord): boolean {
  // Other agents' lines also have a session.
  const isOurs = emptyToNull(record.projectHash) !== null || emptyToNull(record.kind) !== null;
  return emptyToNull(record.sessionId) !== null && emptyToNull(record.type) === null && isOurs;
}

/** The beginning of a chat; null when its identity is missing (yet). */
export async function readHead(file: string, signal?: AbortSignal): Promise<Head | null> {
  return isOneObject(file) ? readHeadFromObject(file) : readHeadFromLines(file, signal);
}

async function readHeadFromLines(file: string, signal?: AbortSignal): Promise<Head | null> {
  let metadata: ChatRecord | null = null;
  let text = "";
  const options = {
    batch: 64 * 1024,
    longest: maxIdentityBytes,
    end: maxIdentityBytes,
    isWhole: isWholeJson,
    signal,
  };
  for await (const { lines } of readLines(file, null, options)) {
    for (const { bytes } of lines) {
      metadata ??= parseEach(asRecord, parseRecordsOnLine(bytes).records).find(isMetadata) ?? null;
      if (metadata) text += `${bytes.toString("utf8")}\n`;
    }
    if (metadata) return { metadata, text };
  }
  return null;
}

/** For an old chat, one object: the part before its messages, or all of it if that is empty. */
async function readHeadFromObject(file: string): Promise<Head | null> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(maxIdentityBytes, size)),
      0,
      null,
      0,
    );
    const text = buffer.toString("utf8", 0, bytesRead);
    const at = text.indexOf('"messages"');
    const before =
      at === -1 ? null : parseJsonLine(Buffer.from(`${text.slice(0, at).replace(/,\s*$/, "")}}`));
    const metadata = asRecord(before ?? (size <= bounds.line ? parseJsonLine(await readFile(file)) : null));
    return metadata && isMetadata(metadata) ? { metadata, text } : null;
  } finally {
    await handle.close();
  }
}
