import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { TranscriptEntry } from "../../src/agents/agent.ts";
import { recognise } from "../../src/agents/registry.ts";
import { searchWithCommits } from "../../src/attribution/search/search-with-commits.ts";
import { type ContextKind, contextKinds } from "../../src/base/config/settings/session-settings.ts";
import { type Config, makeDefaultConfig } from "../../src/base/config/settings.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { answerContext } from "../../src/features/context/context.ts";
import type { ContextRequest, ContextResponse } from "../../src/features/context/operation.ts";
import type { FileHistory } from "../../src/features/context/source.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { createRelativizer } from "../../src/sessions/relative-paths.ts";
import type { Importer } from "../recall/import.ts";

type MomentKind = Exclude<ContextKind, "search"> | "keep";

/** keep: just before a compaction, as compaction is just after it. Searches have a replay of their own (bench/before-search.ts). */
export const momentKinds: readonly MomentKind[] = contextKinds.flatMap((kind): MomentKind[] => {
  if (kind === "search") return [];
  return kind === "compaction" ? ["keep", kind] : [kind];
});

/** A moment at which the hooks ask, and what they were answered. */
export interface Moment {
  /** The session's name in the manifest. */
  session: string;
  uid: string;
  kind: MomentKind;
  at: number;
  /** The line of the transcript that is next. */
  line: number;
  prompt: string;
  /** Of an edit: the file, and what was put in place of what. */
  file: string;
  removed: string;
  added: string;
  /** Of a compaction. */
  summary: string;
  /** Of a failure: what the command reported. */
  error: string;
  answer: ContextResponse | null;
  ms: number;
}

/** As the hook cuts it. */
const maxErrorChars = 8000;
const isShell = /^(?:bash|shell|exec_command|run_shell_command)$/i;

/** What a session did, by the lines of its transcript. */
export interface Played {
  name: string;
  uid: string;
  file: string;
  lines: string[];
  startedAt: number;
  endedAt: number;
  branch: string | null;
  touched: { line: number; path: string; isEdit: boolean }[];
  edits: { line: number; path: string; removed: string[] }[];
  moments: Moment[];
}

/** Reads a transcript: its lines, what they touched, and the moments at which hooks would ask. */
export async function readPlay(path: string): Promise<Played | null> {
  const recognised = await recognise(path);
  if (recognised === null) return null;
  const { agent, info } = recognised;
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const places = new Map<string, number>();
  lines.forEach((line, i) => {
    const uid = /"uuid":"([^"]+)"/.exec(line)?.[1];
    if (uid !== undefined && !places.has(uid)) places.set(uid, i);
  });
  // Other clients' lines have no names, but times.
  const times = lines.map((line) => Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? ""));
  const name = basename(path, ".jsonl");
  const played: Played = {
    name,
    uid: info.session,
    file: path,
    lines,
    startedAt: 0,
    endedAt: 0,
    branch: null,
    touched: [],
    edits: [],
    moments: [],
  };
  const edited = new Set<string>();
  const opened = new Set<string>();
  let inProject: ((file: string) => string) | undefined;
  const shellCalls = new Set<string>();
  for await (const batch of agent.read(path, null)) {
    for (const { uid, at, cwd, branch, entries } of batch.lines) {
      if (at === null) continue;
      const line = places.get(uid ?? "") ?? times.findIndex((time) => time >= at);
      if (line === -1) continue;
      played.endedAt = Math.max(played.endedAt, at);
      const moment = (kind: Moment["kind"], more: Partial<Moment> = {}) =>
        played.moments.push({
          session: name,
          uid: info.session,
          kind,
          at,
          line,
          prompt: "",
          file: "",
          removed: "",
          added: "",
          summary: "",
          error: "",
          answer: null,
          ms: 0,
          ...more,
        });
      if (played.startedAt === 0) {
        played.startedAt = at;
        played.branch = branch;
        moment("start");
      }
      // As the memory stores them: from where the session was launched.
      inProject ??= createRelativizer({ root: "", worktrees: [], cwd: cwd ?? "" });
      for (const entry of entries) {
        if (entry.kind === "prompt") moment("past", { prompt: entry.text });
        if (entry.kind === "prompt") moment("prompt", { prompt: entry.text });
        if (entry.kind === "summary") moment("keep");
        if (entry.kind === "summary") moment("compaction", { summary: entry.text });
        if (entry.kind === "tool_use" && isShell.test(entry.tool)) shellCalls.add(entry.id);
        if (entry.kind === "tool_result" && entry.isError && shellCalls.has(entry.id))
          moment("failure", { error: entry.text.slice(-maxErrorChars), line: line + 1 });
        for (const { file, isEdit } of touchedBy(entry)) {
          const stored = inProject(file);
          played.touched.push({ line, path: stored, isEdit });
          if (isEdit && !edited.has(stored)) moment("check", { file: stored, line: line + 1 });
          if (!isEdit && !opened.has(stored)) moment("read", { file: stored, line: line + 1 });
          if (isEdit && !edited.has(stored)) moment("edit", { file: stored, line: line + 1 });
          if (isEdit) edited.add(stored);
          opened.add(stored);
          const { removed, added } = replacedBy(entry);
          if (isEdit && added !== "") moment("revert", { file: stored, removed, added, line: line + 1 });
        }
        if (entry.kind !== "tool_result" || entry.isError) continue;
        for (const { path, hunks } of entry.edits ?? []) {
          const lines = hunks.flatMap((hunk) => hunk.lines).filter((one) => one.startsWith("-"));
          played.edits.push({
            line,
            path: inProject!(path),
            removed: lines.map((one) => one.slice(1).trim()),
          });
        }
      }
    }
  }
  return played.startedAt === 0 ? null : played;
}

