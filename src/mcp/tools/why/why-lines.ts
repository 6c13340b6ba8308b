import type * as z from "zod/mini";
import type {
  EarlierLines,
  NearDecision,
  Origin,
  WhyAnswer,
  WhyCaller,
} from "../../../protocol/operations/blame.ts";
import { lineEvidence } from "../../../protocol/reading/line-evidence.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { WhyOutput, whyInput } from "../../shapes/shapes-git.ts";
import { fitIn, roomOf } from "../../text/budget.ts";
import { edgeNamed, withMore } from "../../text/edges.ts";
import {
  beginning,
  historyLabel,
  joined,
  lineOrNull,
  minute,
  oneLine,
  quoted,
  twoDigits,
} from "../../text/text.ts";
import type { ToolAnswer } from "../../tool.ts";

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
