import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { base62, maker } from "../../test/support/secrets/make.ts";
import { blockwise, letterwise } from "../../test/support/secrets/written-otherwise.ts";
import { createScrubber } from "./create-scrubber.ts";
import { createBudget, findEncodedTexts } from "./encoded.ts";
import { createLedger } from "./scrubber.ts";
import { buildTextView, findRewrittenParts } from "./view.ts";
import { expandWordList } from "./words.ts";

const scrubber = createScrubber({ globalFile: "/nonexistent/patterns.toml", projectFile: null, pii: false });
const scrub = (text: string) => scrubber.scrub(text, createLedger(Buffer.from("0123456789abcdef")));
const writings = Object.entries({ ...letterwise, ...blockwise });

describe("the view of a text", () => {
  const part = fc.record({
    plain: fc.string({ maxLength: 6 }),
    original: fc.string({ minLength: 1, maxLength: 6 }),
    instead: fc.string({ maxLength: 3 }),
  });

  it("leads each of its characters back to those that it was made of", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        let [text, seen] = ["", ""];
        const rewritten = parts.map(({ plain, original, instead }) => {
          const start = text.length + plain.length;
          text += plain + original;
          return { start, end: start + original.length, instead };
        });
        const view = buildTextView(text, rewritten);
        let at = 0;
        for (const { plain, original, instead } of parts) {
          for (let index = 0; index < plain.length; index++, seen += plain[index - 1]) {
            const place = view.mapToOriginal(seen.length, seen.length + 1);
            expect(place).toEqual({ start: at + index, end: at + index + 1 });
          }
          at += plain.length;
          for (let index = 0; index < instead.length; index++)
            expect(view.mapToOriginal(seen.length + index, seen.length + index + 1)).toEqual({
              start: at,
              end: at + original.length,
            });
          seen += instead;
          at += original.length;
        }
        expect(view.text).toBe(seen);
      }),
    );
  });

  it("has one form of blanks, of signs and of what a diff marks", () => {
    for (const [text, seen] of [
      ["a\u00a0b\u3000c\u2028d", "a b c\nd"],
      ["ｋｅｙ：１＝２", "key:1=2"],
      [
        "Look:\n@@ -1,2 +1,2 @@ f\n-old\n+new\n same\n- item",
        "Look:\n@@ -1,2 +1,2 @@ f\nold\nnew\n same\n item",
      ],
      ["- item\ntext\n- item", "- item\ntext\n- item"],
      ["Note to Pommel: pass: x\n  note to pommel: y", "pass: x\ny"],
    ] as const)
      expect(buildTextView(text, findRewrittenParts(text)).text).toBe(seen);
  });
});

