import * as z from "zod/mini";
import { levels } from "../levels.ts";
import { maxResults } from "../max-results.ts";

const strings = z.array(z.string());
const level = z.enum(levels);
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
const variableName = z
  .string()
  .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.describe("the name of an environment variable"));

/**
 * Every setting: the one place that knows its type, default and explanation. `config.toml`'s comments,
 * `pm config list` and the refusal of unknown keys all come from here.
 */
export const settings = {
  "index.languages": {
    schema: strings,
    default: [] as string[],
    about:
      "Languages to index, by id (see docs/languages.md); empty means all, and every other text file by lines.",
  },
  "index.include": {
    schema: strings,
    default: [] as string[],
    about: 'Only files that match one of these globs are indexed, e.g. ["src/**"]; empty means all.',
  },
  "index.exclude": {
    schema: strings,
    default: [] as string[],
    about: "Files that match one of these globs are left out, on top of .gitignore and .pommelignore.",
  },
  "index.levels": {
    schema: z.array(level),
    default: [...levels],
    about: "Levels of chunks to make: file, class, method, block, lines.",
  },
  "index.max_file_size": {
    schema: positive,
    default: 1_048_576,
    about: "Larger files are skipped. Bytes.",
  },
  "index.workers": {
    schema: z.int().check(z.minimum(1), z.maximum(16)),
    default: 2,
    about: "Threads that parse while indexing.",
  },
  "index.driver": {
    schema: z.enum(["sqlite"]),
    default: "sqlite" as const,
    about: "Where the code index lives.",
  },
  "watch.debounce_ms": {
    schema: natural,
    default: 50,
    about: "A file is indexed this long after its last change. Milliseconds.",
  },
  "watch.poll_seconds": {
    schema: positive,
    default: 5,
    about: "How often to look for changes when the system cannot watch files. Seconds.",
  },
  "search.limit": {
    schema: z.int().check(z.minimum(1), z.maximum(maxResults)),
    default: 10,
    about: "Results when --limit is not given.",
  },
  "search.levels": {
    schema: z.array(level),
    default: [] as (typeof levels)[number][],
    about: "Levels to search when --level is not given; empty means all.",
  },
  "daemon.autostart": {
    schema: z.boolean(),
    default: true,
    about:
      "Whether hooks, commands and the MCP server start the daemon in the background when none runs: not after `pm stop` until `pm start` or the next boot, and never in CI.",
  },
  "daemon.port": {
    schema: z.int().check(z.minimum(0), z.maximum(65_535)),
    default: 0,
    about: "Port on 127.0.0.1; 0 derives one from the project's path, or takes the next free one.",
  },
  "daemon.idle_exit_minutes": {
    schema: natural,
    default: 720,
    about: "The daemon exits after this long without a request or a change; 0 means never. Minutes.",
  },
  "daemon.log_level": {
    schema: z.enum(["debug", "info", "warn", "error"]),
    default: "info" as "debug" | "info" | "warn" | "error",
    about: "What is written to .pommel/log/.",
  },
  "embed.code": {
    schema: embedder,
    default: "static",
    about:
      "The embedder for code: static (bundled), ollama/MODEL or openai/MODEL (see docs/embedders.md), or none to search by words and code structure alone.",
  },
  "embed.text": {
    schema: embedder,
    default: "static",
    about: "The embedder for conversations; the same choices as for code.",
  },
  "embed.ollama_url": {
    schema: url,
    default: "http://127.0.0.1:11434",
    about: "Where Ollama answers. Read from your own file and the environment only, not from a project's.",
  },
  "embed.openai_url": {
    schema: url,
    default: "https://api.openai.com/v1",
    about:
      "Base of the OpenAI-compatible API whose /embeddings is asked; the texts are sent there. Read from your own file and the environment only, not from a project's.",
  },
  "embed.openai_key_env": {
    schema: variableName,
    default: "OPENAI_API_KEY",
    about:
      "The environment variable that holds the key of that API. Read from your own file and the environment only, not from a project's.",
  },
  "sessions.capture": {
    schema: z.boolean(),
    default: true,
    about: "Whether conversations with agents are read and remembered.",
  },
  "sessions.retention_days": {
    schema: natural,
    default: 0,
    about:
      "Conversations are forgotten this long after their last line, but for notes and summaries; 0 keeps them for good. Days.",
  },
  "sessions.max_chunks": {
    schema: natural,
    default: 5000,
    about: "Of a session with more chunks only the newest are searchable; 0 means no limit.",
  },
  "sessions.chunk_min_tokens": {
    schema: positive,
    default: 200,
    about: "Shorter turns are merged with their neighbours.",
  },
  "sessions.chunk_max_tokens": {
    schema: z.int().check(z.minimum(50)),
    default: 800,
    about: "Longer turns are split at the borders of messages and paragraphs.",
  },
  "sessions.topic_pause_minutes": {
    schema: positive,
    default: 5,
    about: "After a pause of this length a new topic begins. Minutes.",
  },
  "sessions.decision_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that tell a decision, on top of the English and Danish ones (see docs/conversations.md).",
  },
  "sessions.error_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that tell an error, on top of the English and Danish ones.",
  },
  "sessions.architecture_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that tell that architecture is spoken of, on top of the English and Danish ones.",
  },
  "scrub.pii": {
    schema: z.boolean(),
    default: false,
    about: "Whether e-mail addresses, telephone and social security numbers are scrubbed as well.",
  },
  "scrub.llm": {
    schema: z.boolean(),
    default: false,
    about:
      "Whether the language model of llm.model looks for secrets that no pattern knows, if it runs on this machine.",
  },
  "llm.model": {
    schema: generator,
    default: "none",
    about:
      "What writes summaries: none, ollama/MODEL or openai/MODEL. With openai, scrubbed conversations are sent to llm.openai_url. Read from your own file and the environment only, as are the next three.",
  },
  "llm.ollama_url": {
    schema: url,
    default: "http://127.0.0.1:11434",
    about: "Where Ollama answers.",
  },
  "llm.openai_url": {
    schema: url,
    default: "https://api.openai.com/v1",
    about: "Base of the OpenAI-compatible API whose /chat/completions is asked.",
  },
  "llm.openai_key_env": {
    schema: variableName,
    default: "OPENAI_API_KEY",
    about: "The environment variable that holds the key of that API.",
  },
  "llm.daily_tokens": {
    schema: natural,
    default: 200_000,
    about: "The model is asked no more on a day that has cost this many tokens, in and out.",
  },
  "context.mode": {
    schema: z.enum(["off", "gentle", "eager"]),
    default: "gentle" as "off" | "gentle" | "eager",
    about:
      "What agents are told by themselves: off, nothing; gentle, at the start of a session and where a prompt surely continues past work; eager, also where it may, and what was decided about a file that was just edited (see docs/context.md).",
  },
  "context.max_tokens": {
    // In less, what stands around it leaves no room for what is told.
    schema: z.int().check(z.minimum(150)),
    default: 800,
    about: "What is told at once has at most this many tokens, and never more than 10,000 characters.",
  },
  "context.deadline_ms": {
    schema: natural,
    default: 250,
    about:
      "What takes longer is not told, counted from the start of the hook that the agent waits for. Milliseconds.",
  },
  "git.checkpoints": {
    schema: z.boolean(),
    default: true,
    about: "Whether commits are bound to the sessions that led to them, and their lines to who wrote them.",
  },
  "sync.branch": {
    schema: z
      .string()
      .check(
        z.regex(/^(?![/.-])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[\w./-]+(?<![/.])$/),
        z.describe("the name of a git branch"),
      ),
    default: "pommel/memory/v1",
    about:
      "The branch that `pm sync` keeps the shared memory on. It has nothing to do with the code's history.",
  },
  "sync.remote": {
    schema: z.string().check(z.regex(/^[\w][\w./-]*$/), z.describe("the name of a git remote")),
    default: "origin",
    about:
      "The remote that `pm sync` pushes to. Read from your own file and the environment only, as are the next four.",
  },
  "sync.on_push": {
    schema: z.boolean(),
    default: false,
    about: "Whether a `git push` to that remote is followed by a `pm sync` in the background.",
  },
  "sync.encryption": {
    schema: z.enum(["none", "passphrase", "key"]),
    default: "none" as "none" | "passphrase" | "key",
    about:
      "Whether what is shared can be read by everybody who can read the remote (none), only with a passphrase, or only with a key file.",
  },
  "sync.key_file": {
    schema: z.string(),
    default: "",
    about:
      "The file with the age identity for sync.encryption = key; empty is sync-key.txt beside your configuration.",
  },
  "sync.passphrase_env": {
    schema: variableName,
    default: "POMMEL_SYNC_PASSPHRASE",
    about:
      "The environment variable that holds the passphrase for sync.encryption = passphrase, where nobody can be asked.",
  },
} satisfies Record<string, { schema: z.ZodMiniType; default: unknown; about: string }>;

