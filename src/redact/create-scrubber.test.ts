import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lookAlikes } from "../../test/support/secrets/look-alikes.ts";
import { secretCases } from "../../test/support/secrets/secrets.ts";
import { createScrubber } from "./create-scrubber.ts";
import { createLedger } from "./scrubber.ts";

const none = { globalFile: "/nonexistent/patterns.toml", projectFile: null, pii: false };
const scrubber = createScrubber(none);
const ledger = () => createLedger(Buffer.from("0123456789abcdef"));
const scrub = (text: string, name?: string) => scrubber.scrub(text, ledger(), name);
const github = (letter: string) => `ghp_${letter.repeat(35)}7`;

/** Texts built from rule inputs: secrets, look-alikes, words, punctuation, placeholders and the stopper. */
const pieces = fc.oneof(
  fc.constantFrom(...secretCases().map(({ text }) => text)),
  fc.constantFrom(...lookAlikes()),
  fc.constantFrom(
    ..."password token= secret: api_key key auth \" ' ` \n \\n = : :// @ ; ( ) [ ] $ { } \u{e000} \u{1f600} \ud800 -----BEGIN".split(
      " ",
    ),
    "[REDACTED_TOKEN]",
    "[REDACTED_TOKEN_12]",
    "[REDACTED_",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
  ),
  fc.string({ maxLength: 30 }),
  fc.base64String({ minLength: 16, maxLength: 80 }),
);
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
const names = fc.option(fc.constantFrom("password", "token", "file_path", "Authorization"), {
  nil: undefined,
});

describe("scrubbers of the same rules", () => {
  it("share what they have compiled", () => {
    const kept = [createScrubber(none)];
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 10; i++) kept.push(createScrubber(none));
    // One has nine megabytes.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
    expect(new Set(kept.map(({ version }) => version)).size).toBe(1);
  });

  it("share nothing with those of other rules", () => {
    const projectFile = join(mkdtempSync(join(tmpdir(), "pommel-rules-")), "patterns.toml");
    writeFileSync(
      projectFile,
      '[[patterns]]\nname = "heron"\npattern = "heron-[0-9]{4}"\nreplacement = "[REDACTED_HERON]"\n',
    );
    const other = createScrubber({ ...none, projectFile });
    for (let i = 0; i < 2; i++) {
      expect(other.scrub("heron-1234", ledger())).toBe("[REDACTED_HERON]");
      expect(scrub("heron-1234")).toBe("heron-1234");
    }
    expect(other.version).not.toBe(scrubber.version);
  });
});

describe("scrubbing", () => {
  it("is idempotent", () => {
    fc.assert(
      fc.property(texts, names, (text, name) => {
        const once = scrub(text, name);
        expect(scrub(once, name)).toBe(once);
      }),
      { numRuns: 600 },
    );
  });

  it("replaces matches in order, without overlaps, and nothing else", () => {
    fc.assert(
      fc.property(texts, names, (text, name) => {
        const matches = scrubber.find(text, name);
        let at = 0;
        let expected = "";
        for (const { start, end } of matches) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          expected += `${text.slice(at, start)}\0`;
          at = end;
        }
        expected += text.slice(at);
        const constant = scrubber.scrub(text, { numberSecret: () => 99_999 }, name);
        expect(constant.replace(/\[REDACTED_[A-Z0-9_]+_99999\]/g, "\0")).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("returns text without secrets unchanged", () => {
    const text = "nothing to see here, but a token and a key";
    expect(scrub(text)).toBe(text);
    expect(scrub("")).toBe("");
  });

  it("numbers different secrets of a type and reuses the number of a repeated one", () => {
    const session = ledger();
    const [a, b] = [github("a"), github("b")];
    expect(scrubber.scrub(`${a} ${b} ${a}`, session)).toBe(
      "[REDACTED_GITHUB_TOKEN] [REDACTED_GITHUB_TOKEN_2] [REDACTED_GITHUB_TOKEN]",
    );
    expect(scrubber.scrub(`again ${b}`, session)).toBe("again [REDACTED_GITHUB_TOKEN_2]");
  });

  it("keeps host and database of a connection string", () => {
    const password = `s3cret${"x".repeat(3)}Pw`;
    expect(scrub(`postgres://shop:${password}@db.acme.test:5432/shop`)).toBe(
      "postgres://[REDACTED_POSTGRES_CREDENTIALS]@db.acme.test:5432/shop",
    );
  });

  it("redacts every occurrence of a secret identified once by its name", () => {
    const secret = `q7W${"e4R".repeat(4)}`;
    expect(scrub(`echo ${secret} | login # password: ${secret}`)).not.toContain(secret);
  });

  it("recognises a secret by the name of its value", () => {
    expect(scrub("hunter22", "db_password")).toBe("[REDACTED_PASSWORD]");
    expect(scrub("hunter22", "file_path")).toBe("hunter22");
    expect(scrub("string", "password")).toBe("string");
    expect(scrub("[REDACTED_PASSWORD]", "password")).toBe("[REDACTED_PASSWORD]");
  });

  it("redacts email addresses, phone and social security numbers only with `pii`", () => {
    const text = "ann@acme.test, 555-010-9999, (555) 010-9999, 078-05-1120";
    expect(scrub(text)).toBe(text);
    expect(createScrubber({ ...none, pii: true }).scrub(text, ledger())).toBe(
      "[REDACTED_EMAIL], [REDACTED_PHONE], [REDACTED_PHONE_2], [REDACTED_SSN]",
    );
  });

  it("ignores comments that disable secretlint", () => {
    expect(scrub(`// secretlint-disable\n${github("c")}`)).not.toContain(github("c"));
  });
});

describe("a scrubber's version", () => {
  const withFile = (text: string) => {
    const file = join(mkdtempSync(join(tmpdir(), "pommel-version-")), "patterns.toml");
    writeFileSync(file, text);
    return createScrubber({ ...none, globalFile: file }).version;
  };

  it("is the same for the same rules", () => {
    expect(createScrubber(none).version).toBe(scrubber.version);
    expect(withFile("# only a comment\n")).toBe(scrubber.version);
  });

  it("changes with every rule", () => {
    const versions = [
      scrubber.version,
      createScrubber({ ...none, pii: true }).version,
      withFile('[[patterns]]\nname = "github-token"\nenabled = false\n'),
      withFile('[[patterns]]\nname = "mine"\npattern = "MINE_[0-9]+"\n'),
      withFile('[[patterns]]\nname = "mine"\npattern = "MINE_[0-9]{2,}"\n'),
    ];
    expect(new Set(versions).size).toBe(versions.length);
  });
});
