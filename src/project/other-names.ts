/**
 * What other memories of agents, and Pommel's first designs, call what Pommel has: the source of errors that name today's name,
 * and of docs/coming-from.md. A name that works as well stands here only where Pommel has another for it.
 */

export const otherOrigins = {
  first: "Pommel's first designs",
  ec: "EntireContext (`ec`)",
  recall: "cc-recall",
  camille: "Camille's memory hook",
} as const;

/** value: of an option. argument: of a tool. field: of JSON that Pommel answers. variable: of the environment. */
export const otherKinds = [
  "command",
  "option",
  "value",
  "tool",
  "argument",
  "field",
  "setting",
  "variable",
] as const;
export type OtherKind = (typeof otherKinds)[number];

export interface OtherName {
  from: keyof typeof otherOrigins;
  kind: OtherKind;
  /** As it is written: of an option with its command, of an argument with its tool's name here. A word in capitals is any. */
  name: string;
  /** Pommel's names for it; none: it has nothing like it, and `note` says why. A setting's may be followed by a value. */
  today: readonly string[];
  /** A sentence. */
  note?: string;
}

const automatic = "Pommel does this by itself.";
const alwaysScrubbed = "Secrets are always removed before anything is stored.";
const ownPatterns = "Your own patterns stand in ~/.config/pommel/scrubbing-patterns.toml.";
const levelsOfSearch = "Each search chooses its levels: `pm search --level method,class`.";

