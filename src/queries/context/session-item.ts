import type { CommitOfResult } from "../../search/sessions/types.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { turnOf } from "../../store/memory/sessions/turns.ts";
import { beginningOf } from "../../text/text-size.ts";
import { briefOf } from "../sessions/brief.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, placeOf } from "./source.ts";

const namedFiles = 2;
/** Characters. */
const longest = { title: 80, asked: 80, outcome: 110, open: 110, subject: 48 } as const;

/** The files that are named of a session: those that it changed most. */
export const filesNamedOf = (memory: Memory, session: SessionRecord, until: number | null = null) =>
  briefOf(memory, session, until).files.slice(0, namedFiles);

/** What is said of a session besides its title. */
interface Wanted {
  kind: string;
  why: string;
  /** The turn that matters; left out: the whole session, with what it left open. */
  turn?: number;
  commits?: readonly CommitOfResult[];
}

/** A session as automatic context: what it was about, what came of it, its commit, and where to read on. */
export function sessionToTell(
  { memory, until }: ContextSource,
  session: SessionRecord,
  { kind, why, turn = 0, commits }: Wanted,
): Injection | null {
  const { asked, outcome, open, state, files, commits: ledTo } = briefOf(memory, session, until);
  const title = session.title ?? asked;
  if (title === "") return null;
  const [commit] =
    commits ?? ledTo.map(({ hash, subject }) => ({ commit: hash, subject, reverted_by: null }));
  // The title is about how it began.
  const askedThere = turn > 1 ? (turnOf(memory, session.id, turn)?.prompt ?? "") : "";
  const parts = [
    sentence(beginningOf(title, longest.title)),
    part("Asked there", askedThere, longest.asked),
    part("Outcome", outcome, longest.outcome),
    turn === 0 ? part("Left open", open, longest.open) : "",
    turn > 0 || state === null || state === "completed" ? "" : `Its last turn was ${states[state]}.`,
    commit === undefined ? "" : formatCommit(commit),
    files.length === 0 ? "" : `Changed ${files.slice(0, namedFiles).join(", ")}.`,
  ];
  return {
    ref: `session:${session.uid}`,
    kind,
    quote: parts.filter((one) => one !== "").join(" "),
    place: placeOf({
      ...{ session: session.uid, author: session.author, at: session.lastAt, branch: session.branch },
      turn: turn === 0 ? null : turn,
    }),
    why,
    score: null,
  };
}

const states = {
  interrupted: "interrupted",
  error: "ended by an error",
  unfinished: "not finished",
} as const;

const sentence = (text: string) => (/[.!?…:]$/.test(text) ? text : `${text}.`);

const part = (name: string, text: string, max: number) =>
  text.trim() === "" ? "" : `${name}: ${sentence(beginningOf(text.replace(/\s+/g, " ").trim(), max))}`;

function formatCommit({
  commit,
  subject,
  reverted_by,
}: Pick<CommitOfResult, "commit" | "subject" | "reverted_by">) {
  const fate = reverted_by === null ? "" : `, reverted by ${reverted_by.slice(0, 8)}`;
  return `Commit ${commit.slice(0, 8)} "${beginningOf(subject, longest.subject)}"${fate}.`;
}
