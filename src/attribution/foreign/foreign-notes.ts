import { GitFailure, gitText } from "../../git/git.ts";
import { agentsOwnId, entireSessions } from "./entire.ts";
import { gitAiRef, parseAuthorshipLog } from "./git-ai.ts";
import { readObjects } from "./objects.ts";
import { readMessage, type SaidInMessage } from "./trailers.ts";
import { type ForeignLines, type ForeignNotes, noForeignNotes } from "./types.ts";

const mostBytes = { commit: 1_000_000, note: 5_000_000 } as const;

/**
 * What other tools wrote about commits: `Entire-Checkpoint:` trailers with the sessions that Entire's own branch names,
 * notes of Git AI, and agents named as co-authors. Where git has none of it, or cannot be read, there is nothing.
 * @param dir a directory of a working tree: paths are relative to it, files outside of it are left out
 * @param hashes whole hashes of commits
 * @returns those of which something was found, by hash
 */
export async function foreignNotesOf(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ForeignNotes>> {
  const asked = [...new Set(hashes)].filter((hash) => /^[0-9a-f]{40,64}$/.test(hash));
  const found = new Map<string, ForeignNotes>();
  if (asked.length === 0) return found;
  try {
    const said = await messagesOf(dir, asked, signal);
    const checkpoints = [...said.values()].flatMap(({ entireCheckpoints }) => entireCheckpoints);
    const sessions = await entireSessions(dir, checkpoints, signal);
    const lines = await linesOf(dir, asked, signal);
    for (const hash of asked) {
      const notes = together(said.get(hash), sessions, lines.get(hash) ?? []);
      if (notes.sessions.length + notes.tools.length + notes.lines.length > 0) found.set(hash, notes);
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
  return found;
}

async function messagesOf(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, SaidInMessage>> {
  const commits = await readObjects(dir, hashes, { mostBytes: mostBytes.commit, signal });
  return new Map([...commits].map(([hash, bytes]) => [hash, readMessage(bytes.toString())]));
}

async function linesOf(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ForeignLines[]>> {
  const refs = await gitText(dir, ["for-each-ref", "--format=%(refname)", gitAiRef], signal);
  if (refs === "") return new Map();
  // A notes tree with many notes has them in folders by the first digits, up to any depth; git makes one or two.
  const namesOf = (hash: string) => [
    `${gitAiRef}:${hash}`,
    `${gitAiRef}:${hash.slice(0, 2)}/${hash.slice(2)}`,
    `${gitAiRef}:${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash.slice(4)}`,
  ];
  const notes = await readObjects(dir, hashes.flatMap(namesOf), { mostBytes: mostBytes.note, signal });
  const prefix = await gitText(dir, ["rev-parse", "--show-prefix"], signal);
  const lines = new Map<string, ForeignLines[]>();
  for (const hash of hashes) {
    const name = namesOf(hash).find((one) => notes.has(one));
    if (name === undefined) continue;
    const inside = parseAuthorshipLog(notes.get(name)!.toString())
      .filter(({ path }) => path.startsWith(prefix))
      .map((range) => ({ ...range, path: range.path.slice(prefix.length) }));
    lines.set(hash, inside);
  }
  return lines;
}

function together(
  said: SaidInMessage | undefined,
  entire: Awaited<ReturnType<typeof entireSessions>>,
  lines: readonly ForeignLines[],
): ForeignNotes {
  if (said === undefined) return { ...noForeignNotes };
  const named = said.entireCheckpoints.flatMap((id) => entire.get(id) ?? []);
  const sessions = [
    ...named.map(({ session }) => session),
    ...said.entireSessions.map(agentsOwnId),
    ...lines.flatMap(({ session }) => session ?? []),
  ];
  const tools = [
    ...said.coAuthors.map(({ tool }) => tool),
    ...named.flatMap(({ agent }) => agent ?? []),
    ...lines.map(({ tool }) => tool),
  ].map(toolOf);
  return {
    sessions: [...new Set(sessions)],
    tools: [...new Set(tools)].filter((tool) => tool !== ""),
    coAuthors: said.coAuthors,
    lines: [...lines],
  };
}

/** "Claude Code" and "claude" as one. What Entire calls just "Agent" is no tool's name. */
function toolOf(name: string): string {
  const plain = name.toLowerCase();
  if (plain === "agent") return "";
  const known = ["claude", "copilot", "codex", "cursor", "gemini", "aider"];
  return known.find((tool) => plain.startsWith(tool)) ?? plain;
}
