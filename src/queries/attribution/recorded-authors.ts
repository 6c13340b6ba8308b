import { gitAiRef, readAuthorshipLog } from "../../attribution/foreign/git-ai.ts";
import type { AttributedLines } from "../../attribution/foreign/types.ts";
import { placeOf } from "../../git/diff/changes.ts";
import { gitText } from "../../git/git.ts";
import { notesIn } from "../../git/notes.ts";
import { type ReadObjects, withObjects } from "../../git/objects.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Project } from "../../project/paths.ts";
import { attributionsOf } from "../../store/memory/commits/attributions.ts";
import { commitByHash } from "../../store/memory/commits/commits.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { pathOf } from "../../sync/branch/manifest.ts";
import { decode } from "../../sync/branch/shared-file.ts";
import { remoteRef } from "../../sync/remote.ts";
import { withMemoryIfAny } from "../open.ts";

/** Larger files and notes are left out. Bytes. */
const maxBytes = 5_000_000;

type Found = Map<string, AttributedLines[]>;

/**
 * Who wrote the lines of commits, from all there is without a daemon: this memory, the branch of the shared memory if it is
 * not encrypted, notes of Git AI. The first one counts that knows an author of any line. Paths are from the top of the repository.
 * @param project initialised or not
 */
export async function recordedAuthors(
  project: Project,
  top: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Found> {
  const { prefix } = await placeOf(project.root, signal);
  const sources: Found[] = [await fromMemory(project, prefix, hashes)];
  await withObjects(top, { maxBytes, type: "blob", signal }, async (read) => {
    const branch = loadConfig(project).config["sync.branch"];
    sources.push(await fromBranch(read, await refsOf(top, branch, signal), prefix, hashes));
    sources.push(await fromNotes(read, top, hashes));
  });
  const commits: Found = new Map();
  for (const hash of hashes) {
    const known = sources
      .map((found) => found.get(hash) ?? [])
      .find((lines) => lines.some(({ author }) => author !== "unknown"));
    if (known !== undefined) commits.set(hash, known);
  }
  return commits;
}

const inRange = (
  prefix: string,
  path: string,
  { first, last, author, session, model, tool_use }: SharedLines,
  tool: string | null,
): AttributedLines => ({
  ...{ path: prefix + path, first, last, author, session, model, tool },
  ...{ call: tool_use, person: null },
});

/** A range as the shared memory and ours have it. */
interface SharedLines extends Pick<AttributedLines, "first" | "last" | "author" | "session" | "model"> {
  tool_use: string | null;
}

function fromMemory(project: Project, prefix: string, hashes: readonly string[]): Promise<Found> {
  return withMemoryIfAny(project, (memory) => {
    const found: Found = new Map();
    for (const hash of memory === null ? [] : hashes) {
      const commit = commitByHash(memory!, hash);
      if (commit === null) continue;
      const lines = attributionsOf(memory!, commit.id).map(({ path, sessionUid, toolUse, ...range }) =>
        inRange(
          prefix,
          path,
          { ...range, first: range.firstLine, last: range.lastLine, session: sessionUid, tool_use: toolUse },
          sessionUid === null ? null : (sessionByUid(memory!, sessionUid)?.agent ?? null),
        ),
      );
      found.set(hash, lines);
    }
    return found;
  });
}

/** Every ref that may be the shared memory: ours, and what was fetched of others'. */
async function refsOf(top: string, branch: string, signal?: AbortSignal): Promise<string[]> {
  const patterns = [remoteRef, `refs/remotes/*/${branch}`, `refs/heads/${branch}`];
  const refs = await gitText(top, ["for-each-ref", "--format=%(refname)", ...patterns], signal);
  return refs.split("\n").filter((ref) => ref !== "");
}

async function fromBranch(
  read: ReadObjects,
  refs: readonly string[],
  prefix: string,
  hashes: readonly string[],
): Promise<Found> {
  const found: Found = new Map();
  for (const ref of refs) {
    const missing = hashes.filter((hash) => !found.has(hash));
    const nameOf = (id: string) => `${ref}:${pathOf({ kind: "attribution", id, part: "whole" })}`;
    const files = await read(missing.map(nameOf));
    const records = missing.flatMap((hash) => {
      const text = files.get(nameOf(hash))?.toString();
      const record = text === undefined ? null : decode("attribution", text).record;
      return record?.commit.hash === hash ? [record] : [];
    });
    const ranges = records.flatMap(({ files }) => Object.values(files).flat());
    const agents = await agentsOn(read, ref, [...new Set(ranges.flatMap(({ session }) => session ?? []))]);
    for (const { commit, files } of records) {
      const lines = Object.entries(files).flatMap(([path, ranges]) =>
        ranges.map((range) =>
          inRange(prefix, path, range, range.session === null ? null : (agents.get(range.session) ?? null)),
        ),
      );
      found.set(commit.hash, lines);
    }
  }
  return found;
}

/** The agents of sessions on the branch, by the session. */
async function agentsOn(
  read: ReadObjects,
  ref: string,
  uids: readonly string[],
): Promise<Map<string, string>> {
  const nameOf = (id: string) => `${ref}:${pathOf({ kind: "session", id, part: "meta" })}`;
  const files = await read(uids.map(nameOf));
  return new Map(
    uids.flatMap((uid): [string, string][] => {
      const text = files.get(nameOf(uid))?.toString();
      const record = text === undefined ? null : decode("meta", text).record;
      return record === null ? [] : [[uid, record.agent]];
    }),
  );
}

async function fromNotes(read: ReadObjects, top: string, hashes: readonly string[]): Promise<Found> {
  const notes = await notesIn(top, `refs/${gitAiRef}`);
  const asked = hashes.flatMap((hash) => notes.get(hash) ?? []);
  const texts = await read(asked);
  return new Map(
    hashes.flatMap((hash): [string, AttributedLines[]][] => {
      const text = texts.get(notes.get(hash) ?? "");
      return text === undefined ? [] : [[hash, readAuthorshipLog(text.toString())]];
    }),
  );
}
