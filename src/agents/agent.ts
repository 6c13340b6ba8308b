import type { HookName } from "../protocol/hooks.ts";
import type { AgentSetup } from "./setup.ts";

/**
 * What every coding agent gives: where its transcripts are and what stands in them, what its hooks say, and how it is set
 * up. An adapter lives in a folder of its own, is registered in `profiles.ts` and `registry.ts`, and passes
 * `agent-contract.ts`.
 */

/** A file that a session is, or was, written to. */
export interface TranscriptFile {
  /** Absolute. */
  path: string;
  size: number;
  mtimeMs: number;
}

/** Whose transcript a file is; read from its first lines, never from its name alone. */
export interface TranscriptInfo {
  /** The agent's own id of the session; of a subagent `<session>/<agent id>`. */
  session: string;
  /** The session that started this one as a subagent, and the tool call that did; null for a session of its own. */
  parent: { session: string; toolUse: string | null; agentType: string | null; task: string | null } | null;
  /** Where the agent was launched. */
  cwd: string;
  startedAt: number | null;
  /** The session that this one goes on from, where the file says so instead of holding a copy of its lines. */
  forkedFrom?: string;
}

/** A transcript that is there and cannot be read. */
export interface SealedTranscript {
  path: string;
  /** By its name; null where that does not tell. */
  session: string | null;
}

/**
 * One line of a transcript (or what stands for a line where the format has none), understood. Lines that say nothing
 * but that others follow come without entries, and everything but `uid` and `parentUid` may be null.
 */
export interface TranscriptLine {
  /** Copies of the line in other files (forks) have the same; null for what is no part of the conversation. */
  uid: string | null;
  /** The line it answers or follows; null where it follows none, or nobody says. */
  parentUid: string | null;
  /** Milliseconds since the epoch; null where the line has no time. Not monotonic. */
  at: number | null;
  cwd: string | null;
  branch: string | null;
  entries: Entry[];
  /** What the message that this line is part of cost; the same for each of its lines. */
  usage: Usage | null;
  /** The model that wrote it, where `usage` does not stand in the same line. */
  model?: string;
}

export interface Usage {
  messageId: string;
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** One thing that happened. Every string is as it was written, bounded (`bounds.ts`), not scrubbed yet. */
export type Entry =
  /** A human said it: a turn begins. */
  | { kind: "prompt"; text: string; images: number }
  /** Said in the user's place by the client: a command's output, a notification, an interruption. */
  | { kind: "notice"; text: string }
  /** The agent said it. */
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | ToolUse
  | ToolResult
  /** The context was compacted here. */
  | { kind: "compaction"; trigger: string | null; preTokens: number | null }
  /** The agent's own summary of what came before. */
  | { kind: "summary"; text: string }
  /** A name for the session. */
  | { kind: "title"; text: string };

/** What tool calls do, as far as anybody asks. */
export const toolActions = ["command", "write", "read", "delegate", "other"] as const;
/**
 * command: ran a shell command, the input's `command`. write: changed files. read: read or searched files. delegate: gave
 * a subagent work.
 */
export type ToolAction = (typeof toolActions)[number];

export interface ToolUse {
  kind: "tool_use";
  id: string;
  tool: string;
  input: Record<string, unknown>;
  files: FileTouch[];
  /** Every adapter says it; what an older Pommel archived does not (`actionOf` in sessions/turn-content.ts). */
  action?: ToolAction;
}

/** Something that an agent set out to do. */
export interface Todo {
  text: string;
  /** In the agent's words: pending, in_progress, completed. */
  status: string;
}

export interface ToolResult {
  kind: "tool_result";
  /** The tool use that it answers. */
  id: string;
  text: string;
  isError: boolean;
  /** The exact lines that an edit wrote; null for other tools. */
  edits: FileEdit[] | null;
  /** The subagent that the call ran, where it says so. */
  subagent: string | null;
}

export interface FileTouch {
  /** As the agent gave it, absolute where its working directory is known. */
  path: string;
  how: "read" | "edit" | "write";
}

/** What an edit did to a file: hunks as in a unified diff, or the whole content of a new file. */
export interface FileEdit {
  path: string;
  hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }[];
  /** The file's new content where the tool wrote it whole; null else. */
  content: string | null;
}

/** How far a transcript was read. Opaque to all but its adapter, JSON. */
export interface Cursor {
  /** Bytes consumed: up to here, and only whole lines; of the last one, the line feed may not be there yet. */
  offset: number;
  /** Length and hash of the last line consumed: when it is not there any more, the file was replaced or rewritten. */
  lineHash: string;
}

