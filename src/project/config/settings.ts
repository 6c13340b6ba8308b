import * as z from "zod/mini";
import { levels } from "../levels.ts";
import { maxResults } from "../max-results.ts";
import { editorChoices, isEditor } from "./editors.ts";

const strings = z.array(z.string());
const level = z.enum(levels);
/** Kinds of automatic context that can be switched off alone. */
const contextKinds = ["start", "compaction", "prompt", "edit", "revert", "failure"] as const;
export type ContextKind = (typeof contextKinds)[number];
const positive = z.int().check(z.minimum(1));
const natural = z.int().check(z.minimum(0));
/** A driver, or a driver and its model. */
const embedder = z
  .string()
  .check(
    z.regex(/^(none|static|(ollama|openai)(\/\S+)?)$/),
    z.describe("none, static, ollama, ollama/MODEL, openai or openai/MODEL"),
  );
/** A driver and its model. */
const generator = z
  .string()
  .check(
    z.regex(/^(none|ollama(\/\S+)?|openai\/\S+)$/),
    z.describe("none, ollama, ollama/MODEL or openai/MODEL"),
  );
const url = z.string().check(
  z.refine((text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)),
  z.describe("an http:// or https:// address"),
);
/** A password would lie open there, and be shown. */
const isServerUrl = (text: string) =>
  text === "" || (/^postgres(?:ql)?:/.test(text) && URL.canParse(text) && new URL(text).password === "");
const serverUrl = z
  .string()
  .check(z.refine(isServerUrl), z.describe("postgres://USER@HOST:PORT/DATABASE, without a password"));
