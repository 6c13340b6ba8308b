import type { ComponentType } from "preact";
import { Costs } from "./cost/view/costs.tsx";
import { Work } from "./jobs/view/work.tsx";
import { LostText } from "./lost/view/lost-text.tsx";
import type { Note } from "./notes/operation.ts";
import { NotesHere, NotesOnFile } from "./notes/view/line-notes.tsx";
import * as rules from "./rules/view/spoken.tsx";
import { NetChange } from "./undo/view/undo.tsx";
import { UsedLine } from "./used/view/used-line.tsx";
import { History } from "./why/view/history.tsx";
import { Why } from "./why/view/why.tsx";

type Parts<Props = object> = Readonly<Record<string, ComponentType<Props>>>;

export interface FilePartProps {
  path: string;
  /** On its lines. */
  notes: readonly Note[];
}

export interface LinesPartProps {
  file: string;
  line: number;
  last: number;
  /** Where the file is shown as it was. */
  rev: string | undefined;
  /** On lines of the file. */
  notes: readonly Note[];
}

/** What features show beside a file of which no line is chosen, in order. */
export const fileParts: Parts<FilePartProps> = {
  notes: NotesOnFile,
  why: History,
  lost: LostText,
};

/** Beside lines that are chosen. */
export const linesParts: Parts<LinesPartProps> = {
  notes: NotesHere,
  why: Why,
};

/** Below a directory, and where there is nothing to review; "" is the whole project. */
export const directoryParts: Parts<{ path: string }> = {
  why: History,
};

/** In the head of a session that changed files, below those files. */
export const changedSessionParts: Parts<{ session: string }> = {
  undo: NetChange,
};

/** Beside a turn, below its notes, decisions and commits. */
export const turnParts: Parts<{ session: string; turn: number }> = {
  rules: rules.SpokenInTurn,
};

/** Below a session that led to what is reviewed. */
export const reviewedSessionParts: Parts<{ session: string }> = {
  rules: rules.BrokenRules,
};

/** Among the insights. */
export const insightParts: Parts<{ since: string | undefined }> = {
  cost: Costs,
};

/** Above what was given to agents. */
export const givenParts: Parts = {
  used: UsedLine,
};

/** What the daemon is at, among the settings. */
export const workParts: Parts = {
  jobs: Work,
};
