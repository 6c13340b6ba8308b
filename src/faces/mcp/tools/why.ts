import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type * as z from "zod/mini";
import { type LineRange, locate, parsePlace } from "../../../answers/file-place.ts";
import { PommelError } from "../../../base/errors.ts";
import type { BlameAnswer, BlameRange } from "../../../features/blame/operation.ts";
import { blame } from "../../../features/blame/operation.ts";
import type {
  EarlierLines,
  NearDecision,
  Origin,
  WhyAnswer,
  WhyCaller,
} from "../../../features/why/operation.ts";
import { why as whyOperation } from "../../../features/why/operation.ts";
import { lineEvidence } from "../../../protocol/reading/evidence.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { WhyOutput, whyInput } from "../shapes/shapes-git.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import {
  beginning,
  edgeNamed,
  historyLabel,
  joined,
  lineOrNull,
  minute,
  oneLine,
  quoted,
  twoDigits,
  withMore,
} from "../text/text.ts";
import { ask, type CallContext, type Handler, type ToolAnswer } from "../tool.ts";

const sessionsNamed = 3;

/** Who wrote which lines of a file. */
function wholeFile(
  blamed: BlameAnswer,
  args: z.infer<typeof whyInput>,
  offset: number,
): ToolAnswer<WhyOutput> {
  const { lines, agent, human, unknown, before_agents, by_session } = blamed.summary;
  const { items } = fitIn(blamed.ranges.slice(offset), roomOf(args.max_tokens) - 300, 100, rangeOf, render);
  const end = offset + items.length;
  const left = blamed.ranges.length - end;
  const next = left > 0 ? cursorAt("why", args, end) : null;
  const notes = blamed.notes.map((note) => oneLine(note, 200));
  const sessions = by_session
    .slice(0, sessionsNamed)
    .map(
      (one) =>
        `${shortId(one.session_id)} ${one.lines}${one.session_title === null ? "" : ` "${oneLine(one.session_title, 60)}"`}`,
    );
  return {
    structured: {
      label: historyLabel,
      file: blamed.file,
      first_line: null,
      last_line: null,
      state: null,
      origins: [],
      decisions: [],
      earlier: [],
      used_by: [],
      later: [],
      summary: { lines, agent, human, unknown, before_agents },
      ranges: items,
      next_cursor: next,
      notes,
    },
    text: joined(
      [
        historyLabel,
        `${blamed.file}: ${lines} lines, ${agent} by agents, ${human} by people, ${unknown} unknown, ${before_agents} from before agents`,
        sessions.length > 0 && `Lines by session: ${sessions.join(", ")}`,
        ...items.map(render),
        next && `${left} more ranges: cursor ${next}`,
        "For the reasons: why with first_line and last_line.",
        ...notes,
      ],
      "\n",
    ),
  };
}

function rangeOf(range: BlameRange, longest: number) {
  const { first_line, last_line, author, confidence, agent, session_id, turn, commit, authored_at } = range;
  return {
    first_line,
    last_line,
    author,
    confidence: twoDigits(confidence),
    evidence: lineEvidence(range),
    agent,
    session_id,
    turn,
    commit: commit === null ? null : commit.slice(0, 12),
    person: lineOrNull(range.person, longest),
    authored_at,
  };
}

function render(range: ReturnType<typeof rangeOf>): string {
  const { first_line, last_line, author, evidence, agent, session_id, turn, commit, person } = range;
  const lines = first_line === last_line ? `${first_line}` : `${first_line}-${last_line}`;
  const who = author === "agent" ? joined([agent ?? "agent", evidence], " ") : author.replace("_", " ");
  return joined([
    `${lines}  ${who}`,
    session_id !== null && `${shortId(session_id)}${turn === null ? "" : ` turn ${turn}`}`,
    commit === null ? "not committed" : commit.slice(0, 8),
    person,
    minute(range.authored_at),
  ]);
}

/** Of the agent's text before and after it wrote: as much as a prompt. */
const states: Readonly<Record<WhyAnswer["freshness"]["state"], string>> = {
  stands: "still current",
  reconsidered: "a later decision concerns these lines",
  reverted: "its commit was reverted",
  elsewhere: "its commit is only on other branches",
  gone: "its commit is not in this repository",
  uncommitted: "not committed yet",
  unknown: "commit status unknown",
};

