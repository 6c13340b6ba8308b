import { posix } from "node:path";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnOf, turnsOf } from "../../store/memory/sessions/turns.ts";
import { beginningOf } from "../../text/text-size.ts";
import { briefWithoutCommands, changedIn } from "../handoff/brief.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, placeOf } from "./source.ts";

const most = { files: 2, filesOfBranch: 4, sessionsOfBranch: 5 } as const;
/** Characters. */
const longest = { title: 70, asked: 80, outcome: 90, open: 80, subject: 48 } as const;

/** As a reference, the state of the branch that a session was the last on. */
const ofBranch = ":branch";

/** The files that an item names: those that the session changed most, or the last sessions of its branch. */
export function filesNamedBy(memory: Memory, ref: string, until: number | null = null): string[] {
  const uid = ref.replace(/^session:/, "").replace(/:branch$/, "");
  const session = sessionByUid(memory, uid);
  if (session === null) return [];
  if (!ref.endsWith(ofBranch)) return briefWithoutCommands(memory, session, until).files.slice(0, most.files);
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
  commit?: { hash: string; subject: string; revertedBy?: string | null } | undefined;
}

/** A session as automatic context: what it was about, what came of it, its commit, and where to read on. */
export function sessionToTell(
  { memory, until }: ContextSource,
  session: SessionRecord,
  { kind, why, turn, commit }: Wanted,
): Injection | null {
  const brief = briefWithoutCommands(memory, session, until);
  const { asked, outcome, open, rejected, state } = brief;
  const ref = `session:${session.uid}${turn === undefined ? ofBranch : ""}`;
  const files = turn === undefined ? filesNamedBy(memory, ref, until) : brief.files.slice(0, most.files);
  const title = session.title ?? asked;
  if (title === "") return null;
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
    formatCommit(turn === undefined ? brief.commits[0] : commit, turn !== undefined || outcome === ""),
    files.length === 0 ? "" : `Changed${turn === undefined ? " lately" : ""}${listed(files)}.`,
  ];
  return {
    ref,
    kind,
    quote: parts.filter((one) => one !== "").join(" "),
    place: placeOf({
      ...{ session: session.uid, author: session.author, at: session.lastAt },
      branch: turn === undefined ? null : session.branch,
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

/** @param withSubject where nothing else says what came of the session */
function formatCommit(commit: Wanted["commit"], withSubject: boolean): string {
  if (commit === undefined) return "";
  const { hash, subject, revertedBy } = commit;
  const fate = revertedBy ? `, reverted by ${revertedBy.slice(0, 8)}` : "";
  return `Commit ${hash.slice(0, 8)}${withSubject ? ` "${beginningOf(subject, longest.subject)}"` : ""}${fate}.`;
}

/** " in src: a.ts, b/c.ts": what they have in common is said once. */
function listed(files: readonly string[]): string {
  const [first = "", ...others] = files;
  let shared = posix.dirname(first);
  while (shared !== "." && shared !== "/" && !others.every((file) => file.startsWith(`${shared}/`)))
    shared = posix.dirname(shared);
  if (others.length === 0 || shared === "." || shared === "/") return `: ${files.join(", ")}`;
  return ` in ${shared}: ${files.map((file) => file.slice(shared.length + 1)).join(", ")}`;
}
