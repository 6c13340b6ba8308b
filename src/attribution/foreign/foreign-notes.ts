import { agentNames } from "../../agents/profiles.ts";
import { findPlaceInRepository } from "../../git/diff/changes.ts";
import { GitFailure, readGitText } from "../../git/git.ts";
import { type ReadObjects, withObjects } from "../../git/objects.ts";
import { RepositoryCache } from "../../git/repository-cache.ts";
import { isValidAs } from "../../protocol/outside.ts";
import { entireRefs, readEntireSessions, stripDayPrefix } from "./entire.ts";
import { gitAiRef, parseAuthorshipLog } from "./git-ai.ts";
import { type CommitMessageFacts, readMessage } from "./trailers.ts";
import type { ForeignLines, ForeignNotes } from "./types.ts";

const maxBytes = 5_000_000;
const refPatterns = [...entireRefs, gitAiRef];

/** Of commits that git has; also that there is nothing. */
const notesByCommit = new RepositoryCache<ForeignNotes>({ max: 5000, refs: refPatterns });
const knownRefs = new RepositoryCache<string[]>({ max: 100, refs: refPatterns });

/**
 * What other tools wrote about commits: `Entire-Checkpoint:` trailers with the sessions that Entire's own branch names,
 * notes of Git AI, and agents named as co-authors. Where git has none of it, or cannot be read, there is nothing.
 * @param dir a directory of a working tree: paths are relative to it, files outside of it are left out
 * @param hashes whole hashes of commits
 * @returns those of which something was found, by hash
 */
export async function readForeignNotes(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ForeignNotes>> {
  const asked = hashes.filter((hash) => isValidAs("commit", hash));
  try {
    const notes = await notesByCommit.getOrAskEach(dir, asked, (missing) => readNotes(dir, missing, signal));
    const isAny = ({ sessions, tools, lines }: ForeignNotes) =>
      sessions.length + tools.length + lines.length > 0;
    return new Map([...notes].filter(([, one]) => isAny(one)));
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return new Map();
  }
}

function readNotes(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ForeignNotes>> {
  return withObjects(dir, { maxBytes, signal }, async (read) => {
    const [commits, refs] = await Promise.all([read(hashes), listForeignRefs(dir, signal)]);
    const claims = new Map([...commits].map(([hash, bytes]) => [hash, readMessage(bytes.toString())]));
    const checkpoints = [...claims.values()].flatMap(({ entireCheckpoints }) => entireCheckpoints);
    const branches = refs.filter((ref) => !ref.startsWith("refs/notes/"));
    const sessions = await readEntireSessions(read, branches, checkpoints);
    const hasNotes = branches.length < refs.length;
    const lines = hasNotes
      ? await readGitAiLines(dir, read, hashes, signal)
      : new Map<string, ForeignLines[]>();
    return new Map(
      [...claims].map(([hash, one]) => [hash, mergeForeignNotes(one, sessions, lines.get(hash) ?? [])]),
    );
  });
}

/** The whole names of the refs that other tools write and that there are. */
function listForeignRefs(dir: string, signal?: AbortSignal): Promise<string[]> {
  return knownRefs.getOrAsk(dir, "", async () => {
    const patterns = refPatterns.map((pattern) => `refs/${pattern}`);
    const refs = await readGitText(dir, ["for-each-ref", "--format=%(refname)", ...patterns], signal);
    return refs.split("\n").filter((ref) => ref !== "");
  });
}

async function readGitAiLines(
  dir: string,
  read: ReadObjects,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ForeignLines[]>> {
  // A notes tree with many notes has them in folders by the first digits, up to any depth; git makes one or two.
  const listNoteObjectNames = (hash: string) =>
    [
      hash,
      `${hash.slice(0, 2)}/${hash.slice(2)}`,
      `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash.slice(4)}`,
    ].map((path) => `refs/${gitAiRef}:${path}`);
  const notes = await read(hashes.flatMap(listNoteObjectNames));
  const { prefix } = await findPlaceInRepository(dir, signal);
  const lines = new Map<string, ForeignLines[]>();
  for (const hash of hashes) {
    const name = listNoteObjectNames(hash).find((one) => notes.has(one));
    if (name === undefined) continue;
    const inside = parseAuthorshipLog(notes.get(name)!.toString())
      .filter(({ path }) => path.startsWith(prefix))
      .map((range) => ({ ...range, path: range.path.slice(prefix.length) }));
    lines.set(hash, inside);
  }
  return lines;
}

function mergeForeignNotes(
  claims: CommitMessageFacts,
  entire: Awaited<ReturnType<typeof readEntireSessions>>,
  lines: readonly ForeignLines[],
): ForeignNotes {
  const named = claims.entireCheckpoints.flatMap((id) => entire.get(id) ?? []);
  const sessions = [
    ...named.map(({ session }) => session),
    ...claims.entireSessions.map(stripDayPrefix),
    ...lines.flatMap(({ session }) => session ?? []),
  ];
  const tools = [
    ...claims.coAuthors.map(({ tool }) => tool),
    ...named.flatMap(({ agent }) => agent ?? []),
    ...lines.map(({ tool }) => tool),
  ].map(normalizeToolName);
  return {
    sessions: [...new Set(sessions)],
    tools: [...new Set(tools)].filter((tool) => tool !== ""),
    coAuthors: claims.coAuthors,
    lines: [...lines],
  };
}

/** "Claude Code" and "claude" as one. What Entire calls just "Agent" is no tool's name. */
function normalizeToolName(name: string): string {
  const plain = name.toLowerCase();
  if (plain === "agent") return "";
  return agentNames.find((name) => plain.startsWith(name)) ?? plain;
}
