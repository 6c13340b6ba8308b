import { dirname, extname } from "node:path/posix";
import { addTo } from "../../base/multimap.ts";
import {
  appliesPatch,
  canConcernFile,
  copiesFrom,
  findTransferSources,
  isFileCreation,
  isFormatter,
  isGenerator,
  isRenaming,
  isRestoring,
  isSpelledOut,
  judgeGeneration,
  listAppliedPatchFiles,
  namedBy,
} from "../commands/command-means.ts";
import { listReplacementTexts, parseShellWrites } from "../commands/shell.ts";
import { stripFormatting } from "../lines/line-keys.ts";
import type { ShellRun, Write } from "./writes.ts";

/** A line without formatting, and where it is new. */
export interface LineHere {
  path: string;
  bare: string;
  key: number;
  /** The file was not there before. */
  isNewFile: boolean;
  /** It was not, or nothing much is left of it. */
  isAnew: boolean;
  /** Calls whose commands are scripts that hold the file's lines as texts: other lines are not theirs. */
  spelledBy: ReadonlySet<string>;
  /** It is a piece of a line that was there before: that line's key, and when it showed up. */
  unbroken: { key: number; at: number } | null;
}

/** Which commands may have made lines that no call's text has: generators, package managers, whatever is run. */
export class Makers {
  private byCall: Map<string, Write[]> | null = null;
  /** Of each file, whether a command may have made lines of it. */
  private readonly known = new Map<string, Map<ShellRun, boolean>>();

  constructor(
    private readonly of: {
      runs: readonly ShellRun[];
      /** Those that may have led to the change. */
      writes: readonly Write[];
      /** Whether a file is neither in the change nor in a commit before. */
      isNeverCommitted(path: string): boolean;
    },
  ) {}

  /** Whether a command names the file of a line as one that it makes, and does not say what it writes there. */
  isNamedByRun(run: ShellRun, line: LineHere): boolean {
    return isFileCreation(run.command, line.path) && !this.isSpelledOut(run, line);
  }

  /** Whether a line may be a command's of which nothing else is known. */
  canHaveMade(run: ShellRun, line: LineHere): boolean {
    const { path, bare } = line;
    const known = this.known.get(path) ?? new Map<ShellRun, boolean>();
    this.known.set(path, known);
    let mayMake = known.get(run);
    if (mayMake === undefined) {
      mayMake =
        canConcernFile(run.command, path) &&
        !isFormatter(run.command) &&
        !isRestoring(run.command) &&
        !isRenaming(run.command) &&
        (line.isNewFile || !isGenerator(run.command) || judgeGeneration(run.command, path) === "yes") &&
        !this.isSpelledOut(run, line);
      known.set(run, mayMake);
    }
    return mayMake && !this.isUnrelatedReplacement(run, bare);
  }

  /** Whether a command names the file as one that it makes; one of several lines says what it writes. */
  canHaveNamed(run: ShellRun, line: LineHere): boolean {
    const { command } = run;
    return !command.includes("\n") && namedBy(command).includes(line.path) && this.canHaveMade(run, line);
  }

  /** Whether a command made a file beside this one that is in no commit: somebody may have renamed it. */
  canBeRenamed(run: ShellRun, path: string): boolean {
    const describeFolderAndExtension = (of: string) => `${dirname(of)} ${extname(of)}`;
    return namedBy(run.command).some(
      (made) =>
        describeFolderAndExtension(made) === describeFolderAndExtension(path) &&
        !this.isSpelledOut(run, { path: made }) &&
        this.of.isNeverCommitted(made),
    );
  }

  /** Whether all that a command writes is in its text: other lines are not its. */
  isSpelledOut(
    { command, toolUse }: ShellRun,
    { path, spelledBy }: Pick<LineHere, "path"> & Partial<LineHere>,
  ): boolean {
    if (spelledBy?.has(toolUse)) return true;
    const own = this.findWritesOfCall(toolUse);
    if (own.length === 0) return false;
    return (
      isSpelledOut(command) ||
      own.some((write) => write.path === path && parseShellWrites(command).length > 0)
    );
  }

  /** The writes to files of a call that may have led to the change. */
  private findWritesOfCall(toolUse: string): readonly Write[] {
    if (this.byCall === null) {
      this.byCall = new Map();
      for (const write of this.of.writes) {
        if (write.path === "") continue;
        addTo(this.byCall, write.toolUse, write);
      }
    }
    return this.byCall.get(toolUse) ?? [];
  }

  /** Whether a command only replaces words, and the line has none of the new ones. */
  private isUnrelatedReplacement({ command }: ShellRun, bare: string): boolean {
    const texts = listReplacementTexts(command);
    return texts?.every((text) => !bare.includes(stripFormatting(text))) === true;
  }

  /** Whether a command applies a patch that nothing which is stored has made, as far as calls say: somebody else's. */
  isForeignPatchRun({ command, toolUse }: ShellRun): boolean {
    const patches = listAppliedPatchFiles(command);
    const isMade = (patch: string) =>
      this.of.runs.some(
        (run) => run.toolUse !== toolUse && !appliesPatch(run.command) && run.command.includes(patch),
      ) || this.of.writes.some(({ path }) => path !== "" && (path === patch || path.endsWith(`/${patch}`)));
    return patches.length > 0 && !patches.some(isMade);
  }

  /** Whether a command puts at a path what stood elsewhere: whoever wrote it there, it was not the command. */
  copiesOthers(run: ShellRun, path: string): boolean {
    return copiesFrom(run.command, path) !== null && !this.isTransferOfOwn(run, path);
  }

  /** Whether a command took what its session had made somewhere else. */
  isTransferOfOwn({ command, sessionUid }: ShellRun, path: string): boolean {
    const from = findTransferSources(command, path) ?? [];
    return from.some(
      (source) =>
        /^(?:\/tmp\/|\/var\/|\$TMP|\$\{?TMPDIR)/.test(source) ||
        this.of.runs.some(
          (other) =>
            other.sessionUid === sessionUid &&
            other.command !== command &&
            isFileCreation(other.command, source),
        ),
    );
  }
}
