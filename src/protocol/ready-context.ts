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
 * Automatic context for a checkout's agents, prepared in files before a hook asks for it, so that the hook needs neither a daemon
 * nor a database. The daemon writes the files again when their sources change. In an encrypted home it writes none.
 *
 * Hooks load this module, so it imports next to nothing.
 */

/** Delimiters of injected context. Some clients put it into the user's message, and some escape the brackets. */
export const ownContext = { start: "<pommel-context>", end: "</pommel-context>" } as const;

/** A line of context, ready to be quoted. */
export interface ReadyLine {
  text: string;
  ref: string;
  why: string;
  score: number | null;
  /** The session that said this, and is not told it again; null: none, or several. */
  session: string | null;
}

/** When the context was made, and from what. */
interface Made {
  /** The checkout that it is for. */
  root: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Files that must not have changed since, with their stamps (`readChangeStamp`): HEAD, settings, what a person said. */
  from: Record<string, string>;
  /** Files that change all the time, and the time of their last change then. Milliseconds since the epoch. */
  memory: { files: string[]; changedAt: number };
  /** The text before and after the lines. */
  head: string;
  tail: string;
}

/** Context for the start of a session, and for after a compaction. */
export interface ReadyAtStart extends Made {
  start: ReadyLine[];
  /** The lines for after a compaction, by session. */
  compactions: Record<string, ReadyLine[]>;
}

/** Context about edited files, by their paths from the root of the checkout. */
export interface ReadyForEdits extends Made {
  files: Record<string, ReadyLine[]>;
}

/** What a feature has prepared for its part in hooks (features/hook-parts.ts), stored under the feature's name. */
export interface ReadyPart {
  /** The checkout that it is for. */
  root: string;
}

interface ReadyContext {
  start: ReadyAtStart;
  edits: ReadyForEdits;
}

const locateReadyDir = (): string => join(locateHome().cacheDir, "context");

/**
 * `shop-1f0c3ab2.start.json`. Two checkouts may get the same name, so the content names the checkout as well. A better hash would
 * need node:crypto, which takes a tenth of a hook's time to load.
 */
const locateReadyFile = (kind: string, root: string): string =>
  join(locateReadyDir(), `${toFileName(basename(root))}-${toHex(hashFnv1a(root))}.${kind}.json`);

const toHex = (hash: number) => hash.toString(16).padStart(8, "0");

export function writeReady<Kind extends keyof ReadyContext>(kind: Kind, ready: ReadyContext[Kind]): void {
  makeDirectory(locateReadyDir());
  replaceFile(locateReadyFile(kind, ready.root), JSON.stringify(ready));
}

export function writeReadyPart(feature: string, part: ReadyPart): void {
  makeDirectory(locateReadyDir());
  replaceFile(locateReadyFile(feature, part.root), JSON.stringify(part));
}

/** The feature's part for the checkout around `place`; null if none is prepared. */
export const readReadyPart = (place: string, feature: string): ReadyPart | null => findReady(place, feature);

/** @param root of a checkout */
export const removeReadyPart = (feature: string, root: string): void =>
  rmSync(locateReadyFile(feature, root), { force: true });

/** @param root of a checkout */
export function removeReady(root: string): void {
  for (const kind of ["start", "edits"] as const) rmSync(locateReadyFile(kind, root), { force: true });
}

/** Removes the prepared context of all checkouts. */
export const removeAllReady = (): void => rmSync(locateReadyDir(), { recursive: true, force: true });

/** This file changes when agents must learn of something at once: a person noted something, or had something forgotten. */
export const locateSaidFile = ({ dataDir }: Pick<Project, "dataDir">): string => join(dataDir, "said");

/** One file for each session, whose lines name what hooks have told the session. */
const locateGivenDir = (): string => join(locateHome().stateDir, "given");
const locateGivenFile = (session: string): string => join(locateGivenDir(), toFileName(session));

/** Any text as a file's name. */
export const toFileName = (text: string): string => text.replace(/[^\w-]/g, "_").slice(0, 100);

/** What hooks have told a session. The daemon may not know of it yet. */
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

/** The ids that the latest prompt of a session asked for. Each prompt overwrites the file. */
const locateAskedFile = (session: string): string => join(locateGivenDir(), toFileName(`${session} asked`));

/** @throws the file system's error */
export function noteAsked(session: string, ids: readonly string[]): void {
  makeDirectory(locateGivenDir());
  writeFileSync(locateAskedFile(session), ids.join("\n"), { mode: 0o600 });
}

/** The ids that the session's latest prompt asked for; null if no prompt was seen. */
export function readAsked(session: string): string[] | null {
  try {
    return readFileSync(locateAskedFile(session), "utf8").split("\n").filter(Boolean);
  } catch {
    return null;
  }
}

/** How long to keep what a session was told. Milliseconds. */
const givenForMs = 7 * dayMs;

/** Removes the records of what old sessions were told. */
export function removeOldGiven(now = Date.now()): void {
  for (const name of listNamesIfAny(locateGivenDir())) {
    const file = join(locateGivenDir(), name);
    if (now - findLastChange([file]) > givenForMs) rmSync(file, { force: true });
  }
}

/** The time of the last change of any of these files; 0 if none exists. Milliseconds since the epoch. */
export const findLastChange = (files: readonly string[]): number =>
  Math.max(0, ...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));

/**
 * How far prepared context may be behind the memory. While sessions are read, the memory changes all the time, and slightly old
 * context is better than none. Milliseconds.
 */
const maxBehindMs = 300_000;

/**
 * The prepared context of a kind for the checkout around `place`.
 * @returns null if there is none, or if it is too old; `isBehind`: a daemon may know more
 */
export function readReady<K extends keyof ReadyContext>(
  place: string,
  kind: K,
  now = Date.now(),
): { ready: ReadyContext[K]; isBehind: boolean } | null {
  const ready = findReady<ReadyContext[K]>(place, kind);
  if (ready === null) return null;
  try {
    const isBehind = findLastChange(ready.memory.files) > ready.memory.changedAt;
    const isTooOld = isBehind && now - ready.at > maxBehindMs;
    return isTooOld || !isAsItWas(ready) ? null : { ready, isBehind };
  } catch {
    return null;
  }
}

/** The prepared context of a kind for the checkout around `place`, however old; null if there is none. */
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
    // This directory is the root of another checkout, for which nothing is prepared.
    const isOther = existsSync(join(dir, ".git")) || existsSync(join(dir, teamDirName, "config.toml"));
    if (isOther || dirname(dir) === dir) return null;
  }
}

const isAsItWas = ({ from }: Made): boolean =>
  Object.entries(from).every(([file, change]) => readChangeStamp(file) === change);
