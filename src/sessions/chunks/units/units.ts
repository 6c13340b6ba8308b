import type { ToolResult, TranscriptEntry } from "../../../agents/agent.ts";
import { withoutSpeakers } from "../../../base/text/quotation.ts";
import { shortenText } from "../../../base/text/text-size.ts";
import type { ChunkTerms } from "../../../store/memory/memory-records.ts";
import type { Turn } from "../../turn-content.ts";
import { extractErrorLines, hasFailureReport, type ResultSays, sayResult } from "./tool-results.ts";
import { listChangedLines, sayUse } from "./tool-uses.ts";

type ToolUseEntry = Extract<TranscriptEntry, { kind: "tool_use" }>;

/** A unit's outcome, for deciding the kind. */
interface UnitOutcome {
  reads: boolean;
  edits: boolean;
  /** A command or service failed. */
  fails: boolean;
  /** A check (tests, types, a build) went well. */
  passes: boolean;
}

/** The smallest part of a chunk: a message, or a tool use with its result. */
export interface ChunkUnit {
  turn: Turn;
  speaker: "user" | "assistant" | "tool";
  /** Lines of the turn that it shows, by their order in the session. */
  firstSeq: number;
  lastSeq: number;
  startedAt: number | null;
  endedAt: number | null;
  /** `[USER]`, `[ASSISTANT]`; "" where the body has such marks itself. */
  label: string;
  body: string;
  /** Of something said, the stream that its words belong to: it may be split when it is long. Null for tools. */
  prose: "prompt" | "answer" | null;
  /** A piece from the middle of a prompt that was too long for a chunk, or of a plan: the user did not type it. */
  pasted: boolean;
  terms: ChunkTerms;
  /** Relative paths. */
  files: string[];
  outcome: UnitOutcome;
}

export interface UnitOptions {
  /** From a path as the agent wrote it to the one that is stored (`relative-paths.ts`). */
  relativize: (path: string) => string;
  /** Whether the agent's thinking is shown and searchable like its messages. Off by default. */
  thinking?: boolean;
  /** Whether an agent's summaries of a compacted context are, too; they have chunks of their own. Off. */
  summaries?: boolean;
}

export const noTerms: ChunkTerms = { prompt: "", answer: "", actions: "", errors: "" };
const noOutcome: UnitOutcome = { reads: false, edits: false, fails: false, passes: false };

/** Notices that say nothing. */
const emptyNotice = /^\s*(?:\[Request interrupted[^\]]*\]|Caveat:.*)?\s*$/;
/** Tags that a client puts around its own output: `<local-command-stdout>`. */
const markup = /<\/?[a-z]+(?:-[a-z]+)*>/g;

/** The place and time of a message. */
interface MessagePosition {
  turn: Turn;
  seq: number;
  at: number | null;
}

type UnitContent = Pick<ChunkUnit, "speaker" | "body"> & Partial<ChunkUnit>;

/** A unit that goes from one line to another. */
function makeUnit(from: MessagePosition, to: MessagePosition, unitText: UnitContent): ChunkUnit {
  const times = [from.at, to.at].filter((at) => at !== null);
  return {
    turn: from.turn,
    firstSeq: Math.min(from.seq, to.seq),
    lastSeq: Math.max(from.seq, to.seq),
    startedAt: times.length === 0 ? null : Math.min(...times),
    endedAt: times.length === 0 ? null : Math.max(...times),
    label: "",
    prose: null,
    pasted: false,
    terms: noTerms,
    files: [],
    outcome: noOutcome,
    ...unitText,
  };
}

/** Something that a side said; nothing where it is blank. */
function makeMessageUnits(
  place: MessagePosition,
  speaker: "user" | "assistant",
  label: string,
  unitText: string,
): ChunkUnit[] {
  const body = withoutSpeakers(unitText.trim());
  if (body === "") return [];
  const prose = speaker === "user" ? "prompt" : "answer";
  return [makeUnit(place, place, { speaker, label, body, prose, terms: { ...noTerms, [prose]: body } })];
}

function makeNoticeUnits(place: MessagePosition, unitText: string): ChunkUnit[] {
  const bare = unitText.replace(markup, " ").trim();
  if (emptyNotice.test(bare)) return [];
  const errors = hasFailureReport(bare) ? extractErrorLines(bare, 400) : "";
  const body = withoutSpeakers(shortenText(bare, 300));
  return [
    makeUnit(place, place, { speaker: "tool", label: "[NOTICE]", body, terms: { ...noTerms, errors } }),
  ];
}

