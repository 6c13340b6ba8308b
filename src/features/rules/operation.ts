import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import {
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  type Shaped,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

export const ruleModes = ["remind", "ask", "deny"] as const;
export type RuleMode = (typeof ruleModes)[number];

export const check = lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("command"), words: strings }),
    z.object({ kind: z.literal("path"), glob: text, pattern: text }),
    z.object({ kind: z.literal("created"), glob: text, pattern: text }),
    z.object({ kind: z.literal("added"), text }),
    z.object({ kind: z.literal("tool"), name: text }),
  ]),
);

const saying = lazy(() =>
  z.object({
    text,
    /** "" for what was noted outside of a session, and for a file. */
    session_id: text,
    turn: count,
    at: timeOrNull,
    /** The file of instructions that it stands in. */
    file: z.optional(text),
    /** It was said of lines that an agent had written, and these went. */
    taken_back: z.optional(z.boolean()),
  }),
);

/** What a person told agents not to do, as a check of what they are about to do. */
export const rule = lazy(() =>
  z.object({
    /** The same for the same check. */
    id: text,
    /** In the person's own words. */
    text,
    check: check(),
    /** How often it was said, in how many sessions, and where, the latest first. */
    times: count,
    sessions: count,
    said: z.array(saying()),
    mode: z.enum(ruleModes),
  }),
);
export type Rule = Shaped<typeof rule>;

const hit = lazy(() => z.object({ session_id: text, turn: count, what: text, was_denied: z.boolean() }));

/** A rule that might be meant, and what it would have done in the past. */
export const proposal = lazy(() =>
  z.extend(rule(), {
    replay: z.object({
      calls: count,
      hits: count,
      /** Those of them that the person denied. */
      denied: count,
      /** Others, in a session, before they said it there: what they said it about. */
      before: count,
      /** Sessions with others yet: one that reminds would speak once in each. */
      reminders: count,
      examples: z.array(hit()),
    }),
    /** With more than a reminder in each session it would be in the way. */
    only_reminds: z.boolean(),
  }),
);
export type Proposal = Shaped<typeof proposal>;

/** What a repository asks of agents, in a file that is committed with it. It only ever reminds. */
const repositoryRules = lazy(() =>
  z.object({
    /** From the root of the checkout. */
    file: text,
    /** Without those that the person has a rule for, or dropped. */
    rules: z.array(z.object({ id: text, text, check: check() })),
    /** Why it, or a part of it, is left out; null: nothing is. */
    problem: textOrNull,
  }),
);
export type RepositoryRules = Shaped<typeof repositoryRules>;

export const outcomes = ["not_run", "other_form", "once", "run", "allowed", "unknown"] as const;

/** A time at which a rule spoke, and what came of it. */
const spokenRule = lazy(() =>
  z.object({
    /** Its id, and its sentence. */
    rule: text,
    text,
    mode: z.enum(ruleModes),
    session_id: text,
    at: time,
    /** null: a subagent's, or one that is not stored yet. */
    turn: numberOrNull,
    /** What of the call it was about; null: the call is not stored yet. */
    what: textOrNull,
    /** With other_form: the command that was run. */
    instead: textOrNull,
    /**
     * not_run: neither then nor later. other_form: something like it that the rule allows. once: only the call at which the agent was
     * reminded, which reaches it with the result. run: all the same. allowed: the person let it run. unknown: nothing tells.
     */
    outcome: z.enum(outcomes),
    /** What the outcome counts as; null: as neither. */
    was_followed: z.nullable(z.boolean()),
  }),
);
export type SpokenRule = Shaped<typeof spokenRule>;

export const spokenRequest = lazy(() => z.object({ session: sessionField, since, limit }));
export const spokenAnswer = lazy(() => z.object({ spoken: z.array(spokenRule()) }));
export type SpokenAnswer = Shaped<typeof spokenAnswer>;

/** How often each rule spoke, as far as it was looked into, and what came of it. */
const spokenCounts = lazy(() => z.object({ rule: text, times: count, followed: count, not_followed: count }));

export const rulesAnswer = lazy(() =>
  z.object({
    rules: z.array(rule()),
    repository: repositoryRules(),
    is_checked: z.boolean(),
    spoken: z.array(spokenCounts()),
  }),
);
export type RulesAnswer = Shaped<typeof rulesAnswer>;

export const proposeRequest = lazy(() => z.object({ limit }));
export const proposalsAnswer = lazy(() =>
  z.object({
    proposals: z.array(proposal()),
    /** What they were looked for in. */
    sessions: count,
    turns: count,
  }),
);
export type ProposalsAnswer = Shaped<typeof proposalsAnswer>;

export const changeRequest = lazy(() =>
  z.object({
    change: z.enum(["accept", "add", "drop", "mode"]),
    /** Of a rule, of a repository's, or of a proposal; its beginning is enough. */
    id: z.optional(text),
    mode: field("what happens when an agent does it: remind, ask, deny", z.enum(ruleModes)),
    /** Of a rule to add: its sentence, and what it forbids, one of these. */
    text: z.optional(text),
    command: field('a command that agents must not run: "git push --force"', text),
    path: field("files that agents must not change: a path or a glob", text),
    created: field("files that agents must not create: a path or a glob", text),
    added: field("a text that agents must not write", text),
    tool: field('a tool that agents must not use: "WebSearch", "mcp__playwright__*"', text),
  }),
);
export const changeAnswer = lazy(() => z.extend(rule(), { is_checked: z.boolean() }));
export type ChangeAnswer = Shaped<typeof changeAnswer>;

export const listRules = defineOperation({
  name: "rules",
  path: "GET /rules",
  summary: "List the rules against which agents' calls are checked",
  of: "memory",
  request: nothing,
  response: rulesAnswer,
  answer: async () => (await import("./answer.ts")).listRules,
});

export const listSpokenRules = defineOperation({
  name: "rulesSpoken",
  path: "GET /rules/spoken",
  summary: "List what rules said to agents, and whether agents followed them",
  of: "memory",
  request: spokenRequest,
  response: spokenAnswer,
  answer: async () => (await import("./answer.ts")).listSpokenRules,
});

export const proposeRules = defineOperation({
  name: "proposeRules",
  path: "GET /rules/proposed",
  summary: "Propose rules based on what you told agents, each with the past calls that it would have caught",
  of: "memory",
  request: proposeRequest,
  response: proposalsAnswer,
  answer: async () => (await import("./answer.ts")).proposeRules,
});

export const changeRule = defineOperation({
  name: "changeRule",
  path: "POST /rules",
  summary: "Accept, add, change or drop a rule",
  of: "project",
  changes: true,
  // Only a person sets rules, in a terminal or in a browser that they have signed in.
  audience: "pommel",
  onPage: true,
  request: changeRequest,
  response: changeAnswer,
  answer: async () => (await import("./answer.ts")).changeRule,
});
