import type * as z from "zod/mini";
import { visible } from "../../../base/text/quotation.ts";
import { beginningOf, charactersOfToken } from "../../../base/text/text-size.ts";
import type { SessionBrief, SessionResponse } from "../../../features/sessions/operation.ts";
import { briefParts } from "../../../features/sessions/session-words.ts";
import { labelNote } from "../../../protocol/origin.ts";
import type { GetSessionOutput, getSessionInput } from "../shapes/shapes-sessions.ts";
import { cursorAt, fitIn, offsetOf, omitEmpty, roomOf } from "../text/budget.ts";
import { historyLabel, joined, minute, oneLine, quoted } from "../text/text.ts";
import type { CallContext, Handler, ToolAnswer } from "../tool.ts";
import { headOf, readSession, renderHead, renderSummary, sessionMeant, summaryOf } from "./the-session.ts";

/** A turn in a few lines. */
type LastTurn = GetSessionOutput["turns"][number];

const filesOfTurn = 5;
/** Turns read in full for their last reply. */
const maxRead = 20;
/** Of a prompt or a reply. Characters. */
const maxTurnLength = 2000;

/** Turns with what the agent said at their end, as far as that can be read. */
function lastTurns(
  context: CallContext,
  session: string,
  turns: SessionResponse["turns"],
): Promise<LastTurn[]> {
  return Promise.all(
    turns.map(async (turn, at): Promise<LastTurn> => {
      const content = at < maxRead ? (await readSession(context, session, turn.number)).content : null;
      const changed = turn.files.filter(({ how }) => how !== "read");
      return {
        number: turn.number,
        timestamp: turn.started_at,
        prompt:
          turn.number === 0 && turn.prompt === ""
            ? "(before the first prompt)"
            : beginningOf(visible(turn.prompt), maxTurnLength),
        said: content === null ? "" : lastWords(content),
        tools: Object.entries(turn.tools)
          .slice(0, 8)
          .map(([name, count]) => oneLine(`${name} ${count}`, 60))
          .join(", "),
        changed: changed.slice(0, filesOfTurn).map(({ path }) => oneLine(path, 160)),
        is_abandoned: turn.abandoned,
        state: turn.state === undefined || turn.state === "completed" ? null : turn.state,
      };
    }),
  );
}

/** Of the agent, in a turn as `renderTurn` of conversations-turn.ts gives it. */
function lastWords(content: string): string {
  const at = content.lastIndexOf("[ASSISTANT] ");
  if (at === -1) return "";
  const said = content.slice(at + "[ASSISTANT] ".length);
  const [words = ""] = said.split(/\n\n\[[A-Z_]+\] /, 1);
  return beginningOf(visible(words).trim(), maxTurnLength);
}

function renderTurn(turn: LastTurn): string {
  const { number, timestamp, prompt, said, tools, changed, is_abandoned, state } = turn;
  const facts = joined([
    minute(timestamp),
    tools,
    changed.length > 0 && `changed ${changed.join(", ")}`,
    state,
    is_abandoned && "abandoned branch",
  ]);
  return joined([`${number}. ${facts}`, `> user: ${prompt}`, said !== "" && `> agent: ${said}`], "\n");
}

/** Of one text. Characters. */
const maxValueLength = 200;
/** Of one list. */
const most = 4;

/** The parts that fit in so many characters of JSON; each goes where there is room after those before it. */
function briefWithin(brief: SessionBrief, room: number): Partial<SessionBrief> {
  let fitting: Partial<SessionBrief> = {};
  for (const [name] of briefParts) {
    const value = shortened(brief[name]);
    if (value === null || value.length === 0) continue;
    const with_ = { ...fitting, [name]: value };
    if (JSON.stringify(with_).length <= room) fitting = with_;
  }
  // A turn that ended with an answer says nothing.
  if (fitting.state === "completed") delete fitting.state;
  return fitting;
}

function shortened(value: SessionBrief[keyof SessionBrief]) {
  if (value === null) return null;
  if (typeof value === "string") return oneLine(value, maxValueLength);
  return value
    .slice(0, most)
    .map((one) =>
      typeof one === "string"
        ? oneLine(one, 120)
        : { hash: one.hash.slice(0, 8), subject: oneLine(one.subject, 80) },
    );
}

function renderBrief(brief: Partial<SessionBrief>): string {
  return briefParts
    .flatMap(([name, title]) => {
      const value = brief[name];
      if (value === undefined || value === null) return [];
      if (typeof value === "string") return [`${title}: ${value}`];
      const items = value.map((one) => (typeof one === "string" ? one : `${one.hash} ${one.subject}`));
      return [`${title}: ${items.join(name === "files" ? ", " : "; ")}`];
    })
    .join("\n");
}

type Args = z.infer<typeof getSessionInput>;
type Answer = ToolAnswer<GetSessionOutput>;

/** Of the first answer. Characters. */
const briefLength = 300 * charactersOfToken;
const filesNamed = 15;
const notesNamed = 8;

export const getSession: Handler<typeof getSessionInput, GetSessionOutput> = async (args, context) => {
  const offset = offsetOf("get_session", args, args.cursor);
  const id = await sessionMeant(context, args.session_id);
  const answer = await readSession(context, id, args.turn);
  if (answer.content !== null) return fullTurn(answer, args, answer.content, offset);
  const wantsMore = [args.limit, args.max_tokens, args.cursor].some((one) => one !== undefined);
  return wantsMore ? outline(answer, args, context, offset) : inBrief(answer);
};

