import { shortenHash } from "../../base/text/short-hash.ts";
import type { GraphEdge, Neighbours } from "../../protocol/graph.ts";
import { formatSharedBy, labelWords } from "../../protocol/origin.ts";
import { describeCertainty, isCall, nameInFull, wordLed } from "../../protocol/reading/evidence.ts";
import type {
  CommitFound,
  EventFound,
  SearchResponse,
  TranscriptSearchResponse,
} from "../../protocol/results.ts";
import { toFileUrl } from "../../terminal/links.ts";
import type { Palette } from "../../terminal/palette.ts";
import type { FoundItem, FoundStyle } from "../../terminal/render-found.ts";
import { formatCount, formatWhen, shortenId, toOneLine, toPrintable } from "../../terminal/text.ts";
import {
  chooseExcerpt,
  describeCommitFate,
  describeFoundCommitFate,
  freshnessWords,
  nameResultType,
} from "./found-words.ts";

/** Results of a search on a terminal: each in the one form that `renderFound` shows. */

type CodeResult = SearchResponse["results"][number];
type SessionResult = TranscriptSearchResponse["results"][number];

/** What is named of each kind before the rest is counted. */
const maxNamed = { files: 4, sessions: 2, turns: 5, copies: 5, neighbours: 5 } as const;

/** How results are shown. */
export interface ResultStyle extends FoundStyle {
  /** The search was limited to some paths, languages or levels. */
  isFiltered: boolean;
  /** Every result had to hold the query, or what it has in quotes, as it is. */
  isExact: boolean;
  /** A result's file as the reader's terminal can open it. */
  pathOf: (file: string) => string;
  /** The same from the root of the file system. */
  absolute: (file: string) => string;
  /** The page of a commit. */
  pageOf: (hash: string) => string | null;
}

export function toFoundCode(result: CodeResult, { screen, pathOf, absolute }: ResultStyle): FoundItem {
  const { file, start_line, kind, level, name, parent_name, freshness } = result;
  // The path contains the file's own name already.
  const isInFile = parent_name === null || file.includes(`${parent_name}.`);
  const what = [kind || level, name, isInFile ? "" : `in ${parent_name}`];
  const place = screen.colors.place(`${toPrintable(pathOf(file))}:${start_line}`);
  return {
    place: screen.colors.link(place, toFileUrl(absolute(file))),
    title: toPrintable(what.filter((part) => part !== "").join(" ")),
    ...(freshness === "drifted" && { warning: "changed since it was indexed" }),
    facts: [],
    why: result.match_reasons.map(toPrintable),
    signals: result.signals,
    snippet: {
      kind: "code",
      content: result.content,
      startLine: start_line,
      ...(result.match_lines && { matchLines: result.match_lines }),
      language: result.language,
    },
    more: [
      ...formatOtherPlaces(result, screen.colors),
      ...formatCopies(result, screen.colors),
      ...(result.graph === undefined ? [] : formatNeighbours(result.graph, screen.colors.dim)),
    ],
  };
}

/** `Also: retryLater :40, backoff :88`: the file's other places that match. */
function formatOtherPlaces({ places }: CodeResult, colors: Palette): string[] {
  if (places.length === 0) return [];
  const named = places.map(({ name, start_line }) => `${toPrintable(name)} ${colors.dim(`:${start_line}`)}`);
  return [`${colors.dim("also")} ${named.join(", ")}`];
}

/** `also in lib/retry.js, old/retry.js`: files that hold the same. */
function formatCopies({ also_in }: CodeResult, colors: Palette): string[] {
  if (also_in.length === 0) return [];
  const more = also_in.length > maxNamed.copies ? ` and ${also_in.length - maxNamed.copies} more` : "";
  return [`${colors.dim("also in")} ${also_in.slice(0, maxNamed.copies).map(toPrintable).join(", ")}${more}`];
}

