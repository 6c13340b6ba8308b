import {
  appliesPatch,
  generates,
  isFormatter,
  isRenaming,
  isRestoring,
  mayMean,
  namesPlace,
  writesOnlyNamed,
} from "../commands/command-means.ts";
import { changesPackages, installs, isLockFile } from "../commands/generators.ts";
import { byAgent, human, restingOn, unknown, type Verdict } from "../lines/verdict.ts";
import { type AttributionEvidence, runSlack } from "./evidence.ts";
import type { LineHere } from "./makers.ts";
import { isSaidBy, namesAnyFile, namesFile, type OpaqueCall } from "./opaque-calls.ts";
import type { ShellRun, Write } from "./writes.ts";

/** Nobody types while so short a command runs, even if it has to be allowed. Milliseconds. */
const briefMs = 10_000;
/** Nobody types into so many files at once. */
const severalFiles = 3;
/** A program writes its files within this time of each other. Milliseconds. */
const apartMs = 2000;
/** A formatter that runs on save changes a file this soon after an edit. Milliseconds. */
const editSlack = 2500;

/** Who wrote a line that no tool call holds: by when it showed up, or where nobody watched, by what ran at all. */
export class Judge {
  private readonly named = new Map<ShellRun, { path: string; at: number }[]>();

  constructor(private readonly evidence: AttributionEvidence) {}

  /** @param times when the line showed up, in order: at least once */
  byFirstSeen(line: LineHere, times: readonly number[], writes: readonly Write[]): Verdict {
    const recent = times.filter((at) => at >= this.evidence.period.freshSince);
    // Lines that were stashed and restored show up twice; a common line may be several.
    const seen = recent.length > 0 ? recent : times.slice(-1);
    const [first, ...others] = seen.map((at) => this.at(line, at, writes));
    return others.every(({ author }) => author === first!.author) ? first! : unknown("several");
  }

  private at(line: LineHere, seenAt: number, writes: readonly Write[]): Verdict {
    const { path, bare } = line;
    const { sightings, makers, timelessRuns } = this.evidence;
    const runs = this.evidence
      .runsAt(seenAt, path)
      .filter(
        (run) =>
          (!run.isBackground ||
            seenAt <= run.endedAt ||
            seenAt <= sightings.firstIn(path, run.startedAt) + runSlack) &&
          this.mayWriteTo(run, line) &&
          !this.wroteElsewhere(run, line, seenAt),
      );
    // A piece of a line that somebody broke is whoever's that line was.
    const { unbroken } = line;
    if (unbroken && unbroken.at < seenAt)
      return this.at({ ...line, unbroken: null, key: unbroken.key }, unbroken.at, writes);
    // A file that only got another name has the lines that it had.
    const before = sightings.before(path, seenAt, line.key);
    if (before !== null && runs.some(({ command }) => isRenaming(command)))
      return this.at({ ...line, path: before.path }, before.at, []);
    const meant = runs.findLast(
      (run) =>
        installs(run.command, path, bare) ||
        ((mayMean(run.command, path) || (line.isNewFile && generates(run.command, path) !== "no")) &&
          !isRestoring(run.command) &&
          !makers.copiesOthers(run, path) &&
          this.wroteThen(run, line, seenAt)),
    );
    if (meant) return byAgent(meant, "shell", "ran");
    // What is moved here keeps its time.
    const mover = runs.length > 0 ? this.moverOf(path, seenAt) : null;
    if (mover) return byAgent(mover, "shell", "brought");
    if (runs.length > 0 && runs.every((run) => makers.appliesForeignPatch(run))) return human("patched");
    if (runs.length > 0 && runs.every(({ command }) => isFormatter(command)))
      return this.asFormatted(line, seenAt, writes);
    const opaque = this.evidence.opaqueAt(seenAt);
    const caller = opaque.findLast((call) => this.calledThen(call, line, seenAt));
    if (caller) return byAgent(caller, "edit", "ran");
    // A human may save another file meanwhile.
    if (runs.length > 0 || opaque.length > 0) return unknown("command");
    // A command writes its own text at once, however long it goes on.
    const during = writes.filter(
      ({ startedAt, at, how }) =>
        seenAt >= startedAt - 500 &&
        seenAt <= (how === "shell" ? Math.min(at, startedAt + briefMs) : at) + editSlack,
    );
    const edit = during.findLast((write) => resembles(bare, write));
    if (edit) return byAgent(edit, "edit", "formatted");
    if (during.some((write) => this.mayHaveSaved(write, line, seenAt))) return unknown("command");
    if (before !== null) {
      const there = this.at({ ...line, path: before.path }, before.at, []);
      if (there.author === "agent") return restingOn(there, "moved");
      if (there.author === "unknown") return there;
    }
    if (timelessRuns.some((run) => makers.mayHaveMade(run, line))) return unknown("command");
    if (sightings.isReformed(path, seenAt)) {
      if (during.length > 0) return this.asBefore(line, seenAt);
      // A person formatted what a command had made, or pasted as much.
      if (this.makerOf(line, seenAt)) return unknown("several");
    }
    return human("alone");
  }

