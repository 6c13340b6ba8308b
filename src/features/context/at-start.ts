import { basename, isAbsolute, posix } from "node:path";
import { dayMs } from "../../base/text/day.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { shortenText, shortenToClause } from "../../base/text/text-size.ts";
import { defaultBranches } from "../../git/history/head.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import {
  buildBriefWithoutCommands,
  listWorkingCommands,
  listWrittenFiles,
} from "../../sessions/brief/brief.ts";
import { versionControl } from "../../sessions/commands/checks.ts";
import { findOpenElsewhere, type LastWords, readLastWords } from "../../sessions/summaries/last-words.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { countSessionsByForm } from "../../store/memory/commands.ts";
import { readEvents } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { findTurn, listTurns } from "../../store/memory/sessions/turns.ts";
import { quoteEnd } from "../recall/words.ts";
import { listDecisionInjections, listNoteInjections } from "./for-edit.ts";
import { listInstructions } from "./instructions-said.ts";
import { type ContextItem, type ContextSource, formatSessionPlace, makeSeenFilter } from "./source.ts";

const maxCounts = { files: 2, filesOfBranch: 4, sessionsOfBranch: 5 } as const;
/** Characters. */
const maxChars = {
  title: 70,
  asked: 120,
  said: 200,
  elsewhere: 80,
  outcome: 90,
  open: 80,
  subject: 48,
  instruction: 160,
} as const;
const maxSessionsElsewhere = 60;

/** As a reference, the state of the branch that a session was the last on. */
const ofBranch = ":branch";

/** The files that an item names: those that the session changed most, or the last sessions of its branch. */
export function listItemFiles(memory: Memory, ref: string, until: number | null = null): string[] {
  const uid = ref.replace(/^session:/, "").replace(/:branch$/, "");
  const session = findSessionByUid(memory, uid);
  if (session === null) return [];
  if (!ref.endsWith(ofBranch))
    return buildBriefWithoutCommands(memory, session, until).files.slice(0, maxCounts.files);
  const { branch, lastAt } = session;
  const sessions = listSessions(memory, { branch, until: lastAt, limit: maxCounts.sessionsOfBranch });
  const turns = sessions
    .flatMap(({ id }) => listTurns(memory, id))
    .filter(({ startedAt }) => until === null || (startedAt ?? 0) <= until);
  return listWrittenFiles(turns).slice(0, maxCounts.filesOfBranch);
}

/** What is said of a session besides its title. */
interface SessionRemark {
  kind: string;
  why: string;
  /** The turn that matters; left out: the state of the branch, with what the session left open. */
  turn?: number;
  commit?: { hash: string; subject: string; revertedBy?: string | null } | undefined;
}

/** A session as automatic context: what it was about, what came of it, its commit, and where to read on. */
export function toSessionInjection(
  { memory, until }: ContextSource,
  session: SessionRecord,
  { kind, why, turn, commit }: SessionRemark,
): ContextItem | null {
  const brief = buildBriefWithoutCommands(memory, session, until);
  const { asked, outcome, open, rejected, state } = brief;
  const ref = `session:${session.uid}${turn === undefined ? ofBranch : ""}`;
  const files =
    turn === undefined ? listItemFiles(memory, ref, until) : brief.files.slice(0, maxCounts.files);
  const title = session.title ?? asked;
  if (title === "") return null;
  // The title is about how it began.
  const askedThere = turn !== undefined && turn > 1 ? (findTurn(memory, session.id, turn)?.prompt ?? "") : "";
  const parts = [
    endSentence(shortenText(title, maxChars.title)),
    formatPart("Tried and rejected", rejected ?? "", maxChars.outcome),
    formatPart("Asked there", askedThere, maxChars.asked),
    formatPart("The agent said at the end", outcome, maxChars.outcome),
    turn === undefined ? formatPart("Left open", open, maxChars.open) : "",
    turn !== undefined || state === null || state === "completed"
      ? ""
      : `Its last turn was ${stateTexts[state]}.`,
    formatCommit(turn === undefined ? brief.commits[0] : commit, turn !== undefined || outcome === ""),
    files.length === 0 ? "" : `Changed${turn === undefined ? " lately" : ""}${formatFileList(files)}.`,
  ];
  return {
    ref,
    kind,
    quote: parts.filter((one) => one !== "").join(" "),
    place: formatSessionPlace({
      session: session.uid,
      author: session.author,
      at: session.lastAt,
      branch: turn === undefined ? null : session.branch,
      turn: turn === undefined || turn === 0 ? null : turn,
    }),
    why,
    score: null,
  };
}