/** What uses a result and what it uses, a line each: calls first, then what only mentions it. */
function formatNeighbours(graph: Neighbours, dim: (text: string) => string): string[] {
  if (!graph.is_known) return [dim("uses are not known for its language")];
  const named = (
    edges: readonly GraphEdge[],
    total: number,
    [call, use]: [string, string],
    withPlace: boolean,
  ) => {
    if (edges.length === 0) return `${dim(use)} nothing known`;
    const shown = edges.slice(0, maxNamed.neighbours);
    const names = (of: readonly GraphEdge[]) =>
      of.map((edge) => {
        // Code outside of definitions has no name but its place.
        const name = withPlace && edge.kind === "file" ? [] : [toPrintable(nameInFull(edge))];
        const place = withPlace ? [`${toPrintable(edge.file)}:${edge.lines[0]}`] : [];
        return [...name, ...place].join(" ") + describeCertainty(edge);
      });
    const ways = [
      { way: call, edges: shown.filter(isCall) },
      { way: use, edges: shown.filter((edge) => !isCall(edge)) },
    ].filter(({ edges }) => edges.length > 0);
    const more = total > shown.length ? `, ${total - shown.length} more` : "";
    return (
      ways.map(({ way, edges }) => `${dim(way)} ${[...new Set(names(edges))].join(", ")}`).join("; ") + more
    );
  };
  const unknown =
    graph.unknown_calls === 0 ? "" : dim(`; ${formatCount(graph.unknown_calls, "unresolved call")}`);
  return [
    named(graph.used_by, graph.used_by_total, ["called by", "used by"], true),
    `${named(graph.uses, graph.uses_total, ["calls", "uses"], false)}${unknown}`,
  ];
}

export function toFoundSession(result: SessionResult, style: ResultStyle): FoundItem {
  const { screen } = style;
  const { colors } = screen;
  const { turn, last_turn } = result;
  // What is about a whole session, and a note from a shell, is in no turn.
  const first = Math.max(turn, 1);
  const isLoneNote = last_turn === 0 && result.annotation !== null;
  const turns = last_turn === 0 ? "" : last_turn > first ? `:${first}-${last_turn}` : `:${first}`;
  return {
    place: colors.id(isLoneNote ? "Note" : `${shortenId(result.session_id)}${turns}`),
    title: toOneLine(isLoneNote ? result.annotation! : (result.session_title ?? "")),
    ...(result.abandoned && { warning: "abandoned branch" }),
    facts: [
      formatWhen(result.timestamp, screen),
      result.annotation === null ? formatSharedBy(result.author) : "",
      toOneLine(result.branch ?? ""),
      isLoneNote ? labelNoteForPerson(result) : describeResultType(result),
    ],
    why: result.match_reasons.map(toPrintable),
    signals: result.signals,
    snippet: isLoneNote ? null : { kind: "text", ...choosePassage(result, style) },
    more: [
      ...(result.rejected === null ? [] : [`${colors.warn("Rejected:")} ${toOneLine(result.rejected)}`]),
      ...(result.annotation === null || isLoneNote
        ? []
        : [`${colors.warn(`${labelNoteForPerson(result)}:`)} ${toOneLine(result.annotation)}`]),
      ...(result.more_turns === 0 ? [] : [formatMoreTurns(result, colors)]),
      ...result.commits.map((commit) => formatLedCommit(commit, colors)),
      ...(result.files.length === 0 ? [] : [formatFilesWithFreshness(result, style)]),
    ],
  };
}

/** A model's summary in the place of the passage; in full, the passage itself. */
function choosePassage(result: SessionResult, { full }: ResultStyle) {
  if (result.summary === undefined || full) return { content: result.content, excerpt: result.snippet };
  return { content: chooseExcerpt(result), excerpt: chooseExcerpt(result) };
}

const labelNoteForPerson = ({ note_by, author }: SessionResult) =>
  labelWords("note", { by: note_by ?? "tool", author }, "person");

/** `tool output of Bash`, or what kind of chunk it is. */
function describeResultType(result: SessionResult): string {
  const { found_in: place } = result;
  if (place === undefined) return nameResultType(result);
  const { role, tool } = place;
  return `${roles[role]}${tool === null ? "" : ` of ${toPrintable(tool)}`}`;
}

