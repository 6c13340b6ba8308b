import { dirname, join, resolve, sep } from "node:path";
import type { TranscriptFile } from "../agent.ts";
import { listFiles } from "../reading/list-files.ts";
import { headOf, isOneObject } from "./head.ts";
import { geminiHome } from "./home.ts";

/** Where Gemini CLI keeps its chats, a folder for each directory that it was launched in. */
export function roots(env: NodeJS.ProcessEnv = process.env): string[] {
  return [resolve(geminiHome(env), "tmp")];
}

/** Also one of clients up to 0.36, which is a single object; other `.json` files are no chats. */
export function isTranscript(path: string): boolean {
  return path.endsWith(".jsonl") || isOneObject(path);
}

const chats = "chats";

/** The folder of one place: `tmp/<place>/chats/...`. */
export function directoryOf(path: string): string | null {
  const parts = dirname(path).split(sep);
  const at = parts.lastIndexOf(chats);
  return at >= 2 && parts[at - 2] === "tmp" ? parts.slice(0, at).join(sep) : null;
}

/** Every chat under a directory, or the one that `path` is, with its subagents' before it, in order of path. */
export async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const start = resolve(path);
  for await (const file of listFiles(start, { isWanted: isTranscript })) {
    if (file.path === start) {
      const session = (await headOf(start).catch(() => null))?.metadata.sessionId;
      // An id, and nothing that leads elsewhere.
      if (session && /^[\w-]+$/.test(session))
        yield* listFiles(join(dirname(start), session), { isWanted: isTranscript });
    }
    yield file;
  }
}
