import type { HookName } from "../protocol/hooks.ts";
import type { Speaker } from "../protocol/origin.ts";
import type { CallDecision, FileUse, ToolAction, WaitReason } from "../protocol/values.ts";
import type { LineDamage } from "./reading/json.ts";
import type { AgentSetup } from "./setup.ts";

/**
 * The interface of a coding agent: its transcripts, hooks and setup. An adapter has its own folder, is registered in
 * `profiles.ts` and `registry.ts`, and passes `agent-contract.ts`.
 */

/** A session's file. */
export interface TranscriptFile {
  /** Absolute. */
  path: string;
  size: number;
  mtimeMs: number;
}

/** A transcript's identity; read from its first lines, never from its name alone. */
export interface TranscriptInfo {
  /** The agent's own session id; for a subagent `<session>/<agent id>`. */
  session: string;
  /** For a subagent, the session and tool call that started it; else null. */
  parent: { session: string; toolUse: string | null; agentType: string | null; task: string | null } | null;
  /** The agent's launch directory. */
  cwd: string;
  startedAt: number | null;
  /** The session that this one continues, if the file names it instead of copying its lines. */
  forkedFrom?: string;
  /** Of an export: the session that it repeats, as its agent calls it, and when its last line was written. */
  copyOf?: { session: string; agent: string; lastAt: number | null };
}

/**
 * A parsed line of a transcript (or its equivalent in other formats). Lines without content that others refer to have
 * no entries; everything but `uid` and `parentUid` may be null.
 */
export interface TranscriptLine {
  /** Equal in copies of the line in other files (forks); null for lines outside of the conversation. */
  uid: string | null;
  /** The line it answers or follows; null when none or unknown. */
  parentUid: string | null;
  /** Milliseconds since the epoch, not monotonic; null when missing. */
  at: number | null;
  cwd: string | null;
  branch: string | null;
  entries: TranscriptEntry[];
  /** The usage of the message this line belongs to; repeated on each of its lines. */
  usage: Usage | null;
  /** The model, if it is not part of `usage`. */
  model?: string;
}

export interface Usage {
  messageId: string;
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of cacheWrite, what is kept for an hour and not for minutes. */
  cacheWriteHour?: number;
}

/** Strings are unmodified except for the limits of `bounds.ts`, and not scrubbed yet. */
export type TranscriptEntry =
  /** A prompt, which begins a turn: a person's, where `by` does not name an agent or a tool that runs this one. */
  | { kind: "prompt"; text: string; images: number; by?: Exclude<Speaker, "person"> }
  /**
   * Written by the client: a command's output, a notification. One that begins with "[Request interrupted by user" or with
   * "API Error" says how a turn ended (sessions/turn-state.ts).
   */
  | { kind: "notice"; text: string }
  /** The agent's text. */
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | ToolUse
  | ToolResult
  /** Compaction of the context. */
  | { kind: "compaction"; trigger: string | null; preTokens: number | null }
  /** The agent's own summary of the conversation so far. */
  | { kind: "summary"; text: string }
  /** The session's title. */
  | { kind: "title"; text: string };

export interface ToolUse {
  kind: "tool_use";
  id: string;
  tool: string;
  input: Record<string, unknown>;
  files: FileTouch[];
  /** Set by every adapter; missing in old archives (`classifyToolUse` in sessions/turn-content.ts). */
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
  /** The tool use it answers. */
  id: string;
  text: string;
  isError: boolean;
  /** The exact lines that an edit wrote; null for other tools. */
  edits: FileEdit[] | null;
  /** The subagent that the call ran, if named. */
  subagent: string | null;
  /** The agent's answer was this call: nothing follows it. */
  endsTurn?: true;
}

export interface FileTouch {
  /** Absolute if the working directory is known. */
  path: string;
  how: FileUse;
}

