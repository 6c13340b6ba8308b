import type * as z from "zod/mini";
import type { BlameAnswer, BlameRange } from "../../../protocol/operations/blame.ts";
import { lineEvidence } from "../../../protocol/reading/line-evidence.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { WhyOutput, whyInput } from "../../shapes/shapes-git.ts";
import { cursorAt, fitIn, roomOf } from "../../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, twoDigits } from "../../text/text.ts";
import type { ToolAnswer } from "../../tool.ts";

const sessionsNamed = 3;

/** Who wrote which lines of a file. */
export function wholeFile(
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