export type SettingKey = keyof typeof settings;

/**
 * What only a user's own file and the environment may say: where texts and a key are sent. A project's file may have
 * come with a repository, and its author is not to choose that.
 */
export const ownSettings: ReadonlySet<SettingKey> = new Set([
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
]);

/**
 * What a running daemon goes by at once when it changes: read where it is used. For all others the daemon restarts, as they
 * are built into what it holds: its indexer, models, watchers and port.
 */
export const liveSettings: ReadonlySet<SettingKey> = new Set([
  "search.limit",
  "search.levels",
  "daemon.autostart",
  "daemon.idle_exit_minutes",
  "daemon.log_level",
  "sessions.retention_days",
  "sessions.max_chunks",
  "sessions.chunk_min_tokens",
  "sessions.chunk_max_tokens",
  "sessions.topic_pause_minutes",
  "sessions.decision_words",
  "sessions.error_words",
  "sessions.architecture_words",
  "context.mode",
  "context.max_tokens",
  "context.deadline_ms",
  "sync.branch",
  "sync.remote",
  "sync.on_push",
  "sync.encryption",
  "sync.key_file",
  "sync.passphrase_env",
]);

/** A complete configuration: a value for every setting. */
export type Config = { [K in SettingKey]: (typeof settings)[K]["default"] };

/** The configuration of someone who configured nothing. */
export function defaultConfig(): Config {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, setting.default]),
  ) as Config;
}
