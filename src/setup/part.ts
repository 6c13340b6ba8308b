import type { PartLook, PartName } from "../agents/setup.ts";
import type { PommelError } from "../base/errors.ts";

/**
 * One thing that Pommel puts into files that are not its own: an agent's hooks, its MCP server, git's hooks. Every command
 * that sets up, takes out or examines goes through the same parts: `pm init` and `pm setup` put in what is wanted and
 * missing (`planParts`), `pm enable` what `pm disable` took out, `pm disable` and `pm uninstall` want none (`takeParts`),
 * and `pm doctor` says what it sees.
 */
export interface SetupPart {
  /** Its owner and its name, as records have it: "claude/mcp", "git/hooks". */
  readonly key: string;
  /** An agent, or "git". */
  readonly owner: string;
  /** The owner, for people. */
  readonly title: string;
  readonly name: PartName;
  /** Never throws for what is in a file. */
  look(): PartState | Promise<PartState>;
  /**
   * Adds what is missing, and updates what an older Pommel wrote.
   * @throws PommelError where it cannot be put; the file is left as it is
   */
  put(): PutFile[] | Promise<PutFile[]>;
  /**
   * Removes it wherever it is.
   * @throws PommelError as `put`
   */
  take(): TakenFile[] | Promise<TakenFile[]>;
  /** Whether `pm disable` keeps it out. */
  isOff(): boolean;
  /** Why it needs no file of this place; null when it does. */
  describeProvider?(): string | null;
  /** What a person has to know after these parts of its owner were put in. */
  describeNextSteps?(put: readonly PartName[]): string[];
}

/** What there is of a part. */
export interface PartState extends PartLook {
  /** As results name it; null when absent. */
  file: string | null;
  /** Why it cannot be looked at or put in; null when it can. */
  error: PommelError | null;
}

export interface PutFile {
  /** Relative to the place's directory, with slashes; absolute outside of it. */
  file: string;
  /** kept: left alone, for the reasons in `detail`. */
  outcome: "created" | "changed" | "already" | "kept";
  /** The hooks that came to it. */
  added: string[];
  detail: string[];
}

export interface TakenFile {
  file: string;
  /** kept: edited by the user, and left alone. */
  outcome: "removed" | "kept";
  detail: string[];
}