const stateTexts = {
  interrupted: "interrupted",
  error: "ended by an error",
  unfinished: "without a recorded end",
} as const;

const endSentence = (text: string) => (/[.!?…:]$/.test(text) ? text : `${text}.`);

const formatPart = (name: string, text: string, max: number) =>
  text.trim() === "" ? "" : `${name}: ${endSentence(shortenToClause(text.replace(/\s+/g, " ").trim(), max))}`;

/** @param withSubject where nothing else says what came of the session */
function formatCommit(commit: SessionRemark["commit"], withSubject: boolean): string {
  if (commit === undefined) return "";
  const { hash, subject, revertedBy } = commit;
  const fate = revertedBy ? `, reverted by ${shortenHash(revertedBy)}` : "";
  return `Commit ${shortenHash(hash)}${withSubject ? ` "${shortenText(subject, maxChars.subject)}"` : ""}${fate}.`;
}

/** " in src: a.ts, b/c.ts": what they have in common is said once. */
function formatFileList(files: readonly string[]): string {
  const [first = "", ...others] = files;
  let shared = posix.dirname(first);
  while (shared !== "." && shared !== "/" && !others.every((file) => file.startsWith(`${shared}/`)))
    shared = posix.dirname(shared);
  if (others.length === 0 || shared === "." || shared === "/") return `: ${files.join(", ")}`;
  return ` in ${shared}: ${files.map((file) => file.slice(shared.length + 1)).join(", ")}`;
}

/** Notes are made to last, decisions of a session less so. Days. */
const notesReach = 90;
const decisionsReach = 21;
const maxNotes = 3;
const maxDecisions = 2;
const maxDropped = 4;
/** What ran in so many others of the latest sessions, or so often in this one, is run again. */
const minHabitRuns = 3;
const maxHabitSessions = 40;

/** What matters when a session begins: the last work on its branch, notes, current decisions, and its event. */
export async function toTellAtStart(source: ContextSource, sessionUid: string): Promise<ContextItem[]> {
  const { memory, now } = source;
  const branch = await source.branch();
  const sees = makeSeenFilter(source, sessionUid);
  // What comes next on a default branch has nothing to do with what was last.
  const work =
    branch === null || defaultBranches.includes(branch) ? [] : listBranchWork(source, branch, sees);
  const ofWork = goesOn(work) ? branch : null;
  const reviews = new Set(work.filter(({ isReview }) => isReview).map(({ uid }) => uid));
  const going = listGoingOn(work);
  // For a resumed session, only what happened since is new.
  const own = findSessionByUid(memory, sessionUid);
  const hasTurns = own !== null && listTurns(memory, own.id, { first: 1, last: 1 }).length > 0;
  const from = hasTurns ? (own.lastAt ?? 0) : 0;
  return [
    ...(ofWork === null
      ? []
      : findLastOnBranch(source, ofWork, (uid) => sees(uid) || reviews.has(uid), from)),
    ...(hasTurns ? [] : await openElsewhere(source, branch, sees)),
    ...listNoteInjections(source, {
      since: Math.max(now - notesReach * dayMs, from),
      of: (session) => session === null || !sees(session),
      most: maxNotes,
    }),
    // On a default branch the latest decision is about another task, and would be told at every start until there is a later one.
    ...(ofWork === null
      ? []
      : listDecisionInjections(source, {
          since: Math.max(now - decisionsReach * dayMs, from),
          of: (session) => !sees(session) && going.has(session),
          files: null,
          branch: ofWork,
          most: maxDecisions,
          why: "a recent decision",
        })),
    ...toEventInjections(source, branch),
  ];
}

/** What a session changed. */
interface Worked {
  uid: string;
  /** A program asked, and nothing was changed. */
  isReview: boolean;
  edited: ReadonlySet<string>;
}

