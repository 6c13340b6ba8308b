import { formatCount } from "../../base/text/counted.ts";
import { formatUtcMinute } from "../../base/text/iso-time.ts";
import type { Decision } from "../../protocol/decision.ts";
import { nameTurnInTitle } from "../../protocol/reading/names.ts";
import type { CheckpointSummary } from "../checkpoints/operation.ts";
import type { Note } from "../notes/operation.ts";
import type { SessionResponse, ToolCall, TurnEntry, TurnInFull } from "./operation.ts";

/**
 * How a turn is told: on the page, in `pm session` and in `pm browse`. What was only looked at is one step, what says nothing
 * is left out.
 */

/** What the rules need to know of something that was said or done. */
interface ToldStep {
  kind: "prompt" | "text" | "thinking" | "notice" | "summary" | "compaction" | "tool";
  text: string;
  call: { tool: string; action: string; is_error: boolean } | null;
  /** Of a prompt. */
  images?: number;
}

/** A part of a turn: something that was said or done, or what was looked at in a row. */
export type TurnStep<T> = { kind: "one"; entry: T } | { kind: "explored"; entries: T[]; says: string };

/** Fewer looks stand for themselves. */
const minFoldedLooks = 2;

/** What an agent says between two looks is no longer than this where it only says what it looks at next. Characters. */
const longestAside = 240;

/**
 * Calls that only look at something are one step where several follow each other, with what was thought and said in passing
 * between them. One that failed stands for itself.
 */
export function foldSteps<T>(entries: readonly T[], toldBy: (entry: T) => ToldStep): TurnStep<T>[] {
  const all = entries.map((entry) => ({ entry, told: toldBy(entry) })).filter(({ told }) => !isSilent(told));
  const steps: TurnStep<T>[] = [];
  let looks: typeof all = [];
  const stand = (some: typeof all) =>
    steps.push(...some.map(({ entry }): TurnStep<T> => ({ kind: "one", entry })));
  const fold = () => {
    // What was said or thought after the last look belongs to what follows.
    const end = looks.findLastIndex(({ told }) => isLook(told)) + 1;
    const folded = looks.slice(0, end);
    const calls = folded.flatMap(({ told }) => (told.call === null ? [] : [told.call.tool]));
    if (calls.length < minFoldedLooks) stand(folded);
    else
      steps.push({
        kind: "explored",
        entries: folded.map(({ entry }) => entry),
        says: formatExplored(calls),
      });
    stand(looks.slice(end));
    looks = [];
  };
  for (const one of all) {
    if (isLook(one.told) || (looks.length > 0 && isAside(one.told))) {
      looks.push(one);
      continue;
    }
    fold();
    stand([one]);
  }
  fold();
  return steps;
}

/** The same of a turn that was read in full. */
export const foldTurnSteps = (entries: readonly TurnEntry[]): TurnStep<TurnEntry>[] =>
  foldSteps(entries, (entry) => ({ ...entry, call: toToldCall(entry) }));

const toToldCall = ({ tool }: TurnEntry) =>
  tool && { tool: tool.name, action: tool.action, is_error: tool.is_error };

/** Tools that name no file, and only look. */
const looking = /^(?:glob|grep|ls|list|find|search|web_?search|web_?fetch|fetch|tool_?search)/i;

const isLook = ({ call }: ToldStep) =>
  call !== null &&
  !call.is_error &&
  (call.action === "read" || (call.action === "other" && looking.test(call.tool)));

const isAside = ({ kind, text }: ToldStep) =>
  kind === "thinking" || (kind === "text" && text.length <= longestAside && !text.includes("\n"));

const isSilent = ({ kind, text, images = 0 }: ToldStep) =>
  kind !== "tool" && kind !== "compaction" && text.trim() === "" && images === 0;

/** "Explored: 9 × Read, Grep". */
function formatExplored(calls: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const tool of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return `Explored: ${[...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(", ")}`;
}

interface TurnStyle {
  /** Also what commands and agents answered, folded; else a call is a line. */
  results?: boolean;
}

/** A turn as text to paste or hand on: the prompt quoted, answers as they are, calls in a line each, edits as diffs. */
export function turnAsMarkdown(
  { number, started_at, abandoned, state, entries }: TurnInFull,
  { results = false }: TurnStyle = {},
): string {
  const about = [
    nameTurnInTitle(number),
    started_at === null ? "" : formatUtcMinute(started_at),
    state === "interrupted" || state === "error" ? state : "",
    abandoned ? "abandoned branch" : "",
  ];
  const title = `## ${about.filter((part) => part !== "").join(", ")}`;
  return [title, ...entries.map((entry) => formatEntryMarkdown(entry, results))]
    .filter((text) => text !== "")
    .join("\n\n");
}

