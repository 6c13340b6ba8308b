import type { FileTouch, ToolUse, TranscriptEntry } from "../../agents/agent.ts";
import { estimateTokens, shortenText } from "../../base/text/text-size.ts";
import type { ToolAction } from "../../protocol/values.ts";
import type { TurnFile } from "../../store/memory/memory-records.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import type { TurnToStore } from "../../store/memory/sessions/turns.ts";
import { extractCommands } from "../commands/commands-of-turn.ts";
import { classifyToolUse, type Turn } from "../turn-content.ts";
import { detectTurnState } from "../turn-state.ts";

/**
 * Groups of consecutive turns that are cut into chunks together, so that short turns on one topic share a chunk.
 *
 * Whether a turn begins a group is decided from the group before and the turn's beginning alone, and what a growing
 * turn adds can turn a "no" into a "yes" but never back. So an incremental reader that groups the turns of the last
 * group anew, with what was added, gets the same groups as one that starts over.
 */

export interface GroupOptions {
  /** A group of this many tokens is full. */
  minTokens: number;
  /** A longer pause ends a group. Minutes. */
  pauseMinutes: number;
}

interface GroupState {
  tokens: number;
  /** When the last of its turns ended. */
  endedAt: number | null;
  /** Files that were touched, as the agent gave them. */
  touched: ReadonlySet<string>;
  edits: boolean;
}

/** Words at the beginning of a prompt that say that something else comes now. */
const topicMarker =
  /^\s*(?:(?:ok(?:ay)?|alright|all right|great|good|perfect|cool|nice|thanks|thank you|fint|godt|tak|super)\b[\s,.!:-]*)*(?:now,? let['’]?s\b|let['’]?s move on\b|moving on\b|next,? (?:let['’]?s|can (?:we|you)|i['’]?d like|i (?:want|would like)|we (?:should|need))\b|switching to\b|(?:on (?:a|to a) )?(?:different|another|new) (?:topic|subject)\b|lad os (?:nu|gå videre)\b|nu (?:skal|vil) vi\b|næste(?:[\s,:.]|$)|noget (?:helt )?andet(?:[\s,:.]|$))/iu;

/** Whether a prompt begins with words that change the topic. */
function isTopicChange(prompt: string): boolean {
  return topicMarker.test(prompt.slice(0, 300));
}

/** The weight of a tool use, whatever its size: about as much as is shown of it. Tokens. */
const tokensOfToolUse = 60;

function countEntryTokens(entry: TranscriptEntry): number {
  if (entry.kind === "prompt" || entry.kind === "text") return estimateTokens(entry.text);
  return entry.kind === "tool_use" ? tokensOfToolUse : 0;
}

const listTurnEntries = (turn: Turn): TranscriptEntry[] => turn.lines.flatMap((line) => line.entries);

function listTurnFiles(turn: Turn): { path: string; edits: boolean }[] {
  return listTurnEntries(turn)
    .filter((entry) => entry.kind === "tool_use")
    .flatMap((use) => use.files.map(({ path, how }) => ({ path, edits: how !== "read" })));
}

/** The facts about a group that decide whether the next turn joins it. */
function groupState(turns: readonly Turn[]): GroupState {
  const files = turns.flatMap(listTurnFiles);
  const lines = turns.at(-1)?.lines ?? [];
  const endedAt = lines.reduce<number | null>(
    (latest, { at }) => (at === null ? latest : Math.max(at, latest ?? at)),
    null,
  );
  return {
    tokens: turns.flatMap(listTurnEntries).reduce((sum, entry) => sum + countEntryTokens(entry), 0),
    endedAt,
    touched: new Set(files.map(({ path }) => path)),
    edits: files.some(({ edits }) => edits),
  };
}