/** The latest sessions of a branch, the latest first. */
function listBranchWork(
  { memory, until }: ContextSource,
  branch: string,
  sees: (uid: string) => boolean,
): Worked[] {
  return listSessions(memory, { branch, until, remembered: true, limit: maxCompared })
    .filter(({ uid }) => !sees(uid))
    .map(({ id, uid }) => {
      const edited = new Set(
        listTurns(memory, id).flatMap(({ files }) =>
          files.flatMap(({ path, how }) => (how === "read" ? [] : path)),
        ),
      );
      return { uid, edited, isReview: edited.size === 0 && isAskedByProgram(memory, id) };
    });
}

/** Whether a session's first prompt came from a tool that runs the agent. */
function isAskedByProgram(memory: Memory, sessionId: number): boolean {
  for (const { lines } of readStoredTurns(memory, sessionId, { last: 1 }))
    for (const { entries } of lines)
      for (const entry of entries) if (entry.kind === "prompt") return entry.by === "tool";
  return false;
}

const maxCompared = 8;
/** Fewer do not show how sessions of a branch follow each other. */
const minPairs = 2;

/** Whether a branch is mostly looked at by a program: its reviews are no work to go on with. */
const isMostlyReviewed = (work: readonly Worked[]): boolean =>
  work.length > 0 && 2 * work.filter(({ isReview }) => isReview).length >= work.length;

/** Whether work on a branch goes on from session to session: many branches collect one task after another, whatever their name. */
function goesOn(work: readonly Worked[]): boolean {
  const known = work.filter(({ edited }) => edited.size > 0);
  if (isMostlyReviewed(work)) return false;
  const pairs = known.slice(1).map((earlier, i) => sharesFile(earlier, known[i]!));
  return work.length > 0 && (pairs.length < minPairs || 2 * pairs.filter(Boolean).length >= pairs.length);
}

/** The sessions that the last one of a branch went on with: what others decided is about other work. */
function listGoingOn([last, ...earlier]: readonly Worked[]): ReadonlySet<string> {
  if (last === undefined) return new Set();
  return new Set([last, ...earlier.filter((one) => sharesFile(one, last))].map(({ uid }) => uid));
}

const sharesFile = (one: Worked, other: Worked): boolean =>
  [...one.edited].some((file) => other.edited.has(file));

/**
 * What a summary drops of a session: the user's notes and decisions, and files and habitual commands that it does not name.
 * @param summary null: not known yet, as with Claude Code, which writes it only after the hook; then all of them
 */
export function toTellAfterCompaction(
  source: ContextSource,
  sessionUid: string,
  summary: string | null,
): ContextItem[] {
  const { memory, until } = source;
  const own = findSessionByUid(memory, sessionUid);
  if (own === null) return [];
  const isOwn = (session: string | null) => session === sessionUid;
  const files = buildBriefWithoutCommands(memory, own, until).files.filter((file) => !isAbsolute(file));
  const habits = countSessionsByForm(memory, { until, sessions: maxHabitSessions });
  // It is one of them itself.
  const commands = listWorkingCommands(memory, own.id, until)
    .filter(
      ({ name, form, times }) =>
        !versionControl.test(name) && (times >= minHabitRuns || (habits.get(form) ?? 0) > minHabitRuns),
    )
    .map(({ line }) => line);
  const dropped = (said: readonly string[], nameOf: (one: string) => string) =>
    said.filter((one) => !summary?.includes(nameOf(one))).slice(0, maxDropped);
  const place = formatSessionPlace({ session: own.uid, at: own.lastAt });
  const listed = (what: string, kind: string, said: readonly string[], by: string): ContextItem[] =>
    said.length === 0
      ? []
      : [
          {
            ref: `session:${own.uid}:${what}`,
            kind,
            quote: said.join(by),
            place,
            why: summary === null ? `${what} before the compaction` : `the summary has none of these ${what}`,
            score: null,
          },
        ];
  return [
    ...listNoteInjections(source, { since: 0, of: isOwn, most: maxNotes }),
    ...listInstructionsToKeep(source, own, summary),
    ...listDecisionInjections(source, {
      since: null,
      of: isOwn,
      files: null,
      branch: null,
      most: maxDecisions,
      why: "decided before the compaction",
    }),
    ...listed("files", "Also edited before the compaction", dropped(files, basename), ", "),
    ...listed(
      "commands",
      "Worked before the compaction",
      dropped(commands, (line) => line),
      "; ",
    ),
  ];
}

/**
 * What must be kept word for word of a session that is about to be compacted: what the person told the agent to do or not to do,
 * and what was decided.
 */
