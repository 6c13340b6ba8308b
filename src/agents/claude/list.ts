import { basename, dirname, resolve, sep } from "node:path";
import { listFiles } from "../reading/list-files.ts";
import { claudeHome } from "./home.ts";

/** Where Claude Code keeps its transcripts. */
export function roots(env: NodeJS.ProcessEnv = process.env): string[] {
  return [resolve(claudeHome(env), "projects")];
}

/** Outputs of tools that are too long for the transcript; nothing else may be there. */
const toolResults = "tool-results";

export function isTranscript(path: string): boolean {
  return path.endsWith(".jsonl") && !path.split(sep).includes(toolResults);
}

/** A client's transcripts of one place lie in a folder of `projects`. */
export function directoryOf(path: string): string | null {
  const directory = dirname(path);
  return basename(dirname(directory)) === "projects" ? directory : null;
}

/** Every `.jsonl` under a directory, or the one file that `path` is, in order of path. */
export function list(path: string) {
  return listFiles(path, { isWanted: isTranscript, without: new Set([toolResults]) });
}
