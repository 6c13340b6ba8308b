import { listCommitsTouching } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findBranchOfTurn } from "../../store/memory/sessions/turn-lookup.ts";
import { canConcernFile } from "../commands/command-means.ts";
import { isMarkedGenerated } from "../commands/generators.ts";
import { parseSubstitutions, type Substitution } from "../commands/shell.ts";
import { choosePlainLineReader, computeLineKey } from "../lines/line-keys.ts";
import type { ChangeToAttribute } from "../lines/verdict.ts";
import { type Clocks, estimateClocks, findClockSession, widestOffset } from "./clock.ts";
import { Makers } from "./makers.ts";
import type { OpaqueCall } from "./opaque-calls.ts";
import { clockMs, slackMs, WritingPeriod } from "./period.ts";
import { withoutPutBack } from "./put-back.ts";
import { RecordedCommits } from "./recorded-commits.ts";
import { Sightings } from "./sightings.ts";
import type { TurnActivity } from "./turn-activity.ts";
import { type Delegation, type KeySet, packWriteKeys, type ShellRun, type Write } from "./writes.ts";

/** A command's last write may be noticed a little after it ends. Milliseconds. */
export const runSlack = 500;
/** A session that touched a commit's files within this time may have led to it. Milliseconds. */
const recentlyTouchedMs = 3_600_000;
/** A session ran what belongs to what it wrote within this time of it. Milliseconds. */
const besideMs = 30 * 60_000;

/** What is known of the time in which a change was made: calls and commands of agents, and when lines showed up. */
export class AttributionEvidence {
  readonly period: WritingPeriod;
  readonly runs: ShellRun[];
  /** All writes, by this machine's clock; oldest first. */
  readonly allWrites: readonly Write[];
  /** Commands of sessions whose clocks are wrong, and nobody knows how far. */
  readonly timelessRuns: readonly ShellRun[];
  /** Commands in the days around the change whose times nothing shows to be right. */
  readonly untimedRuns: readonly ShellRun[];
  readonly delegations: Delegation[];
  /** Calls that may have written, and do not say what. */
  readonly opaque: readonly OpaqueCall[];
  readonly sightings: Sightings;
  readonly makers: Makers;
  private readonly clocks: Clocks;
  /** When sessions wrote lines of the change: first and last. */
  private readonly spans = new Map<string, [first: number, last: number]>();
  private recent: readonly ShellRun[] | null = null;
  private readonly added = new Map<string, ReadonlySet<number>>();
  private readonly neverCommitted = new Map<string, boolean>();
  private isAfterFirst: boolean | null = null;
  private isAmendedByRun: boolean | null = null;
  private readonly committedLast = new Map<string, number>();

  constructor(
    private readonly memory: Memory,
    private readonly activity: TurnActivity,
    readonly change: ChangeToAttribute,
    parentAt: number | null,
    recorded = new RecordedCommits(memory),
  ) {
    this.period = new WritingPeriod(change, parentAt);
    const { since, until } = this.period;
    this.sightings = new Sightings(memory, { since, until: change.committedAt + clockMs }, (path) =>
      this.getKeysAddedTo(path),
    );
    const paths = this.listChangedPaths();
    const wide = activity.findActivityBetween(since - widestOffset, until + widestOffset);
    const all = [...this.findOlderWrites(paths, wide.writes), ...wide.writes];
    this.clocks = estimateClocks({
      writes: all.filter(({ path }) => path !== ""),
      runs: wide.runs,
      paths,
      seenIn: (path) => this.sightings.getSightings(path),
      committedAt: (short) =>
        change.hash?.startsWith(short) ? change.committedAt : recorded.findCommitTime(short),
      addedTo: (path) => this.getKeysAddedTo(path),
      isNew: (path) => change.files.some((file) => file.path === path && file.status === "A"),
      heldSince: ({ sessionUid, toolUse }) => recorded.findFirstCommitTime(sessionUid, toolUse),
      until,
    });
    this.runs = [];
    for (const each of wide.runs) {
      const run = this.correctTimes(each, ["startedAt", "endedAt"]);
      if (run.startedAt <= until && (run.isBackground || run.endedAt >= since)) this.runs.push(run);
    }
    if (this.clocks.offsets.size > 0) this.runs.sort((a, b) => a.startedAt - b.startedAt);
    const writes =
      this.clocks.offsets.size === 0 ? all : all.map((each) => this.correctTimes(each, ["startedAt", "at"]));
    this.allWrites = writes.sort((a, b) => a.at - b.at || a.startedAt - b.startedAt);
    this.makers = new Makers({
      runs: this.runs,
      writes: this.allWrites.filter(({ startedAt }) => startedAt <= this.period.last),
      isNeverCommitted: (path) => this.isNeverCommitted(path),
    });
    const { right, unclear } = this.clocks;
    this.untimedRuns = wide.runs.filter(
      (run) => run.mayWrite && !right.has(findClockSession(run.sessionUid)),
    );
    this.timelessRuns =
      unclear.size === 0
        ? []
        : wide.runs.filter(
            ({ mayWrite, sessionUid }) => mayWrite && unclear.has(findClockSession(sessionUid)),
          );
    this.delegations = wide.delegations.map((each) => this.correctTimes(each, ["startedAt", "endedAt"]));
    this.opaque = wide.opaque
      .map((each) => this.correctTimes(each, ["startedAt", "endedAt"]))
      .filter(({ startedAt, endedAt }) => startedAt <= until && endedAt >= since);
  }

