import { LRUCache } from "lru-cache";
import { addTo } from "../../base/multimap.ts";
import { hashFnv1a } from "../../base/text/hash.ts";
import { decodeGraph, type GraphDefinition, objectOwner } from "../../code/graph/record.ts";
import { ParsePool } from "../../code/parse/parse-pool.ts";
import type { ChunkRecord, IndexedFile } from "../../store/index/records.ts";
import { stripToCode } from "./bare-code.ts";

/** A function as one version of its file has it. */
export interface FunctionHere {
  /** `Parser.parse`: the same in another version. Several have it where a name is overloaded. */
  name: string;
  /** On one line. */
  signature: string;
  /** 1-based, inclusive, with the comments above it. */
  startLine: number;
  endLine: number;
  lines: readonly string[];
  /** Without comments and layout: equal for what only moved. */
  code: string;
}

interface FunctionsOfFile {
  functions: readonly FunctionHere[];
  /** The parser met something that it does not understand: maybe somebody is at it. */
  hasSyntaxErrors: boolean;
}

const nothing: FunctionsOfFile = { functions: [], hasSyntaxErrors: true };
/** Larger files are not written by hand. Characters. */
const maxChars = 1_000_000;
/** Versions of files that are kept. */
const maxKept = 500;
/** The thread that parses ends when nobody asked for so long. Milliseconds. */
const restAfterMs = 300_000;

const kept = new LRUCache<string, Promise<FunctionsOfFile>>({ max: maxKept });
let pool: ParsePool | null = null;
let rest: NodeJS.Timeout | undefined;

/** The functions of a version of a file, by its path in the project. */
export function findFunctions(path: string, text: string): Promise<FunctionsOfFile> {
  if (text.length > maxChars) return Promise.resolve(nothing);
  const version = `${path}\n${text.length}\n${hashFnv1a(text)}`;
  const known = kept.get(version);
  if (known !== undefined) return known;
  const found = parseFunctions(path, text).catch(() => {
    kept.delete(version);
    return nothing;
  });
  kept.set(version, found);
  return found;
}

async function parseFunctions(path: string, text: string): Promise<FunctionsOfFile> {
  clearTimeout(rest);
  pool ??= new ParsePool({
    root: "",
    countThreads: () => 1,
    maxFileSize: maxChars,
    levels: ["class", "method"],
    languages: [],
    headerLanguage: "cpp",
    withVectors: false,
  });
  try {
    const outcome = await pool.parse({ path, size: text.length, mtimeMs: 0 }, null, { text });
    return outcome.status === "indexed" ? listFunctions(path, text, outcome) : nothing;
  } finally {
    rest = setTimeout(() => void closeFunctions(), restAfterMs).unref();
  }
}

/** Ends the thread that parses, until it is needed again. */
export async function closeFunctions(): Promise<void> {
  clearTimeout(rest);
  const closing = pool;
  pool = null;
  await closing?.close();
}

function listFunctions(path: string, text: string, file: IndexedFile): FunctionsOfFile {
  const lines = text.split("\n");
  const chunks = new Map(file.chunks.map((chunk) => [chunk.id, chunk]));
  const definitions = file.graph ? decodeGraph(file.graph).definitions : [];
  const functions = file.chunks
    .filter(({ level, name }) => level === "method" && name !== "")
    .map((chunk): FunctionHere => {
      const { signature, startLine, endLine } = chunk;
      const names = [...listEnclosing(chunk, chunks), findOwner(chunk, definitions), chunk.name];
      const name = names.filter((one) => one !== "").join(".");
      const own = lines.slice(startLine - 1, endLine);
      const code = stripToCode(own.join("\n"), path);
      return { name, signature, startLine, endLine, lines: own, code };
    });
  return { functions, hasSyntaxErrors: file.hasSyntaxErrors };
}

