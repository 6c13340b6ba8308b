import { describe, expect, it } from "vitest";
import { heldOutLookAlikes } from "../../test/support/secrets/held-out-look-alikes.ts";
import { heldOutSecretCases } from "../../test/support/secrets/held-out-secrets.ts";
import { lookAlikes } from "../../test/support/secrets/look-alikes.ts";
import type { SecretCase } from "../../test/support/secrets/make.ts";
import { secretCases } from "../../test/support/secrets/secrets.ts";
import { createScrubber } from "./create-scrubber.ts";
import { createLedger } from "./ledger.ts";

const scrubber = createScrubber({ globalFile: "/nonexistent/patterns.toml", projectFile: null, pii: false });

function scrub(text: string): string {
  return scrubber.scrub(text, createLedger(Buffer.from("0123456789abcdef")));
}

function missed(cases: readonly SecretCase[]): SecretCase[] {
  return cases.filter(({ text, secrets }) => {
    const scrubbed = scrub(text);
    return secrets.some((secret) => scrubbed.includes(secret));
  });
}

const changed = (texts: readonly string[]) => texts.filter((text) => scrub(text) !== text);

/** Written to the terminal for whoever runs the tests. */
function report(name: string, part: number, whole: number): void {
  console.log(`${name}: ${part} of ${whole}, ${((100 * part) / whole).toFixed(1)} %`);
}

describe("the golden corpus", () => {
  const secrets = secretCases();
  const innocent = lookAlikes();

  it("is large and varied", () => {
    expect(secrets.length).toBeGreaterThanOrEqual(120);
    expect(new Set(secrets.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(40);
    expect(innocent.length).toBeGreaterThanOrEqual(150);
    for (const { text, secrets: parts } of secrets) for (const part of parts) expect(text).toContain(part);
  });

  it("is detected in at least 98 of 100 cases", () => {
    const left = missed(secrets);
    report("recall", secrets.length - left.length, secrets.length);
    expect(left.length / secrets.length, JSON.stringify(left, null, 1)).toBeLessThanOrEqual(0.02);
  });

  it("has at most 1 % false positives among look-alikes", () => {
    const wrong = changed(innocent);
    report("false positives", wrong.length, innocent.length);
    expect(
      wrong.length / innocent.length,
      wrong.map((text) => `${text} -> ${scrub(text)}`).join("\n"),
    ).toBeLessThanOrEqual(0.01);
  });

  it("keeps the text around the secrets", () => {
    const lost = secrets.filter(({ text, keep }) => keep.some((part) => !scrub(text).includes(part)));
    expect(lost.map(({ text }) => scrub(text))).toEqual([]);
  });

  it("is unchanged by a second scrubbing", () => {
    for (const { text } of secrets) expect(scrub(scrub(text))).toBe(scrub(text));
  });
});

describe("the held-out corpus", () => {
  const secrets = heldOutSecretCases();
  const innocent = heldOutLookAlikes();

  it("meets the same detection and false-positive rates", () => {
    const left = missed(secrets);
    const wrong = changed(innocent);
    report("recall, held out", secrets.length - left.length, secrets.length);
    report("false positives, held out", wrong.length, innocent.length);
    expect(left.length / secrets.length, JSON.stringify(left, null, 1)).toBeLessThanOrEqual(0.1);
    expect(
      wrong.length / innocent.length,
      wrong.map((text) => `${text} -> ${scrub(text)}`).join("\n"),
    ).toBeLessThanOrEqual(0.02);
  });
});
