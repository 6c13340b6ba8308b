import { rules as recommended } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";
import { RE2JS } from "re2js";
import { getErrorMessage } from "../../base/errors.ts";
import { checks } from "../checks/checks.ts";
import type { MatchSite } from "../checks/place.ts";
import { behindEdge, type DefaultPattern, type Pattern } from "./default-pattern.ts";

/** A compiled pattern. */
export interface SecretRule {
  name: string;
  type: string;
  keywords: readonly string[];
  /** Tries it at an occurrence of one of its keywords; null for a rule that is tried on the whole text. */
  at: ((text: string, keywordStart: number) => SecretSpan | null) | null;
  /** What may not stand before a match, so that a keyword within a word is passed over; null where anything may. */
  notBehind: RegExp | null;
  /** Whether its keyword begins the secret, so that a secret in several lines is found by joining them. */
  isWholeToken: boolean;
  /** Everything it finds in a text. */
  findAll(text: string): SecretSpan[];
}

/** A match: the secret, and where to continue the search. */
export interface SecretSpan {
  start: number;
  end: number;
  next: number;
}

/** Told of each match that is no secret by its pattern's check. */
export type OnRefused = (rule: string, place: MatchSite) => void;

/** Replaces a placeholder during the search, so that neither its text nor its number matches. */
export const stopper = "\uE000";

/** Placeholders such as `[REDACTED_GITHUB_TOKEN_2]`. */
export const placeholders = /\[REDACTED_[A-Z0-9_]+\]/g;

/** The type in `[REDACTED_TYPE]`, or null: it may not end like the number of a secret. */
export function parsePlaceholderType(replacement: string): string | null {
  const type = /^\[REDACTED_([A-Z][A-Z0-9_]*)\]$/.exec(replacement)?.[1];
  return type === undefined || /_[0-9]+$/.test(type) ? null : type;
}

/**
 * Compiles a pattern for RE2, which is linear for every pattern.
 * @throws Error that explains the problem
 */
export function compileRule(pattern: Pattern, onRefused?: OnRefused): SecretRule {
  const expression = compileRe2(pattern.pattern);
  const group = Object.hasOwn(expression.namedGroups(), "secret") ? "secret" : 0;
  const check = pattern.check === null ? null : checks[pattern.check];
  return {
    name: pattern.name,
    type: parsePlaceholderType(pattern.replacement)!,
    keywords: pattern.keywords,
    at: null,
    notBehind: null,
    isWholeToken: false,
    findAll(text) {
      const spans: SecretSpan[] = [];
      const matcher = expression.matcher(text);
      while (matcher.find()) {
        const span = { start: matcher.start(group), end: matcher.end(group), next: matcher.end() };
        if (span.start < 0 || span.end <= span.start) continue;
        if (check === null && isExample(text.slice(span.start, span.end))) continue;
        const place = { text, from: matcher.start(), ...span };
        if (check?.(place) === false) {
          onRefused?.(pattern.name, place);
          continue;
        }
        spans.push(span);
      }
      return spans;
    },
  };
}

function compileRe2(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new Error(getErrorMessage(error).replace(/^error parsing regexp: /, ""));
  }
}

/**
 * Compiles a default pattern for the native engine, which is many times faster. Default patterns are linear there
 * (`row` in default-pattern.ts) and match the same as under RE2.
 */
export function compileDefault(pattern: DefaultPattern, onRefused?: OnRefused): SecretRule {
  const ignoreCase = pattern.source.startsWith("(?i)");
  const source = ignoreCase ? pattern.source.slice(4) : pattern.source;
  const { reach } = pattern;
  const mode = pattern.keywords.length > 0 ? "y" : "g";
  // A match that begins behind its keyword is none: to look for one there would read the window at every keyword.
  const [before, after] = reach === 0 ? ["", ""] : [`[^]{0,${reach}}?(`, ")"];
  // Groups with names make a match several times as expensive, and a default pattern has no group but this one.
  const numbered = before + source.replace("(?<secret>", "(") + after;
  const whole = reach === 0 ? 0 : 1;
  const secret = source.includes("(?<secret>") ? whole + 1 : whole;
  let expression: RegExp | undefined;
  const check = pattern.check === null ? null : checks[pattern.check];

  const first = (text: string, from: number, latest = Number.POSITIVE_INFINITY): SecretSpan | null => {
    // Of hundreds, a text needs a few.
    expression ??= new RegExp(numbered, `d${mode}${ignoreCase ? "i" : ""}`);
    expression.lastIndex = from;
    const indices = expression.exec(text)?.indices;
    if (indices === undefined) return null;
    const [begin, next] = indices[whole]!;
    if (begin > latest) return null;
    const [start, end] = indices[secret] ?? [begin, next];
    if (check === null && isExample(text.slice(start, end))) return null;
    if (end <= start) return null;
    const place = { text, from: begin, start, end };
    if (check?.(place) === false) {
      onRefused?.(pattern.name, place);
      return null;
    }
    return { start, end, next };
  };
  const rule = {
    name: pattern.name,
    type: parsePlaceholderType(pattern.replacement)!,
    keywords: pattern.keywords,
    notBehind: reach === 0 ? buildNotBehind(source) : null,
    isWholeToken: reach === 0 && pattern.keywords.length > 0 && !source.includes("(?<secret>"),
  };
  if (pattern.keywords.length === 0)
    return { ...rule, at: null, findAll: (text) => findEveryMatch(first, text) };
  const at =
    reach === 0
      ? first
      : (text: string, keywordStart: number) => {
          // The window covers every match that contains the keyword; the character before it is for \b.
          const from = Math.max(0, keywordStart - reach);
          const begin = Math.max(0, from - 1);
          const window = text.slice(begin, keywordStart + 512);
          const span = first(window, from - begin, keywordStart - begin);
          return span ? { start: span.start + begin, end: span.end + begin, next: span.next + begin } : null;
        };
  return { ...rule, at, findAll: () => [] };
}