const indexUrl = z.string().check(
  z.refine((text) => isServerUrl(text) || /^(?:s3|gs|az):\/\/[^/?#@:]+(?:\/[^?#]*)?$/.test(text)),
  z.describe("postgres://USER@HOST:PORT/DATABASE, or s3://BUCKET/PATH (gs://, az://), without a password"),
);
const variableName = z
  .string()
  .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.describe("the name of an environment variable"));

/**
 * Every setting with its type, default and explanation: the source of `config.toml`'s comments, `pm config list` and
 * the check for unknown keys.
 */
export const settings = {
  "index.languages": {
    schema: strings,
    default: [] as string[],
    about:
      "Languages to index, by id (see docs/languages.md). Empty: all of them, and other text files by lines.",
  },
  "index.include": {
    schema: strings,
    default: [] as string[],
    about: 'Index only files that match one of these globs, e.g. ["src/**"]. Empty: all files.',
  },
  "index.exclude": {
    schema: strings,
    default: [] as string[],
    about: "Skip files that match one of these globs, in addition to .gitignore and .pommelignore.",
  },
  "index.levels": {
    schema: z.array(level),
    default: [...levels],
    about: "Chunk levels to index: file, class, method, block, lines.",
  },
  "index.max_file_size": {
    schema: positive,
    default: 1_048_576,
    about: "Skip larger files. Bytes.",
  },
  "index.workers": {
    schema: z.int().check(z.minimum(1), z.maximum(16)),
    default: 2,
    about: "Parser threads while indexing.",
  },
  "index.driver": {
    schema: z.enum(["sqlite", "postgres", "lancedb"]),
    default: "sqlite" as "sqlite" | "postgres" | "lancedb",
    about:
      "Where the code index is stored: sqlite (in your cache directory), postgres (a PostgreSQL with pgvector), or lancedb (LanceDB, a package of its own: in your cache directory or in object storage). See docs/engines.md.",
  },
  "index.url": {
    schema: indexUrl,
    default: "",
    about:
      "The server for index.driver = postgres: postgres://USER@HOST/DATABASE, without the password. Object storage for lancedb: s3://BUCKET/PATH (or gs://, az://), empty for your cache directory. Code is sent there.",
  },
  "index.password_env": {
    schema: variableName,
    default: "PGPASSWORD",
    about: "The environment variable with that server's password.",
  },
  "index.password_file": {
    schema: z.string(),
    default: "",
    about: "A file with that password, which only you can read, for when the variable is not set.",
  },
  "watch.debounce_ms": {
    schema: natural,
    default: 50,
    about: "Wait this long after a file's last change before indexing it. Milliseconds.",
  },
  "watch.poll_seconds": {
    schema: positive,
    default: 5,
    about: "How often to poll for changes where files cannot be watched. Seconds.",
  },
  "search.limit": {
    schema: z.int().check(z.minimum(1), z.maximum(maxResults)),
    default: 10,
    about: "Results without --limit.",
  },
  "search.levels": {
    schema: z.array(level),
    default: [] as (typeof levels)[number][],
    about: "Levels to search without --level. Empty: all.",
  },
  "search.mode": {
    schema: z.enum(["hybrid", "fts", "semantic"]),
    default: "hybrid" as "hybrid" | "fts" | "semantic",
    about:
      "How sessions are searched without --mode: by words and meaning, by words alone, or by meaning alone. A pattern needs --mode regex.",
  },
  "daemon.autostart": {
    schema: z.boolean(),
    default: true,
    about:
      "Start the daemon in the background when a hook, command or the MCP server needs it. Not between `pm daemon stop` and `pm daemon start` or the next boot, and never in CI.",
  },
  "daemon.port": {
    schema: z.int().check(z.minimum(0), z.maximum(65_535)),
    default: 0,
    about: "Port on 127.0.0.1; 0 derives one from your home directory, or takes the next free one.",
  },
  "daemon.idle_exit_minutes": {
    schema: natural,
    default: 720,
    about: "Exit after this long without a request or a change; 0: never. Minutes.",
  },
  "daemon.log_level": {
    schema: z.enum(["debug", "info", "warn", "error"]),
    default: "info" as "debug" | "info" | "warn" | "error",
    about: "Log level of the daemon.",
  },
  "embed.code": {
    schema: embedder,
    default: "static",
    about:
      "The embedder for code: static (bundled), ollama/MODEL or openai/MODEL (see docs/embedders.md), or none to search by words and code structure only.",
  },
  "embed.text": {
    schema: embedder,
    default: "static",
    about: "The embedder for sessions; same choices as for code.",
  },
  "embed.ollama_url": {
    schema: url,
    default: "http://127.0.0.1:11434",
    about: "Ollama's address.",
  },
  "embed.openai_url": {
    schema: url,
    default: "https://api.openai.com/v1",
    about: "Base URL of the OpenAI-compatible API for embeddings; texts are sent there.",
  },
  "embed.openai_key_env": {
    schema: variableName,
    default: "OPENAI_API_KEY",
    about: "The environment variable with that API's key.",
  },
  "sessions.capture": {
    schema: z.boolean(),
    default: true,
    about: "Record agent sessions at all.",
  },
  "sessions.record": {
    schema: z.enum(["named", "all", "none"]),
    default: "named" as "named" | "all" | "none",
    about:
      "Whose sessions and commits are recorded: those of all projects, only of those that you named with `pm init`, or none (`pm disable --global`). `pm setup` asks for it.",
  },
  "sessions.retention_days": {
    schema: natural,
    default: 0,
    about: "Delete sessions this long after their last line, except notes and summaries; 0: keep them. Days.",
  },
  "sessions.max_chunks": {
    schema: natural,
    default: 5000,
    about: "In a session with more chunks, only the newest are searchable; 0: no limit.",
  },
  "sessions.chunk_min_tokens": {
    schema: positive,
    default: 200,
    about: "Merge shorter turns with their neighbours. Tokens.",
  },
  "sessions.chunk_max_tokens": {
    schema: z.int().check(z.minimum(50)),
    default: 800,
    about: "Split longer turns between messages and paragraphs. Tokens.",
  },
  "sessions.topic_pause_minutes": {
    schema: positive,
    default: 5,
    about: "A pause of this length starts a new topic. Minutes.",
  },
  "sessions.client_memory": {
    schema: z.boolean(),
    default: true,
    about:
      "List decisions from the files in which an agent keeps what it learned about this project (Claude Code's memory directory). They are read when asked for, and not stored.",
  },
  "sessions.decision_words": {
    schema: strings,
    default: [] as string[],
    about:
      "Words that mark a decision, in addition to the built-in ones; needed for languages other than English (see docs/sessions.md).",
  },
  "sessions.error_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that mark an error, in addition to the English and Danish ones.",
  },
  "sessions.architecture_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that mark architecture, in addition to the English and Danish ones.",
  },
  "backup.enabled": {
    schema: z.boolean(),
    default: true,
    about: "Let the daemon back up the memory regularly.",
  },
  "backup.interval_hours": {
    schema: positive,
    default: 24,
    about: "The time between two backups; none is made where nothing changed. Hours.",
  },
  "backup.keep": {
    schema: positive,
    default: 7,
    about: "Keep this many of the regular backups. Those of `pm memory backup` stay until you delete them.",
  },
  "backup.folder": {
    schema: z.string(),
    default: "",
    about:
      "The directory for backups, best on another disk; each project has its own in it. Empty: beside the memory.",
  },
  "scrub.pii": {
    schema: z.boolean(),
    default: false,
    about: "Also scrub e-mail addresses, telephone and social security numbers.",
  },
  "scrub.llm": {
    schema: z.boolean(),
    default: false,
    about: "Let llm.model look for secrets that no pattern matches, if it runs on this machine.",
  },
  "llm.model": {
    schema: generator,
    default: "none",
    about:
      "The model that writes summaries: none, ollama/MODEL or openai/MODEL. With openai, scrubbed sessions are sent to llm.openai_url.",
  },
  "llm.chunk_summaries": {
    schema: z.boolean(),
    default: false,
    about: "Let llm.model also sum up parts of sessions, for search results: dozens of requests a session.",
  },
  "llm.ollama_url": {
    schema: url,
    default: "http://127.0.0.1:11434",
    about: "Ollama's address.",
  },
  "llm.openai_url": {
    schema: url,
    default: "https://api.openai.com/v1",
    about: "Base URL of the OpenAI-compatible API for /chat/completions.",
  },
  "llm.openai_key_env": {
    schema: variableName,
    default: "OPENAI_API_KEY",
    about: "The environment variable with that API's key.",
  },
  "llm.daily_tokens": {
    schema: natural,
    default: 200_000,
    about:
      "Stop using the model for the day after this many tokens, in and out; without limit on this machine.",
  },
  "context.mode": {
    schema: z.enum(["off", "gentle", "eager"]),
    default: "gentle" as "off" | "gentle" | "eager",
    about:
      "Automatic context for agents: off; gentle; eager (also where a prompt only may go on with past work). See docs/agents.md.",
  },
  "context.kinds": {
    schema: z.array(z.enum(contextKinds)),
    default: ["start", "compaction", "edit"] as ContextKind[],
    about:
      "Kinds of automatic context: start (of a session), compaction, prompt, edit (of a file: decisions about it, and what is usually run then), revert (an edit brings back what was taken out before), failure (what fixed the same error before; needs a hook that pm init and pm setup then add).",
  },
  "context.max_tokens": {
    // Less would leave no room beside the frame.
    schema: z.int().check(z.minimum(150)),
    default: 800,
    about: "The size of one injection, at most 10,000 characters. Tokens.",
  },
  "context.deadline_ms": {
    schema: natural,
    default: 250,
    about: "Inject nothing if it takes longer, counted from the start of the hook. Milliseconds.",
  },
  "storage.encrypt": {
    schema: z.boolean(),
    default: false,
    about:
      "Encrypt the memory, the index, backups, the audit log, the spool and the log; the daemon does it when it starts. `pm memory decrypt` undoes it (see docs/privacy.md).",
  },
  "storage.key": {
    schema: z
      .string()
      .check(
        z.regex(/^(?:file|file:.+|keychain|passphrase)$/),
        z.describe("file, file:PATH, keychain or passphrase"),
      ),
    default: "file",
    about:
      "Where the key of storage.encrypt is: a file in ~/.config/pommel/keys or elsewhere, the system's keychain, or a passphrase that `pm daemon start` asks for (or POMMEL_PASSPHRASE).",
  },
  "audit.enabled": {
    schema: z.boolean(),
    default: false,
    about:
      "Record every question in an audit log: when, through which door, and how much was given (see docs/privacy.md).",
  },
  "ui.editor": {
    schema: z.string().check(z.refine(isEditor), z.describe(editorChoices)),
    default: "vscode",
    about: "The editor in which the page opens files.",
  },
  "git.checkpoints": {
    schema: z.boolean(),
    default: true,
    about: "Link commits to the sessions that led to them, and lines to their authors.",
  },
  "sync.branch": {
    schema: z
      .string()
      .check(
        z.regex(/^(?![/.-])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[\w./-]+(?<![/.])$/),
        z.describe("the name of a git branch"),
      ),
    default: "pommel/memory/v1",
    about: "The branch for the shared memory. It is separate from the code's history.",
  },
  "sync.remote": {
    schema: z.string().check(z.regex(/^[\w][\w./-]*$/), z.describe("the name of a git remote")),
    default: "origin",
    about: "The remote that `pm share git` pushes to.",
  },
  "sync.on_push": {
    schema: z.boolean(),
    default: false,
    about: "Run `pm share git` in the background after a `git push` to that remote.",
  },
  "sync.encryption": {
    schema: z.enum(["none", "passphrase", "key"]),
    default: "none" as "none" | "passphrase" | "key",
    about:
      "Who can read the shared memory: anyone who can read the remote (none), or only with a passphrase or a key file.",
  },
  "sync.key_file": {
    schema: z.string(),
    default: "",
    about: "The age identity file for sync.encryption = key. Empty: sync-key.txt beside your configuration.",
  },
  "sync.passphrase_env": {
    schema: variableName,
    default: "POMMEL_SYNC_PASSPHRASE",
    about:
      "The environment variable with the passphrase for sync.encryption = passphrase, for use without a terminal.",
  },
  "memory.share": {
    schema: serverUrl,
    default: "",
    about:
      "The PostgreSQL through which a team shares its memory: postgres://USER@HOST/DATABASE, without the password. Only projects where you ran `pm share team on` are shared there.",
  },
  "memory.share_author": {
    schema: z.string(),
    default: "",
    about: "The name you share under. Empty: git's user.email.",
  },
  "memory.share_password_env": {
    schema: variableName,
    default: "PGPASSWORD",
    about: "The environment variable with that server's password.",
  },
  "memory.share_password_file": {
    schema: z.string(),
    default: "",
    about: "A file with that password, which only you can read, for when the variable is not set.",
  },
} satisfies Record<string, { schema: z.ZodMiniType; default: unknown; about: string }>;