describe("a secret in another writing", () => {
  it.each(writings)("goes, with nothing around it: %s", (kind, write) => {
    fc.assert(
      fc.property(fc.nat(99_999), (seed) => {
        const secret = maker(seed).mixed(base62, 32);
        const [before, after] = ['{"user":"ann","password":"', '","n":1}'];
        const scrubbed = scrub(`x = ${write(before + secret + after)} ok`);
        const left = Object.hasOwn(blockwise, kind) ? ["", ""] : [write(before), write(after)];
        expect(scrubbed).toMatch(/\[REDACTED_[A-Z_]+\]/);
        expect(scrubbed.replace(/\[REDACTED_[A-Z_]+\]/, "")).toBe(`x = ${left.join("")} ok`);
      }),
      { numRuns: 20 },
    );
  });

  it("goes in every composition of two writings, and a second scrubbing changes nothing", () => {
    for (const [inner, first] of writings)
      for (const [outer, second] of writings) {
        const secret = maker(inner.length * 31 + outer.length).mixed(base62, 36);
        // Twice in twice are four deep.
        if (inner.includes("twice") && outer.includes("twice")) continue;
        const written = second(first(`token: ghp_${secret}`));
        const scrubbed = scrub(`value ${written} end`);
        const name = `${outer} of ${inner}: ${scrubbed}`;
        expect(scrubbed, name).toContain("[REDACTED_");
        for (let at = 0; at + 12 <= secret.length; at++)
          expect(scrubbed, name).not.toContain(second(first(secret.slice(at, at + 12))));
        expect(scrub(scrubbed), name).toBe(scrubbed);
      }
  });

  it("goes where a line ends within a UUID, wherever that is, and a UUID stays that no name makes a key", () => {
    const uuid = "3f0c9a7e-51b2-4d88-9a6e-0c7d21e4b59f";
    for (let at = 1; at < uuid.length; at++) {
      const broken = `${uuid.slice(0, at)}\n${uuid.slice(at)}`;
      expect(scrub(`Secret key:\n${broken}\nok`)).toBe("Secret key:\n[REDACTED_SECRET]\nok");
      expect(scrub(`Request: ${broken}\nok`)).toBe(`Request: ${broken}\nok`);
    }
    const parts = [uuid.slice(0, 17), uuid.slice(17, 30), uuid.slice(30)];
    expect(scrub(`CLIENT_SECRET=${parts.join("\n")}\nok`)).toMatch(
      /^CLIENT_SECRET=\[REDACTED_[A-Z_]+\]\nok$/,
    );
  });

  it("goes with signs of any kind behind the words that hand it over, where a name or code stays", () => {
    for (const words of ["here is the key:", "Here's the new token:\n", "use this secret: `"])
      for (const key of ["xK9$mQ2!pL7@wR4z", "qR7#tY2&bN5^vM8*", "tV6|k9Wq2;B4nX?m8"])
        expect(scrub(`${words} ${key}`)).not.toContain(key.slice(2, 8));
    for (const text of [
      "KeyboardEvent.code",
      "createKey2(user.id)",
      "https://acme.test/a1B2c3",
      "src/keys/Key2.ts:40",
    ])
      expect(scrub(`here is the key: ${text}`)).toBe(`here is the key: ${text}`);
  });

  it("is no secret where an encoding says a sentence", () => {
    const sentence = "Enter the token that the office gave you, and then go on.";
    for (const [, write] of writings) {
      const text = `const secret = '${write(sentence)}';`;
      expect(scrub(text)).toBe(text);
    }
  });

  it.each(["+", "-", " ", ""])(
    "goes in a diff's lines that begin with %j, also where an encoding is wrapped",
    (sign) => {
      const secret = maker(7).of(base62, 36);
      const base64 = Buffer.from(`DB_PASSWORD=ghp_${secret} ${"and more words ".repeat(6)}`).toString(
        "base64",
      );
      const wrapped = base64.match(/.{1,64}/g)!;
      expect(wrapped.length).toBeGreaterThan(1);
      for (const lines of [[base64], wrapped]) {
        const diff = ["@@ -1,2 +1,2 @@", ...lines.map((line) => sign + line), `${sign}end`].join("\n");
        const clean = scrub(diff);
        expect(clean).not.toContain(lines[0]!.slice(20, 60));
        expect(clean).toContain(`${sign}end`);
      }
    },
  );

  it("is searched for in a bounded part of what unpacks to more", () => {
    const bomb = gzipSync("password=hunter22 ".repeat(1_000_000)).toString("base64").slice(0, 19_000);
    const text = `${bomb} `.repeat(20);
    const decoded = findEncodedTexts(text, createBudget(text)).reduce(
      (sum, { text: part }) => sum + part.length,
      0,
    );
    expect(decoded).toBeLessThanOrEqual(createBudget(text).left);
  });

  it("is not looked for in what unpacks to far more than a text does", () => {
    const packed = `${gzipSync("a".repeat(60_000)).toString("base64")} `.repeat(2_000);
    expect(findEncodedTexts(packed, createBudget(packed)).map(({ text }) => text.slice(0, 20))).toEqual([]);
  });

  it("reads what is around its letters once, however many they are", () => {
    for (const letter of ["x%41", "%25", "\\u0041", "&amp;"]) {
      const text = letter.repeat(50_000);
      const test = vi.spyOn(RegExp.prototype, "test");
      findEncodedTexts(text, createBudget(text));
      const read = test.mock.calls.length;
      test.mockRestore();
      expect(read, letter).toBeLessThan(5_000);
    }
  });

  it.each(["readsSecret", "takesSecret", "takesNameAndSecret"] as const)(
    "goes on every command line of %s",
    (list) => {
      const secret = maker(9).mixed(base62, 28);
      for (const command of expandWordList(list)) {
        const line = {
          readsSecret: `printf '%s' ${secret} | tool ${command} NAME`,
          takesSecret: `${command} ${secret}`,
          takesNameAndSecret: `${command} NAME ${secret}`,
        }[list];
        expect(scrub(line), line).not.toContain(secret);
        const variable = line.replace(secret, "$SECRET");
        expect(scrub(variable)).toBe(variable);
      }
    },
  );

  it("goes in a table whatever draws it, and stays in the columns beside it", () => {
    const rows = [
      ["name", "password", "note"],
      ["ann", "Gx7rQ9tLm2Vb", "first"],
      ["bob", "Hy8sR0uMn3Wc", "second"],
    ];
    const pad = (cell: string) => cell.padEnd(14);
    const tables = {
      ...Object.fromEntries(
        [",", ";", "\t", "|", " | "].map((sign) => [sign, rows.map((row) => row.join(sign))]),
      ),
      quoted: rows.map((row) => row.map((cell) => `"${cell}"`).join(",")),
      boxes: ["┌──┬──┬──┐", ...rows.map((row) => `│ ${row.map(pad).join(" │ ")} │`), "└──┴──┴──┘"],
      spaces: rows.map((row, index) =>
        row.map((cell) => pad(index === 0 ? cell.toUpperCase() : cell)).join(""),
      ),
    };
    const leads = ["", "Note to Pommel: ", "What the command shows: "];
    for (const [kind, lines, lead] of Object.entries(tables).flatMap(([kind, lines]) =>
      leads.map((lead) => [kind, lines, lead] as const),
    )) {
      const text = lead + lines.join("\n");
      const expected = text
        .replace("Gx7rQ9tLm2Vb", "[REDACTED_SECRET]")
        .replace("Hy8sR0uMn3Wc", "[REDACTED_SECRET_2]");
      expect(
        scrub(text).replaceAll("PASSWORD]", "SECRET]").replaceAll("PASSWORD_2]", "SECRET_2]"),
        kind,
      ).toBe(expected.replace("NAME          PASSWORD]", "NAME          PASSWORD"));
    }
  });
});
