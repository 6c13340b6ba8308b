import * as z from "zod/mini";

/** A pattern from `scrubbing-patterns.toml`. */
export interface Pattern {
  name: string;
  /** RE2 syntax; with a group `secret`, only that group is replaced. */
  pattern: string;
  /** `[REDACTED_TYPE]`. */
  replacement: string;
  /** Tried only where one of them occurs, in any case; everywhere without keywords. */
  keywords: string[];
  /** An additional check on the match. */
  check: CheckName | null;
  enabled: boolean;
  /** Personal data: also enabled by `scrub.pii`. */
  pii: boolean;
}

/** Checks distinguish secrets from variables, types and words in the same position (`checks.ts`). */
export const checkNames = [
  "password",
  "token",
  "random",
  "flag",
  "url",
  "cookie",
  "prose",
  "curl",
  "basic",
  "pem",
  "literal",
  "stated",
  "password-shape",
  "command-output",
  "password-flag",
  "prefixed",
  "issued",
  "argument",
  "defined",
  "quoted-word",
  "pair",
  "whole-line",
  "column",
  "announced",
  "joined",
  "jumble",
  "phrase",
  "typed",
  "parameter",
  "key",
  "output",
  "code",
  "stated-code",
  "base32",
  "groups",
  "card",
  "signs",
  "framed",
  "capitals",
  "word",
  "wallet-key",
] as const;
export type CheckName = (typeof checkNames)[number];

/** How `source` says that neither a letter nor a digit stands before a key. */
export const behindEdge = "(?<![A-Za-z0-9])";

/**
 * A default pattern. It begins with its keyword (or up to `reach` characters before), bounds every repetition that is
 * not the last, so that the native engine is linear on it, and means the same to both engines.
 */
export interface DefaultPattern extends Pattern {
  /** A match may begin this many characters before its keyword; 0: with it. */
  reach: number;
  /** The pattern as the native engine reads it, which can look behind a match. */
  source: string;
}

/** A default pattern as the files in this directory write it. */
export const rowSchema = z.strictObject({
  name: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*$/)),
  /** Of the placeholder; without it the name in capitals: `GROQ_KEY` of `groq-key`. */
  type: z.optional(z.string()),
  /** Words separated by spaces, as `expandWords` reads them. */
  keywords: z.optional(z.string()),
  /**
   * `{{name}}` stands for a list of words.json, for a part in fragments.json, or for the row's own `keywords`; `{{edge}}`
   * for where a key begins or ends: beside no letter and no digit, as in `mcp__KEY__tool`.
   */
  pattern: z.optional(z.string()),
  /** In place of a pattern: what these options of the programs in `keywords` are given. */
  options: z.optional(z.array(z.string())),
  check: z.optional(z.enum(checkNames)),
  reach: z.optional(z.number()),
  enabled: z.optional(z.boolean()),
  pii: z.optional(z.boolean()),
  /** What a reader would not see. */
  why: z.optional(z.string()),
});
export type PatternRow = z.infer<typeof rowSchema>;