/** What an edit did to a file: hunks as in a unified diff, or the whole content of a new file. */
export interface FileEdit {
  path: string;
  hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }[];
  /** The new content if the tool wrote the whole file, else null. */
  content: string | null;
}

/** A position in a transcript: JSON that only its adapter interprets. */
export interface Cursor {
  /** Bytes consumed, in whole lines; the last line feed may be missing yet. */
  offset: number;
  /** Length and hash of the last line consumed, to detect a replaced or rewritten file. */
  lineHash: string;
}

/** A batch of lines, and the cursor behind them. */
export interface ReadBatch {
  lines: TranscriptLine[];
  cursor: Cursor;
  /**
   * Counts of lines without content, by reason: "type:progress", "type:system/turn_duration", "meta", "sidechain",
   * "malformed", "too_long". Those that others refer to are also in `lines`.
   */
  skipped: Record<string, number>;
  /** Lines that are no record, or several. */
  damaged?: readonly DamagedLine[];
}

/** A line that is not as its client writes them. */
export interface DamagedLine extends LineDamage {
  /** Where it begins. Bytes. */
  at: number;
}

/** How long a client keeps its transcripts. */
export interface Retention {
  /** It deletes transcripts unchanged for this long. */
  days: number;
  /** The setting and its file; null for the client's default. */
  setting: string;
  source: string | null;
}

/** The JSON object that an agent passes to a hook; untrusted. */
export type GivenPayload = Readonly<Record<string, unknown>>;

/** An agent's hook events. Every hook loads those of all agents, so keep them small and without heavy imports. */
export interface AgentHooks {
  /** The agent's names of the events that Pommel listens to. */
  readonly events: Readonly<Partial<Record<HookName, string>>>;
  /** The environment variable with the launch directory; default: the payload's `cwd`. */
  readonly launchedIn?: string;
  /** Renames the payload's fields as in `protocol/hooks.ts`. */
  read?(given: GivenPayload): GivenPayload;
  /** The paths that a tool call of `post-tool-use` changed; other values are ignored. */
  editedFiles(tool: string, input: GivenPayload): readonly unknown[];
  /** Whether the event is not part of the session: the client's own notices and helpers. */
  shouldIgnore?(hook: HookName, given: GivenPayload): boolean;
  /** What is printed to give the model a text; default: Claude Code's `hookSpecificOutput`. */
  answer?(text: string): object;
  /** What is printed to have a call denied, or permitted by the person first; for clients that can. */
  decide?(decision: CallDecision, reason: string): object;
  /** Whether the client shows the person what its hooks' answers have as `systemMessage`. */
  readonly showsMessages?: true;
  /** What the agent waits for, by the kind of `notification`; others are ignored. */
  readonly waitsFor?: Readonly<Record<string, WaitReason>>;
  /** Whether a program runs the agent: what its prompts note, no person has said. Its transcript says so as well. */
  isByProgram?(env: NodeJS.ProcessEnv): boolean;
  /** The events whose answer the agent gives to its model; default: all that Pommel has context for. */
  readonly takesContext?: readonly HookName[];
  /** Whether another Pommel hook handles the same event. */
  isRunTwice?(root: string, hook: HookName): Promise<boolean>;
}

/** The part of an agent that is available without loading its adapter. */
export interface AgentProfile {
  /** Stored with every session: "claude". */
  readonly name: string;
  /** For people: "Claude Code". */
  readonly title: string;
  /** Raise it (from 1) when the adapter reads transcripts differently: sessions are cut again from their stored turns. */
  readonly readerVersion?: number;
  /** Environment variables with the agent's directories, passed to the daemon. */
  readonly environment: readonly string[];
  /** Files that any tool can write: what they say a person said, only they say. */
  readonly isForeign?: true;
  /** Variables that the client sets for what it runs, and for nothing else. */
  readonly shellVariables?: readonly string[];
  /** The variable that names the session in the environment of what the agent runs; for agents that set one. */
  readonly sessionVariable?: string;
  /** The field that names the session in `_meta` of the calls of an MCP server; for clients that set one. */
  readonly sessionInCalls?: string;
  /**
   * The program and arguments that go on with a session; for agents that have them. The id stands where the program takes
   * no option.
   */
  resumeWith?(id: string): readonly [string, ...string[]];
  /** The program and arguments that start it with a first prompt; for agents that take one. */
  startWith?(prompt: string): readonly [string, ...string[]];
  /** For agents that run `pm hook`. */
  readonly hooks?: AgentHooks;
}

