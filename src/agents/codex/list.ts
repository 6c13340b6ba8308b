import { basename, dirname, join, resolve, sep } from "node:path";
import type { SealedTranscript, TranscriptFile } from "../agent.ts";
import { listFiles } from "../reading/list-files.ts";
import { codexHome } from "./hook-spec.ts";

/** Where sessions are while they go on, and where `codex archive` moves them. */
const folders = ["sessions", "archived_sessions"];

/** `rollout-<local time>-<thread id>.jsonl` */
const rollout = /^rollout-.*\.jsonl$/;
const compressed = /^rollout-.*\.jsonl\.zst$/;
const threadId = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl/;

/** Where Codex CLI keeps its transcripts, those of all projects and of subagents together, by day. */
export function roots(env: NodeJS.ProcessEnv = process.env): string[] {
  const home = resolve(codexHome(env));
  return folders.map((folder) => join(home, folder));
}

export function isTranscript(path: string): boolean {
  return rollout.test(basename(path));
}

/** The folder of all days, where the path leads through one. */
export function directoryOf(path: string): string | null {
  const parts = dirname(path).split(sep);
  const at = parts.findLastIndex((part) => folders.includes(part));
  return at === -1 ? null : parts.slice(0, at + 1).join(sep);
}

export function list(dir: string): AsyncGenerator<TranscriptFile, void, undefined> {
  return listFiles(dir, { isWanted: isTranscript });
}

/**
 * What a client with `local_thread_store_compression` has compressed, and not left beside as it was. The client itself
 * reads the plain file where both exist.
 */
export async function* listCompressed(dir: string): AsyncGenerator<SealedTranscript, void, undefined> {
  const isWanted = (path: string) => isTranscript(path) || compressed.test(basename(path));
  let plain = "";
  // In order of path, the plain file comes right before the compressed one.
  for await (const { path } of listFiles(dir, { isWanted })) {
    if (isTranscript(path)) plain = path;
    else if (path !== `${plain}.zst`) yield { path, session: threadId.exec(basename(path))?.[1] ?? null };
  }
}
