import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readChangeStamp } from "../base/files/file-id.ts";
import { listNamesIfAny } from "../base/files/if-any.ts";
import { replaceFile } from "../base/files/replace-file.ts";
import { locateHome, makeDirectory } from "../base/home.ts";
import { type Project, teamDirName, toRealPath } from "../base/paths.ts";
import { dayMs } from "../base/text/day.ts";
import { hashFnv1a } from "../base/text/hash.ts";

/**
 * What a checkout's agents are told by themselves, written down before they ask: a hook reads it, and needs neither a daemon
 * nor a database. The daemon writes it anew when what it was made from changes; in an encrypted home it writes none.
 *
 * Hooks load this: it imports next to nothing.
 */

/** Delimiters of injected context. Some clients put it into the user's message, and some escape the brackets. */
export const ownContext = { start: "<pommel-context>", end: "</pommel-context>" } as const;

/** A line of context, as it is quoted. */
export interface ReadyLine {
  text: string;
  ref: string;
  why: string;
  score: number | null;
  /** The session that said it, which is not told so again; null: none, or several. */
  session: string | null;
}

/** When and from what it was made. */
interface Made {
  /** The checkout that it is for. */
  root: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** What must not have changed since, by path: HEAD, settings, and what a person said (`readChangeStamp`). */
  from: Record<string, string>;
  /** What changes all the time, and when it had last. Milliseconds since the epoch. */
  memory: { files: string[]; changedAt: number };
  /** What stands before and behind the lines. */
  head: string;
  tail: string;
}

/** At the start of a session, and after a compaction of one of these. */
export interface ReadyAtStart extends Made {
  start: ReadyLine[];
  /** By session. */
  compactions: Record<string, ReadyLine[]>;
}

/** About files that are edited, by their paths from the root of the checkout. */
export interface ReadyForEdits extends Made {
  files: Record<string, ReadyLine[]>;
}

/** What a feature made ready for its part in hooks (features/hook-parts.ts), under the feature's name. */
export interface ReadyPart {
  /** The checkout that it is for. */
  root: string;
}

interface Ready {
  start: ReadyAtStart;
  edits: ReadyForEdits;
}

const locateReadyDir = (): string => join(locateHome().cacheDir, "context");

/**
 * `shop-1f0c3ab2.start.json`: what is in it names the checkout, as two may have one name. To load node:crypto would cost a hook a
 * tenth of its time.
 */
const locateReadyFile = (kind: string, root: string): string =>
  join(locateReadyDir(), `${toFileName(basename(root))}-${toHex(hashFnv1a(root))}.${kind}.json`);

const toHex = (hash: number) => hash.toString(16).padStart(8, "0");

export function writeReady<Kind extends keyof Ready>(kind: Kind, ready: Ready[Kind]): void {
  makeDirectory(locateReadyDir());
  replaceFile(locateReadyFile(kind, ready.root), JSON.stringify(ready));
}

export function writeReadyPart(feature: string, part: ReadyPart): void {
  makeDirectory(locateReadyDir());
  replaceFile(locateReadyFile(feature, part.root), JSON.stringify(part));
}

/** null where nothing was made ready for the checkout around `place`. */
export const readReadyPart = (place: string, feature: string): ReadyPart | null => findReady(place, feature);

/** @param root of a checkout */
export const removeReadyPart = (feature: string, root: string): void =>
  rmSync(locateReadyFile(feature, root), { force: true });

/** @param root of a checkout */
export function removeReady(root: string): void {
  for (const kind of ["start", "edits"] as const) rmSync(locateReadyFile(kind, root), { force: true });
}

/** Of all checkouts. */
export const removeAllReady = (): void => rmSync(locateReadyDir(), { recursive: true, force: true });

/** Changes when a person said something that agents must know at once: a note, or that something be forgotten. */
export const locateSaidFile = ({ dataDir }: Pick<Project, "dataDir">): string => join(dataDir, "said");

