import picomatch from "picomatch";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import type { Decision, DecisionsAnswer } from "../../protocol/decisions.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import { allChunks, chunkIdsIn, touchedFiles } from "../../store/memory/chunks/chunk-filter.ts";
import { chunkOutlines, chunksByIds } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid, sessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { turnOf } from "../../store/memory/sessions/turns.ts";
import { parseWhen } from "../../text/dates.ts";
import { memorySearch } from "../search/sessions.ts";
import { sentenceFinder } from "./deciding-sentence.ts";

export interface DecisionsRequest {
  /** "": the latest. */
  query: string;
  since?: string | undefined;
  until?: string | undefined;
  /** Paths, directories or globs; empty: all. */
  files: readonly string[];
  limit: number;
}

/**
 * What was noted and decided: the latest first, or with a query the best first.
 * @throws PommelError `usage` for a time or a query that makes no sense
 */
export async function decisionsIn(
  project: Project,
  memory: Memory,
  request: DecisionsRequest,
  config: Config,
): Promise<DecisionsAnswer> {
  const all =
    request.query === ""
      ? [...(await notesIn(memory, request)), ...(await textIn(memory, request, config))].sort(latestFirst)
      : await foundIn(project, memory, request, config);
  return { decisions: all.slice(0, request.limit), total: all.length };
}

const latestFirst = (a: Decision, b: Decision) => (b.timestamp ?? "").localeCompare(a.timestamp ?? "");

async function timesOf({ since, until }: DecisionsRequest) {
  return {
    since: since === undefined ? null : await parseWhen(since, "since"),
    until: until === undefined ? null : await parseWhen(until, "until"),
  };
}

async function notesIn(memory: Memory, request: DecisionsRequest, search = ""): Promise<Decision[]> {
  const isWanted = filesMatcher(request.files);
  return listAnnotations(memory, { ...(await timesOf(request)), search }).flatMap((note): Decision[] => {
    const session = note.sessionUid === null ? null : sessionByUid(memory, note.sessionUid);
    const turn = session && note.turn !== null ? turnOf(memory, session.id, note.turn) : null;
    const files = turn?.files.map(({ path }) => path) ?? [];
    if (isWanted && !files.some(isWanted)) return [];
    return [
      {
        source: "annotation",
        text: note.note,
        session_id: note.sessionUid,
        session_title: session?.title ?? null,
        turn: note.turn,
        timestamp: new Date(note.at).toISOString(),
        branch: note.branch,
        files,
        score: null,
      },
    ];
  });
}

async function textIn(memory: Memory, request: DecisionsRequest, config: Config): Promise<Decision[]> {
  const isWanted = filesMatcher(request.files);
  const ids = chunkIdsIn(memory, {
    ...allChunks,
    ...(await timesOf(request)),
    kinds: ["decision"],
    types: ["raw"],
    abandoned: false,
    files: isWanted && touchedFiles(memory).filter((path) => isWanted(path)),
  });
  const latest = [...chunkOutlines(memory, ids).values()].sort(
    (a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0),
  );
  const shown = latest.slice(0, request.limit).map(({ id }) => id);
  const chunks = chunksByIds(memory, shown);
  const sessions = sessionsByIds(
    memory,
    latest.map(({ sessionId }) => sessionId),
  );
  const sentenceOf = sentenceFinder(config);
  // Those that are not shown are only counted.
  return latest.map((outline): Decision => {
    const chunk = chunks.get(outline.id);
    return {
      source: "conversation",
      text: chunk ? sentenceOf(chunk.text).text : "",
      session_id: sessions.get(outline.sessionId)?.uid ?? null,
      session_title: sessions.get(outline.sessionId)?.title ?? null,
      turn: outline.firstTurn,
      timestamp: outline.startedAt === null ? null : new Date(outline.startedAt).toISOString(),
      branch: outline.branch,
      files: chunk?.files ?? [],
      score: null,
    };
  });
}

async function foundIn(
  project: Project,
  memory: Memory,
  request: DecisionsRequest,
  config: Config,
): Promise<Decision[]> {
  const { query: q, since, until, files } = request;
  const asked = {
    q,
    limit: Math.min(40 * request.limit, 1000),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(files.length > 0 && { file: [...files] }),
  };
  const search = await memorySearch(project, memory, config);
  // Asked once: scores of two searches would not be comparable.
  const { results } = await search({ ...asked, type: ["raw", "annotated"] });
  const decided = results.filter((result) => result.annotation !== null || result.kind === "decision");
  const sentenceOf = sentenceFinder(config);
  const found = decided.map((result): Decision => {
    const isNote = result.annotation !== null;
    return {
      source: isNote ? "annotation" : "conversation",
      text: result.annotation ?? sentenceOf(result.content, q).text,
      session_id: result.session_id,
      session_title: result.session_title,
      turn: isNote ? result.last_turn : result.turn,
      timestamp: result.timestamp,
      branch: result.branch,
      files: result.files,
      score: result.score,
    };
  });
  // Notes from a shell belong to no session, and are found by their words only.
  const known = new Set(found.map(({ text }) => text));
  const literal = (await notesIn(memory, request, q)).filter(({ text }) => !known.has(text));
  return [...literal.map((note) => ({ ...note, score: 1 })), ...found].sort((a, b) => b.score! - a.score!);
}

/** Whether a path is one that was named, lies below one or fits a glob; null when none was named. */
export function filesMatcher(files: readonly string[]): ((path: string) => boolean) | null {
  if (files.length === 0) return null;
  return picomatch(
    files.flatMap((file) => [file, `${file.replace(/\/+$/, "")}/**`]),
    { dot: true },
  );
}