  /**
   * Whether a call of an unknown tool wrote what showed up while it ran: it names the file or what was written, and a person
   * did not have the time to type meanwhile, or it wrote last what showed up there.
   */
  private calledThen(call: OpaqueCall, { path, bare }: LineHere, seenAt: number): boolean {
    if (call.isCopying || !(namesFile(call, path) || isSaidBy(call, bare))) return false;
    if (call.endedAt - call.startedAt <= briefMs) return true;
    return seenAt >= this.evidence.sightings.lastIn(path, call.endedAt + runSlack) - runSlack;
  }

  /**
   * Whether a call that edits this file may have saved what showed up while it ran, as its hooks do. It writes its own text
   * once: what was there before that is not its.
   */
  private mayHaveSaved({ path, at, startedAt, how, hunks }: Write, line: LineHere, seenAt: number): boolean {
    if (path !== line.path || how !== "edit" || seenAt > at + runSlack || startedAt === 0) return false;
    const seen = this.evidence.sightings.in(path);
    const own = hunks.flatMap(({ lines }) =>
      lines.flatMap(({ isNew, key }) => (isNew ? (seen.get(key) ?? []) : [])),
    );
    const savedAt = own.filter((time) => time >= startedAt && time <= at + runSlack);
    return savedAt.length === 0 || Math.min(...savedAt) <= seenAt;
  }

  /** Whether a command that ran may have written to a file at all: what it says of what it writes may say no. */
  private mayWriteTo(run: ShellRun, line: LineHere): boolean {
    const { command } = run;
    const isElsewhere =
      writesOnlyNamed(command) && !mayMean(command, line.path) && !installs(command, line.path, line.bare);
    return !isElsewhere && !this.evidence.makers.isSpelledOut(run, line);
  }

  /**
   * Whether a command that names other files wrote those at another moment: what showed up here then is not its. Nobody types
   * while it runs for seconds only.
   */
  private wroteElsewhere(run: ShellRun, { path }: LineHere, seenAt: number): boolean {
    const { startedAt, endedAt, command, isBackground } = run;
    if (isBackground || endedAt - startedAt <= briefMs || mayMean(command, path)) return false;
    let named = this.named.get(run);
    if (named === undefined) {
      named = this.evidence.sightings
        .between(startedAt, endedAt + runSlack)
        .filter((each) => namesPlace(command, each.path));
      this.named.set(run, named);
    }
    return named.some(({ at }) => Math.abs(at - seenAt) >= apartMs);
  }

  /**
   * Whether a command wrote what showed up while it ran, as far as the moment shows: a person may have typed while it waited
   * to be allowed, or worked. One that names the file wrote last what showed up there. One that names none wrote several
   * files at once, or what nobody types. A patch is whoever's it is; a formatter has no lines of its own.
   */
  private wroteThen(run: ShellRun, line: LineHere, seenAt: number): boolean {
    const { command, startedAt, endedAt, isBackground } = run;
    const { path, isNewFile } = line;
    if (appliesPatch(command) || (isFormatter(command) && this.makerOf(line, seenAt) === undefined))
      return false;
    if (isBackground || endedAt - startedAt <= briefMs) return true;
    const { sightings } = this.evidence;
    if (namesPlace(command, path)) return seenAt >= sightings.lastIn(path, endedAt + runSlack) - runSlack;
    if (isNewFile && generates(command, path) !== "no") return true;
    const together = sightings.filesAt(seenAt);
    return (
      sightings.isReformed(path, seenAt) ||
      together.size >= severalFiles ||
      [...together].some((each) => isLockFile(each))
    );
  }

  /** The command that made a file which is new, and says nothing of what it wrote there. */
  private makerOf(line: LineHere, before: number): ShellRun | undefined {
    if (!line.isNewFile) return undefined;
    const { runs, makers } = this.evidence;
    return runs.findLast((run) => run.mayWrite && run.startedAt < before && makers.names(run, line));
  }

  /** A line to which a formatter of the agent gave another form: of whoever wrote it, which is a person where no call can have. */
  private asFormatted(line: LineHere, seenAt: number, writes: readonly Write[]): Verdict {
    const { runs, makers, sightings } = this.evidence;
    const write = writes.findLast((each) => each.startedAt < seenAt && resembles(line.bare, each));
    if (write) return byAgent(write, "edit", "formatted");
    const firstAt = sightings.firstIn(line.path, 0);
    const mayBeIts = runs.some(
      (run) =>
        run.mayWrite &&
        run.startedAt < seenAt &&
        // Of a file that was watched from the beginning it wrote nothing before it was there, nor while nothing changed.
        (firstAt >= seenAt || sightings.firstIn(line.path, run.startedAt) <= run.endedAt + runSlack) &&
        makers.mayHaveMade(run, line),
    );
    return mayBeIts ? unknown("command") : human("alone");
  }

