import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { Question } from "./import.ts";

/**
 * Questions that nobody wrote for this, mined from the sessions themselves. No weight has seen them:
 *   commit  a commit's subject -> the sessions that led to it, where none of them holds it
 *   title   a title that the agent gave -> its session, of which titles do not count
 *   files   a session's first prompt -> the earlier sessions that changed the same files
 */
type Kind = "commit" | "title" | "files";
type Mined = Omit<Question, "id" | "evidence"> & { category: Kind };

const manifest = z.array(
  z.object({ session_id: z.string(), commits: z.array(z.object({ subject: z.string() })) }),
);

/** Subjects with fewer words, or that begin so, say nothing of their commit. */
const fewestWords = 4;
const saysNothing = /^(?:merge|wip|revert|bump|lint|format|typo|update)\b/i;
/** So much of a subject in a session means that the agent wrote it there. Characters. */
const tellingLength = 40;
/** A first prompt that is longer is a plan or a paste; a shorter one says nothing. Characters. */
const [shortest, longest] = [40, 400];
/** Files that more sessions than this share changed make no two sessions alike. */
const oftenChanged = 0.1;
/** A session did the same work when it changed so much of the other's files. */
const alike = 0.5;

/** @param manifestFile [{session_id: file name without .jsonl, commits: [{subject}]}] */
export function mineQuestions(
  memory: Memory,
  sessions: ReadonlyMap<string, number>,
  manifestFile: string,
): Question[] {
  return [
    ...commitQuestions(memory, sessions, manifestFile),
    ...titleQuestions(memory, sessions),
    ...fileQuestions(memory, sessions),
  ].map((question, i) => ({ ...question, evidence: [], id: `${question.category}${i}` }));
}

function commitQuestions(
  memory: Memory,
  sessions: ReadonlyMap<string, number>,
  manifestFile: string,
): Mined[] {
  const texts = memory.prepare("SELECT lower(group_concat(text, char(10))) FROM chunks WHERE session_id = ?");
  const ofSubject = new Map<string, string[]>();
  for (const { session_id, commits } of z.parse(manifest, JSON.parse(readFileSync(manifestFile, "utf8")))) {
    for (const { subject } of commits)
      ofSubject.set(subject, [...(ofSubject.get(subject) ?? []), session_id]);
  }
  return [...ofSubject].flatMap(([subject, names]): Mined[] => {
    const known = names.filter((name) => sessions.has(name));
    const isHeld = known.some((name) => {
      const text = (texts.pluck().get(sessions.get(name)) as string | null) ?? "";
      return text.includes(subject.toLowerCase().slice(0, tellingLength));
    });
    const isUsable = subject.split(/\s+/).length >= fewestWords && !saysNothing.test(subject);
    if (known.length === 0 || isHeld || !isUsable) return [];
    return [{ category: "commit", question: subject, relevant_sessions: known }];
  });
}

function titleQuestions(memory: Memory, sessions: ReadonlyMap<string, number>): Mined[] {
  const titleOf = memory
    .prepare("SELECT title FROM sessions WHERE id = ? AND title_source = 'agent'")
    .pluck();
  return [...sessions].flatMap(([name, id]): Mined[] => {
    const title = titleOf.get(id) as string | undefined;
    return title === undefined ? [] : [{ category: "title", question: title, relevant_sessions: [name] }];
  });
}

interface Work {
  name: string;
  startedAt: number;
  prompt: string;
  files: ReadonlySet<string>;
}

function fileQuestions(memory: Memory, sessions: ReadonlyMap<string, number>): Mined[] {
  const nameOf = new Map([...sessions].map(([name, id]) => [id, name]));
  const rows = memory
    .prepare(
      `SELECT s.id, s.started_at AS startedAt,
         (SELECT prompt FROM turns WHERE session_id = s.id AND number = 1) AS prompt,
         (SELECT json_group_array(DISTINCT f.path) FROM turn_files f JOIN turns t ON t.id = f.turn_id
          WHERE t.session_id = s.id AND f.how <> 'read') AS files
       FROM sessions s WHERE s.started_at IS NOT NULL ORDER BY s.started_at`,
    )
    .all() as { id: number; startedAt: number; prompt: string | null; files: string }[];
  const all = rows.flatMap(({ id, startedAt, prompt, files }): Work[] => {
    const name = nameOf.get(id);
    return name === undefined
      ? []
      : [{ name, startedAt, prompt: prompt ?? "", files: new Set(JSON.parse(files) as string[]) }];
  });
  const changed = new Map<string, number>();
  for (const { files } of all) for (const file of files) changed.set(file, (changed.get(file) ?? 0) + 1);
  const isTelling = (file: string) => changed.get(file)! <= oftenChanged * all.length;
  return all.flatMap(({ startedAt, prompt, files }): Mined[] => {
    const own = [...files].filter(isTelling);
    if (own.length === 0 || prompt.length < shortest || prompt.length > longest) return [];
    const earlier = all.filter(
      (other) =>
        other.startedAt < startedAt &&
        own.filter((file) => other.files.has(file)).length >= alike * own.length,
    );
    if (earlier.length === 0) return [];
    return [
      {
        category: "files",
        question: prompt,
        relevant_sessions: earlier.map(({ name }) => name),
        until: startedAt - 1,
      },
    ];
  });
}
