import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, parse, resolve, sep } from "node:path";
import * as z from "zod/mini";
import { emptyToNull, makeLenientParser, readObjectFile, text } from "../../reading/json.ts";

/**
 * Where Cursor's command line, and newer editors beside their database, write what was said:
 * `~/.cursor/projects/<place>/agent-transcripts/<chat>/<chat>.jsonl`, and `<chat>/subagents/<agent>.jsonl`.
 */

const folder = "agent-transcripts";

export const locateProjectsDirectory = (env: NodeJS.ProcessEnv) =>
  resolve(join(env.HOME || homedir(), ".cursor", "projects"));

interface TranscriptPlace {
  /** `~/.cursor`, wherever it is. */
  home: string;
  /** The project's directory, with dashes for all that is no letter or digit. */
  slug: string;
  chat: string;
  subagent: string | null;
}

/** What a transcript's path says; null for other paths. */
export function parseTranscriptPath(path: string): TranscriptPlace | null {
  if (!path.endsWith(".jsonl")) return null;
  const parts = resolve(path).split(sep);
  const at = parts.lastIndexOf(folder);
  const name = basename(path, ".jsonl");
  const below = parts.slice(at + 1, -1);
  const isChat = below.length === 0 || (below.length === 1 && below[0] === name);
  const isSubagent = below.length === 2 && below[1] === "subagents";
  if (at < 3 || !(isChat || isSubagent) || !/^[\w-]{1,100}$/.test(name)) return null;
  const home = parts.slice(0, at - 2).join(sep);
  const subagent = isSubagent ? name : null;
  return { home, slug: parts[at - 1]!, chat: isSubagent ? below[0]! : name, subagent };
}

/** The project's directory: as the command line wrote it down, else the only one on this machine with such a slug. */
export function findProjectDirectory({ home, slug, chat }: TranscriptPlace): string | null {
  const noted = findNotedDirectory(join(home, "chats"), chat);
  if (noted !== null) return noted;
  const before = directories.get(slug);
  if (before !== undefined) return before;
  const [found, ...more] = listMatchingDirectories(parse(resolve(home)).root, slugify(slug));
  if (found === undefined || more.length > 0) return null;
  directories.set(slug, found);
  return found;
}

/** Found by their slug. */
const directories = new Map<string, string>();

const asMeta = makeLenientParser(z.object({ cwd: text }));

/** `chats/<hash>/<chat>/meta.json` */
function findNotedDirectory(chats: string, chat: string): string | null {
  for (const name of listDirectoryNames(chats)) {
    const cwd = emptyToNull(asMeta(readObjectFile(join(chats, name, chat, "meta.json")))?.cwd);
    if (cwd !== null) return cwd;
  }
  return null;
}

const slugify = (name: string) => name.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");

function listMatchingDirectories(dir: string, rest: string): string[] {
  return listDirectoryNames(dir).flatMap((name) => {
    const own = slugify(name);
    if (own === "") return [];
    if (own === rest) return [join(dir, name)];
    return rest.startsWith(`${own}-`)
      ? listMatchingDirectories(join(dir, name), rest.slice(own.length + 1))
      : [];
  });
}

/** The directories in a directory. */
function listDirectoryNames(dir: string): string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