export type SettingKey = keyof typeof settings;

/**
 * What a repository may say of itself in `.pommel/config.toml`: what to index, how to search, and which words to show as
 * what. Everything that sends, runs, records, keeps, deletes, backs up or scrubs is its user's own.
 */
export const teamSettings: ReadonlySet<SettingKey> = new Set([
  "index.languages",
  "index.include",
  "index.exclude",
  "index.levels",
  "index.max_file_size",
  "search.limit",
  "search.levels",
  "search.mode",
  "sessions.decision_words",
  "sessions.error_words",
  "sessions.architecture_words",
]);

/** Settings of the one daemon and the one home of a person: a project cannot have its own. */
export const homeSettings: ReadonlySet<SettingKey> = new Set([
  "daemon.autostart",
  "daemon.port",
  "daemon.idle_exit_minutes",
  "daemon.log_level",
  "sessions.record",
  "storage.encrypt",
  "storage.key",
]);

/** Settings that the page does not change: where texts and keys are sent, which program a click starts, what is recorded. */
export const sensitiveSettings: ReadonlySet<SettingKey> = new Set([
  "sessions.record",
  "backup.folder",
  "storage.encrypt",
  "storage.key",
  "audit.enabled",
  "ui.editor",
  "index.url",
  "index.password_env",
  "index.password_file",
  "embed.ollama_url",
  "embed.openai_url",
  "embed.openai_key_env",
  "llm.model",
  "llm.ollama_url",
  "llm.openai_url",
  "llm.openai_key_env",
  "sync.remote",
  "sync.on_push",
  "sync.encryption",
  "sync.key_file",
  "sync.passphrase_env",
  "memory.share",
  "memory.share_author",
  "memory.share_password_env",
  "memory.share_password_file",
]);