const touchedBy = (entry: TranscriptEntry) =>
  entry.kind === "tool_use"
    ? entry.files.map(({ path, how }) => ({ file: path, isEdit: how !== "read" }))
    : [];

/** What the hook sends of an edit. */
function replacedBy(entry: TranscriptEntry): { removed: string; added: string } {
  const { old_string = "", new_string = "" } = entry.kind === "tool_use" ? entry.input : {};
  return { removed: String(old_string), added: String(new_string) };
}

/**
 * Plays sessions in the order of time, and asks at each moment of some of them what a hook would inject, of a memory that knows
 * only what was before: transcripts grow as they did, and are read as the daemon reads them.
 * @param asked which sessions are asked; the others are known once they are over
 * @param history git's view of files at a time
 */
export async function replay(
  plays: readonly Played[],
  asked: (name: string) => boolean,
  importer: Importer,
  scratch: string,
  history: (at: number) => FileHistory,
): Promise<Moment[]> {
  const { memory } = importer;
  const times = { now: 0 };
  const search = searchWithCommits({
    root: scratch,
    memory,
    embedder: new QueryEmbedder({ first: createStaticEmbedder() }),
    now: () => times.now,
  });
  mkdirSync(join(scratch, "transcripts"));
  const written = new Map<string, number>();
  /** Lets a transcript grow up to a line. */
  const grow = async ({ name, lines }: Played, to: number) => {
    const from = written.get(name) ?? 0;
    const copy = join(scratch, "transcripts", `${name}.jsonl`);
    if (to <= from) return copy;
    appendFileSync(copy, `${lines.slice(from, to).join("\n")}\n`);
    written.set(name, to);
    await importer.read(copy);
    return copy;
  };
  const config = (kind: MomentKind): Config => ({
    ...makeDefaultConfig(),
    "context.kinds": [kind === "keep" ? "compaction" : kind],
  });
  const events = plays.flatMap((play) => [
    ...(asked(play.name) ? play.moments : []).map((moment) => ({ at: moment.at, play, moment })),
    { at: play.endedAt + 1, play, moment: null },
  ]);
  for (const { at, play, moment } of events.sort((a, b) => a.at - b.at)) {
    times.now = at;
    const path = await grow(play, moment?.line ?? play.lines.length);
    if (moment === null) {
      await importer.end(path);
      continue;
    }
    const start = performance.now();
    moment.answer = await answerContext(
      {
        root: scratch,
        worktrees: [],
        memory,
        config: config(moment.kind),
        now: at,
        until: null,
        origin: null,
        search: (query) => search.search(query),
        namedCode: async () => [],
        branch: async () => play.branch,
        summary: async () => moment.summary,
        history: history(at),
      },
      requestOf(moment),
    );
    moment.ms = performance.now() - start;
  }
  return plays.filter(({ name }) => asked(name)).flatMap(({ moments }) => moments);
}

function requestOf(moment: Moment): ContextRequest {
  const { kind, uid: session_id, prompt, file, removed, added, error } = moment;
  switch (kind) {
    case "keep":
      return { session_id, event: "pre-compact" };
    case "failure":
      return { session_id, event: "tool-failure", error };
    case "read":
      return { session_id, event: "pre-tool-use", reading: file };
    case "past":
    case "prompt":
      return { session_id, event: "user-prompt", prompt };
    case "check":
    case "edit":
      return { session_id, event: "post-tool-use", file };
    case "revert":
      return { session_id, event: "post-tool-use", file, removed, added };
    default:
      return { session_id, event: "session-start", source: kind === "start" ? "startup" : "compact" };
  }
}