function formatEntryMarkdown({ kind, text, images, tool, omitted }: TurnEntry, results: boolean): string {
  if (tool !== null) return callAsMarkdown(tool, results, omitted);
  const more = omitted > 0 ? `\n\n*${omitted.toLocaleString("en")} more characters*` : "";
  if (kind === "prompt") {
    const prompt = [text, images > 0 ? "*(an image)*" : ""].filter((part) => part !== "").join("\n\n");
    return (sanitiseMarkdown(prompt) + more).replace(/^/gm, "> ").replace(/^> $/gm, ">");
  }
  if (kind === "compaction") return "*The context was compacted.*";
  return kind === "text" || kind === "summary" ? sanitiseMarkdown(text) + more : "";
}

function callAsMarkdown(call: ToolCall, results: boolean, omitted: number): string {
  const { headline, result, is_error, edits } = call;
  const failed = is_error ? " (failed)" : "";
  const diffs = edits.map(({ file, lines }) => formatFenced("diff", [`--- ${file}`, ...lines].join("\n")));
  const more = results && omitted > 0 ? [`*${omitted.toLocaleString("en")} more characters or lines*`] : [];
  if (!results || edits.length > 0 || !result)
    return [`- ${formatInlineCode(headline)}${failed}`, ...diffs, ...more].join("\n\n");
  const summary = `<summary><code>${escapeTags(headline.replace(/\s+/g, " "))}</code>${failed}</summary>`;
  return [`<details>${summary}`, formatFenced("", result), ...more, "</details>"].join("\n\n");
}

const escapeTags = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Between more backticks than the text has in a row. */
function formatFenced(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, countLongestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text as code within a line. */
export function formatInlineCode(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const ticks = "`".repeat(countLongestRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

const countLongestRun = (text: string) =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);

/**
 * Markdown that somebody wrote, made safe to stand among other Markdown: tags and comments outside of code stay text, and a
 * fence that was left open is closed.
 */
export function sanitiseMarkdown(text: string): string {
  let open: string | null = null;
  const lines = text.split("\n").map((line) => {
    const [, fence] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (open !== null) {
      if (fence?.startsWith(open) && line.trim() === fence) open = null;
      return line;
    }
    if (fence !== undefined) {
      open = fence;
      return line;
    }
    return line.replace(/(`+)[^`]+\1|<(?![a-z]+:\/\/)(?=[!/?a-z])/gi, (found) =>
      found === "<" ? "&lt;" : found,
    );
  });
  return open === null ? text && lines.join("\n") : [...lines, open].join("\n");
}

/** What stands beside a turn. */
export interface Margin {
  notes: Note[];
  decisions: Decision[];
  /** Commits that the turn is the last to have led to. */
  commits: CheckpointSummary[];
}

/** What stands beside each turn, by its number. Notes are shown as notes, not as decisions again. */
export function buildMargins(
  session: string,
  found: {
    notes: readonly Note[];
    decisions: readonly Decision[];
    commits: readonly CheckpointSummary[];
  },
): Map<number, Margin> {
  const margins = new Map<number, Margin>();
  const at = (turn: number): Margin => {
    const margin = margins.get(turn) ?? { notes: [], decisions: [], commits: [] };
    margins.set(turn, margin);
    return margin;
  };
  for (const note of found.notes) at(note.turn ?? 0).notes.push(note);
  for (const decision of found.decisions) {
    if (decision.source !== "conversation" || decision.session_id !== session) continue;
    at(decision.turn ?? 0).decisions.push(decision);
  }
  for (const commit of found.commits) {
    const turns = commit.sessions.find(({ session_id }) => session_id === session)?.turns ?? [];
    if (turns.length > 0) at(Math.max(...turns)).commits.push(commit);
  }
  return margins;
}

type TurnOutline = Pick<SessionResponse["turns"][number], "files" | "commands">;

/** What was done in a turn, in a few words: "read 4 files, changed 2, ran 3 commands, 1 failed, fixed". */
export function describeTurnActivity({ files, commands: { ran, failed, fixed } }: TurnOutline): string[] {
  const changed = files.filter(({ how }) => how !== "read").length;
  const explored = files.length - changed;
  return [
    ...(explored > 0 ? [`read ${formatCount(explored, "file")}`] : []),
    ...(changed > 0 ? [`changed ${changed}`] : []),
    ...(ran > 0 ? [`ran ${formatCount(ran, "command")}`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(fixed > 0 ? [fixed === failed ? "fixed" : `${fixed} fixed`] : []),
  ];
}