/**
 * Settings that a running daemon applies at once. For all others it restarts, because they affect its indexer, models,
 * watchers or port.
 */
export const liveSettings: ReadonlySet<SettingKey> = new Set([
  "search.limit",
  "search.levels",
  "search.mode",
  "daemon.autostart",
  "daemon.idle_exit_minutes",
  "daemon.log_level",
  // What follows from it is seen to where a project is open.
  "sessions.record",
  "sessions.retention_days",
  "sessions.max_chunks",
  "sessions.chunk_min_tokens",
  "sessions.chunk_max_tokens",
  "sessions.topic_pause_minutes",
  "sessions.client_memory",
  "sessions.decision_words",
  "sessions.error_words",
  "sessions.architecture_words",
  "backup.enabled",
  "backup.interval_hours",
  "backup.keep",
  "backup.folder",
  "context.mode",
  "context.kinds",
  "context.max_tokens",
  "context.deadline_ms",
  "ui.editor",
  "sync.branch",
  "sync.remote",
  "sync.on_push",
  "sync.encryption",
  "sync.key_file",
  "sync.passphrase_env",
  "memory.share",
  "memory.share_author",
  "memory.share_password_env",
  "memory.share_password_file",
]);

/** A complete configuration: a value for every setting. */
export type Config = { [K in SettingKey]: (typeof settings)[K]["default"] };

/** The default configuration. */
export function defaultConfig(): Config {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, setting.default]),
  ) as Config;
}
