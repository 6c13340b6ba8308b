import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { showSession } from "../../features/sessions/operation.ts";
import { findCommitHashes } from "../../git/history/history.ts";

/** A commit or a session that a text names. */
interface NamedThing {
  /** Offset in the text, from 0. */
  start: number;
  end: number;
  kind: "commit" | "session";
  /** The full hash or id. */
  id: string;
}

/** Hashes as git abbreviates them. Digits alone are a number. */
const hashes = /(?<![\w-])(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])/g;
const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const maxCounts = { commits: 200, sessions: 5 } as const;

/** The commits and sessions that a text names, if the project knows them: other hashes and ids are left out. */
export async function findNamedThings(text: string, project: Project): Promise<NamedThing[]> {
  const words = [...text.matchAll(hashes)].slice(0, maxCounts.commits);
  const ids = [...text.matchAll(uuids)].slice(0, maxCounts.sessions);
  const [commits, sessions] = await Promise.all([
    words.length === 0
      ? new Map()
      : findCommitHashes(project.root, [...new Set(words.map(([word]) => word))]),
    findSessionIds([...new Set(ids.map(([id]) => id))], project),
  ]);
  const place = (kind: NamedThing["kind"], { 0: word, index }: RegExpExecArray, id = word): NamedThing => {
    return { start: index, end: index + word.length, kind, id };
  };
  return [
    ...words.flatMap((match) => {
      const hash = commits.get(match[0]);
      return hash === undefined ? [] : [place("commit", match, hash)];
    }),
    ...ids.filter(([id]) => sessions.has(id)).map((match) => place("session", match)),
  ];
}

async function findSessionIds(ids: readonly string[], project: Project): Promise<Set<string>> {
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return (await call(showSession, { id }, project)).session.id === id ? [id] : [];
      } catch (error) {
        if (error instanceof PommelError) return [];
        throw error;
      }
    }),
  );
  return new Set(found.flat());
}
