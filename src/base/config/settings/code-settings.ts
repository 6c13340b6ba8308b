import * as z from "zod/mini";
import { levels } from "../../levels.ts";
import { maxResults } from "../../max-results.ts";
import { embedder, indexUrl, level, positive, type Setting, strings, url, variableName } from "./setting.ts";

/** What is indexed, where, and how it is searched. */
export const codeSettings = {
  "index.languages": {
    schema: strings,
    default: [] as string[],
    about:
      "Languages to index, by id (see docs/languages.md). Empty: all of them, and other text files by lines.",
    who: "repositories with languages that nobody searches",
    team: true,
  },
  "index.include": {
    schema: strings,
    default: [] as string[],
    about: 'Index only files that match one of these globs, e.g. ["src/**"]. Empty: all files.',
    who: "people who work on one part of a monorepo",
    team: true,
  },
  "index.exclude": {
    schema: strings,
    default: [] as string[],
    about: "Skip files that match one of these globs, in addition to .gitignore and .pommelignore.",
    who: "repositories that track generated or vendored code",
    team: true,
  },
  "index.levels": {
    schema: z.array(level),
    default: [...levels],
    about: "Chunk levels to index: file, class, method, block, lines.",
    who: "very large repositories, for a smaller index",
    team: true,
  },
  "index.max_file_size": {
    schema: positive,
    default: 1_048_576,
    about: "Skip larger files. Bytes.",
    who: "repositories with large source files",
    team: true,
  },
  "index.driver": {
    schema: z.enum(["sqlite", "postgres", "lancedb"]),
    default: "sqlite" as "sqlite" | "postgres" | "lancedb",
    about:
      "Where the code index is stored: sqlite (in your cache directory), postgres (a PostgreSQL), or lancedb (LanceDB, a package of its own: in your cache directory or in object storage). See docs/engines.md.",
    who: "machines that do not last (containers, CI), whose new checkouts begin with an index that is there",
  },
  "index.url": {
    schema: indexUrl,
    default: "",
    about:
      "The server for index.driver = postgres: postgres://USER@HOST/DATABASE, without the password (it is in PGPASSWORD, or in a file: ?password_file=FILE). Object storage for lancedb: s3://BUCKET/PATH (or gs://, az://), empty for your cache directory. Code is sent there.",
    who: "anyone who sets index.driver",
    sensitive: true,
  },
  "search.limit": {
    schema: z.int().check(z.minimum(1), z.maximum(maxResults)),
    default: 10,
    about: "Results without --limit.",
    who: "anyone who always types --limit",
    team: true,
    live: true,
  },
  "embed.code": {
    schema: embedder,
    default: "static",
    about:
      "The embedder for code: static (bundled), ollama/MODEL or openai/MODEL (see docs/models.md), or none to search by words and code structure only.",
    who: "anyone who has a better model for code, or wants none",
  },
  "embed.text": {
    schema: embedder,
    default: "static",
    about: "The embedder for sessions; same choices as for code.",
    who: "anyone who speaks with agents in a language that the bundled model knows little of",
  },
  "ollama.url": {
    schema: url,
    default: "http://127.0.0.1:11434",
    about: "Ollama's address, for embedders and summaries.",
    who: "users of Ollama on another machine or port",
    sensitive: true,
  },
  "openai.url": {
    schema: url,
    default: "https://api.openai.com/v1",
    about:
      "Base URL of an OpenAI-compatible API, for embedders and summaries by openai/MODEL; texts are sent there.",
    who: "users of Azure, LM Studio, vLLM, llama.cpp and other providers",
    sensitive: true,
  },
  "openai.key_env": {
    schema: variableName,
    default: "OPENAI_API_KEY",
    about: "The environment variable with that API's key.",
    who: "users of a provider whose key is in another variable",
    sensitive: true,
  },
} satisfies Record<string, Setting>;
