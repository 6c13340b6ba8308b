import type * as z from "zod/mini";
import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import { visible } from "../../../text/quotation.ts";
import { charactersOfToken } from "../../../text/text-size.ts";
import { omitEmpty } from "../../server/omit-empty.ts";
import type { GetSessionOutput, getSessionInput } from "../../shapes/shapes-sessions.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../../text/budget.ts";
import { historyLabel, joined, minute, oneLine, quoted } from "../../text/text.ts";
import type { CallContext, Handler, ToolAnswer } from "../../tool.ts";
import { briefWithin, renderBrief } from "./the-brief.ts";
import { headOf, readSession, renderHead, renderSummary, sessionMeant, summaryOf } from "./the-session.ts";
import { type LastTurn, lastTurns, renderTurn } from "./the-turns.ts";

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
    ? answer.annotations.slice(-notesNamed).map(({ note, turn, source }) => {
        const where = joined([turn !== null && `turn ${turn}`, source === "agent" && "by an agent"], ", ");
        return oneLine(where === "" ? note : `${where}: ${note}`, 200);
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
