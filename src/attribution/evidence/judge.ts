import type { ChangedFile } from "../../git/diff/changes-types.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { observationsOf } from "../../store/memory/observations.ts";
import type { ChangeToAttribute } from "../lines/types.ts";
import { byAgent, human, unknown, type Verdict } from "../lines/verdict.ts";
import { mayMean, names } from "./command-means.ts";
import type { TurnActivity } from "./turn-activity.ts";
import type { Delegation, ShellRun, Write } from "./writes.ts";

/** A command's last write may be noticed a little after it ends. Milliseconds. */
const runSlack = 500;
/** A formatter that runs on save changes a file this soon after an edit. Milliseconds. */
const editSlack = 2500;
/** Work that ends in a commit began this long before, at most. Milliseconds. */
const workMs = 3 * 86_400_000;
/** As long a commit takes, where the one before is not the one it was made on. Milliseconds. */
const reworkMs = 6 * 3_600_000;
/** A session that touched a commit's files within this time may have led to it. Milliseconds. */
const recentlyTouchedMs = 3_600_000;
/** Commits have whole seconds. Milliseconds. */
const clockMs = 2000;

/** The evidence about a period besides written lines: commands that ran, when lines showed up, who was active. */
export class AttributionEvidence {
  private readonly since: number;
  /** Nothing later can have led to the change. */
  readonly until: number;
  readonly runs: ShellRun[];
  readonly shellWrites: Write[];
  readonly delegations: Delegation[];
  private presence: { wasActive: boolean; isCovered: boolean } | null = null;

  constructor(
    private readonly memory: Memory,
    private readonly activity: TurnActivity,
    private readonly change: ChangeToAttribute,
    /** When the commit before was made; null: there was none. */
    private readonly parentAt: number | null,
  ) {
    // Lines that a rebase kept were not written after the commit was first made; predecessors cover the others.
    this.until = this.isRebased && change.predecessors.length === 0 ? change.authoredAt : change.committedAt;
    this.since = Math.min(change.authoredAt, change.committedAt) - workMs;
    const { runs, writes, delegations } = activity.shellBetween(this.since, this.until);
    this.runs = runs;
    this.shellWrites = writes;
    this.delegations = delegations;
  }

  /**
   * Turns that changed one of the change's files within the hour before it was made, and since the parent commit:
   * earlier changes led to that one.
   */
  recentlyTouched(): { sessionUid: string; turn: number }[] {
    const { hash, files, authoredAt } = this.change;
    if (hash === null) return [];
    const paths = files.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
    const since = Math.max(authoredAt - recentlyTouchedMs, this.isRebased ? 0 : (this.parentAt ?? 0));
    return this.activity.touched(paths, since, authoredAt + clockMs);
  }

  /** The times when each line of a file showed up, in order; empty if it was not watched. */
  seenIn(path: string): Map<number, number[]> {
    const seen = new Map<number, number[]>();
    const range = { since: this.since, until: this.change.committedAt + clockMs };
    for (const { at, keys } of observationsOf(this.memory, path, range)) {
      for (const key of keys) {
        const times = seen.get(key);
        if (times) times.push(at);
        else seen.set(key, [at]);
      }
    }
    for (const times of seen.values()) times.sort((a, b) => a - b);
    return seen;
  }

  /**
   * Whether a line showed up when the call wrote it, as far as the file was watched. Mixed: it did, and an equal line
   * showed up at another time.
   */
  agrees(times: readonly number[] | undefined, { at }: Write): "yes" | "mixed" | "no" {
    if (times === undefined || at === 0) return "yes";
    const fits = times.filter(
      (seen) => (seen >= at - 2000 && seen <= at + 10_000) || this.runAt(seen) !== null,
    );
    if (fits.length === 0) return "no";
    return fits.length === times.length ? "yes" : "mixed";
  }

  /** Who wrote a line that no tool call wrote, by when it showed up. */
  byFirstSeen(path: string, times: readonly number[], writes: readonly Write[]): Verdict {
    const recent = times.filter((at) => at >= this.freshSince);
    // Lines that were stashed and restored show up twice; a common line may be several.
    const seen = recent.length > 0 ? recent : times.slice(-1);
    const [first, ...others] = seen.map((at) => this.at(path, at, writes));
    return others.every(({ author }) => author === first!.author) ? first! : unknown;
  }

  private at(path: string, seenAt: number, writes: readonly Write[]): Verdict {
    const run = this.runAt(seenAt);
    // A human may save another file meanwhile.
    if (run !== null) return mayMean(run.command, path) ? byAgent(run, 0.85, "shell") : unknown;
    const edit = writes.findLast(({ at }) => seenAt >= at - 500 && seenAt <= at + editSlack);
    if (edit) return byAgent(edit, 0.75, "edit");
    return human(0.95);
  }

  private runAt(at: number): ShellRun | null {
    return (
      this.runs.findLast(
        ({ startedAt, endedAt, mayWrite }) => mayWrite && at > startedAt && at <= endedAt + runSlack,
      ) ?? null
    );
  }

  /** A line without evidence is a human's only if no agent can have written it. */
  byAbsence({ path, status }: ChangedFile): Verdict {
    // A command that names a file that was not there made it, unless it took another for that.
    const maker =
      status === "A" && this.runs.findLast((run) => this.isRecent(run) && names(run.command, path));
    if (maker) return byAgent(maker, 0.7, "shell");
    if (!this.change.isOwn) return unknown;
    this.presence ??= this.lookAround();
    const { wasActive, isCovered } = this.presence;
    if (!isCovered) return unknown;
    if (!wasActive) return human(0.9);
    // A command that names no file may have written any: a formatter, a generator.
    const isOpen = this.runs.some((run) => this.isRecent(run) && mayMean(run.command, path));
    return isOpen ? unknown : human(0.8);
  }

  private isRecent({ mayWrite, endedAt }: ShellRun): boolean {
    return mayWrite && endedAt >= this.windowStart();
  }

  private windowStart(): number {
    const { authoredAt } = this.change;
    return Math.max(Math.min(this.parentAt ?? 0, authoredAt), authoredAt - workMs);
  }

  /** Lines written since then cannot be in the parent commit. For a rebased commit the parent is unknown. */
  get freshSince(): number {
    const { authoredAt } = this.change;
    return (this.isRebased ? authoredAt - reworkMs : (this.parentAt ?? 0)) - clockMs;
  }

  /** Its parent is newer than its first version. */
  private get isRebased(): boolean {
    return this.parentAt !== null && this.parentAt > this.change.authoredAt;
  }

  private lookAround() {
    const start = this.windowStart();
    const first = this.activity.firstSession();
    return {
      wasActive: this.activity.wasActive(start, this.until),
      isCovered: first !== null && first <= this.change.authoredAt,
    };
  }
}
