import type { Project } from "../project/paths.ts";
import type { AttributionHow, AuthorKind } from "../store/git-records.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { LineRange } from "./file-place.ts";

/** Who wrote lines, as far as is known; the keys are the JSON's keys. */
export interface LineAuthor {
  author: AuthorKind;
  session_id: string | null;
  session_title: string | null;
  /** The agent's name: "claude". Null where only that it was an agent is known. */
  agent: string | null;
  model: string | null;
  turn: number | null;
  tool_use: string | null;
  /** 0 to 1. */
  confidence: number;
  how: AttributionHow;
  /** Who says so: "pommel", or the tool that left a note or a trailer; null where nobody says anything. */
  said_by: string | null;
}

/** Lines one after the other, of one commit and one author. */
export interface BlameRange extends LineAuthor {
  /** In the file as it is, both included, from 1. */
  first_line: number;
  last_line: number;
  /** null: not committed yet. */
  commit: string | null;
  /** The person that git names; null for what is not committed yet. */
  person: string | null;
  /** ISO 8601. */
  authored_at: string | null;
  subject: string | null;
  /** Where the first of them stood in that commit. */
  original_path: string;
  original_line: number;
  /** History is cut off there: the commit may not be the one that wrote them. */
  is_boundary: boolean;
}

export interface BlameSummary {
  lines: number;
  agent: number;
  human: number;
  unknown: number;
  /** Those with the most lines first. */
  by_session: {
    session_id: string;
    title: string | null;
    agent: string | null;
    turns: number[];
    lines: number;
  }[];
  by_model: { model: string; lines: number }[];
  /** Of lines that no agent wrote, as far as is known. */
  by_person: { person: string; human: number; unknown: number }[];
}

export interface BlameAnswer {
  /** From the project's root. */
  file: string;
  /** The commit that was asked about, as it was named; null: the file as it is. */
  revision: string | null;
  ranges: BlameRange[];
  summary: BlameSummary;
  /** What has to be known to read it: whole sentences. */
  notes: string[];
  /** The text of each line, first to last; only where it was asked for. */
  lines?: { line: number; text: string }[];
}

export interface BlameRequest {
  /** From the project's root, with slashes: `locate` of file-place.ts. */
  file: string;
  /** Left out: the whole file. */
  ranges?: readonly LineRange[];
  /** The file as it was there; left out: as it is in the working tree. */
  revision?: string;
  /** Give the lines' texts as well. */
  texts?: boolean;
}

/**
 * Who wrote the lines of a file.
 * @param memory null: nothing is remembered, and only git is asked
 * @throws PommelError `usage` for what git cannot blame, `not_found` for a file or a line that is not there
 */
export declare function blameFile(
  project: Project,
  memory: Memory | null,
  request: BlameRequest,
  signal?: AbortSignal,
): Promise<BlameAnswer>;
