import type { ChangeToAttribute } from "../lines/types.ts";

/** Work that ends in a commit began this long before, at least as far as is looked, and at most. Milliseconds. */
const workMs = 3 * 86_400_000;
const longestWorkMs = 60 * 86_400_000;
/** As long a commit takes, where the one before is not the one it was made on. Milliseconds. */
const reworkMs = 6 * 3_600_000;
/** Commits have whole seconds. Milliseconds. */
export const clockMs = 2000;
/** A transcript's times and git's are of clocks and roundings of their own. Milliseconds. */
export const slackMs = 2000;

/** When what a change holds was written. Milliseconds since the epoch. */
export class Period {
  /** Nothing later can have led to the change. */
  readonly until: number;
  /** As far back as is looked. */
  readonly since: number;
  /** Its parent is newer than its first version. */
  readonly isRebased: boolean;

  constructor(
    private readonly change: Pick<ChangeToAttribute, "authoredAt" | "committedAt" | "predecessors">,
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