/** Where lines come from, with decisions near them and earlier versions: the most important first. */
export function theLines(answer: WhyAnswer, args: z.infer<typeof whyInput>): ToolAnswer<WhyOutput> {
  const { file, first_line, last_line, freshness } = answer;
  const notes = answer.notes.slice(0, 6).map((note) => oneLine(note, 200));
  const later = laterOf(answer);
  const used = usedBy(answer, roomOf(args.max_tokens) * 0.2);
  const room = roomOf(args.max_tokens) - JSON.stringify([notes, later, used]).length;
  const each = Math.max(Math.floor(room / 8), 80);
  const origins = fitIn(answer.origins, Math.floor(room * 0.6), each, originOf, renderOrigin);
  const near = [...freshness.later_decisions, ...answer.decisions];
  const left = room - sizeOf(origins.items);
  const decisions = fitIn(near, Math.floor(left * 0.6), Math.floor(each / 2), decisionOf, renderDecision);
  const rest = left - sizeOf(decisions.items);
  const earlier =
    rest < 300
      ? { items: [], left: answer.earlier }
      : fitIn(answer.earlier, rest, Math.floor(each / 2), earlierOf, renderEarlier);
  const cut = origins.left.length + decisions.left.length + earlier.left.length;
  if (cut > 0) notes.push(`${cut} more origins, decisions or earlier lines: use a larger max_tokens.`);
  const lines = first_line === last_line ? `${first_line}` : `${first_line}-${last_line}`;
  return {
    structured: {
      label: historyLabel,
      file,
      first_line,
      last_line,
      state: freshness.state,
      origins: origins.items,
      decisions: decisions.items,
      earlier: earlier.items,
      later,
      used_by: used,
      summary: null,
      ranges: [],
      next_cursor: null,
      notes,
    },
    text: joined(
      [
        historyLabel,
        `${file}:${lines}  ${states[freshness.state]}`,
        ...origins.items.map(renderOrigin),
        decisions.items.length > 0 && `Related decisions:\n${decisions.items.map(renderDecision).join("\n")}`,
        earlier.items.length > 0 && `Earlier:\n${earlier.items.map(renderEarlier).join("\n")}`,
        later.length > 0 && `Since: ${later.join("; ")}`,
        used.length > 0 && `Used by: ${used.join("; ")}`,
        ...notes,
      ],
      "\n",
    ),
  };
}

const sizeOf = (items: readonly unknown[]) => JSON.stringify(items).length;

function originOf(origin: Origin, longest: number) {
  const { lines, written_by, commit, checkpoint_id, turn } = origin;
  const { author, confidence, agent, model, session_id, session_title } = written_by;
  const said = turn === null ? "" : joined([turn.said_before, turn.said_after], " … ");
  return {
    lines: lines
      .slice(0, 20)
      .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
      .join(","),
    author,
    confidence: twoDigits(confidence),
    evidence: lineEvidence(written_by),
    agent,
    session_id,
    turn: written_by.turn,
    commit: commit === null ? null : commit.hash.slice(0, 12),
    person: commit === null ? null : oneLine(commit.person, 80),
    authored_at: commit === null ? null : commit.authored_at,
    model,
    session_title: lineOrNull(session_title, 100),
    subject: commit === null ? null : oneLine(commit.subject, 120),
    checkpoint_id,
    prompt:
      turn === null || turn.prompt === "" ? null : oneLine(turn.asked_by?.prompt ?? turn.prompt, longest),
    said: said === "" ? null : oneLine(said, longest),
  };
}

function renderOrigin(origin: ReturnType<typeof originOf>): string {
  const { lines, author, evidence, agent, session_id, turn, commit, subject, person } = origin;
  const who =
    author === "agent"
      ? joined([agent ?? "an agent", origin.model], " ")
      : author === "human"
        ? "a person"
        : author === "before_agents"
          ? "a person before agents"
          : "unknown author";
  const place = joined([
    `${/^\d+$/.test(lines) ? "line" : "lines"} ${lines} by ${who}${evidence === "" ? "" : ` (${evidence})`}`,
    session_id !== null && `session ${shortId(session_id)}${turn === null ? "" : ` turn ${turn}`}`,
    origin.session_title !== null && `"${origin.session_title}"`,
    commit === null ? "not committed" : `${commit.slice(0, 8)} "${subject}"`,
    person,
    minute(origin.authored_at),
  ]);
  return joined(
    [
      place,
      origin.prompt !== null && `> prompt: ${origin.prompt}`,
      origin.said !== null && `> reply: ${origin.said}`,
    ],
    "\n",
  );
}