/** Names of what a chunk is in, the outermost first. */
function listEnclosing({ parentId }: ChunkRecord, chunks: ReadonlyMap<string, ChunkRecord>): string[] {
  const parent = parentId === null ? undefined : chunks.get(parentId);
  return parent === undefined ? [] : [...listEnclosing(parent, chunks), parent.name];
}

/** The type that a method belongs to where it is written apart from it, as in Go. */
function findOwner(chunk: ChunkRecord, definitions: readonly GraphDefinition[]): string {
  const { name, startLine, endLine } = chunk;
  const own = definitions.find((one) => one.name === name && one.line >= startLine && one.line <= endLine);
  return own === undefined || own.owner === objectOwner ? "" : own.owner;
}

/** What became of a function. */
export interface ChangedFunction {
  what: "added" | "changed" | "removed";
  /** As it is now; of one that was removed as it was. */
  now: FunctionHere;
  /** As it was; null: it was not there. */
  before: FunctionHere | null;
  /** Whether its callers may have to follow. */
  isSignatureChanged: boolean;
}

/** What differs between two versions of a file, by more than comments and layout. */
export function compareFunctions(before: FunctionsOfFile, now: FunctionsOfFile): ChangedFunction[] {
  const formerly = groupByName(before.functions);
  const changed: ChangedFunction[] = [];
  for (const [name, group] of groupByName(now.functions)) {
    const former = formerly.get(name) ?? [];
    formerly.delete(name);
    const [fresh, gone] = [listUnlike(group, former), listUnlike(former, group)];
    const [one, other] = [fresh[0], gone[0]];
    // Of several with one name nobody can say which became which.
    if (fresh.length > 1 || gone.length > 1) continue;
    if (one !== undefined && other !== undefined) {
      const isSignatureChanged = !isSameSignature(one, other);
      changed.push({ what: "changed", now: one, before: other, isSignatureChanged });
    } else if (one !== undefined)
      changed.push({ what: "added", now: one, before: null, isSignatureChanged: false });
  }
  // What does not parse is in the middle of being written.
  if (now.hasSyntaxErrors && !before.hasSyntaxErrors)
    return changed.map((one) => ({ ...one, isSignatureChanged: false }));
  for (const [one, another] of formerly.values()) {
    if (one !== undefined && another === undefined)
      changed.push({ what: "removed", now: one, before: one, isSignatureChanged: true });
  }
  return dropOuter(changed);
}

function groupByName(functions: readonly FunctionHere[]): Map<string, FunctionHere[]> {
  const groups = new Map<string, FunctionHere[]>();
  for (const one of functions) addTo(groups, one.name, one);
  return groups;
}

const listUnlike = (functions: readonly FunctionHere[], others: readonly FunctionHere[]): FunctionHere[] =>
  functions.filter(({ code }) => others.every((other) => other.code !== code));

/** Apart from layout. */
export const isSameSignature = (a: FunctionHere, b: FunctionHere): boolean =>
  a.signature.replace(/\s/g, "") === b.signature.replace(/\s/g, "");

/**
 * The function in another version of the file that a change is about: the one of its name, or of several the one whose signature is as it
 * was, or as it is now. null: none, or nobody can say.
 */
export function findCounterpart(
  { now, before }: Pick<ChangedFunction, "now" | "before">,
  functions: readonly FunctionHere[],
): FunctionHere | null {
  const named = functions.filter(({ name }) => name === now.name);
  if (named.length < 2) return named[0] ?? null;
  const same = named.filter((one) =>
    [now, before].some((version) => version !== null && isSameSignature(version, one)),
  );
  return same.length === 1 ? same[0]! : null;
}

/** Without what only changed because of a function within it. */
const dropOuter = (changed: readonly ChangedFunction[]): ChangedFunction[] =>
  changed.filter(
    ({ what, now, isSignatureChanged }) =>
      what !== "changed" ||
      isSignatureChanged ||
      !changed.some(
        (other) =>
          other.now !== now &&
          other.what !== "removed" &&
          other.now.startLine >= now.startLine &&
          other.now.endLine <= now.endLine,
      ),
  );
