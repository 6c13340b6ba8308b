import { randomBytes } from "node:crypto";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import { withoutEscapes } from "../../base/text/display-width.ts";
import { formatUtcMinute } from "../../base/text/iso-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { call } from "../../client/call.ts";
import type { Decision } from "../../protocol/decision.ts";
import { nameSession } from "../../protocol/reading/names.ts";
import { createProjectScrubber } from "../../redact/project-scrubber.ts";
import { createLedger } from "../../redact/scrubber.ts";
import type { NumberRange } from "../../terminal/options.ts";
import { formatCount } from "../../terminal/text.ts";
import type { CheckpointSummary } from "../checkpoints/operation.ts";
import { listCheckpoints } from "../checkpoints/operation.ts";
import type { DecisionsAnswer } from "../decisions/operation.ts";
import { listDecisions } from "../decisions/operation.ts";
import { decisionSources } from "../decisions/words.ts";
import type { Note } from "../notes/operation.ts";
import type { SessionResponse, SessionSummary, TurnEntry, TurnInFull } from "../sessions/operation.ts";
import { readTurns, showSession } from "../sessions/operation.ts";

/** What every format says of a session and a decision. */

export const formatSessionTitle = ({ title, agent_type, id }: SessionSummary): string =>
  nameSession(id, title ?? agent_type);

export function listSessionFacts(session: SessionSummary): string[] {
  const { agent, agent_type, started_at, last_at, branch, turns, models } = session;
  const days = [started_at, last_at].flatMap((at) => (at === null ? [] : [formatUtcMinute(at)]));
  return [
    agent_type === null ? agent : `${agent} (${agent_type})`,
    [...new Set(days)].join(" to "),
    branch ?? "",
    formatCount(turns, "turn"),
    models.join(", "),
  ].filter((fact) => fact !== "");
}

/** "session, 2026-01-31 14:05 UTC", "comment, src/x.ts:7". */
export function formatDecisionPlace({ source, place, timestamp }: Decision): string {
  const where = place ?? (timestamp === null ? "" : formatUtcMinute(timestamp));
  return [decisionSources[source], where].filter((part) => part !== "").join(", ");
}

/** A session with all that belongs to it: what `--format json` writes (docs/export.md), and the others are made of. */
export interface SessionDocument {
  format: "pommel-session";
  version: 1;
  session: SessionSummary;
  summary: SessionResponse["summary"];
  /** Files that it touched. */
  files: SessionResponse["files"];
  /** Ids of its subagents' sessions. */
  agents: string[];
  notes: Note[];
  decisions: Decision[];
  commits: CheckpointSummary[];
  turns: TurnInFull[];
  /** What is missing here, in sentences, so that nobody takes a part for the whole. */
  left_out: string[];
}

/** What of a session is wanted. */
interface Selection {
  /** Leaves nothing out of long outputs and edits. */
  full: boolean;
  /** Both included; left out: all. */
  turns?: NumberRange | undefined;
  /** With what commands and tools printed. */
  output: boolean;
}

/** What a directory of sessions has. */
export interface ExportIndex {
  sessions: { session: SessionSummary; file: string }[];
  /** Notes among them. */
  decisions: Decision[];
  /** With those that are not in the list. */
  total: number;
}

type CleanText = (text: string) => string;

/** Scrubs by the rules of now, and leaves out what would move a terminal's cursor. */
export function makeCleaner(project: Project): () => CleanText {
  const scrubber = createProjectScrubber(project, loadConfig(project).config);
  // Secrets are numbered within a session.
  return () => {
    const ledger = createLedger(randomBytes(16));
    return (text) =>
      scrubber.scrub(
        withoutEscapes(text).replace(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
          (mark) => (mark === "\r" ? "" : "·"),
        ),
        ledger,
      );
  };
}

interface CollectedExport extends Selection {
  /** What was decided while the session ran, of other sessions too; left out: it is asked for. */
  decisions?: readonly Decision[];
  clean: CleanText;
}

/** @throws PommelError `not_found`, `usage` for an ambiguous id */
export async function collectSession(
  project: Project,
  id: string,
  { clean, decisions, ...selection }: CollectedExport,
): Promise<SessionDocument> {
  const found = await call(showSession, { id }, project);
  const { session } = found;
  const span = { since: session.started_at ?? undefined, until: session.last_at ?? undefined };
  const commits = await call(listCheckpoints, { session: session.id, limit: maxResults }, project);
  const decided = decisions ?? (await collectDecisions(project, span)).decisions;
  const all = await readAllTurns(project, session.id, selection.full);
  const { turns, left_out } = selectTurns(all, selection);
  return {
    format: "pommel-session",
    version: 1,
    session: cleanSession(session, clean),
    summary: found.summary && { ...found.summary, text: clean(found.summary.text) },
    files: found.files.map(({ path, how }) => ({ path: clean(path), how })),
    agents: found.agents,
    notes: found.annotations.map((note) => cleanNote(note, clean)),
    decisions: decided
      .filter(({ source, session_id }) => source === "conversation" && session_id === session.id)
      .map((decision) => cleanDecision(decision, clean)),
    commits: commits.checkpoints.map((commit) => ({ ...commit, subject: clean(commit.subject) })),
    turns: turns.map((turn) => cleanTurn(turn, clean)),
    left_out,
  };
}

async function readAllTurns(project: Project, session: string, whole: boolean): Promise<TurnInFull[]> {
  const turns: TurnInFull[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const asked = { session, from, limit: 100, whole };
    const page: { turns: TurnInFull[]; next: number | null } = await call(readTurns, asked, project);
    turns.push(...page.turns);
    from = page.next;
  }
  return turns;
}