  /** Writes to the change's files that are too old for the others. */
  private findOlderWrites(paths: readonly string[], others: readonly Write[]): Write[] {
    const older = this.activity.findWritesTo(paths, this.period.until + widestOffset);
    if (older.length === 0) return older;
    const wanted = new Set(paths);
    const makeWriteKey = ({ toolUse, path, how }: Write) => `${toolUse} ${path} ${how}`;
    const known = new Set(others.filter(({ path }) => wanted.has(path)).map(makeWriteKey));
    return older.filter((write) => !known.has(makeWriteKey(write)));
  }

  /**
   * The writes that may have led to the change and are to one of the files, or hold one of the lines as a new one;
   * oldest first. Of a command's write only the end of the path may be known, and an edit may be of another checkout's
   * file: it gets the file's.
   */
  findRelevantWrites(paths: readonly string[], keys: KeySet): Write[] {
    const own = new Set(paths);
    const { lastCall } = this;
    const wanted = new Set<Write>();
    const all = this.allWrites.map((write) => {
      if (write.startedAt > lastCall) return write;
      const isSame = write.how === "shell" ? isSamePath : isInOtherCheckout;
      const path = paths.find((each) => isSame(each, write.path));
      const named = path === undefined ? write : { ...write, path };
      if (own.has(named.path) || keys.hasAny(packWriteKeys(write).added)) wanted.add(named);
      return named;
    });
    return withoutPutBack(all, wanted);
  }

  /** When the last call began that may have written lines of the change. A session that amended it says so itself. */
  get lastCall(): number {
    const { hash } = this.change;
    this.isAmendedByRun ??= this.runs.some(
      ({ command, commits }) =>
        /--amend\b|\brebase\b|--fixup|--squash/.test(command) &&
        commits.some((commit) => hash?.startsWith(commit.hash)),
    );
    return this.isAmendedByRun ? this.period.last : this.period.lastCall;
  }

  /**
   * Writes to a file after the change, by clocks that nothing shows to be right, or after its author's date, where it may have
   * been amended; oldest first.
   */
  findLaterWritesTo(paths: readonly string[]): Write[] {
    const { lastCall } = this;
    const { last } = this.period;
    const isLater = ({ startedAt, sessionUid, path }: Write) =>
      startedAt > lastCall &&
      paths.includes(path) &&
      (startedAt <= last || !this.clocks.right.has(findClockSession(sessionUid)));
    return withoutPutBack(this.allWrites, new Set(this.allWrites.filter(isLater)));
  }

  /** Whether a file is neither in the change nor in a commit before. */
  isNeverCommitted(path: string): boolean {
    let isNever = this.neverCommitted.get(path);
    if (isNever === undefined) {
      isNever =
        !this.change.files.some((file) => file.path === path || file.oldPath === path) &&
        listCommitsTouching(this.memory, path, { since: 0, until: this.period.until, limit: 1 }).length === 0;
      this.neverCommitted.set(path, isNever);
    }
    return isNever;
  }