  /** A line of a file that was formatted just after an edit, and was somebody's before: a command's, if that made the file. */
  private asBefore(line: LineHere, seenAt: number): Verdict {
    const maker = this.makerOf(line, seenAt);
    return maker ? byAgent(maker, "shell", "named") : unknown("several");
  }

  /** The command that brought a file here which was written before. */
  private moverOf(path: string, since: number): ShellRun | undefined {
    return this.evidence.runs.find(
      (run) => run.endedAt >= since && this.evidence.makers.bringsOwn(run, path),
    );
  }

  /** A line without evidence is a human's only if no agent can have written it. */
  byAbsence(line: LineHere): Verdict {
    const { path, bare, isNewFile, isAnew } = line;
    const { evidence } = this;
    const { runs, untimedRuns, timelessRuns, makers, change } = evidence;
    const recent = evidence.recentRuns().filter((run) => !evidence.wasCommittedSince(run, path));
    // What ran after the commit was authored may be in it, if somebody amended it, but nothing shows that.
    const before = recent.filter(({ startedAt }) => startedAt <= evidence.lastCall);
    const installer = before.findLast(
      ({ command }) => changesPackages(command) && installs(command, path, bare),
    );
    if (installer) return byAgent(installer, "shell", "installed");
    // A command that names a file that was not there made it, unless it took another for that. What is in no commit
    // before may have been left out of them.
    const mayBeMakers = isNewFile ? runs : isAnew ? recent : [];
    const maker = mayBeMakers.findLast(
      (run) => run.mayWrite && run.startedAt <= evidence.lastCall && makers.names(run, line),
    );
    if (maker) return byAgent(maker, "shell", "named");
    const generator = isNewFile
      ? before.findLast(({ command }) => {
          const does = generates(command, path);
          return does === "yes" || (does === "maybe" && evidence.saysGenerated(path));
        })
      : undefined;
    if (generator) return byAgent(generator, "shell", "generated");
    const bringer = isNewFile ? before.findLast((run) => makers.bringsOwn(run, path)) : undefined;
    if (bringer) return byAgent(bringer, "shell", "brought");
    // Nobody knows since when it was there, where no session wrote any of it.
    if (change.hash !== null && change.parent === null && !evidence.isOfSessions) return unknown("root");
    if (!change.isOwn) return unknown("not_here");
    // By a clock that may be wrong: too little to call it the command's, a human's, or older than all sessions.
    if (isNewFile && untimedRuns.some((run) => makers.mayHaveNamed(run, line))) return unknown("command");
    if (!evidence.isCovered) return unknown("not_covered");
    // A command that names no file may have written any.
    const mayBeIts = (run: ShellRun) => makers.mayHaveMade(run, line);
    const isOpen =
      evidence.recentOpaque(path).some((call) => mayHaveCalled(call, line)) ||
      recent.some(mayBeIts) ||
      timelessRuns.some(mayBeIts) ||
      (isNewFile &&
        recent.some((run) => generates(run.command, path) !== "no" || makers.mayBeRenamed(run, path)));
    if (isOpen) return unknown("command");
    return human("absence");
  }
}

/** Whether a line may be of a call of an unknown tool: it names the file or what is in the line, or writes and names no file. */
const mayHaveCalled = (call: OpaqueCall, { path, bare }: LineHere): boolean =>
  namesFile(call, path) || isSaidBy(call, bare) || (call.isRewriting && !namesAnyFile(call));

/** Of the words of both. */
const enough = 0.6;
/** Fewer words are in many lines. */
const fewest = 3;

/** Whether a line says nearly the same as one that a call wrote, as after a formatter or a linter that repairs. */
function resembles(bare: string, { hunks }: Write): boolean {
  const words = wordsOf(bare);
  if (words.length < fewest) return false;
  return hunks.some(({ lines }) =>
    lines.some((line) => line.isNew && shareOf(words, wordsOf(line.bare)) >= enough),
  );
}

const wordsOf = (bare: string) => bare.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]{2,}/gu) ?? [];

function shareOf(one: readonly string[], other: readonly string[]): number {
  const left = [...other];
  let same = 0;
  for (const word of one) {
    const at = left.indexOf(word);
    if (at === -1) continue;
    left.splice(at, 1);
    same++;
  }
  return same / Math.max(one.length, other.length, 1);
}
