import type { FileEdit } from "../../agents/agent.ts";
import { dayMs } from "../../base/text/day.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { ChangeToAttribute } from "../lines/verdict.ts";

/** Work that ends in a commit began this long before, at least as far as is looked, and at most. Milliseconds. */
const workMs = 3 * dayMs;
const longestWorkMs = 60 * dayMs;
/** As long a commit takes, where the one before is not the one it was made on. Milliseconds. */
const reworkMs = 6 * 3_600_000;
/** Commits have whole seconds. Milliseconds. */
export const clockMs = 2000;
/** A transcript's times and git's are of clocks and roundings of their own. Milliseconds. */
export const slackMs = 2000;

/** When what a change holds was written. Milliseconds since the epoch. */
export class WritingPeriod {
  /** Nothing later can have led to the change. */
  readonly until: number;
  /** As far back as is looked. */
  readonly since: number;
  /** Its parent is newer than its first version. */
  readonly isRebased: boolean;

  constructor(
    private readonly change: Pick<
      ChangeToAttribute,
      "authoredAt" | "committedAt" | "predecessors" | "isAmended"
    >,
    /** When the commit before was made; null: there was none. */
    private readonly parentAt: number | null,
  ) {
    const { authoredAt, committedAt, predecessors } = change;
    this.isRebased = parentAt !== null && parentAt > authoredAt;
    // Lines that a rebase kept were not written after the commit was first made; predecessors cover the others.
    this.until = this.isRebased && predecessors.length === 0 ? authoredAt : committedAt;
    const made = Math.min(authoredAt, committedAt);
    this.since = Math.min(made - workMs, Math.max(parentAt ?? 0, made - longestWorkMs));
  }

  /** Squashed into the change may be what was written after its first version. */
  get last(): number {
    return Math.max(this.until, this.change.committedAt) + slackMs;
  }

  /**
   * A call that began later wrote no line of it: a rebase makes a commit late that was authored before. Only what was
   * amended or put together of several holds what is younger than its author's date.
   */
  get lastCall(): number {
    const { authoredAt, predecessors, isAmended } = this.change;
    return predecessors.length > 0 || isAmended === true
      ? this.last
      : Math.min(authoredAt + slackMs, this.last);
  }

  /** Lines written since then cannot be in the parent commit. For a rebased commit the parent is unknown. */
  get freshSince(): number {
    const { authoredAt } = this.change;
    return (this.isRebased ? authoredAt - reworkMs : (this.parentAt ?? 0)) - clockMs;
  }

  /** When work on it began, as far as the commit before says. */
  get start(): number {
    const { authoredAt } = this.change;
    // What it was made on first is unknown.
    if (this.isRebased) return authoredAt - reworkMs;
    return Math.max(Math.min(this.parentAt ?? 0, authoredAt), authoredAt - longestWorkMs);
  }

  /** When the commit before was made that it was made on; 0 if that is unknown. */
  get base(): number {
    return this.isRebased ? 0 : (this.parentAt ?? 0);
  }
}

/** A call whose result is not where it would be: right after it, in its own turn. */
interface OpenCall {
  id: string;
  /** Milliseconds since the epoch; null if unknown. */
  at: number | null;
  input: Record<string, unknown>;
}

/** How a call ended. */
export interface CallEnd {
  /** Milliseconds since the epoch; 0 if unknown. */
  at: number;
  /** It ended for all that is known, but said nothing: the session was killed, or it still runs. */
  isSilent: boolean;
  said: string;
  isError: boolean;
  edits: readonly FileEdit[] | null;
}

/** Agents end a command themselves after this time, unless the call says another one. Milliseconds. */
const longestCall = 10 * 60_000;

/**
 * The end of a call without a result in its turn. The result may stand in a later turn, where a person typed something
 * in between. Without any, the call ended when the session went on without it, and at most after the agent's own time
 * limit: a transcript that ends with a call (a crash, a closed terminal) is no call that runs for ever.
 * @param after lines of its turn after the call
 * @param later lines of the session's later turns, turn by turn; read only as far as needed
 */
export function endOfCall(
  call: OpenCall,
  after: readonly StoredLine[],
  later: Iterable<readonly StoredLine[]>,
): CallEnd {
  let wentOnAt = findContinuationTime(after);
  for (const lines of later) {
    wentOnAt ??= lines.find(({ at }) => at !== null)?.at ?? null;
    for (const { at, entries } of lines) {
      for (const entry of entries) {
        if (entry.kind !== "tool_result" || entry.id !== call.id) continue;
        const { text: said, isError, edits } = entry;
        return { at: at ?? call.at ?? 0, isSilent: false, said, isError, edits };
      }
    }
  }
  const started = call.at;
  const limit = Math.max(longestCall, readTimeoutMs(call.input));
  const at =
    started === null ? 0 : Math.min(Math.max(wentOnAt ?? Number.POSITIVE_INFINITY, started), started + limit);
  return { at, isSilent: true, said: "", isError: false, edits: null };
}

/** When the agent or its user went on: calls and results beside it may be of the same message. */
function findContinuationTime(after: readonly StoredLine[]): number | null {
  let wasAnswered = false;
  for (const { at, entries } of after) {
    for (const { kind } of entries) {
      const isOn = kind === "tool_use" ? wasAnswered : kind !== "tool_result";
      if (isOn && at !== null) return at;
      if (kind === "tool_result") wasAnswered = true;
    }
  }
  return null;
}

const readTimeoutMs = (input: Record<string, unknown>): number =>
  typeof input.timeout === "number" && Number.isFinite(input.timeout) ? input.timeout : 0;