  /** Whether a new file says of itself that a program wrote it. */
  isNewFileMarkedGenerated(path: string): boolean {
    const file = this.change.files.find((each) => each.path === path && each.status === "A");
    return isMarkedGenerated(file?.hunks[0]?.added ?? []);
  }

  private listChangedPaths(): string[] {
    const { files } = this.change;
    return [...new Set(files.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath])))];
  }

  private getKeysAddedTo(path: string): ReadonlySet<number> {
    let keys = this.added.get(path);
    if (keys === undefined) {
      keys = this.computeKeysAddedTo(path);
      this.added.set(path, keys);
    }
    return keys;
  }

  private computeKeysAddedTo(path: string): ReadonlySet<number> {
    const file = this.change.files.find((each) => each.path === path);
    const plain = choosePlainLineReader(path);
    return new Set(
      (file?.hunks ?? []).flatMap(({ added }) => added.map((line) => computeLineKey(plain(line)))),
    );
  }

  /** By this machine's clock. */
  private correctTimes<Of extends { sessionUid: string }, Key extends keyof Of>(
    of: Of,
    keys: readonly Key[],
  ): Of {
    const { offsets } = this.clocks;
    const offset = offsets.size === 0 ? undefined : offsets.get(findClockSession(of.sessionUid));
    if (offset === undefined) return of;
    const moved = { ...of };
    for (const key of keys) if (of[key] !== 0) moved[key] = (Number(of[key]) - offset) as Of[Key];
    return moved;
  }

  /** These sessions wrote lines of the change then: what they ran beside that belongs to it as well. */
  recordWritingSpan({ sessionUid, startedAt, at }: Write): void {
    if (startedAt === 0) return;
    const known = this.spans.get(sessionUid);
    this.recent = null;
    this.spans.set(sessionUid, [
      Math.min(known?.[0] ?? startedAt, startedAt),
      Math.max(known?.[1] ?? at, at),
    ]);
  }

  /**
   * Turns that changed one of the change's files since the parent commit, or where none did, within the hour before it was
   * made: somebody goes on with what led to a commit before.
   */
  recentlyTouched(): { sessionUid: string; turn: number }[] {
    const { hash, authoredAt } = this.change;
    if (hash === null) return [];
    const hourBefore = authoredAt - recentlyTouchedMs;
    const { base } = this.period;
    const sinceParent = this.findTouchedSince(Math.max(hourBefore, base));
    return sinceParent.length > 0 || base <= hourBefore ? sinceParent : this.findTouchedSince(hourBefore);
  }

  private findTouchedSince(since: number): { sessionUid: string; turn: number }[] {
    const paths = this.listChangedPaths();
    const until = this.change.authoredAt + clockMs;
    // A turn that was under way may have come to the file before, or only afterwards.
    const writes = this.activity.findWritesTo(paths, Number.POSITIVE_INFINITY);
    return this.activity.findTurnsThatTouched(paths, since, until).filter(({ sessionUid, turn }) => {
      const own = writes.filter((write) => write.sessionUid === sessionUid && write.turn === turn);
      return own.length === 0 || own.some(({ startedAt, at }) => startedAt <= until && at >= since);
    });
  }

  /** The branch that a turn was on; null where unknown. */
  readonly branchOf = ({ sessionUid, turn }: { sessionUid: string; turn: number }): string | null =>
    findBranchOfTurn(this.memory, sessionUid, turn);

  /**
   * Whether a line showed up when the call wrote it, as far as the file was watched. Mixed: it did, and an equal line
   * showed up at another time. Before: it was there already, by a clock that is right.
   */
  compareWithSightings(
    times: readonly number[] | undefined,
    write: Write,
  ): "yes" | "mixed" | "no" | "before" {
    const { startedAt, at, sessionUid } = write;
    if (times === undefined || at === 0) return "yes";
    const fits = times.filter(
      (seen) => (seen >= startedAt - 2000 && seen <= at + 10_000) || this.findRunsAt(seen, null).length > 0,
    );
    if (fits.length === 0) {
      const isBefore = times.every((seen) => seen < startedAt - 2000);
      return isBefore && this.clocks.right.has(findClockSession(sessionUid)) ? "before" : "no";
    }
    return fits.length === times.length ? "yes" : "mixed";
  }

  /** Commands that may write and ran then; those in the background only where they mean the file. */
  findRunsAt(at: number, path: string | null): ShellRun[] {
    return this.runs.filter(
      ({ sessionUid, startedAt, endedAt, mayWrite, isBackground, command }) =>
        mayWrite &&
        at > startedAt - this.getClockSlackMs(sessionUid) &&
        (at <= endedAt + runSlack + this.getClockSlackMs(sessionUid) ||
          (isBackground && path !== null && canConcernFile(command, path))),
    );
  }

  /** Calls of unknown tools that ran then. */
  findOpaqueCallsAt(at: number): OpaqueCall[] {
    return this.opaque.filter(
      ({ sessionUid, startedAt, endedAt }) =>
        at > startedAt - this.getClockSlackMs(sessionUid) - runSlack &&
        at <= endedAt + runSlack + this.getClockSlackMs(sessionUid),
    );
  }

  /** Calls of unknown tools that may have written what the change holds of a file. */
  findRecentOpaqueCalls(path: string): OpaqueCall[] {
    return this.opaque.filter((call) => {
      const run = { ...call, mayWrite: true, isBackground: false };
      return this.isRecent(run) && !this.hasBeenCommittedSince(run, path);
    });
  }

  /** A clock that was set right is right to within this. Milliseconds. */
  private getClockSlackMs(sessionUid: string): number {
    return this.clocks.offsets.has(findClockSession(sessionUid)) ? slackMs : 0;
  }

  /** Whether sessions wrote any of it. */
  get isOfSessions(): boolean {
    return this.spans.size > 0;
  }

  /** Whether sessions of that time are stored. By its own clock a session may have begun later. */
  get isCovered(): boolean {
    this.isAfterFirst ??=
      (this.activity.readFirstSessionStart() ?? Number.POSITIVE_INFINITY) <= this.change.authoredAt;
    return this.isOfSessions || this.isAfterFirst;
  }

  /** Whether a file was committed after a command had ended: what it wrote there is in that commit, not in the change. */
  hasBeenCommittedSince(
    { endedAt, isBackground }: Pick<ShellRun, "endedAt" | "isBackground">,
    path: string,
  ): boolean {
    if (isBackground || this.period.isRebased) return false;
    let last = this.committedLast.get(path);
    if (last === undefined) {
      const until = this.period.base;
      last = listCommitsTouching(this.memory, path, { since: 0, until, limit: 1 })[0]?.committedAt ?? 0;
      this.committedLast.set(path, last);
    }
    return last > endedAt + clockMs;
  }

  /** Replacements that commands made in a file, with the commands; by a clock that may be wrong, at any time. */
  findSubstitutionsIn(path: string): { run: ShellRun; replace: Substitution }[] {
    return [...this.untimedRuns, ...this.listRecentRuns()].flatMap((run) => {
      const made = parseSubstitutions(run.command);
      return made.length > 0 && canConcernFile(run.command, path)
        ? made.map((replace) => ({ run, replace }))
        : [];
    });
  }

  /** Commands that may have written what the change holds. Asked for with every line. */
  listRecentRuns(): readonly ShellRun[] {
    this.recent ??= this.runs.filter((run) => this.isRecent(run));
    return this.recent;
  }

  private isRecent({
    mayWrite,
    startedAt,
    endedAt,
    isBackground,
    sessionUid,
  }: Pick<ShellRun, "mayWrite" | "startedAt" | "endedAt" | "isBackground" | "sessionUid">): boolean {
    if (!mayWrite) return false;
    if (isBackground || endedAt >= this.period.start) return true;
    const span = this.spans.get(sessionUid);
    return span !== undefined && endedAt >= span[0] - besideMs && startedAt <= span[1] + besideMs;
  }
}

/** Of a command only the end of a path may be known. */
function isSamePath(path: string, inCommand: string): boolean {
  if (inCommand === "") return false;
  const named = inCommand.replace(/^(?:\.\/)+/, "");
  return path === named || (named.length > 2 && path.endsWith(`/${named}`)) || named.endsWith(`/${path}`);
}

/** Whether an edit outside of all known checkouts was of this file in one that is not known. */
const isInOtherCheckout = (path: string, edited: string): boolean =>
  /^(?:\/|[A-Za-z]:)/.test(edited) && path.includes("/") && edited.endsWith(`/${path}`);