const roles: Readonly<Record<NonNullable<SessionResult["found_in"]>["role"], string>> = {
  prompt: "prompt",
  answer: "answer",
  thinking: "thinking",
  notice: "notice",
  summary: "summary",
  tool_use: "call",
  tool_result: "output",
};

/** `+4 more: turns 2, 7, 9, 12 (--session b00b80af)`: how to see them. */
function formatMoreTurns({ more_turns, other_turns, session_id }: SessionResult, colors: Palette): string {
  const best = other_turns.slice(0, maxNamed.turns).map(({ turn }) => turn);
  const shown = best.sort((a, b) => a - b);
  const rest = more_turns > shown.length ? ", …" : "";
  const turns = `${more_turns === 1 ? "turn" : "turns"} ${shown.join(", ")}${rest}`;
  return `+${more_turns} more: ${turns} ${colors.dim(`(--session ${shortenId(session_id)})`)}`;
}

/** `led to abc1234 "Make refresh atomic" (on HEAD, 34 of 40 distinctive lines left)`. */
function formatLedCommit(commit: SessionResult["commits"][number], colors: Palette): string {
  const { reach, reverted_by, lines_surviving } = commit;
  const isLost = reverted_by !== null || reach === "gone" || lines_surviving === 0;
  const facts = describeCommitFate(commit);
  const fate = facts.length === 0 ? "" : ` (${toPrintable(facts.join(", "))})`;
  const led = wordLed(commit);
  const what = `${led[0]!.toUpperCase()}${led.slice(1)} ${shortenHash(commit.commit)} "${toOneLine(commit.subject, 100)}"`;
  return `${what}${isLost ? colors.warn(fate) : colors.dim(fate)}`;
}

function formatFilesWithFreshness(
  { files, freshness }: SessionResult,
  { full, screen, pathOf }: ResultStyle,
): string {
  const shown = full ? files : files.slice(0, maxNamed.files);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  const fate = freshness === null ? "" : ` (${freshnessWords[freshness]})`;
  const named = shown.map((file) => toPrintable(file.startsWith("/") ? file : pathOf(file))).join(", ");
  return `Files: ${named}${more}${freshness === "fresh" ? fate : screen.colors.warn(fate)}`;
}

export function toFoundCommit(commit: CommitFound, style: ResultStyle): FoundItem {
  const { screen, pageOf } = style;
  const { colors } = screen;
  const { id, title, author, timestamp, sessions, files } = commit;
  const fate = describeFoundCommitFate(commit);
  return {
    place: colors.link(colors.commit(toPrintable(shortenHash(id))), pageOf(id)),
    title: toOneLine(title),
    ...(fate !== null && { warning: toPrintable(fate) }),
    facts: [formatWhen(timestamp, screen), toOneLine(author)],
    why: commit.match_reasons.map(toPrintable),
    signals: commit.signals,
    snippet: { kind: "text", content: commit.snippet, excerpt: commit.snippet },
    more: [
      ...sessions.slice(0, maxNamed.sessions).map(({ session_id, title: session, turns }) => {
        const which = turns.length > 0 ? `:${turns[0]}` : "";
        return `From session ${colors.id(shortenId(session_id) + which)}  ${toOneLine(session ?? "")}`.trimEnd();
      }),
      ...(files.length === 0 ? [] : [formatFiles(files, style)]),
    ],
  };
}

function formatFiles(files: readonly string[], { full, pathOf }: ResultStyle): string {
  const shown = full ? files : files.slice(0, maxNamed.files);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  return `Files: ${shown.map((file) => toPrintable(pathOf(file))).join(", ")}${more}`;
}

export function toFoundEvent(event: EventFound, { screen }: Pick<ResultStyle, "screen">): FoundItem {
  return {
    place: screen.colors.id(toPrintable(event.id)),
    title: toOneLine(event.title),
    facts: [formatWhen(event.timestamp, screen), event.status, toOneLine(event.branch ?? "")],
    why: event.match_reasons.map(toPrintable),
    signals: event.signals,
    snippet: { kind: "text", content: event.snippet, excerpt: event.snippet },
    more: [`${formatCount(event.sessions, "session")}, ${formatCount(event.checkpoints, "checkpoint")}`],
  };
}