function decisionOf({ text, session_id, turn, timestamp, is_before }: NearDecision, longest: number) {
  return { text: oneLine(text, Math.max(longest, 120)), session_id, turn, timestamp, is_before };
}

function renderDecision({
  text,
  session_id,
  turn,
  timestamp,
  is_before,
}: ReturnType<typeof decisionOf>): string {
  const place = joined([
    session_id !== null && shortId(session_id),
    turn !== null && `turn ${turn}`,
    minute(timestamp),
    !is_before && "later",
  ]);
  return `${quoted(text)}\n  ${place}`;
}

function earlierOf(earlier: EarlierLines, longest: number) {
  const { how, file, first_line, last_line, text, commit, prompt } = earlier;
  return {
    how,
    place: `${file}:${first_line}-${last_line}`,
    text: beginning(text.join("\n"), longest),
    commit: commit === null ? null : `${commit.hash.slice(0, 12)} "${oneLine(commit.subject, 100)}"`,
    prompt: lineOrNull(prompt, longest),
  };
}

function renderEarlier({ how, place, text, commit, prompt }: ReturnType<typeof earlierOf>): string {
  return joined(
    [
      `${how} ${place}${commit === null ? "" : ` ${commit}`}`,
      quoted(text),
      prompt !== null && `> prompt: ${prompt}`,
    ],
    "\n",
  );
}

function usedBy({ used_by }: WhyAnswer, room: number): string[] {
  if (used_by === null) return [];
  const { edges, total } = used_by;
  return withMore(fitIn(edges, room, 160, callerNamed, (named) => named).items, total);
}

function callerNamed(caller: WhyCaller): string {
  const { changed_by } = caller;
  const changed =
    changed_by === null
      ? ""
      : `, changed since: ${changed_by.hash.slice(0, 8)} "${oneLine(changed_by.subject, 60)}"`;
  return edgeNamed(caller) + changed;
}

function laterOf({ later, freshness }: WhyAnswer): string[] {
  const { reverted_by, branches, lines_added, lines_surviving } = freshness;
  const said = [
    reverted_by !== null && `reverted by ${reverted_by.slice(0, 8)}`,
    branches.length > 0 && `on ${branches.slice(0, 3).join(", ")}`,
    lines_added !== null &&
      lines_added > 0 &&
      `${lines_surviving ?? "?"} of the ${lines_added} lines of its commit remain`,
    later !== null && later.commits > 0 && `${later.commits} later commits to the file`,
    ...(later?.latest ?? [])
      .slice(0, 2)
      .map(({ hash, subject }) => `${hash.slice(0, 8)} "${oneLine(subject, 80)}"`),
  ];
  return said.filter((one) => typeof one === "string").map((one) => oneLine(one, 160));
}

export const why: Handler<typeof whyInput, WhyOutput> = async (args, context) => {
  const offset = offsetOf("why", args, args.cursor);
  const { file, lines } = placeOf(args, context);
  const rev = args.revision;
  if (lines === null) {
    return wholeFile(await ask(context, blame, { file, rev }), args, offset);
  }
  const request = { file, first_line: lines.first, last_line: lines.last, rev };
  return theLines(await ask(context, whyOperation, request), args);
};

/**
 * The file from the project's root, and the lines of it that are meant.
 * @throws PommelError `usage`
 */
function placeOf(
  { file, first_line, last_line }: z.infer<typeof whyInput>,
  { project, cwd }: CallContext,
): { file: string; lines: LineRange | null } {
  const named =
    first_line === undefined
      ? parsePlace(file, (name) => [cwd, project.root].some((dir) => existsSync(resolve(dir, name))))
      : { file, lines: { first: first_line, last: last_line ?? first_line } };
  if (named.lines === null && last_line !== undefined) {
    throw new PommelError("usage", "first_line is missing.", "Give first_line and last_line, or neither.");
  }
  if (named.lines !== null && named.lines.last < named.lines.first) {
    throw new PommelError("usage", "last_line is before first_line.", "Lines start at 1.");
  }
  return { file: locate(project, cwd, named.file), lines: named.lines };
}
