/** Enumerations used in requests and responses. */

export const chunkTypes = ["raw", "summary", "annotated"] as const;
export type ChunkType = (typeof chunkTypes)[number];

export const chunkKinds = ["decision", "code-change", "error-fix", "architecture", "conversation"] as const;
export type ChunkKind = (typeof chunkKinds)[number];

export const searchModes = ["hybrid", "fts", "regex", "semantic"] as const;
/** hybrid: words and meaning; fts: words alone; semantic: meaning alone; regex: a pattern over the text. */
export type SearchMode = (typeof searchModes)[number];

/**
 * What a result is: a file with its best places, or every matching chunk; a session with its best turn, or every matching
 * turn. Each search reads its own two.
 */
export const resultUnits = ["file", "chunk", "session", "turn"] as const;

/** What a search of the history looks for; checkpoints are the commits that sessions led to. */
export const historyKinds = ["commits", "checkpoints", "events"] as const;

export const searchedKinds = ["code", "sessions", "notes", ...historyKinds] as const;
/** What a search of everything can be limited to; notes are people's, in sessions. */
export type SearchedKind = (typeof searchedKinds)[number];

/** What of sessions is searched: their chunks by words and meaning, or all that was archived, word by word. */
export const searchPlaces = ["chunks", "content"] as const;
export type SearchPlace = (typeof searchPlaces)[number];

export const contentRoles = [
  "prompt",
  "answer",
  "thinking",
  "notice",
  "summary",
  "tool_use",
  "tool_result",
] as const;
/** Whose text a match in the content of a session is: the human's, the agent's, the client's, a tool's. */
export type ContentRole = (typeof contentRoles)[number];

export const turnStates = ["completed", "interrupted", "error", "unfinished"] as const;
/**
 * How a turn ended. interrupted: by the user. error: the model's service failed, or the client gave up. unfinished: no end was
 * recorded, because the next prompt came first, it still runs, or the client was closed.
 */
export type TurnState = (typeof turnStates)[number];

export const waitReasons = ["permission", "question", "prompt"] as const;
/** What an agent waits for: to be allowed a call, to be answered, or to be told what is next. */
export type WaitReason = (typeof waitReasons)[number];

export const commandOutcomes = ["worked", "failed", "unknown"] as const;
/** How a command went that an agent ran. unknown: another one of its line may have failed, or its exit status went into a pipe. */
export type CommandOutcome = (typeof commandOutcomes)[number];

export const matchModes = ["exact", "regex"] as const;
/** How code, and the content of sessions, must hold a query. exact: as a text; regex: as a pattern in RE2's syntax. */
export type MatchMode = (typeof matchModes)[number];

export const verdicts = ["found", "maybe", "not_yet", "probably_not_here"] as const;
/**
 * What an answer as a whole is worth: whether one of its first results is what was asked for. not_yet: what is searched is still
 * being read, so that what comes closest by now says nothing of the rest.
 */
export type Verdict = (typeof verdicts)[number];

/** When an agent can be given context without asking. */
export const contextEvents = [
  "session-start",
  "user-prompt",
  "pre-tool-use",
  "post-tool-use",
  "tool-failure",
  "pre-compact",
] as const;
export type ContextEvent = (typeof contextEvents)[number];

/** What a hook may decide about a call: that the person is asked, or that it does not run. */
export const callDecisions = ["ask", "deny"] as const;
export type CallDecision = (typeof callDecisions)[number];

/** Whether an agent used context that it was given; unknown wherever it would be a guess. */
export const contextUses = ["used", "not_used", "unknown"] as const;
export type ContextUse = (typeof contextUses)[number];

export const authorKinds = ["agent", "human", "unknown"] as const;
/** Who wrote a line. Unknown wherever it would be a guess. */
export type AuthorKind = (typeof authorKinds)[number];

export const blameAuthors = [...authorKinds, "before_agents"] as const;
/** As answers have it: a line from before the first session in the project is not merely unknown. */
export type BlameAuthor = (typeof blameAuthors)[number];

/**
 * The evidence for a line's author. edit: a tool call wrote it; shell: it appeared while a command of the agent ran, or
 * is in the command; moved: an agent wrote it elsewhere; inherited: from the commit that this one was rewritten from;
 * note: another tool left a note; absence: nobody else was at work.
 */
export const attributionHows = ["edit", "shell", "moved", "inherited", "note", "absence", "none"] as const;
export type AttributionHow = (typeof attributionHows)[number];

/** What a verdict about a line rests on, more exactly than `how`; docs/why.md has each in a sentence. */
export const attributionBases = [
  "written",
  "written_unseen",
  "written_elsewhen",
  "in_command",
  "elsewhere",
  "replied",
  "ran",
  "named",
  "generated",
  "installed",
  "replaced",
  "brought",
  "formatted",
  "moved",
  "inherited",
  "alone",
  "absence",
  "patched",
  "verbatim",
  "command",
  "several",
  "root",
  "not_here",
  "not_covered",
  "left_out",
  "none",
] as const;
export type AttributionBasis = (typeof attributionBases)[number];

/** How a session is linked to a commit, the strongest: see checkpoint_sessions. */
export const bindingHows = ["lines", "removed", "command", "touched", "trailer"] as const;
export type BindingHow = (typeof bindingHows)[number];

/** What a tool call does. */
export const toolActions = ["command", "write", "read", "delegate", "other"] as const;
/**
 * command: runs the shell command in the input's `command`. write: changes files. read: reads or searches files.
 * delegate: starts a subagent.
 */
export type ToolAction = (typeof toolActions)[number];

/** How a turn used a file, the weakest first. */
export const fileUses = ["read", "edit", "write"] as const;
export type FileUse = (typeof fileUses)[number];

/** Who summed up a session. compaction: its agent. */
export const summarySources = ["extractive", "compaction", "llm"] as const;
export type SummarySource = (typeof summarySources)[number];

export const eventTypes = ["task", "temporal", "milestone"] as const;
export const eventStatuses = ["active", "frozen", "archived"] as const;

/** How one definition mentions another. */
export const edgeKinds = ["call", "construct", "base", "use", "type"] as const;
export type EdgeKind = (typeof edgeKinds)[number];

/**
 * How sure an edge of the graph is:
 * - resolved: by imports, scopes and declared types.
 * - dispatch: it calls a method that this one implements or overrides.
 * - unique: what it is a member of is not known, and only one definition has this name.
 * - ambiguous: several have it.
 */
export const edgeConfidences = ["resolved", "dispatch", "unique", "ambiguous"] as const;
export type EdgeConfidence = (typeof edgeConfidences)[number];
