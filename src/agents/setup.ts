import type { TextEdit } from "./setup/json-edit.ts";

/**
 * What an agent is told of Pommel, and in which of its files. Every agent has the same few parts; `setup/parts.ts` puts
 * them into the files and takes them out again, whichever agent's they are.
 */

/**
 * hooks: that the agent runs `pm hook` when something happens. mcp: that it starts `pm mcp`. permissions: that it may call
 * its tools without asking each time. instructions: a section in the file that it reads at every start. skill: what to ask
 * Pommel and how, read when it is needed.
 */
export const partNames = ["hooks", "mcp", "permissions", "instructions", "skill"] as const;
export type PartName = (typeof partNames)[number];

/** Whose files: those of a project, or the user's own. */
export interface Place {
  scope: "project" | "user";
  /** The project's root, or the home directory. */
  dir: string;
  /** What was made of the files there, so that it can be taken back (`setup/record.ts`). */
  recordFile: string;
  env: NodeJS.ProcessEnv;
  /**
   * In a project: what is added goes to files that are the user's alone, where the agent has such, instead of those that
   * everybody shares.
   */
  own?: boolean;
}

/**
 * absent: nothing of ours. current: all there. partial: some of it is missing. outdated: what an older Pommel wrote.
 * kept: it is in the way of ours or was changed by somebody, and is left alone.
 */
type PartState = "absent" | "current" | "partial" | "outdated" | "kept";

export interface PartLook {
  state: PartState;
  /** What is missing, or why it is left alone; empty else. */
  detail: string[];
}

/** What putting a part into a text made of it. */
export interface Addition {
  text: string;
  /** What was added, where that is several things: the events of hooks. */
  added: string[];
  /** Containers that held nothing before, and stay when ours leaves them; in the editor's own words. */
  empty: string[];
  /** Applied in this order, they take `text` back to what it was. */
  undo: TextEdit[];
}

/** How a part stands in the text of a file. All but `text` is for errors: `name` is the file's. */
export interface PartEditor {
  look(text: string, name: string): PartLook;
  /** @throws PommelError `settings_invalid` when the text cannot hold it */
  add(text: string, name: string): Addition;
  /** Takes all of ours out, with the containers that it leaves empty and that were not among `empty`. */
  remove(text: string, name: string, empty: readonly string[]): string;
  /** Whether a file that says this says nothing. */
  isBlank(text: string): boolean;
  /** The file is ours alone, whoever brought it here. */
  ownsFile?: boolean;
}

export interface SetupPart {
  name: PartName;
  /** Absolute; it goes to the first, unless it is in another already. */
  files(place: Place): string[];
  /** The agent reads the first of them alone: what of ours is in another goes with `pm disable`, and does not count. */
  readsOne?: true;
  editor: PartEditor;
  /** The editor of a file that holds the part in another way than the others. */
  editorOf?(place: Place, file: string): PartEditor;
}

export interface AgentSetup {
  /** As `Agent.name`. */
  agent: string;
  /** For people. */
  title: string;
  parts: readonly SetupPart[];
  /** Whether somebody uses the agent here, by the directory that it keeps its configuration in. */
  isUsed(place: Place): boolean;
  /** Parts that a plugin brings, so that they need not stand in files as well; hooks may: then the plugin's keep quiet. */
  fromPlugin(place: Place): PartName[];
  /**
   * Whether the agent runs our hooks there, where it wants to be told to trust them: what is left to do, for a person, as
   * far as its files say; null when nothing is.
   */
  distrust(place: Place): string | null;
  /** What somebody has to know or do after these parts were put there. */
  afterwards(place: Place, parts: readonly PartName[]): string[];
}
