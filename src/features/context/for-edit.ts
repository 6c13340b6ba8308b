import { basename, extname, isAbsolute } from "node:path";
import { listNotesOnFile, locateNotes } from "../../attribution/line-notes.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { stopWords, tokenize } from "../../base/text/tokens.ts";
import { labelNote, labelWords } from "../../protocol/origin.ts";
import { isCheck, versionControl } from "../../sessions/commands/checks.ts";
import {
  isCurrent,
  isSuperseded,
  listStoredDecisions,
  type SessionDecision,
} from "../../sessions/decisions/stored.ts";
import { parseRejection } from "../../sessions/notes/notes.ts";
import { FileAges } from "../../sessions/search/fate/freshness.ts";
import { listChunkIds } from "../../store/memory/chunks/chunk-filter.ts";
import { readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import { findNoteById, listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { listCommands, listWorkedForms } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { NoteRecord } from "../../store/memory/memory-records.ts";
import { buildSearchableFilter } from "../../store/memory/privacy/secrets.ts";
import { findSessionByUid, readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { listFirstEdits } from "../../store/memory/sessions/turns.ts";
import { toLineNote } from "../notes/operation.ts";
import { labelLineNote } from "../notes/words.ts";
import {
  checksOtherCode,
  findOriginOfLines,
  findRecentChange,
  lastFixIn,
  needsNoCheck,
} from "./beside-edit.ts";
import {
  type ContextItem,
  type ContextSource,
  formatSessionPlace,
  makeSeenFilter,
  type ReplacedText,
} from "./source.ts";

/** Notes and decisions as automatic context. */

interface NotesWanted {
  since: number;
  /** Which sessions' notes; null is a note from a shell. */
  of: (session: string | null) => boolean;
  most: number;
}

/** Notes, the latest first. */
export function listNoteInjections(
  { memory, until }: ContextSource,
  { since, of, most }: NotesWanted,
): ContextItem[] {
  return listStoredNotes(memory, { since, until })
    .filter(({ sessionUid }) => of(sessionUid))
    .filter(isCurrent(memory, until))
    .slice(0, most)
    .map((note) => noteToTell(memory, note, "a note"));
}

export function noteToTell(memory: Memory, record: NoteRecord, why: string): ContextItem {
  const { uid, note, sessionUid, turn, at, branch } = record;
  const session = sessionUid === null ? null : findSessionByUid(memory, sessionUid);
  const reason = parseRejection(note);
  return {
    ref: `note:${uid}`,
    kind: labelNote(record, "agent"),
    // A reason alone does not say what was rejected.
    quote: reason === null || !session?.title ? note : `Rejected “${session.title}”: ${reason}`,
    place: `${sessionUid === null && record.source === "shell" ? "from a shell, " : ""}${formatSessionPlace({ session: sessionUid, turn, at, branch })}`,
    why,
    score: null,
    session: sessionUid,
  };
}

interface DecisionsWanted {
  since: number | null;
  of: (session: string) => boolean;
  /** Only about these files, as stored; null: about anything. */
  files: readonly string[] | null;
  /** Only on this branch; null: on any. */
  branch: string | null;
  most: number;
  why: string;
  /** Left out: any of those. */
  isWanted?: (decision: SessionDecision) => boolean;
  /** Where several are asked for at once, files are looked at once. */
  ages?: FileAges | undefined;
}

/** Characters; and the share of them that an answer may take. */
const longestDecision = 200;
const shareOfAnswer = 0.6;
const beforeAnswer = " → ";

/** A decision within its length; of a question and its answer, the answer stays. */
export function shortenDecision(text: string): string {
  const at = text.indexOf(beforeAnswer);
  if (at < 0 || text.length <= longestDecision) return shortenText(text, longestDecision);
  const answer = shortenText(
    text.slice(at + beforeAnswer.length),
    Math.max(longestDecision * shareOfAnswer, longestDecision - at - beforeAnswer.length),
  );
  const left = longestDecision - answer.length - beforeAnswer.length;
  return `${shortenText(text.slice(0, at), left)}${beforeAnswer}${answer}`;
}

/** Current decisions of sessions, the latest first. */
export function listDecisionInjections(source: ContextSource, wanted: DecisionsWanted): ContextItem[] {
  const { memory, root, until } = source;
  const ages = wanted.ages ?? new FileAges(root);
  const known = (at: number | null) => until === null || (at ?? 0) <= until;
  return listStoredDecisions(memory)
    .filter((decision) => {
      const { sessionUid, at, files } = decision;
      if (!wanted.of(sessionUid) || !known(at) || (at ?? 0) < (wanted.since ?? 0)) return false;
      if (isSuperseded(decision, until)) return false;
      if (wanted.branch !== null && decision.branch !== wanted.branch) return false;
      if (wanted.isWanted?.(decision) === false) return false;
      return (
        wanted.files === null ||
        wanted.files.some((file) => files.includes(file) && isAboutFile(decision.text, files, file))
      );
    })
    .toReversed()
    .filter(({ files, endedAt }) => ages.assessFreshness(files, endedAt) !== "orphaned")
    .slice(0, wanted.most)
    .map(({ chunk, text, by, sessionUid, turn, author, at, branch }) => ({
      ref: `chunk:${chunk}`,
      kind: labelWords("decision", { by, author }, "agent"),
      quote: shortenDecision(text),
      place: formatSessionPlace({
        session: sessionUid,
        turn,
        at,
        branch: branch === wanted.branch ? null : branch,
      }),
      why: wanted.why,
      score: null,
      session: sessionUid,
    }));
}

const maxDecisions = 2;
const maxNotes = 2;
/** What was said in a turn with more files is about one of them only where it says so. */
const maxFilesOfTurn = 2;

/** Whether something that was said where files were touched is about one of them. */
function isAboutFile(said: string, files: readonly string[], file: string): boolean {
  if (files.length <= maxFilesOfTurn) return true;
  const name = basename(file);
  const stem = name.slice(0, name.length - extname(name).length);
  return said.includes(name) || (stem.length >= minStem && said.toLowerCase().includes(stem.toLowerCase()));
}

/** A shorter name of a file is a word. Characters. */
const minStem = 6;

/** Sessions that are compared, the latest; the fewest that make a habit; and how many back one counts half. */
const compared = { most: 40, least: 5, halfLife: 10 } as const;
/** What sessions that edited files of its kind ran counts like so many that edited the file itself. */
const priorWeight = 3;
/** How likely the session has to run it, and in what share of those that are compared it ran. */
const minLikely = 0.6;
const minShare = 0.7;

/** Who edits goes on: two lines are read, more are not. */
const maxForEdit = 2;

/**
 * What somebody wants to know who edits a file: that another session just changed it, notes and decisions about it, how a failure
 * in it was fixed; except from the session that has just edited it.
 */
export function toTellForEdit(source: ContextSource, sessionUid: string, file: string): ContextItem[] {
  return [
    ...findRecentChange(source, sessionUid, file),
    ...listBinding(source, sessionUid, file),
    ...lastFixIn(source, sessionUid, file),
  ].slice(0, maxForEdit);
}

/** Tokens that a decision shares with changed lines from which on it is about them. */
const minSharedTokens = 2;

/**
 * What was decided in the turn of another session that wrote the lines which an edit takes out, and is about them by its words. At
 * most one.
 */
export function toTellOfLines(
  source: ContextSource,
  sessionUid: string,
  file: string,
  { removed, added }: ReplacedText,
): ContextItem[] {
  const { memory } = source;
  // What lies outside of the project is no code of it.
  if (removed === "" || isAbsolute(file)) return [];
  const ofLines = new Set([...tokenize(removed), ...tokenize(added), ...tokenize(file)]);
  const isAboutLines = ({ text }: SessionDecision) =>
    [...new Set(tokenize(text))].filter((token) => ofLines.has(token) && isTellingToken(token)).length >=
    minSharedTokens;
  const about = new Set(listStoredDecisions(memory).filter(isAboutLines));
  const origin = about.size === 0 ? null : findOriginOfLines(source, sessionUid, file, { removed, added });
  if (origin === null) return [];
  return listDecisionInjections(source, {
    since: null,
    of: (session) => session === origin.sessionUid,
    files: null,
    branch: null,
    most: 1,
    why: "it was decided when these lines were written",
    isWanted: (decision) => decision.turn === origin.turn && about.has(decision),
  });
}

/** Characters: a shorter token is in any text. */
const minTokenChars = 3;
const isTellingToken = (token: string) => token.length >= minTokenChars && !stopWords.has(token);

/** What binds whoever reads a file: notes and decisions about it, except from the session that reads it. */
export const toTellForRead = (source: ContextSource, sessionUid: string, file: string): ContextItem[] =>
  listBinding(source, sessionUid, file).slice(0, maxForEdit);

/** Notes and decisions about a file, except from a session that knows them. */
function listBinding(source: ContextSource, sessionUid: string, file: string): ContextItem[] {
  const sees = makeSeenFilter(source, sessionUid);
  const isTold = (session: string | null) => session === null || !sees(session);
  return [
    ...listLineNotesToTell(source, file, isTold),
    ...listNotesAbout(source, noteChunks(source, [file]), file, isTold),
    ...listDecisionsAbout(source, file, isTold),
  ];
}

/** Of files that somebody said something about, the latest. */
const maxFilesReady = 300;

/**
 * Notes and decisions by file, whichever session edits it: what can be told without knowing that session.
 */
export async function toTellByFile(source: ContextSource): Promise<Map<string, ContextItem[]>> {
  const chunks = noteChunks(source, null);
  const placed = listStoredNotes(source.memory, { placed: true });
  const lines = await locateNotes(source.root, placed);
  const files = [
    ...[...lines.values()].flatMap(({ file, state }) => (state === "gone" ? [] : [file])),
    ...chunks.toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0)).flatMap((chunk) => chunk.files),
    ...listStoredDecisions(source.memory)
      .toReversed()
      .flatMap((decision) => decision.files),
  ];
  const ages = new FileAges(source.root);
  const isTold = () => true;
  return new Map(
    [...new Set(files)].slice(0, maxFilesReady).flatMap((file) => {
      const ofFile = chunks.filter((chunk) => chunk.files.includes(file));
      const items = [
        ...listLineNotesToTell(source, file, isTold),
        ...listNotesAbout(source, ofFile, file, isTold),
        ...listDecisionsAbout(source, file, isTold, ages),
      ];
      return items.length === 0 ? [] : [[file, items] as const];
    }),
  );
}

/** Notes on lines of a file, with where these are now; those that the agent saw being written are not told. */
const listLineNotesToTell = (
  { memory, root, until }: ContextSource,
  file: string,
  isTold: (session: string | null) => boolean,
): ContextItem[] =>
  listNotesOnFile(memory, root, file)
    .filter(({ record, lines }) => lines.state !== "gone" && isTold(record.sessionUid))
    .filter(({ record }) => (until === null || record.at <= until) && isCurrent(memory, until)(record))
    .slice(0, maxNotes)
    .map((note) => ({
      ...noteToTell(memory, note.record, `on lines of ${file}`),
      kind: labelLineNote(toLineNote(note), "agent"),
    }));

/** The chunks of notes about these files; null: about any. */
function noteChunks({ memory, until }: ContextSource, files: readonly string[] | null) {
  const found = listChunkIds(memory, {
    ...buildSearchableFilter(memory),
    types: ["annotated"],
    until,
    files,
  });
  return [...readChunksByIds(memory, found).values()];
}

function listNotesAbout(
  { memory, until }: ContextSource,
  chunks: ReturnType<typeof noteChunks>,
  file: string,
  isTold: (session: string | null) => boolean,
): ContextItem[] {
  const filesOf = new Map(chunks.map(({ annotationId, files }) => [annotationId, files]));
  return chunks
    .flatMap(({ annotationId }) => (annotationId === null ? [] : (findNoteById(memory, annotationId) ?? [])))
    .filter(({ sessionUid }) => isTold(sessionUid))
    .filter(isCurrent(memory, until))
    .filter(({ id, note }) => isAboutFile(note, filesOf.get(id) ?? [], file))
    .sort((a, b) => b.at - a.at)
    .slice(0, maxNotes)
    .map((note) => noteToTell(memory, note, `about ${file}`));
}

const listDecisionsAbout = (
  source: ContextSource,
  file: string,
  isTold: (session: string) => boolean,
  ages?: FileAges,
): ContextItem[] =>
  listDecisionInjections(source, {
    since: null,
    of: isTold,
    files: [file],
    branch: null,
    most: maxDecisions,
    why: `about ${file}`,
    ages,
  });

/** What sessions ran with success after an edit, the later a session the more it counts. */
interface Habits {
  /** The latest first. */
  sessions: readonly number[];
  weight: number;
  forms: Map<string, { sessions: number[]; weight: number }>;
}

/**
 * What the session that edits a file is likely to run, and has not run yet: how others checked such edits, where no instructions say
 * so. At most one.
 */
export function checkToTell(source: ContextSource, sessionUid: string, file: string): ContextItem[] {
  const { memory, until } = source;
  const suffix = extname(file) || basename(file);
  const ofKind = findHabitsAfter(source, sessionUid, { suffix });
  if (ofKind.sessions.length < compared.least) return [];
  const ofFile = findHabitsAfter(source, sessionUid, { path: file });
  const own = findSessionByUid(memory, sessionUid);
  const ran = new Set(
    own === null ? [] : listCommands(memory, { sessionId: own.id, until }).map(({ form }) => form),
  );
  let best: { form: string; likely: number } | null = null;
  for (const [form, { weight: ofAll, sessions }] of ofKind.forms) {
    if (ran.has(form) || checksOtherCode(file, form)) continue;
    if (sessions.length < minShare * ofKind.sessions.length) continue;
    const prior = ofAll / ofKind.weight;
    const weight = ofFile.forms.get(form)?.weight ?? 0;
    const likely = (weight + priorWeight * prior) / (ofFile.weight + priorWeight);
    if (likely >= minLikely && likely > (best?.likely ?? 0)) best = { form, likely };
  }
  if (best === null) return [];
  const having = ofKind.forms.get(best.form)!.sessions;
  const latest = listCommands(memory, { sessionId: having[0]!, outcome: "worked", until }).find(
    ({ form }) => form === best.form,
  );
  if (latest === undefined || needsNoCheck(source.root, file, best.form)) return [];
  const { directory, form, sessionUid: session, turn, at } = latest;
  const where = directory === "" ? "" : ` (in ${directory})`;
  return [
    {
      ref: `command:${form}`,
      kind: "Usual after such edits",
      quote: `${form}${where}; it worked in ${having.length} of the last ${ofKind.sessions.length} sessions that edited ${suffix} files`,
      place: `last in ${formatSessionPlace({ session, turn, at })}`,
      why: "other sessions ran it after such edits",
      score: Math.round(best.likely * 100) / 100,
    },
  ];
}

function findHabitsAfter(
  source: ContextSource,
  sessionUid: string,
  edited: { path: string } | { suffix: string },
): Habits {
  const { memory, until } = source;
  const sees = makeSeenFilter(source, sessionUid);
  const edits = listFirstEdits(memory, edited, { until, limit: compared.most });
  const known = readSessionsByIds(
    memory,
    edits.map(({ sessionId }) => sessionId),
  );
  const others = edits.filter(({ sessionId }) => !sees(known.get(sessionId)?.uid ?? ""));
  const weights = new Map(others.map(({ sessionId }, i) => [sessionId, 0.5 ** (i / compared.halfLife)]));
  const sessions = [...weights.keys()];
  const forms: Habits["forms"] = new Map();
  for (const { sessionId, form, name } of listWorkedForms(memory, others, until)) {
    if (versionControl.test(name) || !isCheck(form)) continue;
    const { sessions: having, weight } = forms.get(form) ?? { sessions: [], weight: 0 };
    forms.set(form, { sessions: [...having, sessionId], weight: weight + weights.get(sessionId)! });
  }
  for (const { sessions: having } of forms.values())
    having.sort((a, b) => sessions.indexOf(a) - sessions.indexOf(b));
  return { sessions, weight: [...weights.values()].reduce((sum, each) => sum + each, 0), forms };
}
