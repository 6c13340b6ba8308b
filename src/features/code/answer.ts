import { existsSync } from "node:fs";
import { join } from "node:path";
import { parsePlace, locate as placeInProject } from "../../answers/file-place.ts";
import { withMemoryIfAny } from "../../answers/open.ts";
import type { Running, Subjects } from "../../answers/operation.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { stopWords, tokenize } from "../../base/text/tokens.ts";
import { classifyPath } from "../../code/files/path-role.ts";
import { readSource } from "../../code/search/source.ts";
import { listWorkingFiles } from "../../git/working-files.ts";
import type { SearchResponse } from "../../protocol/results.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTurn, listTurnsWithFile } from "../../store/memory/sessions/turns.ts";
import { askGraph } from "../impact/impact.ts";
import { showChunk } from "../search/chunk.ts";
import { searchCode } from "../search/code.ts";
import type { CodeAnswer, CodeHit, CodeRequest } from "./operation.ts";

/** Hits that are read in full, with what calls them. */
const maxRead = 2;
/** Call sites of a hit: nobody reads more, and a name that is everywhere would fill the answer. */
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

/**
 * Code that answers a question, so that editing can begin; or exactly the lines of a place.
 * @throws PommelError `usage` without a question and a place, `not_found` for a file that is not there, and as a search
 */
export async function readCode(
  { project }: Subjects["project"],
  request: CodeRequest,
  { signal }: Running,
): Promise<CodeAnswer> {
  const { place, query, calls: _, ...filters } = request;
  if (place !== undefined) return readPlace(project, place);
  if (query === undefined) {
    throw new PommelError("usage", "query is missing.", "Say what the code does, a name, or FILE:LINES.");
  }
  const asked = { limit: defaultHits, ...filters, q: query };
  const found = await searchCode(project, asked, signal);
  // A name that is asked for as it is written comes before those that differ in case.
  const isNamed = ({ name }: { name: string }) => name === query.trim();
  const results = [...found.results.filter(isNamed), ...found.results.filter((one) => !isNamed(one))];
  const hits = await Promise.all(results.map((result, i) => toHit(project, query, result, i < maxRead)));
  return {
    verdict: found.verdict,
    coverage: found.coverage,
    hits,
    total: found.total_results,
    place: null,
    behind: await countBehind(
      project,
      hits.slice(0, maxRead).map(({ file }) => file),
    ),
    notes: [...found.notes, ...notesOnIndex(found)],
  };
}

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
  isRead: boolean,
): Promise<CodeHit> {
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
    ...((isRead ? await listNeighbourCode(project, result) : null) ?? { call_sites: null, uses: null }),
    also: result.places.map(({ name: other, start_line: line }) => ({ name: other, line })),
    also_in,
  };
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
): Promise<Pick<CodeHit, "call_sites" | "uses"> | null> {
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
    const sites = edges.flatMap(({ node, kind, lines, confidence }) =>
      lines.map((line) => ({
        file: node.file,
        line,
        text: readLineAt(node.file, line),
        within: node.kind === "file" ? "" : node.parent === null ? node.name : `${node.parent}.${node.name}`,
        how: kind,
        confidence,
        is_test: classifyPath(node.file) === "test",
      })),
    );
    const countSharedDirectories = (path: string) => sharedDirectories(path, file);
    const callees = await graph.findCallees(target);
    return {
      call_sites: sites
        .sort(
          (a, b) =>
            Number(a.is_test) - Number(b.is_test) ||
            countSharedDirectories(b.file) - countSharedDirectories(a.file),
        )
        .slice(0, maxCallSites),
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

/** Notes and sessions about files, for a reader who does not know that there are any. */
function countBehind(project: Project, files: readonly string[]): Promise<CodeAnswer["behind"]> {
  return withMemoryIfAny(project, (memory) => {
    if (memory === null) return { notes: 0, sessions: 0 };
    const sessions = new Set(
      files.flatMap((file) =>
        listTurnsWithFile(memory, file, maxTurnsOfFile).map(({ sessionId }) => sessionId),
      ),
    );
    return { sessions: sessions.size, notes: countNotes(memory, new Set(files)) };
  });
}

function countNotes(memory: Memory, files: ReadonlySet<string>): number {
  return listAnnotations(memory).filter(({ sessionUid, turn }) => {
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
  const around = await showChunk(project, { id: file });
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
          uses: null,
          also: [],
          also_in: [],
        }))
      : [],
    total: isOutline ? around.children.length : 0,
    place: { file, first, lines, within, file_lines: all.length },
    behind: await countBehind(project, [file]),
    notes: [],
  };
}

/** "method send 70-400": what the lines lie in, the nearest first; nothing where they span several. */
async function namesAround(project: Project, place: string): Promise<string[]> {
  try {
    const { chunk, parents } = await showChunk(project, { id: place });
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
    only === undefined ? "code with a query finds it." : `Do you mean ${found.slice(0, 5).join(", ")}?`,
  );
}
