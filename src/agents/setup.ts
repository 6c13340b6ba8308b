import { existsSync, realpathSync } from "node:fs";
import type { Project } from "../base/paths.ts";
import type { TextEdit } from "./setup/json-edit.ts";

/**
 * The parts of Pommel's setup in an agent's files. All agents have the same few parts; `setup/` adds and
 * removes them.
 */

/**
 * hooks: run `pm hook` on events. mcp: start `pm mcp`. permissions: call its tools without asking. instructions: a
 * section in the file read at every start. skill: how to use Pommel, read on demand.
 */
export type PartName = "hooks" | "mcp" | "permissions" | "instructions" | "skill";

/** A project's files, or the user's own. */
export interface SetupTarget {
  scope: "project" | "user";
  /** The project's root, or the home directory. */
  dir: string;
  /** Whose settings hold here; left out: the person's alone. */
  project?: Project;
  /** Records the changes, so that they can be undone (`setup/record.ts`). */
  recordFile: string;
  env: NodeJS.ProcessEnv;
  /** In a project: use the agent's personal files, if any, instead of the shared ones. */
  own?: boolean;
}

/**
 * absent, current, partial (some is missing), outdated (by an older Pommel), or kept (in the way, or edited by the
 * user; left alone).
 */
type PartState = "absent" | "current" | "partial" | "outdated" | "kept";

export interface PartLook {
  state: PartState;
  /** What is missing, or why it is left alone. */
  detail: string[];
}

/** The result of adding a part to a text. */
export interface Addition {
  text: string;
  /** The added hook events. */
  added: string[];
  /** Containers that were empty before, and stay after removal; in the editor's notation. */
  empty: string[];
  /** Applied in this order, they restore the original text. */
  undo: TextEdit[];
}

/** Edits a part in a file's text. `name` is the file's, for errors. */
export interface PartEditor {
  look(text: string, name: string): PartLook;
  /** @throws PommelError `settings_invalid` when the text cannot hold it */
  add(text: string, name: string): Addition;
  /** Removes the part, with containers that become empty and were not in `empty`. */
  remove(text: string, name: string, empty: readonly string[]): string;
  /** Whether a file with this text is effectively empty. */
  isBlank(text: string): boolean;
  /** The whole file belongs to Pommel. */
  ownsFile?: boolean;
}

export interface AgentPartSpec {
  name: PartName;
  /** Absolute; added to the first, unless another one has it already. None where the agent has no such file. */
  files(place: SetupTarget): string[];
  /** The agent reads only the first; the part in another file does not count, but `pm disable` removes it. */
  readsOne?: true;
  chooseEditor(place: SetupTarget, file: string): PartEditor;
}

/** Where a part may be. */
export type FindFiles = (place: SetupTarget) => string | string[];

/** A part that looks the same in each of its files. */
export function makePart(name: PartName, files: FindFiles, editor: PartEditor): AgentPartSpec {
  return { name, files: (place) => [files(place)].flat(), chooseEditor: () => editor };
}

export interface AgentSetup {
  /** As `Agent.name`. */
  agent: string;
  /** For people. */
  title: string;
  parts: readonly AgentPartSpec[];
  /** Whether the agent is used here, by its configuration directory. */
  isUsed(place: SetupTarget): boolean;
  /** Parts from a plugin, which need no files. Hooks may be in both; then the plugin's do nothing. */
  fromPlugin(place: SetupTarget): PartName[];
  /**
   * What the user has to do before the agent trusts and runs the hooks, as far as its files show; null when nothing.
   */
  distrust(place: SetupTarget): string | null;
  /** Messages for the user after these parts were added. */
  afterwards(place: SetupTarget, parts: readonly PartName[]): string[];
}

type OwnSetup = Pick<AgentSetup, "parts"> &
  Partial<Pick<AgentSetup, "fromPlugin" | "distrust" | "afterwards">> & {
    /** Files and directories that show that the agent is used here. */
    traces(place: SetupTarget): string[];
  };

/** An agent's setup; by default it has no plugin, runs hooks without being asked, and leaves the user nothing to do. */
export function makeSetup(
  { name, title }: { name: string; title: string },
  { traces, ...own }: OwnSetup,
): AgentSetup {
  return {
    agent: name,
    title,
    fromPlugin: () => [],
    distrust: () => null,
    afterwards: () => [],
    ...own,
    isUsed: (place) => traces(place).some((path) => existsSync(path)),
  };
}

/** A path without links; as it is where nothing is there. */
export const resolveLinks = (path: string) => (existsSync(path) ? realpathSync(path) : path);
