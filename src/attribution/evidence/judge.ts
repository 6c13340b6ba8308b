import { commitsTouching } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { branchOfTurn } from "../../store/memory/sessions/turn-lookup.ts";
import {
  appliesPatch,
  bringsFrom,
  isFormatter,
  isGenerator,
  isRenaming,
  isRestoring,
  mayMean,
  namesPlace,
  writesOnlyNamed,
} from "../commands/command-means.ts";
import { installs } from "../commands/packages.ts";
import { type Substitution, substitutionsIn } from "../commands/substitutions.ts";
import { lineKey, plainLineOf } from "../lines/line-keys.ts";
import type { ChangeToAttribute } from "../lines/types.ts";
import { byAgent, human, unknown, type Verdict } from "../lines/verdict.ts";
import { type Clocks, clockOf, clocksOf, widestOffset } from "./clock.ts";
import { type LineHere, Makers } from "./makers.ts";
import { withoutPutBack } from "./put-back.ts";
import { RecordedCommits } from "./recorded-commits.ts";
import { resembles } from "./resembles.ts";
import { Sightings } from "./sightings.ts";
import type { TurnActivity } from "./turn-activity.ts";
import { type KeySet, keysOf } from "./write-keys.ts";
import type { Delegation, ShellRun, Write } from "./writes.ts";

/** A command's last write may be noticed a little after it ends. Milliseconds. */
const runSlack = 500;
/** Nobody types while so short a command runs, even if it has to be allowed. Milliseconds. */
const briefMs = 10_000;
/** Nobody types into so many files at once. */
const severalFiles = 3;
/** A formatter that runs on save changes a file this soon after an edit. Milliseconds. */
const editSlack = 2500;
/** Work that ends in a commit began this long before, at least as far as is looked, and at most. Milliseconds. */
const workMs = 3 * 86_400_000;
const longestWorkMs = 60 * 86_400_000;
/** As long a commit takes, where the one before is not the one it was made on. Milliseconds. */
const reworkMs = 6 * 3_600_000;
/** A session that touched a commit's files within this time may have led to it. Milliseconds. */
const recentlyTouchedMs = 3_600_000;
/** Commits have whole seconds. Milliseconds. */
export const clockMs = 2000;
/** A transcript's times and git's are of clocks and roundings of their own. Milliseconds. */
const slack = 2000;
/** A session ran what belongs to what it wrote within this time of it. Milliseconds. */
const besideMs = 30 * 60_000;

/** The evidence about a period besides written lines: commands that ran, when lines showed up, who was active. */
export class AttributionEvidence {
  private readonly since: number;
  /** Nothing later can have led to the change. */
  readonly until: number;
  readonly runs: ShellRun[];
  /** All writes, by this machine's clock; oldest first. */
  private readonly allWrites: readonly Write[];
  /** Commands of sessions whose clocks are wrong, and nobody knows how far. */
  private readonly timelessRuns: readonly ShellRun[];
  readonly delegations: Delegation[];
  private presence: { wasActive: boolean; isCovered: boolean } | null = null;
  private readonly sightings: Sightings;
  /** When sessions wrote lines of the change: first and last. */
  private readonly spans = new Map<string, [first: number, last: number]>();
  private readonly clocks: Clocks;
  private recent: readonly ShellRun[] | null = null;
  /** Commands in the days around the change whose times nothing shows to be right. */
  private readonly untimedRuns: readonly ShellRun[];
  private readonly added = new Map<string, ReadonlySet<number>>();
  private readonly neverCommitted = new Map<string, boolean>();
  private readonly makers: Makers;

