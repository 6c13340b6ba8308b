import { FileAges } from "../../search/sessions/fate/freshness.ts";
import { replacements } from "../../sessions/decisions/replaced.ts";
import { type SessionDecision, storedDecisions } from "../../sessions/decisions/stored.ts";
import { rejectionIn } from "../../sessions/notes/rejected.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AnnotationRecord } from "../../store/memory/memory-records.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { beginningOf } from "../../text/text-size.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, placeOf } from "./source.ts";

/** Notes and decisions as automatic context. */

/** What is said of a note: the user's own words carry more than a colleague's, and an agent's are nobody's. */
export const noteKind = ({ author, source }: Pick<AnnotationRecord, "author" | "source">) =>
  source === "agent" ? "Note by an agent" : author == null ? "User's note" : "A colleague's note";

export interface NotesWanted {
  since: number;
  /** Which sessions' notes; null is a note from a shell. */
  of: (session: string | null) => boolean;
  most: number;
}

/** Notes, the latest first. */
export function notesToTell({ memory, until }: ContextSource, { since, of, most }: NotesWanted): Injection[] {
  return listAnnotations(memory, { since, until })
    .filter(({ sessionUid }) => of(sessionUid))
    .filter(isCurrent(memory, until))
    .slice(0, most)
    .map((note) => noteToTell(memory, note, "a note"));
}

/** Whether no later note replaced one. */
export function isCurrent(
  memory: Memory,
  until: number | null,
): (note: Pick<AnnotationRecord, "note" | "at">) => boolean {
  const replacedBy = replacements(memory);
  return ({ note, at }) => !isKnown(replacedBy(note, at), until);
}

/** Whether a decision was superseded by then. */
export const isSuperseded = ({ supersededBy }: SessionDecision, until: number | null): boolean =>
  isKnown(supersededBy, until);

const isKnown = (later: { at: number | null } | null, until: number | null): boolean =>
  later !== null && (until === null || (later.at ?? 0) <= until);

export function noteToTell(memory: Memory, record: AnnotationRecord, why: string): Injection {
  const { uid, note, sessionUid, turn, at, branch, author = null } = record;
  const session = sessionUid === null ? null : sessionByUid(memory, sessionUid);
  const reason = rejectionIn(note);
  return {
    ref: `note:${uid}`,
    kind: noteKind(record),
    // A reason alone does not say what was rejected.
    quote: reason === null || !session?.title ? note : `Rejected “${session.title}”: ${reason}`,
    place: `${sessionUid === null ? "from a shell, " : ""}${placeOf({ session: sessionUid, turn, author, at, branch })}`,
    why,
    score: null,
  };
}

export interface DecisionsWanted {
  since: number | null;
  of: (session: string) => boolean;
  /** Only about these files, as stored; null: about anything. */
  files: readonly string[] | null;
  /** Only on this branch; null: on any. */
  branch: string | null;
  most: number;
  why: string;
}

/** Characters. */
const longestDecision = 200;

/** Current decisions of sessions, the latest first. */
export function decisionsToTell(source: ContextSource, wanted: DecisionsWanted): Injection[] {
  const { memory, root, until } = source;
  const ages = new FileAges(root);
  const known = (at: number | null) => until === null || (at ?? 0) <= until;
  return storedDecisions(memory)
    .filter((decision) => {
      const { sessionUid, at, files } = decision;
      if (!wanted.of(sessionUid) || !known(at) || (at ?? 0) < (wanted.since ?? 0)) return false;
      if (isSuperseded(decision, until)) return false;
      if (wanted.branch !== null && decision.branch !== wanted.branch) return false;
      return wanted.files === null || wanted.files.some((file) => files.includes(file));
    })
    .toReversed()
    .filter(({ files, endedAt }) => ages.freshnessOf(files, endedAt) !== "orphaned")
    .slice(0, wanted.most)
    .map(({ chunk, text, sessionUid, turn, author, at, branch }) => ({
      ref: `chunk:${chunk}`,
      kind: "Decided",
      quote: beginningOf(text, longestDecision),
      place: placeOf({
        ...{ session: sessionUid, turn, author, at },
        branch: branch === wanted.branch ? null : branch,
      }),
      why: wanted.why,
      score: null,
    }));
}
