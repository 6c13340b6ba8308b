import * as z from "zod/mini";
import { levels } from "../../levels.ts";
import { maxResults } from "../../max-results.ts";
import {
  embedder,
  indexUrl,
  level,
  positive,
  type SettingDefinition,
  strings,
  url,
  variableName,
} from "./setting.ts";

/** What is indexed, where, and how it is searched. */
export const codeSettings = {
  "index.languages": {
    schema: strings,
    default: [] as string[],
    about:
      "The languages to index, by their ids (see docs/languages.md). If empty: all languages, and other text files by lines.",
    who: "repositories with languages that nobody needs to find",
    team: true,
  },
  "index.include": {
    schema: strings,
    default: [] as string[],
    about: 'Index only files that match one of these globs, such as ["src/**"]. If empty: all files.',
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
    about:
      "The levels of chunks (pieces of code that search finds as a whole) to index: whole files, classes, methods and functions, blocks in them, and groups of lines.",
    who: "very large repositories, for a smaller index",
    team: true,
  },
  "index.max_file_size": {
    schema: positive,
    default: 1_048_576,
    about: "Skip files that are larger than this.",
    unit: "bytes",
    who: "repositories with large source files",
    team: true,
  },
  "index.driver": {
    schema: z.enum(["sqlite", "postgres", "lancedb"]),
    default: "sqlite" as "sqlite" | "postgres" | "lancedb",
    about:
      "Where the code index is stored: sqlite (in your cache directory), postgres (on a PostgreSQL server), or lancedb (in your cache directory or in object storage; needs the package LanceDB). See docs/engines.md.",
    who: "machines that are thrown away (containers, CI), so that a new checkout begins with an existing index",
  },
  "index.url": {
    schema: indexUrl,
    default: "",
    about:
      "The address of the index. For index.driver = postgres: postgres://USER@HOST/DATABASE, without the password, which comes from PGPASSWORD or from a file (?password_file=FILE). For lancedb: s3://BUCKET/PATH (or gs://, az://) for object storage, or empty for your cache directory. Code is sent to this address.",
    who: "anyone who sets index.driver",
    sensitive: true,
  },
  "search.limit": {
    schema: z.int().check(z.minimum(1), z.maximum(maxResults)),
    default: 10,
    about: "How many results a search shows without --limit.",
    who: "anyone who wants more or fewer results by default",
    team: true,
    live: true,
  },
  "embed.code": {
    schema: embedder,
    default: "static",
    about:
      "The model for searching code by meaning: static (bundled), ollama/MODEL or openai/MODEL (see docs/models.md), or none to search only by words and code structure.",
    who: "anyone who wants to use another model for code, or none",
  },
  "embed.text": {
    schema: embedder,
    default: "static",
    about: "The model for searching sessions by meaning. The choices are the same as for code.",
    who: "anyone who writes to agents in a language other than English",
  },
  "ollama.url": {
    schema: url,
    default: "http://127.0.0.1:11434",
    about: "Ollama's address, for search by meaning and for summaries.",
    who: "users of Ollama on another machine or port",
    sensitive: true,
  },
  "openai.url": {
    schema: url,
    default: "https://api.openai.com/v1",
    about: "The base URL of an OpenAI-compatible API, for the models openai/MODEL. Texts are sent there.",
    who: "users of Azure, LM Studio, vLLM, llama.cpp and other providers",
    sensitive: true,
  },
  "openai.key_env": {
    schema: variableName,
    default: "OPENAI_API_KEY",
    about: "The environment variable that contains the key of that API.",
    who: "users of a provider whose key is in another variable",
    sensitive: true,
  },
} satisfies Record<string, SettingDefinition>;