/** @throws PommelError `not_found` where no turn is left */
function selectTurns(
  all: readonly TurnInFull[],
  { turns: { first, last } = { first: 0, last: Number.POSITIVE_INFINITY }, output }: Selection,
): Pick<SessionDocument, "turns" | "left_out"> {
  const chosen = all.filter(({ number }) => number >= first && number <= last);
  if (chosen.length === 0 && all.length > 0) {
    throw new PommelError(
      "not_found",
      "The session has no such turn.",
      `Its turns are ${all[0]!.number} to ${all.at(-1)!.number}.`,
    );
  }
  const turns = output ? chosen : chosen.map(withoutOutput);
  const omitted = turns.flatMap(({ entries }) => entries).reduce((sum, entry) => sum + entry.omitted, 0);
  const left_out = [
    chosen.length < all.length
      ? `${formatCount(all.length - chosen.length, "other turn")} of the session.`
      : "",
    output ? "" : "What commands and tools printed.",
    omitted > 0
      ? `${omitted.toLocaleString("en")} characters or lines of long texts, outputs and edits.`
      : "",
  ];
  return { turns, left_out: left_out.filter((text) => text !== "") };
}

/** So much can be mailed, and opens at once. Bytes. */
const maxBytes = 2_000_000;
/** How much of an output or an edit is left, in characters, the most that lets a page be that small. */
const cuts = [4000, 1000, 250, 0];

/** A page of a session that can be handed on: where it would be large, long outputs and edits are cut, and it says so. */
export function fitToSize(document: SessionDocument, render: (document: SessionDocument) => string): string {
  let text = render(document);
  for (const cut of cuts) {
    if (Buffer.byteLength(text) <= maxBytes) break;
    const said = `Outputs and edits beyond ${cut.toLocaleString("en")} characters each, so that the file stays small; \`--full\` keeps them.`;
    text = render({
      ...document,
      turns: document.turns.map((turn) => ({ ...turn, entries: turn.entries.map((one) => cutTo(one, cut)) })),
      left_out: [...document.left_out, said],
    });
  }
  return text;
}

function cutTo(entry: TurnEntry, longest: number): TurnEntry {
  const { tool } = entry;
  if (tool === null) return entry;
  const edits = tool.edits.map((edit) => ({ ...edit, lines: cutLines(edit.lines, longest) }));
  return { ...entry, tool: { ...tool, result: tool.result && shortenText(tool.result, longest), edits } };
}

function cutLines(lines: readonly string[], longest: number): string[] {
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > longest;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

const withoutOutput = (turn: TurnInFull): TurnInFull => ({
  ...turn,
  entries: turn.entries.map((entry) => ({
    ...entry,
    tool: entry.tool && { ...entry.tool, result: null },
    // Of its result, or of its edits, which stay.
    omitted: entry.tool !== null && entry.tool.edits.length === 0 ? 0 : entry.omitted,
  })),
});

/** What was noted and decided within a time. An answer has at most `maxResults`, so the rest is asked for by time. */
export async function collectDecisions(
  project: Project,
  request: { since?: string | undefined; until?: string | undefined; branch?: string | undefined },
): Promise<DecisionsAnswer> {
  const found = new Map<string, Decision>();
  let { until } = request;
  let all = 0;
  for (;;) {
    const page = await call(listDecisions, { ...request, until, limit: maxResults }, project);
    const before = found.size;
    for (const decision of page.decisions) found.set(JSON.stringify(decision), decision);
    all = Math.max(all, page.total);
    const last = page.decisions.at(-1)?.timestamp ?? undefined;
    if (page.decisions.length >= page.total || found.size === before || last === undefined) break;
    until = last;
  }
  return { decisions: [...found.values()], total: all };
}

const cleanOrNull = (text: string | null, clean: CleanText) => (text === null ? null : clean(text));

function cleanSession(session: SessionSummary, clean: CleanText): SessionSummary {
  const { title, branch, cwd } = session;
  return {
    ...session,
    title: cleanOrNull(title, clean),
    branch: cleanOrNull(branch, clean),
    cwd: clean(cwd),
  };
}

function cleanNote(note: Note, clean: CleanText): Note {
  return { ...note, note: clean(note.note), branch: cleanOrNull(note.branch, clean) };
}

export function cleanDecision(decision: Decision, clean: CleanText): Decision {
  const { text, session_title, branch, files, superseded_by, supersedes } = decision;
  return {
    ...decision,
    text: clean(text),
    session_title: cleanOrNull(session_title, clean),
    branch: cleanOrNull(branch, clean),
    files: files.map(clean),
    superseded_by: cleanOrNull(superseded_by, clean),
    supersedes: supersedes.map(clean),
  };
}

function cleanTurn(turn: TurnInFull, clean: CleanText): TurnInFull {
  const { branch, entries } = turn;
  return {
    ...turn,
    branch: cleanOrNull(branch, clean),
    entries: entries.map((entry) => cleanEntry(entry, clean)),
  };
}

function cleanEntry(entry: TurnEntry, clean: CleanText): TurnEntry {
  const { tool } = entry;
  return {
    ...entry,
    text: clean(entry.text),
    tool: tool && {
      ...tool,
      name: clean(tool.name),
      headline: clean(tool.headline),
      command: cleanOrNull(tool.command, clean),
      result: cleanOrNull(tool.result, clean),
      edits: tool.edits.map(({ file, is_whole, lines }) => ({
        file: clean(file),
        is_whole,
        // As one text: a key may span several lines.
        lines: clean(lines.join("\n")).split("\n"),
      })),
    },
  };
}
