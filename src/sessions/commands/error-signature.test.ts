import { expect, it } from "vitest";
import { signatureOf, signaturesOf } from "./commands-of-turn.ts";

it.each([
  [
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'",
    "lib/deep/b.ts(99,1): error TS2304: Cannot find name 'x'",
  ],
  ["cmd/a.go:12:3: undefined: openStore", "/home/me/w/cmd/b.go:7:9: undefined: openStore"],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", "Error: connect ECONNREFUSED 127.0.0.1:5433"],
  ["fatal: bad object 1a2b3c4d5e", "fatal: bad object 99aabbccdd00"],
  [
    "2026-01-01T10:00:00Z panic: index out of range [3]",
    "2026-02-02T11:11:11Z panic: index out of range [7]",
  ],
])("an error is the same elsewhere: %s", (one, other) => {
  expect(signatureOf(one)).toBe(signatureOf(other));
  expect(signatureOf(one)).not.toBeNull();
});

it("another name is another error", () => {
  expect(signatureOf("a.go:1:2: undefined: openStore")).not.toBe(
    signatureOf("a.go:1:2: undefined: closeStore"),
  );
});

it.each(["FAIL", "Exit code 1", "make: *** [all] Error 2", "3 errors", "2 tests failed", "a.ts:3:4"])(
  "%s says nothing of its own",
  (line) => {
    expect(signatureOf(line)).toBeNull();
  },
);

it("each line counts once, and only the first ones", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `undefined: ${"abcdefghijklmnopqrst"[i]!.repeat(9)}`);
  expect(signaturesOf([lines[0], ...lines].join("\n"))).toHaveLength(6);
});
