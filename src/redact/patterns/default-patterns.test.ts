import { describe, expect, it } from "vitest";
import { developmentSecrets } from "../../../test/support/secrets/formats/development.ts";
import { heldOutSecretCases } from "../../../test/support/secrets/held-out-secrets.ts";
import { lookAlikes } from "../../../test/support/secrets/look-alikes.ts";
import { secretCases } from "../../../test/support/secrets/secrets.ts";
import { casesOf } from "../../../test/support/secrets/templates.ts";
import { type DefaultPattern, rowSchema } from "./default-pattern.ts";
import { defaultPatterns, patternFiles } from "./default-patterns.ts";
import fragments from "./fragments.json" with { type: "json" };
import { compileKeywords } from "./keywords.ts";
import { compileDefault, compileRule, parsePlaceholderType } from "./rule.ts";

/** The documented names; users refer to them in their own files. */
const promised = {
  "aws-access-key": "[REDACTED_AWS_KEY]",
  "aws-secret-key": "[REDACTED_AWS_SECRET]",
  "github-token": "[REDACTED_GITHUB_TOKEN]",
  "github-fine-grained-token": "[REDACTED_GITHUB_PAT]",
  "generic-api-key": "[REDACTED_API_KEY]",
  "jwt-token": "[REDACTED_JWT]",
  "private-key-header": "[REDACTED_PRIVATE_KEY]",
  "password-assignment": "[REDACTED_PASSWORD]",
  "connection-string-mongo": "[REDACTED_MONGODB_CREDENTIALS]",
  "connection-string-postgres": "[REDACTED_POSTGRES_CREDENTIALS]",
  "connection-string-mysql": "[REDACTED_MYSQL_CREDENTIALS]",
  "connection-string-redis": "[REDACTED_REDIS_CREDENTIALS]",
  "slack-token": "[REDACTED_SLACK_TOKEN]",
  "stripe-key": "[REDACTED_STRIPE_KEY]",
  email: "[REDACTED_EMAIL]",
  "phone-us": "[REDACTED_PHONE]",
  ssn: "[REDACTED_SSN]",
};

describe("the files of patterns", () => {
  it.each(Object.entries(patternFiles))("%s.json has rows of the known fields", (_, rows) => {
    for (const row of rows) {
      const read = rowSchema.safeParse(row);
      expect(read.error?.issues, JSON.stringify(row)).toBeUndefined();
      expect(read.data?.pattern === undefined, row.name).not.toBe(read.data?.options === undefined);
    }
  });

  it("name only lists and fragments that exist, and use every fragment", () => {
    const written = JSON.stringify([patternFiles, fragments]);
    const used = new Set(Array.from(written.matchAll(/\{\{(\w+)\}\}/g), ([, name]) => name!));
    for (const name of Object.keys(fragments)) expect(used).toContain(name);
    for (const { name, pattern, keywords } of defaultPatterns) {
      expect(pattern, name).not.toMatch(/\{\{|undefined/);
      expect(keywords.join(), name).not.toMatch(/[␣·]|\{\{/);
    }
  });
});

describe("the default patterns", () => {
  it("have the documented names and placeholders", () => {
    const replacements = Object.fromEntries(
      defaultPatterns.map(({ name, replacement }) => [name, replacement]),
    );
    expect(replacements).toMatchObject(promised);
  });

  it("have unique names and well-formed placeholders", () => {
    expect(new Set(defaultPatterns.map(({ name }) => name)).size).toBe(defaultPatterns.length);
    expect(defaultPatterns.filter(({ replacement }) => parsePlaceholderType(replacement) === null)).toEqual(
      [],
    );
  });

  it("are all enabled except for personal data", () => {
    expect(defaultPatterns.filter(({ enabled }) => !enabled).map(({ name }) => name)).toEqual([
      "email",
      "phone-us",
      "ssn",
    ]);
  });

  // An edited default runs on RE2 and must keep finding the same secrets.
  it("match the same with both engines", () => {
    const texts = [...secretCases(), ...heldOutSecretCases(), ...casesOf(developmentSecrets, 1)]
      .map(({ text }) => text)
      .concat(lookAlikes())
      .map((text) => ({ text, lower: text.toLowerCase() }));
    for (const [index, pattern] of defaultPatterns.entries()) {
      const slow = compileRule(pattern);
      const fast = native(pattern);
      // RE2 is slow: each pattern gets a third of the texts.
      for (const { text, lower } of texts.filter((_, at) => at % 3 === index % 3)) {
        if (!occursIn(pattern, lower)) continue;
        const expected = slow.findAll(text).map(({ start, end }) => text.slice(start, end));
        const found = fast(text).map(({ start, end }) => text.slice(start, end));
        expect(found, `${pattern.name} in ${text}`).toEqual(expected);
      }
    }
  });
});

function occursIn({ keywords }: DefaultPattern, lower: string): boolean {
  return keywords.length === 0 || keywords.some((keyword) => lower.includes(keyword));
}

/** What a pattern finds under the native engine. */
function native(pattern: DefaultPattern): (text: string) => { start: number; end: number }[] {
  const rule = compileDefault(pattern);
  const { at } = rule;
  if (at === null) return (text) => rule.findAll(text);
  const scan = compileKeywords(pattern.keywords);
  return (text) => {
    const starts: number[] = [];
    scan(text, (_keyword, start) => starts.push(start));
    const found: { start: number; end: number }[] = [];
    let done = 0;
    for (const start of starts.sort((a, b) => a - b)) {
      const span = start < done ? null : at(text, start);
      if (span === null) continue;
      found.push(span);
      done = span.next;
    }
    return found;
  };
}
