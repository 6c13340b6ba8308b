import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileTexts } from "../../test/support/hostile-texts.ts";
import { cleanLabel, isValidAs, keepIfValid, type OutsideKind, outsideKinds } from "./outside.ts";

const good: { [K in OutsideKind]: readonly string[] } = {
  session: [
    "0b2c7f0e-2b1c-4c5e-9d77-0f6a3d1e8b11",
    "0b2c7f0e-2b1c-4c5e-9d77-0f6a3d1e8b11/a1b2c3",
    "ses_5f2aQx",
    "1718000000000",
    "20260302T090000-2-0a1b2c3d",
    "trial.7@atif",
  ],
  reference: ["0b2c7f0e", "https://example.com/s/1?a=b#c", "cursor:chat/1"],
  commit: ["0".repeat(40), "a1".repeat(32)],
  revision: ["HEAD", "HEAD@{1 day ago}", "main..topic", ":/fix the bug"],
  branch: ["main", "feat/größer", "a@b", "HEAD", "fix-[REDACTED_TOKEN]", "release-1.0"],
  file: ["a.ts", "src/a b.ts", "..a/b", "-a.ts", "a\nb", "a\\b", "__proto__"],
  place: ["", "/home/ada/x", "../x", "C:\\x", "~/x"],
  agent: ["claude", "pommel", "open_code-2"],
  uid: ["0a1b2c3d4e5f", "n1"],
  id: ["toolu_01", "line 7", "é"],
};

const bad: { [K in OutsideKind]: readonly string[] } = {
  session: ["", "-a", "a/-b", "a/../b", "..", "a b", "a;b", "$(a)", "a/.b", "a\n", "é", "a".repeat(301)],
  reference: ["", "-a", "a b", "https://x/../y", "a\u0000"],
  commit: ["", "HEAD", "A".repeat(40), "a".repeat(41), "-".repeat(40)],
  revision: ["", "-x", "--output=x", "a\n", "a\u0000"],
  branch: [
    "",
    "-x",
    "a..b",
    "a b",
    "a.lock",
    "a/.b",
    "@",
    "a@{1}",
    "/a",
    "a/",
    "a.",
    "a\\b",
    "a\u202eb",
    "a[b",
  ],
  file: ["", "../a", "a/../b", "/a", "\\\\host\\a", "C:\\a", "C:/a", "a\u0000b", "a/..", "..\\a", "\ud800"],
  place: ["/a\u0000", "/\udc00", "/".repeat(4097)],
  agent: ["", "-x", "Claude Code", "../x", "a".repeat(65)],
  uid: ["", "-x", "a/b", "..", "a..b", "a b", "é"],
  id: ["", "a\nb", "a\u202e", "\ud800", "a".repeat(301)],
};

describe.each(outsideKinds)("%s", (kind) => {
  it("fits what programs make", () => {
    expect(good[kind].filter((value) => !isValidAs(kind, value))).toEqual([]);
  });

  it("refuses what is none", () => {
    expect(bad[kind].filter((value) => isValidAs(kind, value))).toEqual([]);
    expect(keepIfValid(kind, bad[kind][0])).toBeNull();
  });

  it("refuses what no database can hold", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.constantFrom("\0", "\ud800", "\udfff"),
        (text, broken) => {
          expect(isValidAs(kind, text + broken)).toBe(false);
        },
      ),
    );
  });
});

it("nothing that becomes an argument fits with a dash before it", () => {
  for (const kind of ["session", "reference", "commit", "revision", "branch", "agent", "uid"] as const) {
    for (const value of good[kind]) expect(isValidAs(kind, `-${value}`)).toBe(false);
  }
});

describe("a label", () => {
  it("is one clean line of bounded length, and cleaning it again changes nothing", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileTexts));
    fc.assert(
      fc.property(texts, (text) => {
        const label = cleanLabel("author", text);
        expect(label).not.toMatch(/[\p{C}\u2028\u2029"“”«»<>()[\]{}:;,`|]/u);
        expect(label.length).toBeLessThanOrEqual(80);
        expect(cleanLabel("author", label)).toBe(label);
      }),
    );
  });

  it("keeps what people write", () => {
    for (const text of ["Ada Lovelace", "José 👨‍👩‍👧", "修正", "a – b"])
      expect(cleanLabel("title", text)).toBe(text);
  });
});
