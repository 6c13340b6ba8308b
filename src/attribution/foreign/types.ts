import type { AuthorKind } from "../../protocol/values.ts";

/**
 * What other tools wrote about a commit, in its message, in git notes or on a branch of their own. All of it is foreign:
 * anybody who can push can write it. It is parsed by a schema and bounded, and never more than a hint.
 */

/** Lines of a commit's version of a file that a tool says an agent wrote; both ends included, from 1. */
export interface ForeignLines {
  /** From the directory that was asked about, with slashes. */
  path: string;
  first: number;
  last: number;
  /** As the note names it: "claude", "cursor". */
  tool: string;
  model: string | null;
  /** The agent's own id of the session, if the note has it. */
  session: string | null;
}

export interface ForeignNotes {
  /** Agents' own ids of sessions that other tools name, each once, in order of their checkpoints. */
  sessions: string[];
  /** Every tool that is named in any of it, each once: "claude", "copilot", "codex", "cursor", "gemini", "aider". */
  tools: string[];
  /** Agents that the message names as co-authors; people are left out. */
  coAuthors: { name: string; tool: string }[];
  lines: ForeignLines[];
}

/** Lines of a commit's version of a file and who wrote them, as the open formats have them; both ends included, from 1. */
export interface AttributedLines {
  /** With slashes; from the top of the repository. */
  path: string;
  first: number;
  last: number;
  author: AuthorKind;
  /** Of an agent's lines, as far as it is known, as are those below: "claude", "cursor". */
  tool: string | null;
  model: string | null;
  /** The agent's own id. */
  session: string | null;
  /** The agent's own id of the tool call. */
  call: string | null;
  /** Of a person's lines: "Name <address>"; null: whoever made the commit. */
  person: string | null;
}