const nothing = {
  ...{ brief: null, summary: null, turns: [], notes_taken: [], files: [], subagents: [] },
  ...{ turn: null, next_cursor: null, notes: [] },
};

/** What it was about and what came of it, in about 300 tokens. */
function inBrief(answer: SessionResponse): Answer {
  const session = headOf(answer);
  const more = "More: limit (its last turns), turn (that in full).";
  const room =
    briefLength - JSON.stringify(omitEmpty({ label: historyLabel, session, notes: [more] })).length;
  const brief = briefWithin(answer.brief, room);
  return {
    structured: { ...nothing, label: historyLabel, session, brief, notes: [more] },
    text: joined([historyLabel, renderHead(session), quoted(renderBrief(brief)), more], "\n"),
  };
}

/** What the session was about, and its last turns; what comes further down is dropped first. */
async function outline(
  answer: SessionResponse,
  args: Args,
  context: CallContext,
  offset: number,
): Promise<Answer> {
  const { limit = 10, max_tokens = 2000 } = args;
  const room = roomOf(max_tokens);
  const isFirst = offset === 0;
  const session = headOf(answer);
  const summary = isFirst ? summaryOf(answer, Math.floor(room * 0.35)) : null;
  const notesTaken = isFirst
    ? answer.annotations.slice(-notesNamed).map((one) => {
        const where = joined([labelNote(one, "agent"), one.turn !== null && `turn ${one.turn}`], ", ");
        return oneLine(`${where}: ${one.note}`, 200);
      })
    : [];
  const changed = answer.files.filter(({ how }) => how !== "read");
  const files = isFirst
    ? changed.slice(0, filesNamed).map(({ path, how }) => oneLine(`${path} (${how})`, 160))
    : [];
  const subagents = isFirst ? answer.agents.slice(-5) : [];
  const beside = JSON.stringify([session, summary, notesTaken, files, subagents]).length + 200;
  const wanted = answer.turns
    .slice()
    .reverse()
    .slice(offset, offset + limit);
  const left = Math.max(room - beside, 400);
  const given = await lastTurns(context, answer.session.id, wanted);
  const { items } = fitIn(given, left, 500, cutTurn, renderTurn);
  const end = offset + items.length;
  const next = items.length > 0 && end < answer.turns.length ? cursorAt("get_session", args, end) : null;
  const more = changed.length - files.length;
  const notes = isFirst && more > 0 ? [`${more} more changed files.`] : [];
  return {
    structured: {
      ...{ ...nothing, label: historyLabel, session, summary, turns: items, notes_taken: notesTaken },
      ...{ files, subagents, next_cursor: next, notes },
    },
    text: joined(
      [
        historyLabel,
        renderHead(session),
        summary && `${renderSummary(summary)}\n${quoted(summary.text)}`,
        notesTaken.length > 0 && `Notes:\n${quoted(notesTaken.join("\n"))}`,
        items.length > 0 && `Turns, the latest first:\n${items.map(renderTurn).join("\n")}`,
        next && `${answer.turns.length - end} earlier turns: cursor ${next}`,
        files.length > 0 && `Changed: ${files.join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
        subagents.length > 0 && `Subagents: ${subagents.join(", ")}`,
        items.length > 0 && "A turn in full: get_session with turn.",
      ],
      "\n",
    ),
  };
}

function cutTurn(turn: LastTurn, longest: number): LastTurn {
  return { ...turn, prompt: oneLine(turn.prompt, longest), said: oneLine(turn.said, longest) };
}

/** A turn as it went, from the cursor on as much as fits. */
function fullTurn(answer: SessionResponse, args: Args, whole: string, offset: number): Answer {
  const room = roomOf(args.max_tokens ?? 2000) - 300;
  const text = visible(whole);
  const content = pieceOf(text, offset, room);
  const end = offset + content.length;
  const session = headOf(answer);
  const number = args.turn ?? 0;
  const next = end < text.length ? cursorAt("get_session", args, end) : null;
  const turn = answer.turns.find((one) => one.number === number);
  const about = joined([
    `Turn ${number}`,
    minute(turn?.started_at ?? null),
    turn?.abandoned && "abandoned branch",
    offset > 0 && `from character ${offset}`,
  ]);
  return {
    structured: { ...nothing, label: historyLabel, session, turn: { number, content }, next_cursor: next },
    text: joined(
      [
        historyLabel,
        renderHead(session),
        about,
        quoted(content.trimEnd()),
        next && `${text.length - end} more characters: cursor ${next}`,
      ],
      "\n",
    ),
  };
}

/** As many characters, once quoted in a text and once escaped in JSON, as there is room for; whole lines if possible. */
function pieceOf(text: string, offset: number, room: number): string {
  const costOf = (piece: string) => Math.max(quoted(piece).length, JSON.stringify(piece).length);
  let piece = text.slice(offset, offset + room);
  while (costOf(piece) > room && piece.length > 1)
    piece = piece.slice(0, Math.floor(piece.length * (room / costOf(piece)) - 1) || 1);
  if (offset + piece.length >= text.length) return piece;
  const line = piece.lastIndexOf("\n") + 1;
  const cut = line > piece.length / 2 ? piece.slice(0, line) : piece;
  return /[\uD800-\uDBFF]$/.test(cut) && cut.length > 1 ? cut.slice(0, -1) : cut;
}
