import { withoutEscapes } from "../../base/text/display-width.ts";
import type { transcriptSearchRequest } from "../../protocol/search-sessions.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { fitToWidth, formatCount, shortenId, toOneLine } from "../../terminal/text.ts";
import { renderTurn } from "../sessions/log-words.ts";
import type {
  SessionResponse,
  TurnEntry,
  TurnInFull,
  TurnStatement,
  TurnsRequest,
} from "../sessions/operation.ts";
import { wordSessionHead, wordSessionRest } from "../sessions/session-words.ts";
import type { BrowseAnswer, BrowseQuestion } from "./answers.ts";
import { cutVisibleLines, type ScrolledText, type ScrollPosition } from "./scroll.ts";
import type { BrowseSurroundings, BrowseView, SessionPage } from "./view.ts";

/** Turns that are asked for at a time. */
const turnsAtATime = 20;

/** Turns that are listed as having what is sought. */
const mostFound = 200;
/** Lines above the first one that was found. */
const linesBefore = 3;

/** A session to read: what it was, its turns, and what belongs to it. Turns are asked for when they come into sight. */
export function buildSessionView(page: SessionPage, around: BrowseSurroundings): BrowseView {
  const { answers, height } = around;
  const request = { id: page.id };
  const answer = answers.to("session", request);
  const asks: BrowseQuestion[] = [{ route: "session", request }];
  const target = () => ({ copies: page.id });
  if (answer?.value === undefined) {
    const text = answer?.error ?? "Loading…";
    return {
      title: `Session ${shortenId(page.id)}`,
      status: "",
      content: { kind: "message", text },
      target,
      asks,
    };
  }
  const session = answer.value;
  const { turns } = session;
  const loaded = loadTurns(session, around);
  const found = findSought(page, session, around);
  // What was found may stand in what is folded.
  const document = buildSessionDocument(session, loaded.turnAt, page.full || found !== null, around);
  const scroll = page.scroll ?? findFirstFound(page, found, document) ?? findTurnPlace(page.turn, session);
  const { first, last } = cutVisibleLines(document, scroll, height);
  const turn = turns[Math.min(Math.max(first, 1), turns.length) - 1];
  const missing = turns
    .slice(Math.max(first - 1, 0), last)
    .flatMap((_, i) => loaded.missingAt(Math.max(first - 1, 0) + i));
  return {
    title:
      page.text === null
        ? toOneLine(session.session.title ?? `Session ${shortenId(page.id)}`)
        : { label: "Find in this session", text: page.text, hint: "an exact text" },
    status: [
      ...(found === null ? [] : [found.status]),
      ...(turn
        ? [`turn ${turn.number.toLocaleString("en")} of ${turns.at(-1)!.number.toLocaleString("en")}`]
        : []),
    ].join(", "),
    content: { kind: "document", document, scroll, ...(found !== null && { stops: found.blocks }) },
    target: () => ({
      copies: first === 0 || !turn ? session.session.id : `${session.session.id}:${turn.number}`,
    }),
    asks: [...asks, ...(found?.asks ?? []), ...missing.slice(0, 1)],
  };
}

interface ReaderMatches {
  /** Of the turns that have what is sought. */
  blocks: number[];
  status: string;
  asks: BrowseQuestion[];
}

/** Which turns have what is sought; null when nothing is. */
function findSought(
  { sought }: SessionPage,
  session: SessionResponse,
  { answers }: BrowseSurroundings,
): ReaderMatches | null {
  if (sought === null) return null;
  const request: Shaped<typeof transcriptSearchRequest> = {
    q: sought.text,
    session: session.session.id,
    limit: mostFound,
    in: "content",
    match: "exact",
    by: "turn",
  };
  const asks: BrowseQuestion[] = [{ route: "searchTranscripts", request }];
  const answer = answers.to("searchTranscripts", request);
  if (answer?.value === undefined) return { blocks: [], status: answer?.error ?? "looking…", asks };
  const numbers = new Set(answer.value.results.map(({ turn }) => turn));
  const blocks = session.turns.flatMap(({ number }, i) => (numbers.has(number) ? [i + 1] : []));
  const more = numbers.size < mostFound ? "" : " or more";
  const status = blocks.length === 0 ? "not found" : `in ${formatCount(blocks.length, "turn")}${more}`;
  return { blocks, status, asks };
}

/** The line of the first that was found, from where the reader was on; else from the beginning. */
function findFirstFound(
  { sought }: SessionPage,
  found: ReaderMatches | null,
  document: ScrolledText,
): ScrollPosition | null {
  if (sought === null || found === null) return null;
  const block = found.blocks.find((at) => at >= sought.from) ?? found.blocks[0];
  if (block === undefined) return { block: sought.from, line: 0 };
  const wanted = sought.text.toLowerCase();
  const line = document.block(block).findIndex((text) => withoutEscapes(text).toLowerCase().includes(wanted));
  return { block, line: Math.max(line - linesBefore, 0) };
}

