import type { CommitOfResult } from "../../search/sessions/types.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnOf, turnsOf } from "../../store/memory/sessions/turns.ts";
import { beginningOf } from "../../text/text-size.ts";
import { briefOf, changedIn } from "../handoff/brief.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, placeOf } from "./source.ts";

const most = { files: 2, filesOfBranch: 4, sessionsOfBranch: 5 } as const;
/** Characters. */
const longest = { title: 80, asked: 80, outcome: 110, open: 110, subject: 48 } as const;

/** As a reference, the state of the branch that a session was the last on. */
const ofBranch = ":branch";

/** The files that an item names: those that the session changed most, or the last sessions of its branch. */
export function filesNamedBy(memory: Memory, ref: string, until: number | null = null): string[] {
  const uid = ref.replace(/^session:/, "").replace(/:branch$/, "");
  const session = sessionByUid(memory, uid);
  if (session === null) return [];
  if (!ref.endsWith(ofBranch)) return briefOf(memory, session, until).files.slice(0, most.files);
  const { branch, lastAt } = session;
  const sessions = listSessions(memory, { branch, until: lastAt, limit: most.sessionsOfBranch });
  const turns = sessions
    .flatMap(({ id }) => turnsOf(memory, id))
    .filter(({ startedAt }) => until === null || (startedAt ?? 0) <= until);
  return changedIn(turns).slice(0, most.filesOfBranch);
}

/** What is said of a session besides its title. */
interface Wanted {
  kind: string;
  why: string;
  /** The turn that matters; left out: the state of the branch, with what the session left open. */
  turn?: number;
  commits?: readonly CommitOfResult[];
}

/** A session as automatic context: what it was about, what came of it, its commit, and where to read on. */
export function sessionToTell(
  { memory, until }: ContextSource,
  session: SessionRecord,
  { kind, why, turn, commits }: Wanted,
): Injection | null {
  const { asked, outcome, open, rejected, state, commits: ledTo } = briefOf(memory, session, until);
  const ref = `session:${session.uid}${turn === undefined ? ofBranch : ""}`;
  const files = filesNamedBy(memory, ref, until);
  const title = session.title ?? asked;
  if (title === "") return null;
  const [commit] =
    commits ?? ledTo.map(({ hash, subject }) => ({ commit: hash, subject, reverted_by: null }));
  // The title is about how it began.
  const askedThere = turn !== undefined && turn > 1 ? (turnOf(memory, session.id, turn)?.prompt ?? "") : "";
  const parts = [
    sentence(beginningOf(title, longest.title)),
    part("Tried and rejected", rejected ?? "", longest.outcome),
    part("Asked there", askedThere, longest.asked),
    part("Outcome", outcome, longest.outcome),
    turn === undefined ? part("Left open", open, longest.open) : "",
    turn !== undefined || state === null || state === "completed"
      ? ""
      : `Its last turn was ${states[state]}.`,
    commit === undefined ? "" : formatCommit(commit),
    files.length === 0
      ? ""
      : `Changed ${turn === undefined ? "on the branch lately: " : ""}${files.join(", ")}.`,
  ];
  return {
    ref,
    kind,
    quote: parts.filter((one) => one !== "").join(" "),
    place: placeOf({
      ...{ session: session.uid, author: session.author, at: session.lastAt, branch: session.branch },
      turn: turn === undefined || turn === 0 ? null : turn,
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