/** What hooks told sessions of by themselves, a file for each: its lines are the places of what was told. */
const locateGivenDir = (): string => join(locateHome().stateDir, "given");
const locateGivenFile = (session: string): string => join(locateGivenDir(), toFileName(session));

/** Any text as a file's name. */
export const toFileName = (text: string): string => text.replace(/[^\w-]/g, "_").slice(0, 100);

/** What a session was told by hooks, the daemon may not know of it yet. */
export function readGivenRefs(session: string): string[] {
  try {
    return readFileSync(locateGivenFile(session), "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** @throws the file system's error */
export function noteGiven(session: string, refs: readonly string[]): void {
  makeDirectory(locateGivenDir());
  appendFileSync(locateGivenFile(session), refs.map((ref) => `${ref.replaceAll("\n", " ")}\n`).join(""), {
    mode: 0o600,
  });
}

/** What the latest prompt of a session asked for, by whatever ids; written anew with each prompt. */
const locateAskedFile = (session: string): string => join(locateGivenDir(), toFileName(`${session} asked`));

/** @throws the file system's error */
export function noteAsked(session: string, ids: readonly string[]): void {
  makeDirectory(locateGivenDir());
  writeFileSync(locateAskedFile(session), ids.join("\n"), { mode: 0o600 });
}

/** null where no prompt of it was seen. */
export function readAsked(session: string): string[] | null {
  try {
    return readFileSync(locateAskedFile(session), "utf8").split("\n").filter(Boolean);
  } catch {
    return null;
  }
}

/** Nobody goes on with a session for so long and has forgotten what it was told. Milliseconds. */
const givenForMs = 7 * dayMs;

/** Removes what sessions were told that are long over. */
export function removeOldGiven(now = Date.now()): void {
  for (const name of listNamesIfAny(locateGivenDir())) {
    const file = join(locateGivenDir(), name);
    if (now - findLastChange([file]) > givenForMs) rmSync(file, { force: true });
  }
}

/** When one of these files changed last; 0 where there is none. Milliseconds since the epoch. */
export const findLastChange = (files: readonly string[]): number =>
  Math.max(0, ...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));

/**
 * While sessions are read, the memory changes all the time: what was made ready may be so much behind, and is better than
 * nothing. Milliseconds.
 */
const maxBehindMs = 300_000;

/**
 * What was made ready of a kind for the checkout around `place`.
 * @returns null where nothing was, or where it is too old; `isBehind`: a daemon may know more
 */
export function readReady<K extends keyof Ready>(
  place: string,
  kind: K,
  now = Date.now(),
): { ready: Ready[K]; isBehind: boolean } | null {
  const ready = findReady<Ready[K]>(place, kind);
  if (ready === null) return null;
  try {
    const isBehind = findLastChange(ready.memory.files) > ready.memory.changedAt;
    const isTooOld = isBehind && now - ready.at > maxBehindMs;
    return isTooOld || !isAsItWas(ready) ? null : { ready, isBehind };
  } catch {
    return null;
  }
}

/** What was made ready of a kind for the checkout around `place`, however old; null where nothing was. */
function findReady<R extends ReadyPart>(place: string, kind: string): R | null {
  for (let dir = toRealPath(place); ; dir = dirname(dir)) {
    const file = locateReadyFile(kind, dir);
    if (existsSync(file)) {
      try {
        const ready = JSON.parse(readFileSync(file, "utf8")) as R;
        return ready.root === dir ? ready : null;
      } catch {
        return null;
      }
    }
    // A checkout of its own, for which nothing is ready.
    const isOther = existsSync(join(dir, ".git")) || existsSync(join(dir, teamDirName, "config.toml"));
    if (isOther || dirname(dir) === dir) return null;
  }
}

const isAsItWas = ({ from }: Made): boolean =>
  Object.entries(from).every(([file, change]) => readChangeStamp(file) === change);