/** Block 0 is the session's head, then there is one for each turn, then the rest. */
function findTurnPlace(turn: number | null, { turns }: SessionResponse): ScrollPosition {
  const index = turn === null ? -1 : turns.findIndex(({ number }) => number >= turn);
  return { block: index + 1, line: 0 };
}

type TurnAt = (index: number) => TurnInFull | { error: string } | null;

/** The turns that are here, and the question for those that are not: pages of turns, of which long ones come in parts. */
function loadTurns(
  { session: { id }, turns }: SessionResponse,
  { answers }: BrowseSurroundings,
): { turnAt: TurnAt; missingAt: (index: number) => BrowseQuestion[] } {
  const look = (index: number): ReturnType<TurnAt> | BrowseQuestion => {
    const start = index - (index % turnsAtATime);
    const wanted = turns[index]!.number;
    let from: number | null = turns[start]!.number;
    while (from !== null && from <= wanted) {
      const request: TurnsRequest = { session: id, from, limit: turnsAtATime };
      const answer: BrowseAnswer<"turns"> | null = answers.to("turns", request);
      if (answer === null) return { route: "turns", request };
      if (answer.value === undefined) return answer;
      const found = answer.value.turns.find(({ number }) => number === wanted);
      if (found) return found;
      from = answer.value.next;
    }
    return { error: "This turn is no longer stored." };
  };
  return {
    turnAt: (index) => {
      const found = look(index);
      return found === null || "route" in found ? null : found;
    },
    missingAt: (index) => {
      const found = look(index);
      return found !== null && "route" in found ? [found] : [];
    },
  };
}

function buildSessionDocument(
  session: SessionResponse,
  turnAt: TurnAt,
  full: boolean,
  { screen }: BrowseSurroundings,
): ScrolledText {
  const { turns } = session;
  const { colors } = screen;
  const print = (document: Parameters<typeof renderDocument>[0]) => renderDocument(document, { screen });
  return {
    blocks: turns.length + 2,
    block(index) {
      if (index === 0) return [...print(wordSessionHead(session, full)).split("\n"), ""];
      if (index === turns.length + 1) {
        const rest = print(wordSessionRest(session));
        return rest === "" ? [colors.dim("End of the session.")] : rest.split("\n");
      }
      const outline = turns[index - 1]!;
      const turn = turnAt(index - 1);
      if (turn === null || "error" in turn) {
        const prompt: TurnStatement = {
          turn: outline.number,
          kind: "prompt",
          text: outline.prompt,
          call: null,
        };
        const known = outline.prompt === "" ? [] : [prompt];
        const lines = renderTurn(outline.number, outline, known, { screen, full: false });
        const note = turn === null ? "  Loading…" : `  ${toOneLine(turn.error)}`;
        return [...lines.slice(0, 4), colors.dim(fitToWidth(note, screen.columns, screen)), ""];
      }
      return turnLines(turn, full, screen);
    },
  };
}

/** Laying out a turn takes longer than all else, and turns stay as they are. */
const laidOut = new WeakMap<TurnInFull, { key: string; lines: string[] }>();

function turnLines(turn: TurnInFull, full: boolean, screen: BrowseSurroundings["screen"]): string[] {
  const key = `${screen.columns} ${full} ${screen.colors.isColorSupported}`;
  const known = laidOut.get(turn);
  if (known?.key === key) return known.lines;
  const statements = turn.entries.map((entry) => toStatement(entry, turn.number));
  const lines = renderTurn(turn.number, turn, statements, { screen, full, whole: "f: all of it" });
  lines.push("");
  laidOut.set(turn, { key, lines });
  return lines;
}

/** An entry of the archive as the chat of `pm session show` has it. */
function toStatement({ kind, text, images, omitted, tool }: TurnEntry, turn: number): TurnStatement {
  const rest =
    omitted === 0 || tool?.edits.length ? "" : `\n\n… and ${formatCount(omitted, "more character")}`;
  const pictures = images === 0 ? "" : `\n\n(${formatCount(images, "image")})`;
  if (tool === null) return { turn, kind, text: `${text}${rest}${pictures}`.trim(), call: null };
  const changed = tool.edits.flatMap(({ is_whole, lines }) =>
    is_whole ? lines.map((line) => `+${line}`) : lines.filter((line) => /^[+-]/.test(line)),
  );
  return {
    turn,
    kind,
    text: tool.headline,
    call: {
      tool: tool.name,
      is_error: tool.is_error,
      action: tool.action,
      took_ms: tool.took_ms,
      result: tool.result === null ? null : `${tool.result}${rest}`,
      added: changed.filter((line) => line.startsWith("+")).length,
      removed: changed.filter((line) => line.startsWith("-")).length,
      changed,
    },
  };
}