/** A read step; the cursor is where reading goes on after `lines`. */
export interface ReadBatch {
  lines: TranscriptLine[];
  cursor: Cursor;
  /**
   * Lines of this batch that say nothing, by reason: "type:progress", "type:system/turn_duration", "meta", "sidechain",
   * "malformed", "too_long". Those that others follow are among `lines` as well.
   */
  skipped: Record<string, number>;
}

/** How long a client keeps its transcripts. */
export interface Retention {
  /** It deletes what has not changed for so long. */
  days: number;
  /** What says so, and in which file; null: nothing does, it is the client's default. */
  setting: string;
  source: string | null;
}

/** What an agent hands to a hook: an object of JSON, not to be trusted. */
export type GivenPayload = Readonly<Record<string, unknown>>;

/** What an agent's events mean. Every hook loads those of all agents: data and small functions, no imports to speak of. */
export interface AgentHooks {
  /** The agent's own name of each event that Pommel listens to. */
  readonly events: Readonly<Partial<Record<HookName, string>>>;
  /** The variable in which a hook finds where the agent was launched; without one the payload's `cwd` says it. */
  readonly launchedIn?: string;
  /** The payload with its fields called as in `protocol/hooks.ts`, where the agent calls them otherwise. */
  read?(given: GivenPayload): GivenPayload;
  /** What a tool call of `post-tool-use` changed: paths of files, and anything else where there is none. */
  editedFiles(tool: string, input: GivenPayload): readonly unknown[];
  /** Whether what happened is no part of the session: the client's own notices and helpers. */
  ignores?(hook: HookName, given: GivenPayload): boolean;
  /** Whether another hook of ours hears of the same event. */
  runsTwice?(root: string, hook: HookName): Promise<boolean>;
}

/** What is known of an agent without loading its adapter. */
export interface AgentProfile {
  /** Stored with every session: "claude". */
  readonly name: string;
  /** For people: "Claude Code". */
  readonly title: string;
  /** Environment variables that say where the agent keeps its files: the daemon is given them. */
  readonly environment: readonly string[];
  /** The variable that names the session in the environment of what the agent runs; for agents that set one. */
  readonly sessionVariable?: string;
  /** For agents that run `pm hook`. */
  readonly hooks?: AgentHooks;
}

export interface Agent extends AgentProfile {
  /** How Pommel is put into its files; for agents where that can be done. */
  readonly setup?: AgentSetup;
  /** Directories that hold its transcripts, whether they exist or not. */
  roots(env?: NodeJS.ProcessEnv): string[];
  /**
   * Whether the first folder under a root holds the transcripts of one place only, and all of them: then a few of its
   * files tell whether the others need to be opened. False where a root mixes the sessions of all places.
   */
  readonly sortsByPlace: boolean;
  /** Whether a file that lies where transcripts do is one, by its path; it need not be there. */
  isTranscript(path: string): boolean;
  /**
   * Of a transcript that lies elsewhere than under the roots: the directory to watch for what comes there; null where
   * the client would not keep any, and it may be just any place.
   */
  directoryOf(path: string): string | null;
  /** The list of things to do that it kept, as it was after these entries; for agents that keep one. */
  todosIn?(entries: Iterable<Entry>): Todo[];
  /** Its transcripts do not say on which branch the session was: hooks look. */
  readonly lacksBranch?: true;
  /**
   * Kinds of lines that its clients are known to write and that say nothing worth remembering, as `ReadBatch.skipped` names
   * them, after "type:". What else is left out may be of a later client.
   */
  readonly ignoredLineTypes?: ReadonlySet<string>;
  /** Every transcript under `dir`, which may itself be one, in order of path. Nothing for what cannot be read. */
  list(dir: string): AsyncIterable<TranscriptFile>;
  /** Transcripts under `dir` that cannot be read here, and why; for agents that have such. */
  readonly sealed?: { why: string; list(dir: string): AsyncIterable<SealedTranscript> };
  /**
   * How long its client keeps the transcripts of a project, by its settings; null: for ever. Absent where no client
   * deletes any.
   */
  retention?(root: string, env?: NodeJS.ProcessEnv): Retention | null;
  /** Whose transcript it is; null when that does not stand there (yet). Reads the beginning only. */
  describe(file: string): Promise<TranscriptInfo | null>;
  /**
   * Reads on from `cursor` (null: from the start) to the last whole line there is now, in batches of about a
   * megabyte, never more in memory.
   * @throws PommelError `transcript_changed` when what was read before is not there any more: read it again from
   *   the start; system errors (ENOENT, EBUSY) as they are
   */
  read(file: string, cursor: Cursor | null, signal?: AbortSignal): AsyncIterable<ReadBatch>;
}
