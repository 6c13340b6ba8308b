import type { Entry } from "../../agents/agent.ts";
import { tokensOf } from "../../text/text-size.ts";
import type { Turn } from "../turn-content.ts";
import { promptOf } from "./turn-to-store.ts";

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

export interface GroupState {
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
export function changesTopic(prompt: string): boolean {
  return topicMarker.test(prompt.slice(0, 300));
}

/** The weight of a tool use, whatever its size: about as much as is shown of it. Tokens. */
const tokensOfToolUse = 60;

function tokensOfEntry(entry: Entry): number {
  if (entry.kind === "prompt" || entry.kind === "text") return tokensOf(entry.text);
  return entry.kind === "tool_use" ? tokensOfToolUse : 0;
}

const entriesOf = (turn: Turn): Entry[] => turn.lines.flatMap((line) => line.entries);

function filesOf(turn: Turn): { path: string; edits: boolean }[] {
  return entriesOf(turn)
    .filter((entry) => entry.kind === "tool_use")
    .flatMap((use) => use.files.map(({ path, how }) => ({ path, edits: how !== "read" })));
}

/** The facts about a group that decide whether the next turn joins it. */
export function groupState(turns: readonly Turn[]): GroupState {
  const files = turns.flatMap(filesOf);
  const lines = turns.at(-1)?.lines ?? [];
  const endedAt = lines.reduce<number | null>(
    (latest, { at }) => (at === null ? latest : Math.max(at, latest ?? at)),
    null,
  );
  return {
    tokens: turns.flatMap(entriesOf).reduce((sum, entry) => sum + tokensOfEntry(entry), 0),
    endedAt,
    touched: new Set(files.map(({ path }) => path)),
    edits: files.some(({ edits }) => edits),
  };
}

/** Whether a turn begins a group of its own after `group`. */
export function startsNewGroup(group: GroupState, turn: Turn, options: GroupOptions): boolean {
  if (group.tokens >= options.minTokens) return true;
  const startedAt = turn.lines.find(({ at }) => at !== null)?.at ?? null;
  const paused =
    group.endedAt !== null && startedAt !== null && startedAt - group.endedAt > options.pauseMinutes * 60_000;
  if (paused || changesTopic(promptOf(turn))) return true;
  // The first edit decides: later ones must not make it join again.
  const edited = filesOf(turn).find(({ edits }) => edits);
  return group.edits && edited !== undefined && !group.touched.has(edited.path);
}

/** All turns of a session, or those from the beginning of a group on, in groups. */
export function groupTurns(turns: Iterable<Turn>, options: GroupOptions): Turn[][] {
  return [...groupsIn(turns, options)];
}

/** The same, one group at a time: all turns of a long session would be too much to hold. */
export function* groupsIn<T extends Turn>(turns: Iterable<T>, options: GroupOptions): Generator<T[], void> {
  let group: T[] = [];
  for (const turn of turns) {
    if (group.length > 0 && startsNewGroup(groupState(group), turn, options)) {
      yield group;
      group = [];
    }
    group.push(turn);
  }
  if (group.length > 0) yield group;
}
