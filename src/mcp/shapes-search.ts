import * as z from "zod/mini";
import { levels } from "../project/levels.ts";
import { searchModes } from "../search/sessions/types.ts";
import { chunkKinds, chunkTypes } from "../store/memory-records.ts";
import {
  cursor,
  described,
  label,
  limit,
  maxTokens,
  nextCursor,
  notes,
  number,
  numberOrNull,
  optionalList,
  optionalWords,
  since,
  text,
  textOrNull,
  texts,
  until,
  words,
} from "./shape-parts.ts";

/** What the tools that search take and give. */

export const searchCodeInput = z.strictObject({
  query: words('What the code does, or names in it: "retry with backoff", "parseConfig"'),
  path: optionalList("Only in these files, directories or globs, from the project's root"),
  language: optionalList('Only in these languages: "typescript", "go"'),
  level: z.optional(described(z.array(z.enum(levels)), "Only chunks of these levels")),
  limit: limit(50, 10),
  cursor,
  // What stands on top is found as quickly in a short answer, and a miss costs less (bench:agent).
  max_tokens: maxTokens(1000),
});

export const searchCodeOutput = z.object({
  results: z.array(
    z.object({
      file: described(text, "From the project's root"),
      start_line: number,
      end_line: number,
      level: text,
      name: text,
      parent: textOrNull,
      score: number,
      reasons: texts,
      is_stale: described(z.boolean(), "The file has changed since it was indexed: lines may have moved"),
      content: described(text, "The beginning of it; read the file at these lines for the rest"),
    }),
  ),
  total: number,
  next_cursor: nextCursor,
  notes,
});

export const searchSessionsInput = z.strictObject({
  query: optionalWords(
    'What it was about: "why do we retry three times"; with mode regex a pattern (RE2). Left out: the latest sessions',
  ),
  mode: z.optional(
    described(
      z.enum(searchModes),
      "hybrid (default): words and meaning; fts: words; semantic: meaning; regex",
    ),
  ),
  kind: z.optional(described(z.array(z.enum(chunkKinds)), "Only parts of these kinds")),
  type: z.optional(
    described(z.array(z.enum(chunkTypes)), "raw: conversations; summary; annotated: people's notes"),
  ),
  files: optionalList("Only turns that touched these files, directories or globs"),
  session_id: optionalWords("Only this session: its id or the beginning of it", 200),
  branch: optionalWords("Only on this git branch", 300),
  agent: optionalWords('Only with this agent: "claude", "codex", "gemini"', 50),
  commit: optionalWords("Only what led to this commit or checkpoint", 200),
  event: optionalWords("Only sessions of this event: its id or title", 300),
  since,
  until,
  all_projects: z.optional(
    described(z.boolean(), "Also in the other projects that Pommel knows on this machine"),
  ),
  limit: limit(50, 10),
  cursor,
  max_tokens: maxTokens(),
});

export const searchSessionsOutput = z.object({
  label,
  results: z.array(
    z.object({
      session_id: text,
      title: textOrNull,
      agent: text,
      branch: textOrNull,
      project: described(textOrNull, "The root of another project; left out: this one"),
      turn: described(numberOrNull, "For get_session; left out: the session as a whole"),
      last_turn: numberOrNull,
      turns: described(numberOrNull, "Of the whole session, where sessions are listed"),
      kind: textOrNull,
      timestamp: textOrNull,
      score: numberOrNull,
      note: described(textOrNull, "What a person noted there"),
      snippet: text,
      files: texts,
      freshness: described(textOrNull, "Of the files: fresh, drifted (changed since), orphaned (gone)"),
      is_abandoned: described(z.boolean(), "On a way that was left: rewound, tried and given up"),
      commits: described(texts, "That it led to, each with what became of it"),
    }),
  ),
  total: number,
  next_cursor: nextCursor,
  notes,
});

export const relatedInput = z.strictObject({
  query: optionalWords("What it is about; with files, ranks the sessions that touched them"),
  files: optionalList(
    "Files, directories or globs; neither query nor files: what is changed and not committed",
  ),
  limit: limit(50, 10),
  cursor,
  max_tokens: maxTokens(),
});

export const relatedOutput = z.object({
  label,
  files: described(texts, "Those that sessions were looked up for"),
  sessions: z.array(
    z.object({
      session_id: text,
      title: textOrNull,
      agent: text,
      branch: textOrNull,
      last_at: textOrNull,
      score: number,
      files: described(texts, 'Those that it touched, each with how: "src/a.ts (edit)"'),
      turns: z.array(z.object({ turn: number, text: described(text, "What was asked, or what matches") })),
    }),
  ),
  total: number,
  next_cursor: nextCursor,
  notes,
});