export function toKeepInCompaction(source: ContextSource, sessionUid: string): ContextItem[] {
  const own = findSessionByUid(source.memory, sessionUid);
  if (own === null) return [];
  return [
    ...listInstructionsToKeep(source, own, null),
    ...listDecisionInjections(source, {
      since: null,
      of: (session) => session === sessionUid,
      files: null,
      branch: null,
      most: maxDecisions,
      why: "decided in this session",
    }),
  ];
}

/** What the person said that holds for the rest of a session, as far as a summary does not have it. */
function listInstructionsToKeep(
  { memory, until }: ContextSource,
  own: SessionRecord,
  summary: string | null,
): ContextItem[] {
  return listInstructions(memory, own, until)
    .filter(({ text }) => !summary?.includes(text))
    .map(({ text, turn }) => {
      const line = `The user said (turn ${turn}): “${shortenText(toHarmlessLine(text), maxChars.instruction)}”`;
      return {
        ref: `said:${own.uid}:${turn}:${text.length}`,
        kind: "The user said",
        quote: text,
        place: "",
        line,
        why: "said before the compaction",
        score: null,
      };
    });
}

/** The state of the work on a branch: what its last session did, and left open. */
function findLastOnBranch(
  source: ContextSource,
  branch: string,
  sees: (uid: string) => boolean,
  from: number,
): ContextItem[] {
  const { memory, until } = source;
  const last = listSessions(memory, { branch, until, remembered: true, limit: 10 }).find(
    ({ uid, lastAt }) => !sees(uid) && (lastAt ?? 0) > from,
  );
  if (!last) return [];
  const words = readLastWords(memory, last, until);
  if (words === null) return [];
  const line = wordStop(last, words);
  return [
    {
      ref: `session:${last.uid}${ofBranch}`,
      kind: "Stopped",
      quote: line,
      place: "",
      line,
      why: `the last session on ${branch}`,
      score: null,
    },
  ];
}

/** Where a session stopped, by its last words: a summary's "open points" may be done by now. */
function wordStop({ uid, lastAt, author }: SessionRecord, words: LastWords): string {
  const { turn, asked, said, ended, at } = words;
  const when = new Date(at ?? lastAt ?? 0).toISOString().slice(0, 16).replace("T", " ");
  const parts = [
    asked === "" ? "" : `asked “${shortenText(toHarmlessLine(asked), maxChars.asked)}”`,
    said === "" ? "" : `said last ${quoteEnd(said, maxChars.said)}`,
    ended === null || ended === "completed" ? "" : stateTexts[ended],
  ];
  return `Stopped on this branch ${when}Z [${shortenSessionId(uid)}:${turn}]${author === null ? "" : `, ${formatSharedBy(author)}`}: ${parts.filter((part) => part !== "").join("; ")}.`;
}

/** Branches whose work is neither merged nor old, for who starts on another one. */
async function openElsewhere(
  source: ContextSource,
  branch: string | null,
  sees: (uid: string) => boolean,
): Promise<ContextItem[]> {
  const { memory, root, now, until } = source;
  const sessions = listSessions(memory, { until, remembered: true, limit: maxSessionsElsewhere }).filter(
    ({ uid }) => !sees(uid),
  );
  const found = await findOpenElsewhere({ root }, memory, sessions, { branch, now, until });
  return found.map(({ branch: name, session_id: uid, at, said }) => {
    const line = `Open elsewhere: ${toHarmlessLine(name)}, not merged, last worked on ${(at ?? "").slice(0, 10)} [${shortenSessionId(uid)}]: ${quoteEnd(said, maxChars.elsewhere)}`;
    return {
      ref: `session:${uid}:elsewhere`,
      kind: "Open elsewhere",
      quote: line,
      place: "",
      line,
      why: `open on ${name}`,
      score: null,
    };
  });
}

function toEventInjections({ memory, until }: ContextSource, branch: string | null): ContextItem[] {
  if (branch === null) return [];
  const event = readEvents(memory, { status: "active" }).find(
    (one) => one.branch === branch && (until === null || one.createdAt <= until),
  );
  if (!event) return [];
  return [
    {
      ref: `event:${event.uid}`,
      kind: "This branch's event",
      quote: [event.title, event.description].filter((part) => part !== "").join(": "),
      place: `event ${event.uid}`,
      why: `the active event of ${branch}`,
      score: null,
    },
  ];
}
