import { expandWordList, expandWords, isWordList, toAlternation } from "../words.ts";
import commands from "./commands.json" with { type: "json" };
import credentials from "./credentials.json" with { type: "json" };
import { behindEdge, type DefaultPattern, type PatternRow } from "./default-pattern.ts";
import formats from "./formats.json" with { type: "json" };
import forms from "./forms.json" with { type: "json" };
import fragments from "./fragments.json" with { type: "json" };
import general from "./general.json" with { type: "json" };
import options from "./options.json" with { type: "json" };
import personal from "./personal.json" with { type: "json" };
import prose from "./prose.json" with { type: "json" };
import providers from "./providers.json" with { type: "json" };
import vendors from "./vendors.json" with { type: "json" };

/**
 * The files of patterns. Of two patterns that find the same, the first gives the placeholder. The shapes of issuers' keys
 * are facts from their documentation and from the rules of gitleaks (https://github.com/gitleaks/gitleaks) and
 * secretlint.
 */
export const patternFiles = {
  providers,
  general,
  commands,
  options,
  credentials,
  forms,
  prose,
  formats,
  vendors,
  personal,
};

/** Every default. */
export const defaultPatterns: readonly DefaultPattern[] = (
  Object.values(patternFiles).flat() as PatternRow[]
).flatMap(buildDefaultPatterns);

function buildDefaultPatterns(row: PatternRow): DefaultPattern[] {
  if (row.options === undefined) return [buildDefaultPattern(row, row.pattern ?? "")];
  const before = `{{keywords}}\\b[^\\n;&]{0,300}?[ \\t](?:${row.options.join("|")})[ \\t=]{1,3}`;
  const given = { type: "PASSWORD", check: "literal", ...row } as const;
  return [
    buildDefaultPattern({ ...given, name: `${row.name}-quoted` }, `${before}{{quotedValue}}`),
    buildDefaultPattern(given, `${before}{{bareValue}}`),
  ];
}

function buildDefaultPattern(row: PatternRow, pattern: string): DefaultPattern {
  const keywords = row.keywords === undefined ? [] : expandWords(row.keywords);
  const { re2, native } = withEdges(pattern);
  return {
    name: row.name,
    pattern: expandPattern(re2, keywords),
    source: expandPattern(native, keywords),
    replacement: `[REDACTED_${row.type ?? row.name.toUpperCase().replaceAll("-", "_")}]`,
    keywords,
    check: row.check ?? null,
    enabled: row.enabled ?? true,
    pii: row.pii ?? false,
    reach: row.reach ?? 0,
  };
}

/** RE2 has no look-around: there a "_" beside a key belongs to the match, though not to the secret. */
function withEdges(pattern: string): { re2: string; native: string } {
  const [, flag = "", begin = "", key = "", end = ""] =
    /^(\(\?i\))?(\{\{edge\}\})?(.*?)(\{\{edge\}\})?$/.exec(pattern)!;
  if (begin === "" && end === "") return { re2: pattern, native: pattern };
  const secret = key.includes("(?<secret>") ? key : `(?<secret>${key})`;
  const beside = "(?:\\b|_)";
  return {
    re2: `${flag}${begin && beside}${secret}${end && beside}`,
    native: `${flag}${begin && behindEdge}${key}${end && "(?![A-Za-z0-9])"}`,
  };
}

function expandPattern(pattern: string, keywords: readonly string[]): string {
  return pattern.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (name === "keywords") return toAlternation(keywords);
    if (isWordList(name)) return toAlternation(expandWordList(name));
    return expandPattern(fragments[name as keyof typeof fragments], keywords);
  });
}
