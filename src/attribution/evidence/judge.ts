import {
  appliesPatch,
  canConcernFile,
  isAboutPlace,
  isFormatter,
  isRenaming,
  isRestoring,
  judgeGeneration,
  writesOnlyNamed,
} from "../commands/command-means.ts";
import { canInstallLine, hasPackageInstall, isLockFile } from "../commands/generators.ts";
import {
  type AuthorVerdict,
  changeVerdictBasis,
  makeAgentVerdict,
  makeHumanVerdict,
  makeUnknownVerdict,
} from "../lines/verdict.ts";
import { type AttributionEvidence, runSlack } from "./evidence.ts";
import type { LineHere } from "./makers.ts";
import { isLineInCall, isNamingAnyFile, isNamingFile, type OpaqueCall } from "./opaque-calls.ts";
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
  judgeByFirstSeen(line: LineHere, times: readonly number[], writes: readonly Write[]): AuthorVerdict {
    const recent = times.filter((at) => at >= this.evidence.period.freshSince);
    // Lines that were stashed and restored show up twice; a common line may be several.
    const seen = recent.length > 0 ? recent : times.slice(-1);
    const [first, ...others] = seen.map((at) => this.judgeSighting(line, at, writes));
    return others.every(({ author }) => author === first!.author) ? first! : makeUnknownVerdict("several");
  }

  private judgeSighting(line: LineHere, seenAt: number, writes: readonly Write[]): AuthorVerdict {
    const { path, bare } = line;
    const { sightings, makers, timelessRuns } = this.evidence;
    const runs = this.evidence
      .findRunsAt(seenAt, path)
      .filter(
        (run) =>
          (!run.isBackground ||
            seenAt <= run.endedAt ||
            seenAt <= sightings.findFirstSightingAfter(path, run.startedAt) + runSlack) &&
          this.canWriteTo(run, line) &&
          !this.hasWrittenElsewhere(run, line, seenAt),
      );
    // A piece of a line that somebody broke is whoever's that line was.
    const { unbroken } = line;
    if (unbroken && unbroken.at < seenAt)
      return this.judgeSighting({ ...line, unbroken: null, key: unbroken.key }, unbroken.at, writes);
    // A file that only got another name has the lines that it had.
    const before = sightings.findEarlierSighting(path, seenAt, line.key);
    if (before !== null && runs.some(({ command }) => isRenaming(command)))
      return this.judgeSighting({ ...line, path: before.path }, before.at, []);
    const meant = runs.findLast(
      (run) =>
        canInstallLine(run.command, path, bare) ||
        ((canConcernFile(run.command, path) ||
          (line.isNewFile && judgeGeneration(run.command, path) !== "no")) &&
          !isRestoring(run.command) &&
          !makers.copiesOthers(run, path) &&
          this.canHaveWrittenThen(run, line, seenAt)),
    );
    if (meant) return makeAgentVerdict(meant, "shell", "ran");
    // What is moved here keeps its time.
    const mover = runs.length > 0 ? this.findMovingRun(path, seenAt) : null;
    if (mover) return makeAgentVerdict(mover, "shell", "brought");
    if (runs.length > 0 && runs.every((run) => makers.isForeignPatchRun(run)))
      return makeHumanVerdict("patched");
    if (runs.length > 0 && runs.every(({ command }) => isFormatter(command)))
      return this.judgeFormattedLine(line, seenAt, writes);
    const opaque = this.evidence.findOpaqueCallsAt(seenAt);
    const caller = opaque.findLast((call) => this.calledThen(call, line, seenAt));
    if (caller) return makeAgentVerdict(caller, "edit", "ran");
    // A human may save another file meanwhile.
    if (runs.length > 0 || opaque.length > 0) return makeUnknownVerdict("command");
    // A command writes its own text at once, however long it goes on.
    const during = writes.filter(
      ({ startedAt, at, how }) =>
        seenAt >= startedAt - 500 &&
        seenAt <= (how === "shell" ? Math.min(at, startedAt + briefMs) : at) + editSlack,
    );
    const edit = during.findLast((write) => isSimilarToWrite(bare, write));
    if (edit) return makeAgentVerdict(edit, "edit", "formatted");
    if (during.some((write) => this.mayHaveSaved(write, line, seenAt))) return makeUnknownVerdict("command");
    if (before !== null) {
      const there = this.judgeSighting({ ...line, path: before.path }, before.at, []);
      if (there.author === "agent") return changeVerdictBasis(there, "moved");
      if (there.author === "unknown") return there;
    }
    if (timelessRuns.some((run) => makers.canHaveMade(run, line))) return makeUnknownVerdict("command");
    if (sightings.isReformed(path, seenAt)) {
      if (during.length > 0) return this.judgeEarlierLine(line, seenAt);
      // A person formatted what a command had made, or pasted as much.
      if (this.findMakingRun(line, seenAt)) return makeUnknownVerdict("several");
    }
    return makeHumanVerdict("alone");
  }

  /**
   * Whether a call of an unknown tool wrote what showed up while it ran: it names the file or what was written, and a person
   * did not have the time to type meanwhile, or it wrote last what showed up there.
   */
  private calledThen(call: OpaqueCall, { path, bare }: LineHere, seenAt: number): boolean {
    if (call.isCopying || !(isNamingFile(call, path) || isLineInCall(call, bare))) return false;
    if (call.endedAt - call.startedAt <= briefMs) return true;
    return seenAt >= this.evidence.sightings.findLastSightingBefore(path, call.endedAt + runSlack) - runSlack;
  }

  /**
   * Whether a call that edits this file may have saved what showed up while it ran, as its hooks do. It writes its own text
   * once: what was there before that is not its.
   */
  private mayHaveSaved({ path, at, startedAt, how, hunks }: Write, line: LineHere, seenAt: number): boolean {
    if (path !== line.path || how !== "edit" || seenAt > at + runSlack || startedAt === 0) return false;
    const seen = this.evidence.sightings.getSightings(path);
    const own = hunks.flatMap(({ lines }) =>
      lines.flatMap(({ isNew, key }) => (isNew ? (seen.get(key) ?? []) : [])),
    );
    const savedAt = own.filter((time) => time >= startedAt && time <= at + runSlack);
    return savedAt.length === 0 || Math.min(...savedAt) <= seenAt;
  }

  /** Whether a command that ran may have written to a file at all: what it says of what it writes may say no. */
  private canWriteTo(run: ShellRun, line: LineHere): boolean {
    const { command } = run;
    const isElsewhere =
      writesOnlyNamed(command) &&
      !canConcernFile(command, line.path) &&
      !canInstallLine(command, line.path, line.bare);
    return !isElsewhere && !this.evidence.makers.isSpelledOut(run, line);
  }

  /**
   * Whether a command that names other files wrote those at another moment: what showed up here then is not its. Nobody types
   * while it runs for seconds only.
   */
  private hasWrittenElsewhere(run: ShellRun, { path }: LineHere, seenAt: number): boolean {
    const { startedAt, endedAt, command, isBackground } = run;
    if (isBackground || endedAt - startedAt <= briefMs || canConcernFile(command, path)) return false;
    let named = this.named.get(run);
    if (named === undefined) {
      named = this.evidence.sightings
        .listSightingsBetween(startedAt, endedAt + runSlack)
        .filter((each) => isAboutPlace(command, each.path));
      this.named.set(run, named);
    }
    return named.some(({ at }) => Math.abs(at - seenAt) >= apartMs);
  }

  /**
   * Whether a command wrote what showed up while it ran, as far as the moment shows: a person may have typed while it waited
   * to be allowed, or worked. One that names the file wrote last what showed up there. One that names none wrote several
   * files at once, or what nobody types. A patch is whoever's it is; a formatter has no lines of its own.
   */
  private canHaveWrittenThen(run: ShellRun, line: LineHere, seenAt: number): boolean {
    const { command, startedAt, endedAt, isBackground } = run;
    const { path, isNewFile } = line;
    if (appliesPatch(command) || (isFormatter(command) && this.findMakingRun(line, seenAt) === undefined))
      return false;
    if (isBackground || endedAt - startedAt <= briefMs) return true;
    const { sightings } = this.evidence;
    if (isAboutPlace(command, path))
      return seenAt >= sightings.findLastSightingBefore(path, endedAt + runSlack) - runSlack;
    if (isNewFile && judgeGeneration(command, path) !== "no") return true;
    const together = sightings.listFilesSeenAt(seenAt);
    return (
      sightings.isReformed(path, seenAt) ||
      together.size >= severalFiles ||
      [...together].some((each) => isLockFile(each))
    );
  }

  /** The command that made a file which is new, and says nothing of what it wrote there. */
  private findMakingRun(line: LineHere, before: number): ShellRun | undefined {
    if (!line.isNewFile) return undefined;
    const { runs, makers } = this.evidence;
    return runs.findLast((run) => run.mayWrite && run.startedAt < before && makers.isNamedByRun(run, line));
  }

  /** A line to which a formatter of the agent gave another form: of whoever wrote it, which is a person where no call can have. */
  private judgeFormattedLine(line: LineHere, seenAt: number, writes: readonly Write[]): AuthorVerdict {
    const { runs, makers, sightings } = this.evidence;
    const write = writes.findLast((each) => each.startedAt < seenAt && isSimilarToWrite(line.bare, each));
    if (write) return makeAgentVerdict(write, "edit", "formatted");
    const firstAt = sightings.findFirstSightingAfter(line.path, 0);
    const mayBeIts = runs.some(
      (run) =>
        run.mayWrite &&
        run.startedAt < seenAt &&
        // Of a file that was watched from the beginning it wrote nothing before it was there, nor while nothing changed.
        (firstAt >= seenAt ||
          sightings.findFirstSightingAfter(line.path, run.startedAt) <= run.endedAt + runSlack) &&
        makers.canHaveMade(run, line),
    );
    return mayBeIts ? makeUnknownVerdict("command") : makeHumanVerdict("alone");
  }

  /** A line of a file that was formatted just after an edit, and was somebody's before: a command's, if that made the file. */
  private judgeEarlierLine(line: LineHere, seenAt: number): AuthorVerdict {
    const maker = this.findMakingRun(line, seenAt);
    return maker ? makeAgentVerdict(maker, "shell", "named") : makeUnknownVerdict("several");
  }

  /** The command that brought a file here which was written before. */
  private findMovingRun(path: string, since: number): ShellRun | undefined {
    return this.evidence.runs.find(
      (run) => run.endedAt >= since && this.evidence.makers.isTransferOfOwn(run, path),
    );
  }

  /** A line without evidence is a human's only if no agent can have written it. */
  judgeByAbsence(line: LineHere): AuthorVerdict {
    const { path, bare, isNewFile, isAnew } = line;
    const { evidence } = this;
    const { runs, untimedRuns, timelessRuns, makers, change } = evidence;
    const recent = evidence.listRecentRuns().filter((run) => !evidence.hasBeenCommittedSince(run, path));
    // What ran after the commit was authored may be in it, if somebody amended it, but nothing shows that.
    const before = recent.filter(({ startedAt }) => startedAt <= evidence.lastCall);
    const installer = before.findLast(
      ({ command }) => hasPackageInstall(command) && canInstallLine(command, path, bare),
    );
    if (installer) return makeAgentVerdict(installer, "shell", "installed");
    // A command that names a file that was not there made it, unless it took another for that. What is in no commit
    // before may have been left out of them.
    const mayBeMakers = isNewFile ? runs : isAnew ? recent : [];
    const maker = mayBeMakers.findLast(
      (run) => run.mayWrite && run.startedAt <= evidence.lastCall && makers.isNamedByRun(run, line),
    );
    if (maker) return makeAgentVerdict(maker, "shell", "named");
    const generator = isNewFile
      ? before.findLast(({ command }) => {
          const does = judgeGeneration(command, path);
          return does === "yes" || (does === "maybe" && evidence.isNewFileMarkedGenerated(path));
        })
      : undefined;
    if (generator) return makeAgentVerdict(generator, "shell", "generated");
    const bringer = isNewFile ? before.findLast((run) => makers.isTransferOfOwn(run, path)) : undefined;
    if (bringer) return makeAgentVerdict(bringer, "shell", "brought");
    // Nobody knows since when it was there, where no session wrote any of it.
    if (change.hash !== null && change.parent === null && !evidence.isOfSessions)
      return makeUnknownVerdict("root");
    if (!change.isOwn) return makeUnknownVerdict("not_here");
    // By a clock that may be wrong: too little to call it the command's, a human's, or older than all sessions.
    if (isNewFile && untimedRuns.some((run) => makers.canHaveNamed(run, line)))
      return makeUnknownVerdict("command");
    if (!evidence.isCovered) return makeUnknownVerdict("not_covered");
    // A command that names no file may have written any.
    const mayBeIts = (run: ShellRun) => makers.canHaveMade(run, line);
    const isOpen =
      evidence.findRecentOpaqueCalls(path).some((call) => mayHaveCalled(call, line)) ||
      recent.some(mayBeIts) ||
      timelessRuns.some(mayBeIts) ||
      (isNewFile &&
        recent.some((run) => judgeGeneration(run.command, path) !== "no" || makers.canBeRenamed(run, path)));
    if (isOpen) return makeUnknownVerdict("command");
    return makeHumanVerdict("absence");
  }
}

/** Whether a line may be of a call of an unknown tool: it names the file or what is in the line, or writes and names no file. */
const mayHaveCalled = (call: OpaqueCall, { path, bare }: LineHere): boolean =>
  isNamingFile(call, path) || isLineInCall(call, bare) || (call.isRewriting && !isNamingAnyFile(call));

/** Of the words of both. */
const minSharedTokens = 0.6;
/** Fewer words are in many lines. */
const minTokens = 3;

/** Whether a line says nearly the same as one that a call wrote, as after a formatter or a linter that repairs. */
function isSimilarToWrite(bare: string, { hunks }: Write): boolean {
  const words = splitIntoTokens(bare);
  if (words.length < minTokens) return false;
  return hunks.some(({ lines }) =>
    lines.some(
      (line) => line.isNew && measureSharedTokens(words, splitIntoTokens(line.bare)) >= minSharedTokens,
    ),
  );
}

const splitIntoTokens = (bare: string) => bare.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]{2,}/gu) ?? [];

function measureSharedTokens(one: readonly string[], other: readonly string[]): number {
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
