import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { decision } from "../../protocol/decision.ts";
import { asked, where } from "../../protocol/everywhere.ts";
import {
  branch,
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  type Shaped,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { checkpointSummary } from "../checkpoints/operation.ts";
import { facet, sessionSummary, sessionsRequest } from "../sessions/operation.ts";

export const digestRequest = lazy(() =>
  z.object({
    since: field('since this time: "friday", "2d", "last week" (default: yesterday)', text),
    until,
    branch,
    author: sessionsRequest().shape.author,
    mine: sessionsRequest().shape.mine,
    topic: sessionsRequest().shape.topic,
    by: field("a part for each branch", z.enum(["branch"])),
    limit,
  }),
);

const digestSession = lazy(() =>
  z.extend(sessionSummary(), {
    /** Prompts of that time, each in a line: the first ones that say more than "go on". */
    asked: strings,
    prompts: count,
    /** What came of it, and what it left open, as its brief says; "": nothing. */
    outcome: text,
    open: text,
    /** Files that it changed, those it changed most first. */
    files: strings,
  }),
);

export type DigestSession = Shaped<typeof digestSession>;

const digestPart = lazy(() =>
  z.object({
    /** A branch, or a project's root; null: everything, or what belongs to no branch. */
    name: textOrNull,
    /** What its sessions are about, and whose they are, as in a list of sessions. */
    topics: facet(),
    authors: facet(),
    /** Those active in that time, the latest first, as in all lists here. */
    sessions: z.array(digestSession()),
    sessions_total: count,
    /** Commits that sessions led to. */
    commits: z.array(checkpointSummary()),
    commits_total: count,
    decisions: z.array(decision()),
    decisions_total: count,
    /** Sessions that were interrupted, failed, or left something open. */
    unfinished: z.array(digestSession()),
    unfinished_total: count,
    /** What models read and wrote in that time, subagents included. `output` is null where the client did not record it. */
    tokens: z.array(
      z.object({
        model: text,
        input: count,
        output: numberOrNull,
        cache_read: count,
        cache_write: count,
      }),
    ),
  }),
);

export type DigestPart = Shaped<typeof digestPart>;

export const digestAnswer = lazy(() =>
  z.object({
    since: time,
    /** null: until now. */
    until: timeOrNull,
    /** All commits of local branches in that time, those without a session too; left out where not all are asked for. */
    commits_in_history: z.optional(count),
    parts: z.array(digestPart()),
    /** What is not in it yet. */
    notes: strings,
  }),
);

export type DigestAnswer = Shaped<typeof digestAnswer>;

export const sumUp = defineOperation({
  name: "digest",
  path: "GET /digest",
  summary: "Sum up what happened lately: sessions, commits, decisions, unfinished work, tokens",
  of: "memory",
  request: digestRequest,
  response: digestAnswer,
  answer:
    async () =>
    async ({ project, memory }, request) =>
      (await import("./digest.ts")).buildDigest(project, memory, request),
});

/** A part for each project in which anything happened, by its root. */
export const digestEverywhereRequest = lazy(() => z.extend(z.omit(digestRequest(), { by: true }), where));

export const digestEverywhereResponse = lazy(() => z.extend(digestAnswer(), asked));

export const digestEverywhere = defineOperation({
  name: "digestEverywhere",
  path: "GET /everywhere/digest",
  summary: "Sum up what happened lately in all projects",
  of: "machine",
  request: digestEverywhereRequest,
  response: digestEverywhereResponse,
  answer: async () => async (_, request) => (await import("./everywhere.ts")).digestEverywhere(request),
});
