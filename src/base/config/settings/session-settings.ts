import * as z from "zod/mini";
import { generator, natural, type Setting, strings } from "./setting.ts";

/** Kinds of automatic context that can be switched off alone. */
const contextKinds = [
  "start",
  "compaction",
  "past",
  "prompt",
  "search",
  "edit",
  "revert",
  "failure",
] as const;
export type ContextKind = (typeof contextKinds)[number];

/** What is recorded of sessions and commits, what becomes of it, and what agents are given. */
export const sessionSettings = {
  "sessions.capture": {
    schema: z.boolean(),
    default: true,
    about: "Record agent sessions at all.",
    who: "projects that must not be recorded while others are",
  },
  "sessions.record": {
    schema: z.enum(["named", "all", "none"]),
    default: "named" as "named" | "all" | "none",
    about:
      "Whose sessions and commits are recorded: those of all projects, only of those that you named with `pm init`, or none (`pm disable --global`). `pm setup` asks for it.",
    who: "anyone who changes their answer to `pm setup`",
    home: true,
    sensitive: true,
    live: true,
  },
  "sessions.retention_days": {
    schema: natural,
    default: 0,
    about: "Delete sessions this long after their last line, except notes and summaries; 0: keep them. Days.",
    who: "companies that may not keep conversations",
    live: true,
  },
  "sessions.decision_words": {
    schema: strings,
    default: [] as string[],
    about:
      "Words that mark a decision, in addition to the built-in ones; needed for languages other than English (see docs/sessions.md).",
    who: "teams that do not work in English",
    team: true,
    live: true,
  },
  "sessions.error_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that mark an error, in addition to the English and Danish ones.",
    who: "teams whose tools do not report errors in English",
    team: true,
    live: true,
  },
  "scrub.pii": {
    schema: z.boolean(),
    default: false,
    about: "Also scrub e-mail addresses, telephone and social security numbers.",
    who: "projects whose sessions hold customer data",
  },
  "scrub.llm": {
    schema: z.boolean(),
    default: false,
    about: "Let llm.model look for secrets that no pattern matches, if it runs on this machine.",
    who: "anyone with a local model and secrets that match no pattern",
  },
  "llm.model": {
    schema: generator,
    default: "none",
    about:
      "The model that writes summaries: none, ollama/MODEL or openai/MODEL. With openai, scrubbed sessions are sent to openai.url.",
    who: "anyone who wants written summaries instead of extracts",
    sensitive: true,
  },
  "llm.chunk_summaries": {
    schema: z.boolean(),
    default: false,
    about: "Let llm.model also sum up parts of sessions, for search results: dozens of requests a session.",
    who: "anyone with a local model, or a budget",
  },
  "llm.daily_tokens": {
    schema: natural,
    default: 200_000,
    about:
      "Stop using the model for the day after this many tokens, in and out; without limit on this machine.",
    who: "anyone who pays for llm.model",
  },
  "context.mode": {
    schema: z.enum(["off", "gentle", "eager"]),
    default: "gentle" as "off" | "gentle" | "eager",
    about:
      "Automatic context for agents: off; gentle; eager (also where a prompt only may go on with past work). See docs/agents.md.",
    who: "anyone who wants agents to get less context unasked, or more",
    live: true,
  },
  "context.kinds": {
    schema: z.array(z.enum(contextKinds)),
    default: ["start", "compaction", "search", "edit"] as ContextKind[],
    about:
      "Kinds of automatic context: start (where work on this branch stopped), compaction (what must be kept of a session), past (a prompt that refers to earlier work: what was decided), prompt (the session that any prompt goes on with), search (where what an agent is about to search for is), edit (of a file: decisions about it, and what is usually run then), revert (an edit brings back what was taken out before), failure (what fixed the same error before). search and failure need hooks that pm init and pm setup add.",
    who: "anyone who wants other kinds of context",
    live: true,
  },
  "context.deadline_ms": {
    schema: natural,
    default: 250,
    about:
      "Inject nothing after an edit if it takes longer, counted from the start of the hook; at a session's start and before a compaction eight times as long, after a failure four times, for a prompt two and a half times, before a search twice. Milliseconds.",
    who: "slow machines",
    live: true,
  },
} satisfies Record<string, Setting>;
