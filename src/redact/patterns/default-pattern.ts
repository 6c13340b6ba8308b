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

export interface DefaultPattern extends Pattern {
  /** A match may begin this many characters before its keyword; 0: with it. */
  reach: number;
}

/**
 * A default pattern. It begins with its keyword (or up to `reach` characters before), bounds every repetition that is
 * not the last, so that the native engine is linear on it, and means the same to both engines.
 * @param keywords separated by spaces, or a list where one contains a space
 */
export function row(
  name: string,
  type: string,
  keywords: string | readonly string[],
  pattern: string,
  more: More = {},
): DefaultPattern {
  return {
    name,
    pattern,
    replacement: `[REDACTED_${type}]`,
    keywords: typeof keywords === "string" ? keywords.split(" ").filter(Boolean) : [...keywords],
    check: more.check ?? null,
    enabled: more.enabled ?? true,
    pii: more.pii ?? false,
    reach: more.reach ?? 0,
  };
}

type More = Partial<Pick<DefaultPattern, "check" | "reach" | "enabled" | "pii">>;

/** As `row`, of a type that is called as the pattern is: `GROQ_KEY` of `groq-key`. */
export function key(name: string, keywords: string, pattern: string, more?: More): DefaultPattern {
  return row(name, name.toUpperCase().replaceAll("-", "_"), keywords, pattern, more);
}

/** A quote in source code, in JSON, in JSON nested in JSON, or in HTML. */
export const quote = "(?:\\\\{0,3}[\"'`]|&(?:quot|#3[49]);)";
/** From a name to its value: the end of a quoted name, a type, then `:`, `=`, `=>`, or what make assigns with. */
export const assigned = `(?:${quote})?[\\])]?(?:[ \\t]?:[ \\t]?(?:str|string|String))?[ \\t]{0,8}(?::{1,3}=|[?]=|=>|<-|%3[AaDd]|[:=])[ \\t]{0,8}`;

export const passwordWords = "password passwd passphrase passcode passwrd pswd pwd";
export const password = "(?:password|passwd|passphrase|passcode|passwrd|pswd|pwd)";