function buildNotBehind(source: string): RegExp | null {
  if (source.startsWith(behindEdge)) return /[A-Za-z0-9]/;
  return /^\\b[^|]+$/.test(source) ? /\w/ : null;
}

/** Keys in documentation: `AKIA...EXAMPLE`, `ghp_xxxxxxxxxxxx`. */
export function isExample(value: string): boolean {
  return value.length < 200 && /EXAMPLE|[xX]{10,}|[*.•]{6,}/.test(value);
}

function findEveryMatch(
  first: (text: string, from: number) => SecretSpan | null,
  text: string,
): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let span = first(text, 0); span !== null; span = first(text, span.next)) spans.push(span);
  return spans;
}

/** A rule of secretlint (https://github.com/secretlint/secretlint), called without its asynchronous engine. */
export interface ProviderRule {
  name: string;
  type: string;
  keywords: readonly string[];
  /** How far around a keyword it looks. Characters. */
  before: number;
  after: number;
  /** Ranges of secrets in a text. */
  find(text: string): [start: number, end: number][];
}

/**
 * Where to try which rule. Omitted: gcp, which reads files; filter-comments, which would let a text disable the others;
 * basicauth and database-connection-string, which report whole URLs instead of the credentials.
 */
const wanted: Record<string, { type: string; keywords: string[]; options?: object; after?: number }> = {
  aws: {
    type: "AWS_KEY",
    keywords: ["a3t", "akia", "agpa", "aroa", "asia", "secret_access_key", "secretaccesskey"],
    options: { enableIDScanRule: true },
  },
  privatekey: { type: "PRIVATE_KEY", keywords: ["-----begin"], after: 11_000 },
  npm: { type: "NPM_TOKEN", keywords: ["npm_", ":x-oauth-basic"] },
  slack: {
    type: "SLACK_TOKEN",
    keywords: ["xoxb", "xoxp", "xapp", "xoxa", "xoxo", "xoxr", "hooks.slack.com"],
  },
  sendgrid: { type: "SENDGRID_KEY", keywords: ["sg."] },
  shopify: { type: "SHOPIFY_TOKEN", keywords: ["shppa_", "shpca_", "shpat_", "shpss_"] },
  github: { type: "GITHUB_TOKEN", keywords: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"] },
  openai: { type: "OPENAI_KEY", keywords: ["t3blbkfj"] },
  anthropic: { type: "ANTHROPIC_KEY", keywords: ["sk-ant-api0"] },
  linear: { type: "LINEAR_KEY", keywords: ["lin_api_"] },
  "1password": { type: "ONEPASSWORD_TOKEN", keywords: ["ops_ey"] },
};

export const providerRules: readonly ProviderRule[] = recommended.flatMap((rule) => {
  const id = rule.meta.id.replace("@secretlint/secretlint-rule-", "");
  const choice = wanted[id];
  if (choice === undefined) return [];
  const ranges: [number, number][] = [];
  let searched = "";
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({
      message: "",
      messageId: String(messageId),
      data: data ?? {},
    }),
    // An account's number names it, and opens nothing.
    report: ({ message, range }) =>
      message.messageId === "AWSAccountID" || ranges.push(locateSecret(searched, message.data, range)),
    ignore: () => {},
  };
  const { file } = rule.create(context, choice.options ?? {});
  return [
    {
      name: `secretlint-${id}`,
      type: choice.type,
      keywords: choice.keywords,
      before: 200,
      after: choice.after ?? 1_500,
      find(text) {
        ranges.length = 0;
        searched = text;
        file?.(toSourceCode(text));
        return ranges.slice();
      },
    },
  ];
});

/**
 * The secret's range: some rules report it from the start of the name, but all name the secret first in their message.
 */
function locateSecret(text: string, data: object, [start, end]: readonly [number, number]): [number, number] {
  const secret: unknown = Object.values(data)[0];
  if (typeof secret !== "string" || secret === "") return [start, end];
  const at = text.indexOf(secret, start);
  return at === -1 || at > end ? [start, end] : [at, at + secret.length];
}

function toSourceCode(content: string): SecretLintSourceCode {
  const none = () => {
    throw new Error("positions in lines are not needed");
  };
  return {
    content,
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: "text",
    ext: "",
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: none,
    rangeToLocation: none,
    positionToIndex: none,
    indexToPosition: none,
  };
}