  constructor(
    private readonly memory: Memory,
    private readonly activity: TurnActivity,
    private readonly change: ChangeToAttribute,
    /** When the commit before was made; null: there was none. */
    private readonly parentAt: number | null,
    recorded = new RecordedCommits(memory),
  ) {
    // Lines that a rebase kept were not written after the commit was first made; predecessors cover the others.
    this.until = this.isRebased && change.predecessors.length === 0 ? change.authoredAt : change.committedAt;
    const made = Math.min(change.authoredAt, change.committedAt);
    this.since = Math.min(made - workMs, Math.max(this.parentAt ?? 0, made - longestWorkMs));
    this.sightings = new Sightings(memory, { since: this.since, until: change.committedAt + clockMs });
    const paths = this.paths();
    const wide = activity.between(this.since - widestOffset, this.until + widestOffset);
    const all = [...this.olderWrites(paths, wide.writes), ...wide.writes];
    this.clocks = clocksOf({
      writes: all.filter(({ path }) => path !== ""),
      runs: wide.runs,
      paths,
      seenIn: (path) => this.seenIn(path),
      committedAt: (short) =>
        change.hash?.startsWith(short) ? change.committedAt : recorded.committedAt(short),
      addedTo: (path) => this.addedTo(path),
      isNew: (path) => change.files.some((file) => file.path === path && file.status === "A"),
      heldSince: ({ sessionUid, toolUse }) => recorded.heldSince(sessionUid, toolUse),
      until: this.until,
    });
    const { since, until } = this;
    this.runs = [];
    for (const each of wide.runs) {
      const run = this.inTime(each, ["startedAt", "endedAt"]);
      if (run.startedAt <= until && (run.isBackground || run.endedAt >= since)) this.runs.push(run);
    }
    if (this.clocks.offsets.size > 0) this.runs.sort((a, b) => a.startedAt - b.startedAt);
    const writes =
      this.clocks.offsets.size === 0 ? all : all.map((each) => this.inTime(each, ["startedAt", "at"]));
    this.allWrites = writes.sort((a, b) => a.at - b.at || a.startedAt - b.startedAt);
    this.makers = new Makers({
      runs: this.runs,
      writes: this.allWrites.filter(({ startedAt }) => startedAt <= this.last),
      isNeverCommitted: (path) => this.isNeverCommitted(path),
    });
    const { right, unclear } = this.clocks;
    this.untimedRuns = wide.runs.filter((run) => run.mayWrite && !right.has(clockOf(run.sessionUid)));
    this.timelessRuns =
      unclear.size === 0
        ? []
        : wide.runs.filter(({ mayWrite, sessionUid }) => mayWrite && unclear.has(clockOf(sessionUid)));
    this.delegations = wide.delegations.map((each) => this.inTime(each, ["startedAt", "endedAt"]));
  }

  /** Writes to the change's files that are too old for the others. */
  private olderWrites(paths: readonly string[], others: readonly Write[]): Write[] {
    const older = this.activity.writesTo(paths, this.until + widestOffset);
    if (older.length === 0) return older;
    const wanted = new Set(paths);
    const keyOf = ({ toolUse, path, how }: Write) => `${toolUse} ${path} ${how}`;
    const known = new Set(others.filter(({ path }) => wanted.has(path)).map(keyOf));
    return older.filter((write) => !known.has(keyOf(write)));
  }

  /** Squashed into the change may be what was written after its first version. */
  private get last(): number {
    return Math.max(this.until, this.change.committedAt) + slack;
  }

  /**
   * The writes that may have led to the change and are to one of the files, or hold one of the lines as a new one;
   * oldest first. Of a command's write only the end of the path may be known, and an edit may be of another checkout's
   * file: it gets the file's.
   */
  writesOf(paths: readonly string[], keys: KeySet): Write[] {
    const own = new Set(paths);
    const { last } = this;
    const wanted = new Set<Write>();
    const all = this.allWrites.map((write) => {
      if (write.startedAt > last) return write;
      const isSame = write.how === "shell" ? isSamePath : isInOtherCheckout;
      const path = paths.find((each) => isSame(each, write.path));
      const named = path === undefined ? write : { ...write, path };
      if (own.has(named.path) || keys.hasAny(keysOf(write).added)) wanted.add(named);
      return named;
    });
    return withoutPutBack(all, wanted);
  }

  /** Writes to a file after the change, by clocks that nothing shows to be right; oldest first. */
  laterWritesTo(paths: readonly string[]): Write[] {
    const { last } = this;
    const isLater = ({ startedAt, sessionUid, path }: Write) =>
      startedAt > last && paths.includes(path) && !this.clocks.right.has(clockOf(sessionUid));
    return withoutPutBack(this.allWrites, new Set(this.allWrites.filter(isLater)));
  }

  /** Whether a file is neither in the change nor in a commit before. */
  isNeverCommitted(path: string): boolean {
    let isNever = this.neverCommitted.get(path);
    if (isNever === undefined) {
      isNever =
        !this.change.files.some((file) => file.path === path || file.oldPath === path) &&
        commitsTouching(this.memory, path, { since: 0, until: this.until, limit: 1 }).length === 0;
      this.neverCommitted.set(path, isNever);
    }
    return isNever;
  }

