import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import type { ForeignCases } from "./foreign.ts";
import { findsNoSecret, foreignPattern, secretIn, secretOf } from "./foreign-pattern.ts";

/** A literal of Go, or anything else that is in a list: a call, a sign, a comment. */
const goPart = /`([^`]*)`|"((?:[^"\\\n]|\\.)*)"|\/\/[^\n]*|[,+(){}]|[^\s`",+(){}/]+|\//gy;

/** The text between the quotes of a Go literal, as JSON reads it; as it stands where JSON cannot. */
function unescapedGo(literal: string): string {
  try {
    return String(JSON.parse(`"${literal}"`));
  } catch {
    return literal;
  }
}

/**
 * What the detectors of trufflehog (https://github.com/trufflesecurity/trufflehog) are tested with: a text and what they
 * shall find in it, as far as both are literals, put together or filled in. Nothing of it is copied; it is only read.
 */
export function trufflehogCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const folder = join(checkout, "pkg/detectors");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith("_test.go") || entry.name.includes("integration")) continue;
    const source = readFileSync(join(entry.parentPath, entry.name), "utf8");
    const kind = entry.parentPath.slice(folder.length + 1).split("/")[0] ?? "";
    const known = constantsOf(source);
    for (const { index } of source.matchAll(/\binput:\s*/g)) {
      const text = expressionAt(source, index + /^input:\s*/.exec(source.slice(index))![0].length, known);
      const list = /\bwant:\s*\[\]string\{/g;
      list.lastIndex = index;
      const wanted = list.exec(source);
      const isNext = wanted !== null && !source.slice(index + 6, wanted.index).includes("input:");
      if (text === null || !isNext) continue;
      const wants = listAt(source, list.lastIndex, known);
      if (wants.length === 0) continue;
      const secrets = wants.flatMap((want) => {
        const secret = want === null || want === "" || !text.includes(want) ? null : secretOf(want);
        return secret === null ? [] : [secret];
      });
      if (secrets.length === 0) cases.unplaced++;
      else cases.secrets.push({ kind, text, secrets, keep: [] });
    }
  }
  return cases;
}

type Constants = ReadonlyMap<string, string>;

function constantsOf(source: string): Constants {
  const known = new Map<string, string>();
  for (const match of source.matchAll(
    /^[ \t]*(?:var |const )?(\w+)[ \t]*(?:string[ \t]*)?:?=[ \t]*(?=[`"\w])/gm,
  )) {
    const value = expressionAt(source, match.index + match[0].length, known);
    if (value !== null) known.set(match[1]!, value);
  }
  return known;
}

/** The texts of a list that begins at `at`; null for one that is made in another way. */
function listAt(source: string, at: number, known: Constants): (string | null)[] {
  const elements: (string | null)[] = [];
  const reader = createReader(source, at, known);
  for (let token = reader.peek(); token !== null && token !== "}"; token = reader.peek()) {
    elements.push(reader.expression());
    if (reader.peek() === ",") reader.take();
    else break;
  }
  return elements;
}

function expressionAt(source: string, at: number, known: Constants): string | null {
  return createReader(source, at, known).expression();
}

/** Reads literals, names of constants, sums of them and `fmt.Sprintf` with `%s`. */
function createReader(source: string, start: number, known: Constants) {
  let at = start;
  const next = (): RegExpExecArray | null => {
    at += /^\s*/.exec(source.slice(at, at + 400))![0].length;
    goPart.lastIndex = at;
    return goPart.exec(source);
  };
  const peek = () => next()?.[0] ?? null;
  const take = () => {
    const found = next();
    if (found !== null) at += found[0].length;
    return found;
  };
  const term = (): string | null => {
    const found = take();
    if (found === null) return null;
    const [whole, raw, quoted] = found;
    if (raw !== undefined) return raw;
    if (quoted !== undefined) return unescapedGo(quoted);
    if (peek() !== "(") return known.get(whole) ?? null;
    take();
    const values: (string | null)[] = [];
    while (peek() !== ")") {
      values.push(expression());
      if (peek() === ",") take();
      else break;
    }
    if (take()?.[0] !== ")" || whole !== "fmt.Sprintf" || values.includes(null)) return null;
    const [format, ...rest] = values as string[];
    return format!.replace(/%[sv]/g, () => rest.shift() ?? "");
  };
  const expression = (): string | null => {
    let sum = term();
    while (peek() === "+") {
      take();
      const more = term();
      sum = sum === null || more === null ? null : sum + more;
    }
    return sum;
  };
  return { peek, take, expression };
}

const configuration = z.object({
  rules: z.array(
    z.object({ id: z.string(), regex: z.string().optional(), secretGroup: z.number().default(0) }),
  ),
});

/**
 * What the rules of gitleaks (https://github.com/gitleaks/gitleaks, MIT License) are tested with, as far as it stands in
 * their source word for word; the others it makes up when it is built.
 */
export function gitleaksCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const { rules } = configuration.parse(parse(readFileSync(join(checkout, "config/gitleaks.toml"), "utf8")));
  const patterns = new Map(
    rules.flatMap(({ id, regex, secretGroup }) => {
      const pattern = regex === undefined ? null : foreignPattern(regex);
      return pattern === null || findsNoSecret(id) ? [] : [[id, { pattern, secretGroup }] as const];
    }),
  );
  const folder = join(checkout, "cmd/generate/config/rules");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".go"))) {
    const kind = file.replace(/\.go$/, "");
    for (const source of readFileSync(join(folder, file), "utf8").split(/^func /m)) {
      const known = patterns.get(/RuleID:\s*"([^"]+)"/.exec(source)?.[1] ?? "");
      if (known === undefined) continue;
      for (const text of textsOf(source, "fps")) cases.lookAlikes.push({ kind, text, secrets: [], keep: [] });
      for (const text of textsOf(source, "tps")) {
        const secret = secretIn(text, known.pattern, known.secretGroup);
        if (secret === null) cases.unplaced++;
        else cases.secrets.push({ kind, text, secrets: [secret], keep: [] });
      }
    }
  }
  return cases;
}

/** The elements of a list that are literals, or literals put together. */
function textsOf(source: string, list: string): string[] {
  const texts: string[] = [];
  for (const begin of source.matchAll(
    new RegExp(`\\b${list}\\s*:?=\\s*(?:\\[\\]string\\{|append\\(${list},)`, "g"),
  )) {
    let depth = 0;
    /** The literals of an element; null: it is not made of these alone. */
    let literals: string[] | null = [];
    const end = () => {
      if (literals !== null && literals.length > 0) texts.push(literals.join(""));
      literals = [];
    };
    goPart.lastIndex = begin.index + begin[0].length;
    for (;;) {
      goPart.lastIndex += /^\s*/.exec(source.slice(goPart.lastIndex))![0].length;
      const match = goPart.exec(source);
      if (match === null) break;
      const [whole, raw, quoted] = match;
      if (whole === "+" || whole.startsWith("//")) continue;
      if (whole === "(" || whole === "{") depth++;
      else if (whole === ")" || whole === "}") depth--;
      if (depth < 0) break;
      if (whole === "," && depth === 0) end();
      else if (depth === 0 && raw !== undefined) literals?.push(raw);
      else if (depth === 0 && quoted !== undefined) literals?.push(unescapedGo(quoted));
      else literals = null;
    }
    end();
  }
  return texts;
}
