import { existsSync } from "node:fs";
import { join } from "node:path";
import { askGraph } from "../../answers/ask-graph.ts";
import { parsePlace, locate as placeInProject } from "../../answers/file-place.ts";
import { withMemoryIfAny } from "../../answers/open.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import { answerAbout } from "../../answers/run.ts";
import { listNotesOnLines } from "../../attribution/line-notes.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { stopWords, tokenize } from "../../base/text/tokens.ts";
import { classifyPath } from "../../code/files/path-role.ts";
import { readSource } from "../../code/search/source.ts";
import { listWorkingFiles } from "../../git/working-files.ts";
import type { SearchResponse } from "../../protocol/results.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTurn, listTurnsWithFile } from "../../store/memory/sessions/turns.ts";
import { toLineNote } from "../notes/operation.ts";
import { searchCode, showChunk } from "../search/operation.ts";
import type { CodeAnswer, CodeHit, CodeRequest } from "./operation.ts";

/** Hits that are read in full: a reader who has room gets more than the first two. */
const maxRead = 6;
/** Those of them for which it is found out what calls them. */
const maxWithCallers = 2;
/** Those of them of whose files more is shown to who has room, and how many lines before and after them. */
const maxWithMore = 3;
const linesAround = 120;
/** Call sites of a hit: nobody reads more, and a name that is everywhere would fill the answer. The others are counted. */
const maxCallSites = 200;
const maxUses = 12;
/** Changes that wait for the index: more mean more than a save that was just made. */
const manyChanges = 20;
const defaultHits = 8;
/** Lines of a hit around which it is read. */
const maxMatches = 4;
/** A place holds no more lines, however many are asked for. */
const maxPlaceLines = 400;
const maxTurnsOfFile = 200;
/** On the lines of an answer. */
const maxLineNotes = 3;

/**
 * Code that answers a question, so that editing can begin; or exactly the lines of a place.
 * @throws PommelError `usage` without a question and a place, `not_found` for a file that is not there, and as a search
 */
export async function readCode(
  { project }: Subjects["project"],
  request: CodeRequest,
  { signal }: RunContext,
): Promise<CodeAnswer> {
  const { place, query, calls, ...filters } = request;
  if (place !== undefined) return readPlace(project, place);
  if (query === undefined) {
    throw new PommelError("usage", "query is missing.", "Say what the code does, a name, or FILE:LINES.");
  }
  const asked = { limit: defaultHits, ...filters, q: query };
  const found = await answerAbout(searchCode, { project }, asked, { signal });
  // A name that is asked for as it is written comes before those that differ in case.
  const isNamed = ({ name }: { name: string }) => name === query.trim();
  const results = [...found.results.filter(isNamed), ...found.results.filter((one) => !isNamed(one))];
  const hits = await Promise.all(results.map((result, i) => toHit(project, query, result, i)));
  return {
    verdict: found.verdict,
    coverage: found.coverage,
    hits,
    total: found.total_results,
    place: null,
    ...(await readBehind(project, hits.slice(0, maxWithCallers))),
    notes: [...found.notes, ...notesOnIndex(found), ...(calls ? notesOnCalls(hits) : [])],
  };
}

/** Nobody is to take what is not known for nothing. */
const notesOnCalls = ([first]: readonly CodeHit[]): string[] =>
  first?.name && first.call_sites === null ? ["What calls it is not known: use grep for its name."] : [];

/** How far behind the files an index may be. */
function notesOnIndex({ index: { is_complete, pending, as_of } }: SearchResponse): string[] {
  const isBehind = is_complete && (pending ?? 0) > manyChanges;
  const isAlone = pending === null && as_of !== null;
  return [
    ...(isBehind ? ["Changed files are still being indexed."] : []),
    ...(isAlone ? [`No daemon is running; the index is from ${as_of}.`] : []),
  ];
}

async function toHit(
  project: Project,
  query: string,
  result: SearchResponse["results"][number],
  at: number,
): Promise<CodeHit> {
  const isRead = at < maxRead;
  const { file, start_line, end_line, kind, level, name, parent_name, content, freshness, also_in } = result;
  const lines = content.split("\n");
  return {
    file,
    first_line: start_line,
    last_line: end_line,
    kind: kind || level,
    name,
    parent: parent_name,
    summary: summarise(lines, name),
    is_stale: freshness === "drifted",
    lines: isRead ? lines : [],
    matches: isRead ? (result.match_lines ?? pickLinesAbout(query, lines, start_line)) : [],
    ...((at < maxWithCallers ? await listNeighbourCode(project, result) : null) ?? {
      call_sites: null,
      more_call_sites: 0,
      uses: null,
    }),
    also: result.places.map(({ name: other, start_line, end_line }) => ({
      name: other,
      line: start_line,
      last_line: end_line,
    })),
    around: at < maxWithMore ? readAround(project, result) : [],
    also_in,
  };
}