/** Whether a turn begins a group of its own after `group`. */
function shouldStartNewGroup(group: GroupState, turn: Turn, options: GroupOptions): boolean {
  if (group.tokens >= options.minTokens) return true;
  const startedAt = turn.lines.find(({ at }) => at !== null)?.at ?? null;
  const paused =
    group.endedAt !== null && startedAt !== null && startedAt - group.endedAt > options.pauseMinutes * 60_000;
  if (paused || isTopicChange(joinPrompts(turn))) return true;
  // The first edit decides: later ones must not make it join again.
  const edited = listTurnFiles(turn).find(({ edits }) => edits);
  return group.edits && edited !== undefined && !group.touched.has(edited.path);
}

/** All turns of a session, or those from the beginning of a group on, in groups. */
export function groupTurns(turns: Iterable<Turn>, options: GroupOptions): Turn[][] {
  return [...streamTurnGroups(turns, options)];
}

/** The same, one group at a time: all turns of a long session would be too much to hold. */
export function* streamTurnGroups<T extends Turn>(
  turns: Iterable<T>,
  options: GroupOptions,
): Generator<T[], void> {
  let group: T[] = [];
  for (const turn of turns) {
    if (group.length > 0 && shouldStartNewGroup(groupState(group), turn, options)) {
      yield group;
      group = [];
    }
    group.push(turn);
  }
  if (group.length > 0) yield group;
}

/**
 * What is stored of a turn: its lines, and what lists and searches need: its files, its tools, what they did, the commands
 * that ran, how it ended, and the beginning of the prompt.
 */
export function turnToStore(
  turn: Turn,
  relativize: (path: string) => string,
): Pick<TurnToStore, "prompt" | "state" | "tools" | "actions" | "files" | "commands" | "content"> {
  return {
    prompt: cutPromptBeginning(turn),
    state: detectTurnState(turn.lines),
    tools: countTools(turn),
    actions: countActions(turn),
    files: collectTurnFiles(turn, relativize),
    commands: extractCommands(turn, relativize),
    content: packContent(turn.lines),
  };
}

const strength = { read: 0, edit: 1, write: 2 } as const;

/** The tool uses of a turn in order, without failed ones, which did not change files. */
export function* listEffectiveUses(turn: Turn): Iterable<ToolUse> {
  const entries = turn.lines.flatMap((line) => line.entries);
  const failed = new Set<string>();
  for (const entry of entries) if (entry.kind === "tool_result" && entry.isError) failed.add(entry.id);
  for (const entry of entries) if (entry.kind === "tool_use" && !failed.has(entry.id)) yield entry;
}

/** Files that a turn touched, each with the strongest action on it, in order of their first touch. */
function collectTurnFiles(turn: Turn, relativize: (path: string) => string): TurnFile[] {
  const files = new Map<string, FileTouch["how"]>();
  for (const use of listEffectiveUses(turn)) {
    for (const { path, how } of use.files) {
      const stored = relativize(path);
      const known = files.get(stored);
      if (known === undefined || strength[how] > strength[known]) files.set(stored, how);
    }
  }
  return [...files].map(([path, how]) => ({ path, how }));
}

/** Uses by tool, failed ones included. */
function countTools(turn: Turn): Record<string, number> {
  return countUses(turn, ({ tool }) => tool);
}

/** Uses by their action, failed ones included. */
function countActions(turn: Turn): Partial<Record<ToolAction, number>> {
  return countUses(turn, classifyToolUse);
}

function countUses<Key extends string>(turn: Turn, keyOf: (use: ToolUse) => Key): Record<Key, number> {
  const counts = new Map<Key, number>();
  for (const { entries } of turn.lines) {
    for (const entry of entries) {
      if (entry.kind === "tool_use") counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1);
    }
  }
  return Object.fromEntries(counts) as Record<Key, number>;
}

/** The whole prompt; "" for a turn without one. */
function joinPrompts(turn: Turn): string {
  const texts: string[] = [];
  for (const line of turn.lines)
    for (const entry of line.entries) if (entry.kind === "prompt") texts.push(entry.text);
  return texts.join("\n");
}

/** The beginning of the prompt, in one line of up to 300 characters, as turns keep it for lists. */
function cutPromptBeginning(turn: Turn): string {
  return shortenText(joinPrompts(turn).slice(0, 4_000).replace(/\s+/g, " ").trim(), 300);
}
