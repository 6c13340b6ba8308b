/** A pattern as `scrubbing-patterns.toml` holds it. */
export interface Pattern {
  name: string;
  /** In RE2's syntax; where it has a group `secret`, only that is replaced. */
  pattern: string;
  /** `[REDACTED_TYPE]`. */
  replacement: string;
  /** The pattern is tried only where one of them occurs, in upper or lower case; everywhere when there is none. */
  keywords: string[];
  /** What a find must be as well. */
  check: CheckName | null;
  enabled: boolean;
  /** Personal data: in force with `scrub.pii`, too. */
  pii: boolean;
}

/**
 * What looks like a secret by its place may still be a variable, a type or a word: a check tells them apart
 * (`checks.ts`).
 */
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
] as const;
export type CheckName = (typeof checkNames)[number];

export interface DefaultPattern extends Pattern {
  /** A match may begin this many characters before its keyword; 0: with it. */
  reach: number;
}

/**
 * A default pattern. It begins with its keyword (or up to `reach` characters before), bounds every repetition that is
 * not the last, so that the native engine is linear on it, and means the same to both engines.
 */
export function row(
  name: string,
  type: string,
  keywords: string,
  pattern: string,
  more: Partial<Pick<DefaultPattern, "check" | "reach" | "enabled" | "pii">> = {},
): DefaultPattern {
  return {
    name,
    pattern,
    replacement: `[REDACTED_${type}]`,
    keywords: keywords === "" ? [] : keywords.split(" "),
    check: more.check ?? null,
    enabled: more.enabled ?? true,
    pii: more.pii ?? false,
    reach: more.reach ?? 0,
  };
}

/** A quote as it stands in source code, in JSON, or in JSON inside of JSON. */
export const quote = "\\\\{0,3}[\"'`]";
/** From a name to its value: the end of a quoted name, a type, then `:`, `=`, `:=` or `=>`. */
export const assigned = `(?:${quote})?\\]?(?:[ \\t]?:[ \\t]?(?:str|string|String))?[ \\t]{0,8}(?::=|=>|[:=])[ \\t]{0,8}`;

export const passwordWords = "password passwd passphrase passcode pwd";
export const password = "(?:password|passwd|passphrase|passcode|pwd)";