/** The lines around a result, and those of its file's other places that are further away. */
function readAround(
  project: Project,
  { file, start_line, end_line, level, places }: SearchResponse["results"][number],
): CodeHit["around"] {
  const source = level === "file" ? null : readSource(project.root, file);
  if (source === null) return [];
  const lines = source.text.replace(/\r?\n$/, "").split(/\r?\n/);
  const read = (first: number, last: number) => ({ first, lines: lines.slice(first - 1, last) });
  const [first, last] = [Math.max(start_line - linesAround, 1), end_line + linesAround];
  const isFar = ({ start_line: from, end_line: to }: (typeof places)[number]) => to < first || from > last;
  return [read(first, last), ...places.filter(isFar).map((one) => read(one.start_line, one.end_line))];
}

/** The first sentence of a comment above a definition, else its first line. */
function summarise(lines: readonly string[], name: string): string {
  const isComment = (line: string) => /^\s*(?:\/\/|\/\*|\*|#(?!\[|include|define)|--|"""|;;)/.test(line);
  const comment = lines
    .slice(
      0,
      lines.findIndex((line) => !isComment(line)),
    )
    .map((line) => line.replace(/^\s*(?:\/\/+!?|\/\*+|\*+\/?|#+|--|"""|;;+)\s?/, "").replace(/\*+\/\s*$/, ""))
    .join(" ")
    .trim();
  const [sentence = ""] = /^.*?[.!?](?=\s|$)/.exec(comment) ?? [comment];
  if (sentence !== "") return sentence;
  const code = lines.find((line) => line.trim() !== "" && !isComment(line)) ?? "";
  return code.trim() === name ? "" : code.trim();
}

/** The lines that hold most of a question's words, best first. */
function pickLinesAbout(query: string, lines: readonly string[], first: number): number[] {
  const wanted = new Set(tokenize(query).filter((token) => !stopWords.has(token)));
  const held = lines.map((line) => new Set(tokenize(line).filter((token) => wanted.has(token))));
  const holders = new Map<string, number>();
  for (const tokens of held) for (const one of tokens) holders.set(one, (holders.get(one) ?? 0) + 1);
  return held
    .map((tokens, i) => ({
      line: first + i,
      weight: [...tokens].reduce((sum, one) => sum + 1 / holders.get(one)!, 0),
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.line - b.line)
    .map(({ line }) => line)
    .slice(0, maxMatches);
}

/** Each place that calls or uses a definition, at its own line, and what that uses itself; null where it is not known. */
async function listNeighbourCode(
  project: Project,
  { file, name, start_line, end_line, level }: SearchResponse["results"][number],
): Promise<Pick<CodeHit, "call_sites" | "more_call_sites" | "uses"> | null> {
  // A file and loose lines are called by nobody: to say so would read as dead code.
  if (level === "file" || level === "lines") return null;
  return askGraph(project, async (graph) => {
    if (!(await graph.hasReferences(file))) return null;
    const target = await graph.definitions.findDefinitionOfSpan({
      file,
      name,
      first: start_line,
      last: end_line,
    });
    const { edges } = await graph.findCallers([target]);
    const texts = new Map<string, readonly string[]>();
    const readLineAt = (path: string, line: number): string => {
      const lines = texts.get(path) ?? readSource(project.root, path)?.text.split("\n") ?? [];
      texts.set(path, lines);
      return (lines[line - 1] ?? "").trim();
    };
    const countSharedDirectories = (path: string) => sharedDirectories(path, file);
    const places = edges
      .flatMap(({ node, kind, lines, confidence }) => lines.map((line) => ({ node, kind, line, confidence })))
      .map((one) => ({ ...one, isTest: classifyPath(one.node.file) === "test" }))
      .sort(
        (a, b) =>
          Number(a.isTest) - Number(b.isTest) ||
          countSharedDirectories(b.node.file) - countSharedDirectories(a.node.file),
      );
    const sites = places.slice(0, maxCallSites).map(({ node, kind, line, confidence, isTest }) => ({
      file: node.file,
      line,
      text: readLineAt(node.file, line),
      within: node.kind === "file" ? "" : node.parent === null ? node.name : `${node.parent}.${node.name}`,
      how: kind,
      confidence,
      is_test: isTest,
    }));
    const callees = await graph.findCallees(target);
    return {
      call_sites: sites,
      more_call_sites: places.length - sites.length,
      uses: callees.edges
        .slice(0, maxUses)
        .map(({ node }) => ({ file: node.file, line: node.line, name: node.name })),
    };
  });
}

/** How many directories two paths have in common, from the root on. */
function sharedDirectories(a: string, b: string): number {
  const [mine, other] = [a.split("/").slice(0, -1), b.split("/").slice(0, -1)];
  const different = mine.findIndex((name, i) => name !== other[i]);
  return different < 0 ? mine.length : different;
}

/** Notes on lines that are shown; and how many more notes and sessions are about their files, for a reader who does not know of any. */
function readBehind(
  project: Project,
  shown: readonly Pick<CodeHit, "file" | "first_line" | "last_line">[],
): Promise<Pick<CodeAnswer, "behind" | "line_notes">> {
  return withMemoryIfAny(project, (memory) => {
    if (memory === null) return { behind: { notes: 0, sessions: 0 }, line_notes: [] };
    const onLines = shown.flatMap(({ file, first_line: first, last_line: last }) =>
      listNotesOnLines(memory, project.root, file, { first, last }),
    );
    const told = onLines.slice(0, maxLineNotes);
    const files = shown.map(({ file }) => file);
    const sessions = new Set(
      files.flatMap((file) =>
        listTurnsWithFile(memory, file, maxTurnsOfFile).map(({ sessionId }) => sessionId),
      ),
    );
    const except = new Set(told.map(({ record }) => record.id));
    const notes = countNotes(memory, new Set(files), except);
    return { behind: { sessions: sessions.size, notes }, line_notes: told.map(toLineNote) };
  });
}

function countNotes(memory: Memory, files: ReadonlySet<string>, except: ReadonlySet<number>): number {
  return listStoredNotes(memory).filter(({ id, path, sessionUid, turn }) => {
    if (except.has(id)) return false;
    if (path !== null) return files.has(path);
    const session = sessionUid === null || turn === null ? null : findSessionByUid(memory, sessionUid);
    const touched = session === null ? null : findTurn(memory, session.id, turn!);
    return touched?.files.some(({ path }) => files.has(path)) ?? false;
  }).length;
}

/** The lines of a place as they are on disk, or what a file holds. */
async function readPlace(project: Project, text: string): Promise<CodeAnswer> {
  const named = parsePlace(text, (name) => existsSync(join(project.root, name)));
  const file = await locateFile(project, named.file);
  // Only what is indexed is read: what is ignored may hold secrets.
  const around = await answerAbout(showChunk, { project }, { id: file });
  const source = readSource(project.root, file);
  if (source === null) throw new PommelError("not_found", `${file} is gone, or cannot be read.`);
  const all = source.text.replace(/\r?\n$/, "").split(/\r?\n/);
  const { first, last } = named.lines ?? { first: 1, last: Number.POSITIVE_INFINITY };
  if (first > all.length) {
    throw new PommelError(
      "not_found",
      `${file} has only ${all.length} lines.`,
      `The last one: ${file}:${all.length}`,
    );
  }
  const within =
    named.lines === null ? [] : await namesAround(project, `${file}:${first}-${Math.min(last, all.length)}`);
  const isOutline = named.lines === null && all.length > maxPlaceLines / 2;
  const lines = isOutline ? [] : all.slice(first - 1, Math.min(last, first - 1 + maxPlaceLines));
  return {
    verdict: "found",
    hits: isOutline
      ? around.children.map((child) => ({
          file,
          first_line: child.start_line,
          last_line: child.end_line,
          kind: child.kind || child.level,
          name: child.name,
          parent: null,
          summary: child.signature === child.name ? "" : child.signature,
          is_stale: false,
          lines: [],
          matches: [],
          call_sites: null,
          more_call_sites: 0,
          uses: null,
          also: [],
          around: [],
          also_in: [],
        }))
      : [],
    total: isOutline ? around.children.length : 0,
    place: { file, first, lines, within, file_lines: all.length },
    ...(await readBehind(project, [{ file, first_line: first, last_line: first + lines.length - 1 }])),
    notes: [],
  };
}

/** "method send 70-400": what the lines lie in, the nearest first; nothing where they span several. */
async function namesAround(project: Project, place: string): Promise<string[]> {
  try {
    const { chunk, parents } = await answerAbout(showChunk, { project }, { id: place });
    return [chunk, ...parents]
      .filter(({ level, name }) => level !== "file" && level !== "lines" && name !== "")
      .map(
        ({ kind, level, name, start_line, end_line }) => `${kind || level} ${name} ${start_line}-${end_line}`,
      );
  } catch (error) {
    if (error instanceof PommelError) return [];
    throw error;
  }
}

/**
 * A file as somebody names it: by its path, or by the end of the path of one file alone.
 * @throws PommelError `not_found`, `usage`
 */
export async function locateFile(project: Project, name: string): Promise<string> {
  const path = placeInProject(project, project.root, name);
  if (existsSync(join(project.root, path))) return path;
  const ending = `/${path}`;
  const found = (await listWorkingFiles(project.root).catch(() => [])).filter((one) => one.endsWith(ending));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  throw new PommelError(
    "not_found",
    `There is no file ${path}.`,
    only === undefined
      ? "`code` with a query finds code by what it does."
      : `Do you mean ${found.slice(0, 5).join(", ")}?`,
  );
}
