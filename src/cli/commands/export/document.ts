import { randomBytes } from "node:crypto";
import { call } from "../../../client/call.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { maxResults } from "../../../project/max-results.ts";
import type { Project } from "../../../project/paths.ts";
import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import type { Decision, DecisionsAnswer } from "../../../protocol/operations/decisions.ts";
import type {
  Annotation,
  SessionResponse,
  SessionSummary,
  TurnEntry,
  TurnInFull,
} from "../../../protocol/operations/sessions.ts";
import { createLedger } from "../../../redact/ledger.ts";
import { scrubberOf } from "../../../sessions/from-config.ts";
import { withoutEscapes } from "../../../text/display-width.ts";

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
  notes: Annotation[];
  decisions: Decision[];
  commits: CheckpointSummary[];
  turns: TurnInFull[];
}

/** What a directory of sessions has. */
export interface ExportIndex {
  sessions: { session: SessionSummary; file: string }[];
  /** Notes among them. */
  decisions: Decision[];
  /** With those that are not in the list. */
  total: number;
}

type Clean = (text: string) => string;

/** Scrubs by the rules of now, and leaves out what would move a terminal's cursor. */
export function cleaner(project: Project): () => Clean {
  const scrubber = scrubberOf(project, loadConfig(project).config);
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

interface Collected {
  /** What was decided while the session ran, of other sessions too; left out: it is asked for. */
  decisions?: readonly Decision[];
  /** Leaves nothing out of long outputs and edits. */
  full: boolean;
  clean: Clean;
}

/** @throws PommelError `not_found`, `usage` for an ambiguous id */
export async function collectSession(
  project: Project,
  id: string,
  { full, clean, decisions }: Collected,
): Promise<SessionDocument> {
  const found = await call("session", { id }, project);
  const { session } = found;
  const span = { since: session.started_at ?? undefined, until: session.last_at ?? undefined };
  const commits = await call("checkpoints", { session: session.id, limit: maxResults }, project);
  const decided = decisions ?? (await collectDecisions(project, span)).decisions;
  const turns: TurnInFull[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const asked = { session: session.id, from, limit: 100, whole: full };
    const page: { turns: TurnInFull[]; next: number | null } = await call("turns", asked, project);
    turns.push(...page.turns.map((turn) => cleanTurn(turn, clean)));
    from = page.next;
  }
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
    turns,
  };
}

/** What was noted and decided within a time. An answer has at most `maxResults`, so the rest is asked for by time. */
export async function collectDecisions(
  project: Project,
  request: { since?: string | undefined; until?: string | undefined; branch?: string | undefined },
): Promise<DecisionsAnswer> {
  const found = new Map<string, Decision>();
  let { until } = request;
  let all = 0;
  for (;;) {
    const page = await call("decisions", { ...request, until, limit: maxResults }, project);
    const before = found.size;
    for (const decision of page.decisions) found.set(JSON.stringify(decision), decision);
    all = Math.max(all, page.total);
    const last = page.decisions.at(-1)?.timestamp ?? undefined;
    if (page.decisions.length >= page.total || found.size === before || last === undefined) break;
    until = last;
  }
  return { decisions: [...found.values()], total: all };
}

const orNull = (text: string | null, clean: Clean) => (text === null ? null : clean(text));

function cleanSession(session: SessionSummary, clean: Clean): SessionSummary {
  const { title, branch, cwd } = session;
  return { ...session, title: orNull(title, clean), branch: orNull(branch, clean), cwd: clean(cwd) };
}

function cleanNote(note: Annotation, clean: Clean): Annotation {
  return { ...note, note: clean(note.note), branch: orNull(note.branch, clean) };
}

export function cleanDecision(decision: Decision, clean: Clean): Decision {
  const { text, session_title, branch, files, superseded_by, supersedes } = decision;
  return {
    ...decision,
    text: clean(text),
    session_title: orNull(session_title, clean),
    branch: orNull(branch, clean),
    files: files.map(clean),
    superseded_by: orNull(superseded_by, clean),
    supersedes: supersedes.map(clean),
  };
}

function cleanTurn(turn: TurnInFull, clean: Clean): TurnInFull {
  const { branch, entries } = turn;
  return {
    ...turn,
    branch: orNull(branch, clean),
    entries: entries.map((entry) => cleanEntry(entry, clean)),
  };
}

function cleanEntry(entry: TurnEntry, clean: Clean): TurnEntry {
  const { tool } = entry;
  return {
    ...entry,
    text: clean(entry.text),
    tool: tool && {
      ...tool,
      name: clean(tool.name),
      headline: clean(tool.headline),
      command: orNull(tool.command, clean),
      result: orNull(tool.result, clean),
      edits: tool.edits.map(({ file, is_whole, lines }) => ({
        file: clean(file),
        is_whole,
        // As one text: a key may span several lines.
        lines: clean(lines.join("\n")).split("\n"),
      })),
    },
  };
}
