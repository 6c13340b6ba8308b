import { describe, expect, it } from "vitest";
import { base62, maker } from "../../test/support/secrets/make.ts";
import { createScrubber } from "./create-scrubber.ts";
import { createLedger, scrubValue } from "./scrubber.ts";

const scrubber = createScrubber({ globalFile: "/nonexistent/patterns.toml", projectFile: null, pii: false });
const made = maker(5).mixed(base62, 24);
const token = `ghp_${"z".repeat(35)}1`;

function scrub<T>(value: T): T {
  const ledger = createLedger(Buffer.from("0123456789abcdef"));
  return scrubValue(value, (text, name) => scrubber.scrub(text, ledger, name));
}

describe("scrubbing a value", () => {
  it("redacts strings at any depth and leaves the rest", () => {
    expect(scrub({ command: `echo ${token}`, list: [1, null, { deep: [token, true] }] })).toEqual({
      command: "echo [REDACTED_GITHUB_TOKEN]",
      list: [1, null, { deep: ["[REDACTED_GITHUB_TOKEN]", true] }],
    });
  });

  it.each([
    [{ password: "hunter22" }, { password: "[REDACTED_PASSWORD]" }],
    [{ dbPassword: "hunter22" }, { dbPassword: "[REDACTED_PASSWORD]" }],
    [{ "X-Api-Key": made }, { "X-Api-Key": "[REDACTED_API_KEY]" }],
    [
      { name: "API_TOKEN", value: made },
      { name: "API_TOKEN", value: "[REDACTED_TOKEN]" },
    ],
    [
      ["login", "--password", "hunter22"],
      ["login", "--password", "[REDACTED_PASSWORD]"],
    ],
    [
      { headers: { Authorization: `Bearer ${made}` } },
      { headers: { Authorization: "[REDACTED_AUTHORIZATION]" } },
    ],
    [{ tokens: ["a1b2c3d4e5f6g7h8i9"] }, { tokens: ["a1b2c3d4e5f6g7h8i9"] }],
    [
      { password: "string", token: "response.token", file_path: "hunter22" },
      { password: "string", token: "response.token", file_path: "hunter22" },
    ],
  ])("knows values by their names: %j", (value, expected) => {
    expect(scrub<unknown>(value)).toEqual(expected);
  });

  it("returns the same object when it contains no secret", () => {
    const value = { file_path: "/a/token.ts", edits: [{ old: "a", new: "b" }] };
    expect(scrub(value)).toBe(value);
  });

  it("keeps every key, even __proto__", () => {
    const value = JSON.parse(`{"__proto__": "${token}", "a": 1}`) as Record<string, unknown>;
    expect(Object.keys(scrub(value))).toEqual(["__proto__", "a"]);
  });
});

const key = Buffer.from("0123456789abcdef");

describe("a ledger", () => {
  it("numbers secrets by type, from 1, and reuses the number of a known one", () => {
    const ledger = createLedger(key);
    expect([
      ledger.numberSecret("A", "x"),
      ledger.numberSecret("A", "y"),
      ledger.numberSecret("B", "x"),
      ledger.numberSecret("A", "x"),
    ]).toEqual([1, 2, 1, 1]);
  });

  it("continues from the stored entries", () => {
    const first = createLedger(key);
    first.numberSecret("A", "x");
    first.numberSecret("A", "y");
    const rows = first.takeNew();
    expect(rows.map(({ type, number }) => [type, number])).toEqual([
      ["A", 1],
      ["A", 2],
    ]);
    expect(first.takeNew()).toEqual([]);

    const second = createLedger(key, rows);
    expect([second.numberSecret("A", "y"), second.numberSecret("A", "z")]).toEqual([2, 3]);
    expect(second.takeNew()).toHaveLength(1);
  });

  it("stores six hexadecimal digits that depend on the key", () => {
    const rowOf = (with_: Buffer) => {
      const ledger = createLedger(with_);
      ledger.numberSecret("A", "x");
      return ledger.takeNew()[0]!.fingerprint;
    };
    expect(rowOf(key)).toMatch(/^[0-9a-f]{6}$/);
    expect(rowOf(key)).not.toBe(rowOf(Buffer.from("another key, 16+")));
  });
});