  private paths(): string[] {
    const { files } = this.change;
    return [...new Set(files.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath])))];
  }

  private addedTo(path: string): ReadonlySet<number> {
    let keys = this.added.get(path);
    if (keys === undefined) {
      keys = this.keysAddedTo(path);
      this.added.set(path, keys);
    }
    return keys;
  }

  private keysAddedTo(path: string): ReadonlySet<number> {
    const file = this.change.files.find((each) => each.path === path);
    const plain = plainLineOf(path);
    return new Set((file?.hunks ?? []).flatMap(({ added }) => added.map((line) => lineKey(plain(line)))));
  }

  /** By this machine's clock. */
  private inTime<Of extends { sessionUid: string }, Key extends keyof Of>(of: Of, keys: readonly Key[]): Of {
    const { offsets } = this.clocks;
    const offset = offsets.size === 0 ? undefined : offsets.get(clockOf(of.sessionUid));
    if (offset === undefined) return of;
    const moved = { ...of };
    for (const key of keys) if (of[key] !== 0) moved[key] = (Number(of[key]) - offset) as Of[Key];
    return moved;
  }

  /** These sessions wrote lines of the change then: what they ran beside that belongs to it as well. */
  wrote({ sessionUid, startedAt, at }: Write): void {
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
    const parentAt = this.isRebased ? 0 : (this.parentAt ?? 0);
    const sinceParent = this.touchedSince(Math.max(hourBefore, parentAt));
    return sinceParent.length > 0 || parentAt <= hourBefore ? sinceParent : this.touchedSince(hourBefore);
  }

  private touchedSince(since: number): { sessionUid: string; turn: number }[] {
    const paths = this.paths();
    const until = this.change.authoredAt + clockMs;
    // A turn that was under way may have come to the file before, or only afterwards.
    const writes = this.activity.writesTo(paths, Number.POSITIVE_INFINITY);
    return this.activity.touched(paths, since, until).filter(({ sessionUid, turn }) => {
      const own = writes.filter((write) => write.sessionUid === sessionUid && write.turn === turn);
      return own.length === 0 || own.some(({ startedAt, at }) => startedAt <= until && at >= since);
    });
  }

  /** The branch that a turn was on; null where unknown. */
  readonly branchOf = ({ sessionUid, turn }: { sessionUid: string; turn: number }): string | null =>
    branchOfTurn(this.memory, sessionUid, turn);

  /** The times when each line of a file showed up, in order; empty if it was not watched. */
  seenIn(path: string): ReadonlyMap<number, readonly number[]> {
    return this.sightings.in(path);
  }

  /** Those of lines that did not only come back, as from a stash. */
  freshIn(path: string): ReadonlyMap<number, readonly number[]> {
    return this.sightings.freshIn(path);
  }

  /**
   * Whether a line showed up when the call wrote it, as far as the file was watched. Mixed: it did, and an equal line
   * showed up at another time. Before: it was there already, by a clock that is right.
   */
  agrees(times: readonly number[] | undefined, write: Write): "yes" | "mixed" | "no" | "before" {
    const { startedAt, at, sessionUid } = write;
    if (times === undefined || at === 0) return "yes";
    const fits = times.filter(
      (seen) => (seen >= startedAt - 2000 && seen <= at + 10_000) || this.runsAt(seen, null).length > 0,
    );
    if (fits.length === 0) {
      const isBefore = times.every((seen) => seen < startedAt - 2000);
      return isBefore && this.clocks.right.has(clockOf(sessionUid)) ? "before" : "no";
    }
    return fits.length === times.length ? "yes" : "mixed";
  }

  /** Who wrote a line that no tool call wrote, by when it showed up. */
  byFirstSeen(line: LineHere, times: readonly number[], writes: readonly Write[]): Verdict {
    const recent = times.filter((at) => at >= this.freshSince);
    // Lines that were stashed and restored show up twice; a common line may be several.
    const seen = recent.length > 0 ? recent : times.slice(-1);
    const [first, ...others] = seen.map((at) => this.at(line, at, writes));
    return others.every(({ author }) => author === first!.author) ? first! : unknown("several");
  }

  private at(line: LineHere, seenAt: number, writes: readonly Write[]): Verdict {
    const { path, bare } = line;
    const runs = this.runsAt(seenAt, path).filter(
      (run) =>
        (!run.isBackground ||
          seenAt <= run.endedAt ||
          seenAt <= this.sightings.firstIn(path, run.startedAt) + runSlack) &&
        this.mayWriteTo(run, line),
    );
    // A file that only got another name has the lines that it had.
    const before = this.sightings.before(path, seenAt, lineKey(bare));
    if (before !== null && runs.some(({ command }) => isRenaming(command)))
      return this.at({ ...line, path: before.path }, before.at, []);
    const meant = runs.findLast(
      (run) =>
        installs(run.command, path, bare) ||
        ((mayMean(run.command, path) || (line.isNewFile && isGenerator(run.command))) &&
          !isRestoring(run.command) &&
          this.wroteThen(run, line, seenAt)),
    );
    if (meant) return byAgent(meant, meant.isBackground ? 0.85 : 0.95, "shell", "ran");
    // What is moved here keeps its time.
    const mover = runs.length > 0 ? this.moverOf(path, seenAt) : null;
    if (mover) return byAgent(mover, 0.95, "shell", "brought");
    // A human may save another file meanwhile.
    if (runs.length > 0) return unknown("command");
    // A command writes its own text at once, however long it goes on.
    const during = writes.filter(
      ({ startedAt, at, how }) =>
        seenAt >= startedAt - 500 &&
        seenAt <= (how === "shell" ? Math.min(at, startedAt + briefMs) : at) + editSlack,
    );
    const edit = during.findLast((write) => resembles(bare, write));
    if (edit) return byAgent(edit, 0.95, "edit", "formatted");
    if (before !== null) {
      const there = this.at({ ...line, path: before.path }, before.at, []);
      if (there.author === "agent") return { ...there, confidence: 0.9, basis: "moved" };
      if (there.author === "unknown") return there;
    }
    if (this.timelessRuns.some((run) => this.makers.mayHaveMade(run, line))) return unknown("command");
    if (during.length > 0 && this.sightings.isReformed(path, seenAt)) return this.asBefore(line, seenAt);
    return human(during.length > 0 ? 0.95 : 0.97, "alone");
  }

  /** Whether a command that ran may have written to a file at all: what it says of what it writes may say no. */
  private mayWriteTo(run: ShellRun, line: LineHere): boolean {
    const { command } = run;
    const isElsewhere =
      writesOnlyNamed(command) && !mayMean(command, line.path) && !installs(command, line.path, line.bare);
    return !isElsewhere && !this.makers.isSpelledOut(run, line);
  }

  /**
   * Whether a command wrote what showed up while it ran, as far as the moment shows: a person may have typed while it waited
   * to be allowed, or worked. One that names the file wrote last what showed up there. One that names none wrote whole
   * files, or several at once. A patch is whoever's it is; a formatter has no lines of its own.
   */
  private wroteThen(run: ShellRun, line: LineHere, seenAt: number): boolean {
    const { command, startedAt, endedAt, isBackground } = run;
    const { path, isNewFile } = line;
    if (appliesPatch(command) || (isFormatter(command) && !this.wasMadeBefore(line, seenAt))) return false;
    if (isBackground || endedAt - startedAt <= briefMs) return true;
    if (namesPlace(command, path))
      return seenAt >= this.sightings.lastIn(path, endedAt + runSlack) - runSlack;
    return (
      isNewFile || this.sightings.isReformed(path, seenAt) || this.sightings.filesAt(seenAt) >= severalFiles
    );
  }

  /** Whether an agent made a file that is new, as far as its calls show: what formats it then changes the agent's lines. */
  private wasMadeBefore(line: LineHere, at: number): boolean {
    const { path, isNewFile } = line;
    if (!isNewFile) return false;
    return (
      this.allWrites.some((write) => write.path === path && write.startedAt < at) ||
      this.runs.some((run) => run.mayWrite && run.startedAt < at && this.makers.names(run, line))
    );
  }

  /** A line of a file that was formatted just after an edit, and was somebody's before: a command's, if that made the file. */
  private asBefore(line: LineHere, seenAt: number): Verdict {
    const maker = line.isNewFile
      ? this.runs.findLast((run) => run.mayWrite && run.endedAt < seenAt && this.makers.names(run, line))
      : undefined;
    return maker ? byAgent(maker, 0.85, "shell", "named") : unknown("several");
  }

  /** Commands that may write and ran then; those in the background only where they mean the file. */
  private runsAt(at: number, path: string | null): ShellRun[] {
    return this.runs.filter(
      ({ sessionUid, startedAt, endedAt, mayWrite, isBackground, command }) =>
        mayWrite &&
        at > startedAt - this.looseOf(sessionUid) &&
        (at <= endedAt + runSlack + this.looseOf(sessionUid) ||
          (isBackground && path !== null && mayMean(command, path))),
    );
  }

  /** A clock that was set right is right to within this. Milliseconds. */
  private looseOf(sessionUid: string): number {
    return this.clocks.offsets.has(clockOf(sessionUid)) ? slack : 0;
  }

  /** The command that brought a file here which was written before. */
  private moverOf(path: string, since: number): ShellRun | null {
    return (
      this.runs.find(({ endedAt, command }) => endedAt >= since && bringsFrom(command, path) !== null) ?? null
    );
  }

  /** A line without evidence is a human's only if no agent can have written it. */
  byAbsence(line: LineHere): Verdict {
    const { path, bare, isNewFile, isAnew } = line;
    const recent = this.recentRuns();
    const installer = recent.findLast(({ command }) => installs(command, path, bare));
    if (installer) return byAgent(installer, 0.85, "shell", "installed");
    // A command that names a file that was not there made it, unless it took another for that. What is in no commit
    // before may have been left out of them.
    const mayBeMakers = isNewFile ? this.runs : isAnew ? recent : [];
    const maker = mayBeMakers.findLast((run) => run.mayWrite && this.makers.names(run, line));
    if (maker) return byAgent(maker, 0.95, "shell", "named");
    const bringer = isNewFile ? recent.findLast((run) => this.makers.bringsOwn(run, path)) : undefined;
    if (bringer) return byAgent(bringer, 0.95, "shell", "brought");
    // Nobody knows since when it was there, where no session wrote any of it.
    if (this.change.hash !== null && this.change.parent === null && this.spans.size === 0)
      return unknown("root");
    if (!this.change.isOwn) return unknown("not_here");
    // By a clock that may be wrong: too little to call it the command's, a human's, or older than all sessions.
    if (isNewFile && this.untimedRuns.some((run) => this.makers.mayHaveNamed(run, line)))
      return unknown("command");
    this.presence ??= this.lookAround();
    const { wasActive, isCovered } = this.presence;
    if (!isCovered) return unknown("not_covered");
    // A command that names no file may have written any: a generator.
    const mayBeIts = (run: ShellRun) => this.makers.mayHaveMade(run, line);
    const isOpen =
      (isNewFile && recent.some(({ command }) => isGenerator(command))) ||
      recent.some(mayBeIts) ||
      this.timelessRuns.some(mayBeIts);
    if (isOpen || (isNewFile && recent.some((run) => this.makers.mayBeRenamed(run, path))))
      return unknown("command");
    return human(wasActive || this.untimedRuns.length > 0 ? 0.95 : 0.97, "absence");
  }

  /** Replacements that commands made in a file, with the commands; by a clock that may be wrong, at any time. */
  substitutionsIn(path: string): { run: ShellRun; replace: Substitution }[] {
    return [...this.untimedRuns, ...this.recentRuns()].flatMap((run) => {
      const made = substitutionsIn(run.command);
      return made.length > 0 && mayMean(run.command, path) ? made.map((replace) => ({ run, replace })) : [];
    });
  }

  /** Commands that may have written what the change holds. Asked for with every line. */
  private recentRuns(): readonly ShellRun[] {
    this.recent ??= this.runs.filter((run) => this.isRecent(run));
    return this.recent;
  }

  private isRecent({ mayWrite, startedAt, endedAt, isBackground, sessionUid }: ShellRun): boolean {
    if (!mayWrite) return false;
    if (isBackground || endedAt >= this.windowStart()) return true;
    const span = this.spans.get(sessionUid);
    return span !== undefined && endedAt >= span[0] - besideMs && startedAt <= span[1] + besideMs;
  }

  private windowStart(): number {
    const { authoredAt } = this.change;
    // What it was made on first is unknown.
    if (this.isRebased) return authoredAt - reworkMs;
    return Math.max(Math.min(this.parentAt ?? 0, authoredAt), authoredAt - longestWorkMs);
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
      // By its own clock a session may have begun later.
      isCovered: (first !== null && first <= this.change.authoredAt) || this.spans.size > 0,
    };
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
