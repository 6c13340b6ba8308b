import type { LineAuthor } from "../blame/blame-answer.ts";
import type { Decision } from "../sessions/conversations-decisions.ts";

/** Why lines are as they are; the keys are the JSON's keys. Times are ISO 8601. */
export interface WhyAnswer {
  /** From the project's root. */
  file: string;
  /** Both ends included, as far as the file goes. */
  first_line: number;
  last_line: number;
  /** The lines; at most fifty. */
  text: string[];
  /** What they come from: what tells most first, by lines that say something; an agent's count double. At most five. */
  origins: Origin[];
  /** What was decided and noted near the first origin, the nearest first. */
  decisions: NearDecision[];
  /** What stood there before the first origin, step by step back. */
  earlier: EarlierLines[];
  /** What happened to the file after the first origin; null: nobody knows. */
  later: LaterChanges | null;
  freshness: WhyFreshness;
  /** What is not known, and other things to know: whole sentences. */
  notes: string[];
}

/** Where lines come from: a commit, and in it one author. */
export interface Origin {
  /** Which of the lines, first and last of each piece. */
  lines: [first: number, last: number][];
  written_by: LineAuthor;
  /** null: not committed yet. */
  commit: OriginCommit | null;
  /** null: none is known. */
  checkpoint_id: string | null;
  /** What was asked and said when they were written; null where that is not remembered. */
  turn: OriginTurn | null;
}

export interface OriginCommit {
  hash: string;
  subject: string;
  person: string;
  authored_at: string | null;
  /** Where it was made; null where nobody knows. */
  branch: string | null;
  is_boundary: boolean;
}

export interface OriginTurn {
  session_id: string;
  number: number;
  started_at: string | null;
  /** What the user asked; of a subagent its task. Long ones are cut. */
  prompt: string;
  /** What the agent said right before and right after it wrote; "" where it said nothing. */
  said_before: string;
  said_after: string;
  /** The tool that wrote, by the agent's name of it. */
  tool: string | null;
  /** The turn that a subagent worked for. */
  asked_by: { session_id: string; turn: number; prompt: string } | null;
}

export interface NearDecision extends Decision {
  /** session: of the same session, some turns away at most; file: elsewhere, about this file. */
  near: "session" | "file";
  /** Whether it came before the lines were written, or with them. */
  is_before: boolean;
}

export interface EarlierLines {
  /** changed: what the lines were; replaced: other lines that they took the place of. */
  how: "changed" | "replaced";
  file: string;
  first_line: number;
  last_line: number;
  /** At most five. */
  text: string[];
  written_by: LineAuthor;
  commit: OriginCommit | null;
  /** The beginning of what was asked; null where that is not remembered. */
  prompt: string | null;
}

export interface LaterChanges {
  /** Commits that touched the file since; at most 200 are counted. */
  commits: number;
  /** The last of them, the latest first. */
  latest: {
    hash: string;
    subject: string;
    person: string;
    authored_at: string | null;
    by_agent: boolean | null;
  }[];
}

export interface WhyFreshness {
  /**
   * stands: nothing speaks against it; reconsidered: something was decided about the file since; reverted, elsewhere (in
   * another branch's history only), gone: what became of the commit; uncommitted: there is none yet.
   */
  state: "stands" | "reconsidered" | "reverted" | "elsewhere" | "gone" | "uncommitted" | "unknown";
  /** Branches that hold the commit, where HEAD's history does not. */
  branches: string[];
  reverted_by: string | null;
  /** Lines that the commit added, in all files, and how many of them there are still; null where it is not known. */
  lines_added: number | null;
  lines_surviving: number | null;
  /** What was decided about the file after the lines were written, the latest first. */
  later_decisions: NearDecision[];
}
