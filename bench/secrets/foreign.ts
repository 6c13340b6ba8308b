import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isExample } from "../../src/redact/patterns/rule.ts";
import type { SecretCase } from "../../test/support/secrets/make.ts";
import { isUnchanged, scrubCase } from "../../test/support/secrets/measure.ts";
import { printTable } from "../measure.ts";
import { creddataCases, credsweeperCases, leaktkCases, leaktkFile } from "./credsweeper.ts";
import { ruleExamples, ruleFolders, semgrepCases } from "./semgrep.ts";
import { gitleaksCases, trufflehogCases } from "./trufflehog.ts";

/** Examples of another scanner: what its tests hold it to. */
export interface ForeignCases {
  /** `kind` is the detector. */
  secrets: SecretCase[];
  /** What its own tests say is no secret. */
  lookAlikes: SecretCase[];
  /** Examples in which nobody can say which part is the secret. */
  unplaced: number;
}

/**
 * What nobody is issued: four of a row of letters, digits or keys in order, a short piece over and over, fewer than seven
 * different characters of sixteen or more, a variable, a mask, or a word for the thing itself. Counted, but also apart.
 */
function isMadeUp(secret: string): boolean {
  const lower = secret.toLowerCase();
  return (
    rowsOfCharacters.some((row) => row.some((four) => lower.includes(four))) ||
    /^(.{1,8})\1{2,}.{0,8}$/.test(secret) ||
    (secret.length >= 16 && new Set(secret).size < 7) ||
    /^[$%@]?[A-Z_]*[({[<%].*[)}\]>%]$|^\$\w+$|[$#]\{|\{\{|([#*.x-])\1{3}/i.test(secret) ||
    stockWords.test(secret)
  );
}

const stockWords =
  /^(?:my|your|the|some|a|db|database|test|new|old)?[-_ ]?(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_ ]?key|key|user(?:name)?|login|admin|root|value|string|example|change[-_ ]?me)[0-9]{0,3}$/i;

const rowsOfCharacters = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "09876543210",
  "qwertyuiop",
  "asdfghjkl",
].map((row) => Array.from({ length: row.length - 3 }, (_, at) => row.slice(at, at + 4)));

/** Patterns are chosen on one half of the detectors, and measured on the other. */
const halfOf = (detector: string) =>
  createHash("sha256").update(detector).digest()[0]! % 2 === 0 ? "choosing" : "confirming";

interface Scanner {
  name: string;
  /** A file or folder that only its checkout has. */
  at: string;
  read(checkout: string): ForeignCases;
  /** Nobody looked at any of it: all of it confirms. */
  isUnseen?: boolean;
}

const scanners: readonly Scanner[] = [
  {
    name: "kingfisher",
    at: ruleFolders.kingfisher,
    read: (checkout) => ruleExamples(checkout, "kingfisher"),
  },
  { name: "gitleaks", at: "config/gitleaks.toml", read: gitleaksCases },
  { name: "credsweeper", at: "tests/data/output.json", read: credsweeperCases },
  {
    name: "noseyparker",
    at: ruleFolders.noseyparker,
    read: (checkout) => ruleExamples(checkout, "noseyparker"),
  },
  { name: "titus", at: ruleFolders.titus, read: (checkout) => ruleExamples(checkout, "titus") },
  { name: "leaktk", at: leaktkFile, read: leaktkCases },
  { name: "trufflehog", at: "pkg/detectors", read: trufflehogCases },
  { name: "creddata", at: "meta_cred.py", read: creddataCases },
  { name: "semgrep-rules", at: "generic/secrets", read: semgrepCases, isUnseen: true },
];

/**
 * Whether eight characters in a row of a secret are left, or a shorter one as a whole. Those that also stand elsewhere in the
 * text say nothing: "acme" in `acme token acme_...`.
 */
function leaks({ text, secrets }: SecretCase): boolean {
  const scrubbed = scrubCase(text);
  let rest = text;
  for (const secret of secrets) rest = rest.replaceAll(secret, "\0");
  return secrets.some((secret) => {
    const length = Math.min(secret.length, 8);
    for (let at = 0; at + length <= secret.length; at++) {
      const part = secret.slice(at, at + length);
      if (scrubbed.includes(part) && !rest.includes(part)) return true;
    }
    return false;
  });
}

function scannerOf(checkout: string): Scanner {
  const scanner = scanners.find(({ at }) => existsSync(join(checkout, at)));
  if (scanner !== undefined) return scanner;
  throw new Error(`${checkout} is a checkout of none of ${scanners.map(({ name }) => name).join(", ")}`);
}

/**
 * Measures scrubbing on what other scanners test themselves with. An example that an earlier checkout has counts there.
 * @param wrong prints what was missed and changed of the choosing halves, and nothing of the others
 */
export function measureForeign(
  checkouts: readonly string[],
  { markdown, wrong }: { markdown: boolean; wrong: boolean },
): void {
  const rows: string[][] = [];
  const known = new Set<string>();
  for (const checkout of checkouts) {
    const { name, read, isUnseen } = scannerOf(checkout);
    const { secrets, lookAlikes, unplaced } = read(checkout);
    const real = secrets.filter((one) => !one.secrets.every(isExample));
    const fresh = real.filter(({ text }) => !known.has(text.trim()));
    for (const { text } of real) known.add(text.trim());
    for (const half of isUnseen ? ["all, unseen"] : ["choosing", "confirming"]) {
      const isHere = ({ kind }: SecretCase) => isUnseen || halfOf(kind) === half;
      const own = fresh.filter(isHere);
      const missed = own.filter(leaks);
      const alike = lookAlikes.filter(isHere);
      const changed = alike.filter(({ text }) => !isUnchanged(text));
      const isIssued = (one: SecretCase) => !one.secrets.some(isMadeUp);
      const issued = own.filter(isIssued).length;
      const share = (part: number, of: number) => (of === 0 ? "" : (part / of).toFixed(3));
      rows.push([
        name,
        half,
        String(new Set(own.map(({ kind }) => kind)).size),
        String(own.length),
        share(own.length - missed.length, own.length),
        String(issued),
        share(issued - missed.filter(isIssued).length, issued),
        String(alike.length),
        share(changed.length, alike.length),
      ]);
      if (!wrong || half !== "choosing") continue;
      for (const one of missed)
        console.log(
          `missed${isIssued(one) ? "" : ", made up"}, ${one.kind}: ${one.text} [${one.secrets.join(" ")}]`,
        );
      for (const { kind, text } of changed) console.log(`changed, ${kind}: ${scrubCase(text)}`);
    }
    console.log(
      `${name}: left out ${secrets.length - real.length} placeholders, ${real.length - fresh.length} of earlier checkouts, ${unplaced} without a known place`,
    );
  }
  printTable(
    ["scanner", "half", "detectors", "secrets", "recall", "not made up", "recall", "look-alikes", "changed"],
    rows,
    { markdown },
  );
}