/** A picture in a transcript. */
export interface Picture {
  /** When its line was written. Milliseconds since the epoch. */
  at: number | null;
  /** The id of the tool use that it answers; null: it is a prompt's. */
  call: string | null;
  /** A `data:` URL. */
  url: string;
}

export interface Agent extends AgentProfile {
  /** How to set up Pommel in the agent's files. */
  readonly setup?: AgentSetup;
  /** Directories with transcripts; they may not exist. */
  listRoots(env?: NodeJS.ProcessEnv): string[];
  /** Files or directories with transcripts in a repository, for agents that keep them there; they may not exist. */
  listRepositoryPlaces?(root: string): string[];
  /**
   * Whether each folder under a root holds all transcripts of one directory: then a few files show whether to open the
   * others.
   */
  readonly sortsByPlace: boolean;
  /** Whether a path in a transcript directory is a transcript; it may not exist. */
  isTranscript(path: string): boolean;
  /** For a transcript outside of the roots, the directory to watch; null if it is not one the client would use. */
  findDirectoryToWatch(path: string): string | null;
  /** For agents that keep a list of things to do. */
  readonly todos?: {
    /** The tools whose calls and results tell of it. */
    readonly tools: readonly string[];
    /** The list as it was after these entries. */
    after(entries: Iterable<TranscriptEntry>): Todo[];
  };
  /** Its transcripts lack the branch, so hooks record it. */
  readonly lacksBranch?: true;
  /**
   * Known line types without useful content, named as in `ReadBatch.skipped` after "type:". Other skipped types may
   * come from a newer client.
   */
  readonly ignoredLineTypes?: ReadonlySet<string>;
  /**
   * For agents that keep all sessions in a database, or one file. Their transcripts' paths are `<database file>/<session id>`, and
   * `list` also takes one of the database's files.
   */
  readonly database?: {
    /** Whether a change of this file may be one of its sessions'. */
    isPart(path: string): boolean;
    /** A session's size and last change; null when it is gone. */
    stat(path: string): TranscriptFile | null;
  };
  /** Names of large directories under a root that hold no transcripts, and are not watched. */
  readonly unwatched?: readonly string[];
  /** Files beside a transcript, or above it for several, that are read with it; they may not exist. */
  listPartFiles?(path: string): readonly string[];
  /** Every transcript under `dir`, or `dir` itself, in order of path (in a database, of time). Skips unreadable ones. */
  list(dir: string): AsyncIterable<TranscriptFile>;
  /** Files in which the client keeps what it learned about a project; for clients that do. They may be gone. */
  findMemories?(root: string, env?: NodeJS.ProcessEnv): Promise<string[]>;
  /** The transcript's identity, from its beginning; null when it is missing (yet). */
  describe(file: string): Promise<TranscriptInfo | null>;
  /**
   * Reads from `cursor` (null: the start) to the last whole line, in batches of about a megabyte.
   * @throws PommelError `transcript_changed` when the content before the cursor changed: read again from the start;
   *   system errors (ENOENT, EBUSY) unchanged
   */
  read(file: string, cursor: Cursor | null, signal?: AbortSignal): AsyncIterable<ReadBatch>;
  /** The pictures of a transcript, which are never stored; for agents whose transcripts have them. @throws system errors */
  readPictures?(file: string, signal?: AbortSignal): AsyncIterable<Picture>;
}
