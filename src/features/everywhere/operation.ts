import * as z from "zod/mini";
import { operation } from "../../answers/operation.ts";
import {
  codeResult,
  commitFound,
  eventFound,
  searchResponse,
  transcriptResult,
  transcriptSearchResponse,
} from "../../protocol/results.ts";
import { count, lazy, place, sessionNamed, strings, text, textOrNull } from "../../protocol/shape-parts.ts";
import { digestAnswer, digestRequest } from "../digest/operation.ts";
import { eventsRequest, listedEvent } from "../events/operation.ts";
import { historySearchRequest, historySearchResponse, searchAllRequest } from "../search/operation.ts";
import { sessionSummary, sessionsRequest } from "../sessions/operation.ts";

/** A directory of the project to ask first; and of which to ask only the projects inside. */
const where = { here: z.optional(place), below: z.optional(place) };

/** The root of its project; paths are relative to it. */
const inProject = { project: text };

/** Roots of the projects that answered, and those that did not. */
const asked = { projects: strings, left_out: z.array(z.object({ project: text, reason: text })) };

export const searchEverywhereRequest = lazy(() =>
  z.extend(searchAllRequest(), {
    ...where,
    of: historySearchRequest().shape.of,
    asks: z.array(z.enum(["code", "transcripts", "history"])),
  }),
);

/** null: not asked. */
export const searchEverywhereResponse = lazy(() =>
  z.object({
    code: z.nullable(z.extend(searchResponse(), { results: z.array(z.extend(codeResult(), inProject)) })),
    transcripts: z.nullable(
      z.extend(transcriptSearchResponse(), { results: z.array(z.extend(transcriptResult(), inProject)) }),
    ),
    history: z.nullable(
      z.extend(historySearchResponse(), {
        results: z.array(
          z.discriminatedUnion("kind", [
            z.extend(commitFound(), inProject),
            z.extend(eventFound(), inProject),
          ]),
        ),
      }),
    ),
    ...asked,
  }),
);

export const sessionsEverywhereRequest = lazy(() => z.extend(sessionsRequest(), where));

export const sessionsEverywhereResponse = lazy(() =>
  z.object({ sessions: z.array(z.extend(sessionSummary(), inProject)), total: count, ...asked }),
);

export const eventsEverywhereRequest = lazy(() => z.extend(eventsRequest(), where));

export const eventsEverywhereResponse = lazy(() =>
  z.object({ events: z.array(z.extend(listedEvent(), inProject)), archived: count, ...asked }),
);

/** A part for each project in which anything happened, by its root. */
export const digestEverywhereRequest = lazy(() => z.extend(z.omit(digestRequest(), { by: true }), where));

export const digestEverywhereResponse = lazy(() => z.extend(digestAnswer(), asked));

/** `here`: a directory of the project that does not store it. */
export const locateSessionRequest = lazy(() => z.object({ id: sessionNamed, here: place }));

export const locateSessionResponse = lazy(() => z.object({ root: textOrNull }));

export const searchEverywhere = operation({
  name: "searchEverywhere",
  path: "POST /everywhere/search",
  summary: "Search all projects",
  of: "machine",
  request: searchEverywhereRequest,
  response: searchEverywhereResponse,
  answer: async () => (await import("./answer.ts")).searchEverywhere,
});

export const sessionsEverywhere = operation({
  name: "sessionsEverywhere",
  path: "GET /everywhere/sessions",
  summary: "List sessions of all projects, the latest first",
  of: "machine",
  request: sessionsEverywhereRequest,
  response: sessionsEverywhereResponse,
  answer: async () => (await import("./answer.ts")).sessionsEverywhere,
});

export const eventsEverywhere = operation({
  name: "eventsEverywhere",
  path: "GET /everywhere/events",
  summary: "List events of all projects",
  of: "machine",
  request: eventsEverywhereRequest,
  response: eventsEverywhereResponse,
  answer: async () => (await import("./answer.ts")).eventsEverywhere,
});

export const digestEverywhere = operation({
  name: "digestEverywhere",
  path: "GET /everywhere/digest",
  summary: "Sum up what happened lately in all projects",
  of: "machine",
  request: digestEverywhereRequest,
  response: digestEverywhereResponse,
  answer: async () => (await import("./answer.ts")).digestEverywhere,
});

export const locateSession = operation({
  name: "locateSession",
  path: "GET /everywhere/session",
  summary: "Find the other project that stores a session",
  of: "machine",
  request: locateSessionRequest,
  response: locateSessionResponse,
  answer: async () => (await import("./answer.ts")).locateSession,
});
