import * as z from "zod/mini";
import { generator, natural, type SettingDefinition, strings } from "./setting.ts";

/** Kinds of automatic context that can be switched off alone. */
export const contextKinds = [
  "start",
  "compaction",
  "past",
  "prompt",
  "search",
  "read",
  "edit",
  "check",
  "revert",
  "failure",
] as const;
export type ContextKind = (typeof contextKinds)[number];

/** What is recorded of sessions and commits, what becomes of it, and what agents are given. */
export const sessionSettings = {
  "sessions.capture": {
    schema: z.boolean(),
    default: true,
    about: "Record sessions of agents. If false, none are recorded, whatever sessions.record says.",
    who: "projects that must not be recorded while others are",
  },
  "sessions.record": {
    schema: z.enum(["named", "all", "none"]),
    default: "named" as "named" | "all" | "none",
    about:
      "The projects whose sessions and commits are recorded: all; named, which are those in which you ran `pm init`; or none, which `pm disable --global` sets. `pm setup` asks for it.",
    who: "anyone who wants to change their answer to `pm setup`",
    home: true,
    sensitive: true,
    live: true,
  },
  "sessions.retention_days": {
    schema: natural,
    default: 0,
    about:
      "Delete the turns of a session this many days after the last line of its transcript. Titles, notes and summaries, which quote prompts, stay until `pm memory forget` removes them. If it is 0, sessions are kept.",
    unit: "days",
    who: "companies that may keep the text of sessions only for some time",
    live: true,
  },
  "sessions.decision_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that mark a decision, in addition to the built-in ones (see docs/sessions.md).",
    who: "teams with words of their own for decisions, or in a language that is not built in",
    team: true,
    live: true,
  },
  "sessions.error_words": {
    schema: strings,
    default: [] as string[],
    about: "Words that mark an error, in addition to the built-in ones (English and Danish).",
    who: "teams whose tools do not report errors in English",
    team: true,
    live: true,
  },
  "scrub.pii": {
    schema: z.boolean(),
    default: false,
    about: "Also scrub e-mail addresses, telephone numbers and social security numbers.",
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
      "The model that writes summaries: none, ollama/MODEL or openai/MODEL. With openai, scrubbed sessions are sent to openai.url. A model of ollama whose tag ends in cloud runs at ollama.com.",
    who: "anyone who wants written summaries instead of sentences from the session",
    sensitive: true,
  },
  "llm.chunk_summaries": {
    schema: z.boolean(),
    default: false,
    about:
      "Let llm.model also sum up parts of sessions, for search results. This takes dozens of requests for each session.",
    who: "anyone with a local model, or a budget",
  },
  "llm.daily_tokens": {
    schema: natural,
    default: 200_000,
    about:
      "The most tokens, input and output together, that llm.model may use in a day. Models on this machine have no limit.",
    unit: "tokens",
    who: "anyone who pays for llm.model",
  },
  "cost.prices": {
    schema: z
      .array(z.string().check(z.regex(/^\S+(\s+\d+(\.\d+)?){4}$/)))
      .check(z.describe('a list of rows such as "claude-opus-4-5 5 25 0.5 6.25"')),
    default: [] as string[],
    about:
      "What models cost you. These prices replace the vendors' list prices. Each row is a model and its prices in dollars for a million tokens: input, output, read from the cache, written into the cache.",
    who: "anyone with a discount, a subscription (0 0 0 0) or a model that has no list price",
    live: true,
  },
  "context.mode": {
    schema: z.enum(["off", "gentle", "eager"]),
    default: "gentle" as "off" | "gentle" | "eager",
    about:
      "Automatic context for agents: off, gentle, or eager. In the mode eager, agents also get context that is less certain to help. See docs/agents.md.",
    who: "anyone who wants agents to get less context unasked, or more",
    live: true,
  },
  "context.kinds": {
    schema: z.array(z.enum(contextKinds)),
    default: ["start", "compaction", "search", "edit"] as ContextKind[],
    about:
      "The kinds of automatic context that agents get. start: notes, unfinished work on other branches and, unless you are on the main branch, the point at which work stopped. compaction: what must not be lost when a session is compacted (replaced by a summary). past: decisions about earlier work, if a prompt mentions that work. prompt: the earlier session that a prompt continues, and the place in the code that it names. search: where the code is that an agent is about to search for. read: notes and decisions about a file that an agent is about to read. edit: notes and decisions about the file that was edited, and what another session just changed in it. check: the test or linter that sessions usually run after they edited files in this language. revert: a remark if an edit brings back lines that had been removed. failure: what fixed the same error before. If you turn on search, read or failure, run `pm setup` or `pm init` again, because these kinds need additional hooks.",
    who: "anyone who wants other kinds of context",
    live: true,
  },
  "context.deadline_ms": {
    schema: natural,
    default: 250,
    about:
      "The time limit of the hook that runs after an edit. A hook that takes longer gives the agent only what was prepared in a file, or nothing. Other hooks may take a multiple of this: twice as long before a search, 2.4 times for a prompt, 4 times after a failure, and 8 times at a session's start and around a compaction.",
    unit: "milliseconds",
    who: "slow machines",
    live: true,
  },
  "rules.check": {
    schema: z.boolean(),
    default: false,
    about:
      "Check what agents are about to do against your rules (`pm rules`). Each command, search and edit of an agent, and each use of the web, of a subagent or of an MCP server, then starts a hook, which `pm setup` and `pm init` add.",
    who: "anyone who tells agents the same things again and again",
    live: true,
  },
  "radar.warn": {
    schema: z.boolean(),
    default: false,
    about:
      "Tell an agent if it edits a function that another session has changed and not committed, or code that calls a function whose signature has changed (`pm radar`). Each edit of an agent then starts a hook, which `pm setup` and `pm init` add.",
    who: "anyone who has several agents at work at once",
    live: true,
  },
  "dead_ends.check": {
    schema: z.boolean(),
    default: false,
    about:
      "Warn agents that try something that failed and was given up before, and mention it in answers (`pm dead-ends`). The call still runs; the agent reads the warning with its result. Each command, search and edit of an agent then starts a hook, which `pm setup` and `pm init` add.",
    who: "anyone whose agents make the same mistakes again",
    live: true,
  },
} satisfies Record<string, SettingDefinition>;