interface AnsweredCall {
  result: ToolResult;
  place: MessagePosition;
}

/** A tool use with its result, and the words of the agent and the human in them. */
function makeToolUnits(
  place: MessagePosition,
  use: ToolUseEntry,
  answer: AnsweredCall | null,
  options: UnitOptions,
): ChunkUnit[] {
  const result = answer?.result ?? null;
  const to = answer?.place ?? place;
  const says = sayUse(use, result?.edits ?? null, options.relativize);
  const changed = says.edits ? listChangedLines(result?.edits ?? null, use.input) : [];
  const came = result === null ? null : sayResult(result, says, changed);
  const isEffective = result !== null && !result.isError;
  return [
    ...makeMessageUnits(place, "assistant", "[ASSISTANT]", says.prose),
    makeUnit(place, to, {
      speaker: "tool",
      body: [`[TOOL_USE] ${withoutSpeakers(says.headline)}`, ...formatResultLine(came)].join("\n"),
      terms: {
        prompt: "",
        answer: came?.answer ?? "",
        actions: says.actions,
        errors: came?.errors ?? "",
      },
      files: isEffective || result === null ? says.files : [],
      outcome: {
        reads: says.reads && isEffective,
        edits: says.edits && isEffective,
        fails: came?.fails ?? false,
        passes: came?.passes ?? false,
      },
    }),
    ...makeMessageUnits(to, "user", "[USER]", came?.userText ?? ""),
  ];
}

const formatResultLine = (came: ResultSays | null): string[] =>
  came === null || came.shown === "" ? [] : [`[TOOL_RESULT] ${withoutSpeakers(came.shown)}`];

/** A result whose use was in an earlier turn, or in none. */
function makeOrphanResultUnits(place: MessagePosition, result: ToolResult): ChunkUnit[] {
  const came = sayResult(result, null, []);
  const { answer, errors, fails, passes } = came;
  const resultUnits = formatResultLine(came).map((body) =>
    makeUnit(place, place, {
      speaker: "tool",
      body,
      terms: { ...noTerms, answer, errors },
      outcome: { ...noOutcome, fails, passes },
    }),
  );
  return [...resultUnits, ...makeMessageUnits(place, "user", "[USER]", came.userText)];
}

/** A turn's units in order; entries that say nothing (titles, compactions) have none. */
export function buildUnits(turn: Turn, options: UnitOptions): ChunkUnit[] {
  const answers = new Map<string, AnsweredCall>();
  const uses = new Set<string>();
  for (const { seq, at, entries } of turn.lines) {
    for (const entry of entries) {
      if (entry.kind === "tool_use") uses.add(entry.id);
      else if (entry.kind === "tool_result" && !answers.has(entry.id))
        answers.set(entry.id, { result: entry, place: { turn, seq, at } });
    }
  }

  function convertEntry(entry: TranscriptEntry, place: MessagePosition): ChunkUnit[] {
    switch (entry.kind) {
      case "prompt":
        return makeMessageUnits(
          place,
          "user",
          "[USER]",
          entry.text.trim() || (entry.images > 0 ? "(an image)" : ""),
        );
      case "text":
        return makeMessageUnits(place, "assistant", "[ASSISTANT]", entry.text);
      case "thinking":
        return options.thinking ? makeMessageUnits(place, "assistant", "[THINKING]", entry.text) : [];
      case "summary":
        return options.summaries ? makeMessageUnits(place, "assistant", "[SUMMARY]", entry.text) : [];
      case "notice":
        return makeNoticeUnits(place, entry.text);
      case "tool_use":
        return makeToolUnits(place, entry, answers.get(entry.id) ?? null, options);
      case "tool_result": {
        const isFirst = answers.get(entry.id)?.result === entry;
        return isFirst && !uses.has(entry.id) ? makeOrphanResultUnits(place, entry) : [];
      }
      default:
        return [];
    }
  }
  return turn.lines.flatMap(({ seq, at, entries }) =>
    entries.flatMap((entry) => convertEntry(entry, { turn, seq, at })),
  );
}

/** A unit as it is read. */
export function formatUnit({ label, body }: Pick<ChunkUnit, "label" | "body">): string {
  return label === "" ? body : `${label} ${body}`;
}
