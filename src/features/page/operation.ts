import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import {
  count,
  field,
  lazy,
  outside,
  type Shaped,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

/** The local page signs in with a one-time code: docs/page.md. */
export const signInRequest = lazy(() => z.object({ code: text }));

export const pageCodeResponse = lazy(() =>
  z.object({
    /** Opens the page once. */
    code: text,
    expires_in_seconds: count,
  }),
);

/** Browsers that are signed in to the local page, the last used first. */
export const browsersResponse = lazy(() =>
  z.object({
    browsers: z.array(z.object({ id: text, name: text, signed_in_at: time, last_used_at: time })),
  }),
);

export const signOutRequest = lazy(() =>
  z.object({ browser: field("only this one, by its id", outside("id")) }),
);

export const signOutResponse = lazy(() =>
  z.object({
    /** How many browsers. */
    signed_out: count,
  }),
);

export const pageResponse = lazy(() =>
  z.object({
    /** The project's directory name. */
    name: text,
    /** The project's root directory. */
    root: text,
    version: text,
    /** The address that opens `{path}`, absolute, at `{line}` in an editor; null: none is configured. */
    editor: textOrNull,
    /** Agents with sessions here, the one with the most first. */
    agents: strings,
    /** Colleagues who shared sessions or notes. */
    authors: strings,
    /** Branches that sessions ran on, the latest first. */
    branches: strings,
    /** Languages of the indexed files, the most common first. */
    languages: strings,
  }),
);

export type PageResponse = Shaped<typeof pageResponse>;

export const questionsResponse = lazy(() =>
  z.object({
    /** What to ask: a search of sessions, one of code, or why a line is there (`FILE:LINE`). */
    questions: z.array(z.object({ about: z.enum(["sessions", "code", "line"]), q: text })),
    /** One thing of the project's own past, with where it is from; null: nothing is worth a word. */
    finding: z.nullable(
      z.object({
        /** A decision in a person's words, a command line that worked, a file that was edited, a session by its title. */
        about: z.enum(["decision", "command", "file", "session"]),
        quote: text,
        session_id: text,
        turn: count,
        at: timeOrNull,
        /** In how many sessions it is: for a command those in which it, or one of its form, worked; for a file those that edited it. */
        sessions: count,
      }),
    ),
  }),
);

export const describePage = defineOperation({
  name: "page",
  path: "GET /page",
  summary: "Show what the page needs to know about the project",
  of: "project",
  audited: false,
  request: nothing,
  response: pageResponse,
  answer: async () => (await import("./answer.ts")).describePage,
});

export const suggestQuestions = defineOperation({
  name: "questions",
  path: "GET /questions",
  summary: "Suggest questions that the project's own sessions and code answer",
  of: "memory, if any",
  request: nothing,
  response: questionsResponse,
  answer: async () => (await import("./answer.ts")).suggestQuestions,
});

export const createPageCode = defineOperation({
  name: "pageCode",
  path: "POST /page/code",
  summary: "Get a code that opens the local page once; for pm open",
  of: "daemon",
  audience: "pommel",
  request: nothing,
  response: pageCodeResponse,
  answer: async () => (await import("./answer.ts")).createPageCode,
});

export const listBrowsers = defineOperation({
  name: "browsers",
  path: "GET /page/browsers",
  summary: "List the browsers that are signed in to the local page",
  of: "daemon",
  request: nothing,
  response: browsersResponse,
  answer: async () => (await import("./answer.ts")).listBrowsers,
});

export const signOut = defineOperation({
  name: "signOut",
  path: "POST /page/sign-out",
  summary: "Sign a browser out of the local page, or all of them",
  of: "daemon",
  request: signOutRequest,
  response: signOutResponse,
  answer: async () => (await import("./answer.ts")).signOut,
});
