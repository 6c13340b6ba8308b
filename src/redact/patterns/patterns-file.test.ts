import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { PommelError } from "../../base/errors.ts";
import { createScrubber } from "../create-scrubber.ts";
import { createLedger } from "../scrubber.ts";
import { defaultPatterns } from "./default-patterns.ts";
import { ensureGlobalPatterns, locateGlobalPatterns } from "./patterns-file.ts";

const folder = () => mkdtempSync(join(tmpdir(), "pommel-patterns-"));
const token = `ghp_${"k".repeat(35)}9`;
const internal = `ACME_${"4".repeat(12)}`;

function fileWith(text: string): string {
  const file = join(folder(), "scrubbing-patterns.toml");
  writeFileSync(file, text);
  return file;
}

function scrub(text: string, files: { global?: string; project?: string }): string {
  const sources = {
    globalFile: files.global === undefined ? "/nonexistent/patterns.toml" : fileWith(files.global),
    projectFile: files.project === undefined ? null : fileWith(files.project),
    pii: false,
  };
  return createScrubber(sources).scrub(text, createLedger(Buffer.from("0123456789abcdef")));
}

function errorOf(global: string): PommelError {
  try {
    scrub("", { global });
  } catch (error) {
    if (error instanceof PommelError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the user's pattern file", () => {
  it("is created with every default, readable by the user alone", () => {
    const env = { XDG_CONFIG_HOME: folder() };
    const file = ensureGlobalPatterns(env);
    expect(file).toBe(locateGlobalPatterns(env));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    // As comments, so that defaults that nobody edits change with an update.
    const text = readFileSync(file, "utf8");
    expect(parse(text)).toEqual({});
    const { patterns } = parse(text.slice(text.indexOf("# [[patterns]]")).replace(/^# /gm, "")) as {
      patterns: { name: string; pattern: string }[];
    };
    expect(patterns.map(({ name, pattern }) => [name, pattern])).toEqual(
      defaultPatterns.map(({ name, pattern }) => [name, pattern]),
    );
  });

  it("changes nothing while it is unedited", () => {
    const env = { XDG_CONFIG_HOME: folder() };
    const sources = { globalFile: ensureGlobalPatterns(env), projectFile: null, pii: false };
    expect(createScrubber(sources).version).toBe(
      createScrubber({ ...sources, globalFile: "/nonexistent/patterns.toml" }).version,
    );
  });

  it("is not overwritten when it exists", () => {
    const env = { XDG_CONFIG_HOME: folder() };
    mkdirSync(dirname(locateGlobalPatterns(env)), { recursive: true });
    writeFileSync(locateGlobalPatterns(env), "# mine\n");
    ensureGlobalPatterns(env);
    expect(readFileSync(locateGlobalPatterns(env), "utf8")).toBe("# mine\n");
  });

  it("disables a default", () => {
    const off = ["github-token", "generic-api-key", "token-assignment"].map(
      (name) => `[[patterns]]\nname = "${name}"\nenabled = false\n`,
    );
    expect(
      scrub(`AKIA${"A".repeat(16)}`, { global: '[[patterns]]\nname = "aws-access-key"\nenabled = false\n' }),
    ).toBe("[REDACTED_AWS_KEY]");
    expect(scrub(`https://a${"b:c"}d3@acme.test ${token}`, { global: off.join("\n") })).toContain(
      "[REDACTED_URL",
    );
  });

  it("changes a default's pattern and placeholder", () => {
    const global =
      '[[patterns]]\nname = "stripe-key"\npattern = "stripe_[0-9]+"\nreplacement = "[REDACTED_PAYMENT]"\n';
    expect(scrub("stripe_123", { global })).toBe("[REDACTED_PAYMENT]");
  });

  it("adds patterns, which replace their group, respect keywords and checks and take their type from their name", () => {
    const global = `
[[patterns]]
name = "acme-key"
pattern = 'acme key (?P<secret>[A-Z0-9_]+)'
keywords = ["ACME KEY"]

[[patterns]]
name = "never"
pattern = "visible"
keywords = ["not in there"]

[[patterns]]
name = "checked"
pattern = 'pin=(?P<secret>\\w+)'
check = "password"
`;
    expect(scrub(`the acme key ${internal} is visible, pin=string`, { global })).toBe(
      "the acme key [REDACTED_ACME_KEY] is visible, pin=string",
    );
  });

  it("leaves placeholders alone even where its pattern matches them", () => {
    const global = "[[patterns]]\nname = \"staging\"\npattern = 'https://staging\\.acme\\.test\\S*'\n";
    const text = `see https://staging.acme.test/?t=${token}&x=1 there`;
    const once = scrub(text, { global });
    expect(once).toBe("see [REDACTED_STAGING] there");
    expect(scrub(scrub(text, {}), { global })).toBe(once);
    expect(scrub(once, { global })).toBe(once);
  });

  it("runs in linear time on catastrophic patterns", () => {
    const global = '[[patterns]]\nname = "evil"\npattern = "(a+)+$"\n';
    expect(scrub(`${"a".repeat(5_000)}!`, { global })).toContain("!");
  });
});

describe("a project's pattern file", () => {
  it("adds patterns", () => {
    const project =
      '[[patterns]]\nname = "internal"\npattern = "ACME_[0-9]{12}"\nreplacement = "[REDACTED_INTERNAL_KEY]"\n';
    expect(scrub(`x ${internal} y ${token}`, { project })).toBe(
      "x [REDACTED_INTERNAL_KEY] y [REDACTED_GITHUB_TOKEN]",
    );
  });

  it("cannot disable or replace existing patterns", () => {
    for (const project of [
      '[[patterns]]\nname = "github-token"\npattern = "nothing-of-this"\n',
      '[[patterns]]\nname = "github-token"\npattern = "nothing-of-this"\nenabled = false\n',
    ]) {
      expect(scrub(token, { project })).toBe("[REDACTED_GITHUB_TOKEN]");
    }
    expect(() => scrub(token, { project: '[[patterns]]\nname = "github-token"\nenabled = false\n' })).toThrow(
      /pattern github-token: pattern is missing/,
    );
  });
});

describe("an invalid pattern file", () => {
  it.each([
    ["not TOML", "[[patterns]\n", /scrubbing-patterns\.toml:1:\d+: not valid TOML/],
    [
      "a bad expression",
      '\n[[patterns]]\nname = "a"\npattern = "(b"\n',
      /toml:2: pattern a is not a valid regular expression: missing closing \)/,
    ],
    [
      "look-around",
      '[[patterns]]\nname = "a"\npattern = "(?=b)"\n',
      /toml:1: pattern a is not a valid regular expression/,
    ],
    ["no pattern", '[[patterns]]\nname = "a"\n', /toml:1: pattern a: pattern is missing/],
    ["no name", '[[patterns]]\npattern = "a"\n', /toml:1: a pattern without a name: name is missing/],
    [
      "a placeholder of another form",
      '[[patterns]]\nname = "a"\npattern = "b"\nreplacement = "***"\n',
      /toml:1: pattern a: "\*\*\*" is not a placeholder/,
    ],
    [
      "a placeholder like a numbered one",
      '[[patterns]]\nname = "a-2"\npattern = "b"\n',
      /"\[REDACTED_A_2\]" is not a placeholder/,
    ],
    [
      "an unknown field",
      '[[patterns]]\nname = "a"\npattern = "b"\nregex = "c"\n',
      /toml:1: pattern a has the unknown field regex/,
    ],
    [
      "an unknown check",
      '[[patterns]]\nname = "a"\npattern = "b"\ncheck = "c"\n',
      /pattern a: check is missing or invalid/,
    ],
    [
      "a wrong type",
      '[[patterns]]\nname = "a"\npattern = "b"\nenabled = "no"\n',
      /pattern a: enabled is missing or invalid/,
    ],
    [
      "a name twice",
      '[[patterns]]\nname = "a"\npattern = "b"\n[[patterns]]\nname = "a"\npattern = "c"\n',
      /toml:4: there are two patterns called a/,
    ],
    ["another section", "[scrub]\npii = true\n", /unknown setting scrub/],
  ])("is reported: %s", (_what, text, message) => {
    const error = errorOf(text);
    expect(error.code).toBe("config_invalid");
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe("");
  });
});