export const otherNames: readonly OtherName[] = [
  {
    from: "ec",
    kind: "command",
    name: "index",
    today: ["daemon reindex"],
    note: "The daemon keeps the index.",
  },
  { from: "ec", kind: "command", name: "config KEY VALUE", today: ["config set"] },
  { from: "ec", kind: "option", name: "search --fts", today: ["search --mode fts"] },
  { from: "ec", kind: "option", name: "search --semantic", today: ["search --mode semantic"] },
  {
    ...{ from: "ec", kind: "option", name: "search -t" },
    today: ["search --by turn", "search --by session", "search --only events", "search --in content"],
  },
  { from: "ec", kind: "option", name: "import --from-aline", today: ["import aline"] },
  { from: "ec", kind: "option", name: "index --semantic", today: ["daemon reindex"], note: automatic },
  { from: "first", kind: "value", name: "--level line", today: ["--level lines"] },

  { from: "ec", kind: "tool", name: "ec_search", today: ["search_sessions"] },
  { from: "ec", kind: "tool", name: "ec_checkpoint_list", today: ["list_checkpoints"] },
  { from: "ec", kind: "tool", name: "ec_session_context", today: ["get_session"] },
  { from: "ec", kind: "tool", name: "ec_attribution", today: ["why"] },
  { from: "ec", kind: "tool", name: "ec_rewind", today: ["rewind_preview"] },
  { from: "ec", kind: "tool", name: "ec_related", today: ["related"] },
  { from: "recall", kind: "tool", name: "get_session_context", today: ["get_session"] },

  { from: "ec", kind: "argument", name: "search_sessions search_type", today: ["mode"] },
  { from: "ec", kind: "argument", name: "search_sessions file_filter", today: ["files"] },
  { from: "ec", kind: "argument", name: "search_sessions commit_filter", today: ["commit"] },
  { from: "ec", kind: "argument", name: "search_sessions agent_filter", today: ["agent"] },
  { from: "ec", kind: "argument", name: "why file_path", today: ["file"] },
  { from: "ec", kind: "argument", name: "why start_line", today: ["first_line"] },
  { from: "ec", kind: "argument", name: "why end_line", today: ["last_line"] },
  { from: "ec", kind: "argument", name: "rewind_preview checkpoint_id", today: ["target"] },
  { from: "recall", kind: "argument", name: "search_sessions chunkType", today: ["kind"] },
  { from: "recall", kind: "argument", name: "get_session sessionId", today: ["session_id"] },
  { from: "recall", kind: "argument", name: "get_session_summary sessionId", today: ["session_id"] },

  { from: "first", kind: "field", name: "status", today: ["daemon.running"] },
  { from: "first", kind: "field", name: "pid", today: ["daemon.pid"] },
  { from: "first", kind: "field", name: "port", today: ["daemon.port"] },
  { from: "first", kind: "field", name: "indexes.code.files", today: ["index.total_files"] },
  { from: "first", kind: "field", name: "indexes.code.chunks", today: ["index.total_chunks"] },
  { from: "first", kind: "field", name: "indexes.code.last_updated", today: ["index.last_indexed"] },
  { from: "first", kind: "field", name: "indexes.transcripts.sessions", today: ["memory.sessions"] },
  { from: "first", kind: "field", name: "indexes.transcripts.chunks", today: ["memory.chunks"] },
  { from: "first", kind: "field", name: "indexes.transcripts.annotations", today: ["memory.annotations"] },
  { from: "first", kind: "field", name: "indexes.transcripts.summaries", today: ["memory.summaries"] },
  { from: "first", kind: "field", name: "indexes.transcripts.last_updated", today: ["memory.last_updated"] },
  { from: "first", kind: "field", name: "storage.code_mb", today: ["storage.index_bytes"] },
  { from: "first", kind: "field", name: "storage.transcripts_mb", today: ["memory.bytes"] },
  { from: "first", kind: "field", name: "storage.fts_mb", today: ["storage.fts_bytes"] },
  { from: "first", kind: "field", name: "storage.total_mb", today: ["storage.total_bytes"] },
  { from: "first", kind: "field", name: "storage.growth_30d_mb", today: ["memory.growth_30d_bytes"] },
  { from: "first", kind: "field", name: "models.embedding_code.name", today: ["models.embedding_code"] },
  { from: "first", kind: "field", name: "models.embedding_text.name", today: ["models.embedding_text"] },
  { from: "first", kind: "field", name: "models.llm.name", today: ["memory.llm.model"] },

  { from: "first", kind: "setting", name: "models.embedding_code", today: ["embed.code"] },
  { from: "first", kind: "setting", name: "models.embedding_text", today: ["embed.text"] },
  { from: "first", kind: "setting", name: "models.llm", today: ["llm.model"] },
  { from: "first", kind: "setting", name: "scrubbing.enabled", today: [], note: alwaysScrubbed },
  { from: "first", kind: "setting", name: "scrubbing.llm_scrub", today: ["scrub.llm"] },
  { from: "first", kind: "setting", name: "scrubbing.patterns", today: [], note: ownPatterns },
  { from: "first", kind: "setting", name: "summarization.enabled", today: ["llm.model"] },
  { from: "first", kind: "setting", name: "indexing.batch_size", today: [], note: automatic },
  { from: "first", kind: "setting", name: "indexing.max_concurrent", today: [], note: automatic },
  { from: "first", kind: "setting", name: "transcripts.claude_project_hash", today: [], note: automatic },
  { from: "first", kind: "setting", name: "chunk_levels", today: ["index.levels"] },
  { from: "first", kind: "setting", name: "include_patterns", today: ["index.include"] },
  { from: "first", kind: "setting", name: "exclude_patterns", today: ["index.exclude"] },
  { from: "first", kind: "setting", name: "max_file_size", today: ["index.max_file_size"] },
  { from: "first", kind: "setting", name: "debounce_ms", today: [], note: automatic },
  { from: "first", kind: "setting", name: "embedding.model", today: ["embed.code", "embed.text"] },
  { from: "first", kind: "setting", name: "embedding.batch_size", today: [], note: automatic },
  { from: "first", kind: "setting", name: "search.default_limit", today: ["search.limit"] },
  { from: "first", kind: "setting", name: "search.default_levels", today: [], note: levelsOfSearch },
  { from: "ec", kind: "setting", name: "capture.auto_capture", today: ["sessions.capture"] },
  { from: "ec", kind: "setting", name: "capture.checkpoint_on_commit", today: [], note: automatic },
  {
    ...{ from: "ec", kind: "setting", name: "search.default_mode", today: [] },
    note: "Each search chooses its mode: `pm search --mode fts`.",
  },
  { from: "ec", kind: "setting", name: "search.semantic_model", today: ["embed.text"] },
  { from: "ec", kind: "setting", name: "sync.auto_sync", today: ["sync.on_push"] },
  { from: "ec", kind: "setting", name: "sync.auto_sync_on_push", today: ["sync.on_push"] },
  { from: "ec", kind: "setting", name: "sync.shadow_branch", today: ["sync.branch"] },
  { from: "ec", kind: "setting", name: "security.filter_secrets", today: [], note: alwaysScrubbed },
  { from: "ec", kind: "setting", name: "security.patterns", today: [], note: ownPatterns },
  { from: "ec", kind: "setting", name: "display.max_results", today: ["search.limit"] },
  {
    ...{ from: "ec", kind: "setting", name: "display.color", today: [] },
    note: "The option `--no-color` and the variable NO_COLOR turn colours off.",
  },
  { from: "camille", kind: "setting", name: "enabled", today: ["sessions.capture"] },
  { from: "camille", kind: "setting", name: "chunk_size.min_tokens", today: [], note: automatic },
  { from: "camille", kind: "setting", name: "chunk_size.max_tokens", today: [], note: automatic },
  { from: "camille", kind: "setting", name: "storage.max_chunks_per_session", today: [], note: automatic },
  { from: "camille", kind: "setting", name: "storage.retention_days", today: ["sessions.retention_days"] },
  { from: "camille", kind: "setting", name: "processing.incremental", today: [], note: automatic },
  { from: "camille", kind: "setting", name: "processing.parallel_chunks", today: [], note: automatic },

  { from: "recall", kind: "variable", name: "SESSIONS_PATH", today: ["CLAUDE_CONFIG_DIR"] },
  { from: "recall", kind: "variable", name: "DB_PATH", today: ["POMMEL_HOME"] },
  { from: "recall", kind: "variable", name: "EMBEDDING_MODEL", today: ["POMMEL_EMBED_TEXT"] },
  { from: "recall", kind: "variable", name: "OLLAMA_URL", today: ["POMMEL_OLLAMA_URL"] },
  { from: "recall", kind: "variable", name: "WATCH_MODE", today: ["POMMEL_DAEMON_AUTOSTART"] },
  { from: "recall", kind: "variable", name: "LOG_LEVEL", today: ["POMMEL_DAEMON_LOG_LEVEL"] },
];

/**
 * What Pommel calls something, as a hint.
 * @param isMeant by its name
 * @returns null: nobody calls it so
 */
export function hintForOtherName(
  kind: OtherKind,
  isMeant: string | ((name: string) => boolean),
  written: (today: string) => string = (today) => today,
): string | null {
  const row = otherNames.find(
    (one) => one.kind === kind && (typeof isMeant === "string" ? one.name === isMeant : isMeant(one.name)),
  );
  if (row === undefined) return null;
  const names = row.today.map(written);
  const named = `Pommel's name${names.length > 1 ? "s" : ""} for it: ${names.join(", ")}.`;
  return [names.length > 0 ? named : null, row.note].filter((part) => part != null).join(" ");
}
