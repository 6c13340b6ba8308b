import type { AttributionHow, AuthorKind } from "../../store/memory/git-records.ts";

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
  /** Who says so: "pommel"; "note" where only another tool's note does; null where it is unknown. */
  said_by: "pommel" | "note" | null;
  /** Of unknown lines: what other tools say of their commit as a whole. Anybody may have written it. */
  hint: ForeignHint | null;
}

/** What a commit's message, or another tool's branch that it leads to, says of it. */
interface ForeignHint {
  /** Agents that it names: "claude", "copilot". */
  tools: string[];
  /** Agents' own ids of sessions that it names. */
  session_ids: string[];
}

/** Nobody knows. */
export const unknownAuthor: LineAuthor = {
  author: "unknown",
  session_id: null,
  session_title: null,
  agent: null,
  model: null,
  turn: null,
  tool_use: null,
  confidence: 0,
  how: "none",
  said_by: null,
  hint: null,
};

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

/** Whose lines they are, in numbers of lines; the keys are the JSON's keys. */
export interface BlameSummary {
  lines: number;
  agent: number;
  human: number;
  unknown: number;
  /** Those with the most lines first, here and below. */
  by_session: SessionLines[];
  by_model: { model: string; lines: number }[];
  /** Of lines that no agent wrote, as far as is known; null: not committed yet. */
  by_person: PersonLines[];
}

export interface SessionLines {
  session_id: string;
  session_title: string | null;
  agent: string | null;
  turns: number[];
  lines: number;
}

export interface PersonLines {
  person: string | null;
  human: number;
  unknown: number;
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
