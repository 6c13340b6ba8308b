/**
 * Scrubbing: how many of the corpus's secrets are found, by class, how many look-alikes are changed, and how fast.
 *
 *   npm run bench:secrets
 *
 *   --markdown      print tables for Markdown
 *   --wrong         also print what was missed and what was changed, of the parts that patterns are chosen on
 *   --foreign DIR   only measure what another scanner tests itself with, in a checkout of kingfisher, gitleaks, credsweeper,
 *                   noseyparker, trufflehog or semgrep-rules; can be given several times
 *   --texts DIR     also scrub the files in DIR: megabytes a second, and redactions for each megabyte
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { createScrubber } from "../src/redact/create-scrubber.ts";
import { corpora, isUnchanged, leaks, scrubCase } from "../test/support/secrets/measure.ts";
import { printTable } from "./measure.ts";
import { measureForeign } from "./secrets/foreign.ts";

const { values: options } = parseArgs({
  options: {
    markdown: { type: "boolean", default: false },
    wrong: { type: "boolean", default: false },
    foreign: { type: "string", multiple: true },
    texts: { type: "string" },
  },
});

if (options.foreign !== undefined) {
  measureForeign(options.foreign, options);
  process.exit(0);
}

const totals: string[][] = [];
const classes: string[][] = [];
const share = (part: number, whole: number) => (whole === 0 ? "" : (part / whole).toFixed(3));
for (const { name, secrets, lookAlikes } of corpora()) {
  const missed = secrets.filter(leaks);
  const changed = lookAlikes.filter(({ text }) => !isUnchanged(text));
  totals.push([
    name,
    String(secrets.length),
    share(secrets.length - missed.length, secrets.length),
    String(lookAlikes.length),
    share(changed.length, lookAlikes.length),
  ]);
  for (const kind of new Set(secrets.map((item) => item.kind))) {
    const all = secrets.filter((item) => item.kind === kind).length;
    const left = missed.filter((item) => item.kind === kind).length;
    const alike = lookAlikes.filter((item) => item.kind === kind).length;
    const wrong = changed.filter((item) => item.kind === kind).length;
    classes.push([
      name,
      kind,
      String(all),
      share(all - left, all),
      ...(alike === 0 ? ["", ""] : [String(alike), share(wrong, alike)]),
    ]);
  }
  if (options.wrong && (name === "chosen on" || name === "formats, development"))
    for (const { kind, text } of [...missed, ...changed]) console.log(`${kind}: ${scrubCase(text)}`);
}
printTable(["part", "secrets", "recall", "look-alikes", "false positives"], totals, options);
console.log();
printTable(["part", "class", "secrets", "recall", "look-alikes", "false positives"], classes, options);

if (options.texts !== undefined) {
  const scrubber = createScrubber({
    globalFile: "/nonexistent/patterns.toml",
    projectFile: null,
    pii: false,
  });
  let length = 0;
  let found = 0;
  let seconds = 0;
  for (const entry of readdirSync(options.texts, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    for (const line of readFileSync(join(entry.parentPath, entry.name), "utf8").split("\n")) {
      const start = performance.now();
      found += scrubber.find(line).length;
      seconds += (performance.now() - start) / 1_000;
      length += line.length;
    }
  }
  const megabytes = length / 1e6;
  console.log(
    `\n${megabytes.toFixed(1)} MB, ${(megabytes / seconds).toFixed(1)} MB/s, ${(found / megabytes).toFixed(2)} redactions/MB`,
  );
}

/** Texts that make a search start over and over: eight times as much may take little more than eight times as long. */
const hostile: Record<string, (length: number) => string> = {
  keywords: (length) => "password token=secret key: ".repeat(length / 27),
  assignments: (length) => "password=".repeat(length / 9),
  "assigned passwords": (length) => "password=Gx7rQ9tLm2&".repeat(length / 20),
  "begun keys": (length) => "-----BEGIN PRIVATE KEY-----\n".repeat(length / 28),
  "wrapped keys": (length) => `ghp_${"aB3".repeat(4)}\n`.repeat(length / 17),
  words: (length) => "abandon ability able ".repeat(length / 21),
  "kinds of secrets": (length) => "kind: Secret\ndata:\n  a: b\n".repeat(length / 26),
  escapes: (length) => "\u001b[1mpassword\u001b[0m=".repeat(length / 19),
  spaces: (length) => `password${" ".repeat(length)}`,
  issuers: (length) => "datadog sonar token key - ".repeat(length / 26),
  "ids of keys": (length) => `AKIA${"Q7".repeat(8)} `.repeat(length / 21),
  elements: (length) => "<secret>{ab cd key | ".repeat(length / 21),
  "encoded letters": (length) => "%70%61ss&#x3d;\\u0041 ".repeat(length / 22),
  "encoded texts": (length) =>
    `${Buffer.from("password=".repeat(9)).toString("base64")} `.repeat(length / 109),
  "packed texts": (length) => `${gzipSync("a".repeat(60_000)).toString("base64")} `.repeat(length / 150),
  "headers of tables": (length) => "name,password,token\n".repeat(length / 20),
  diffs: (length) => `@@ -1 +1 @@\n${"-a\n+b\n".repeat(5)}`.repeat(length / 42),
  commands: (length) => "mysql -u root -h db ".repeat(length / 20),
};
const hostileScrubber = createScrubber({
  globalFile: "/nonexistent/patterns.toml",
  projectFile: null,
  pii: false,
});
const cost = (text: string) => {
  const start = process.cpuUsage();
  hostileScrubber.find(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};
console.log();
printTable(
  ["hostile text", "100 kB: ms", "800 kB: ms", "growth"],
  Object.entries(hostile).map(([name, make]) => {
    cost(make(100_000));
    const [small, large] = [cost(make(100_000)), cost(make(800_000))];
    return [name, small.toFixed(1), large.toFixed(1), (large / small).toFixed(1)];
  }),
  options,
);
