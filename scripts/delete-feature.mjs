// Proves that a feature can be deleted by deleting its folder and the lines that name it in src/features/*.ts: in a copy of the
// working tree the types, the layout and what the rest uses must still hold.
//
//   node scripts/delete-feature.mjs events digest   these
//   node scripts/delete-feature.mjs --all           each that is listed as one that can go
//   node scripts/delete-feature.mjs --drawn         three of them, drawn by HEAD's commit
//   --tests                                         also run the unit tests of what is left
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Features on which others rest: without them Pommel would be something else. */
const foundations = JSON.parse(readFileSync(join(root, "scripts/foundations.json"), "utf8"));
const registries = [
  "index.ts",
  "commands.ts",
  "completions.ts",
  "tools.ts",
  "old-tools.ts",
  "views.ts",
  "memory-parts.ts",
  "hook-parts.ts",
  "work-now.ts",
  "now-parts.ts",
  "page-parts.ts",
  "asides.ts",
  "answer-cards.ts",
];

const args = process.argv.slice(2);
const folders = readdirSync(join(root, "src/features"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const candidates = folders.filter((name) => !(name in foundations));
const named = args.filter((arg) => !arg.startsWith("--"));
const chosen = args.includes("--all") ? candidates : args.includes("--drawn") ? draw(candidates, 3) : named;
const unknown = chosen.filter((name) => !folders.includes(name));
if (chosen.length === 0 || unknown.length > 0) {
  console.error(
    unknown.length > 0 ? `No such feature: ${unknown.join(", ")}` : "Name a feature, --drawn or --all.",
  );
  process.exit(2);
}
let failed = 0;
for (const name of chosen) {
  const problems = deleteIn(name);
  if (problems !== "") failed++;
  console.log(problems === "" ? `${name}: can be deleted` : `${name}: cannot be deleted\n${problems}`);
}
process.exitCode = failed > 0 ? 1 : 0;

/** By the commit, so that one that passed passes again. */
function draw(names, count) {
  const hash = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const left = [...names];
  return Array.from({ length: Math.min(count, left.length) }, (_, i) => {
    const at = Number.parseInt(hash.slice(i * 6, i * 6 + 6), 16) % left.length;
    return left.splice(at, 1)[0];
  });
}

/** @returns what no longer holds; "" if all does */
function deleteIn(name) {
  const copy = mkdtempSync(join(tmpdir(), "pommel-without-"));
  try {
    const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    }).split("\0");
    for (const file of files) {
      if (file === "" || file.startsWith(`src/features/${name}/`)) continue;
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(root, file), join(copy, file));
    }
    for (const folder of ["node_modules", "dist"]) symlinkSync(join(root, folder), join(copy, folder));
    for (const registry of registries) forgetIn(join(copy, "src/features", registry), name);
    forgetImportsOf(join(copy, "scripts/insides.json"), name);
    // Programs' tests and benchmarks ask for whatever there is.
    includeOnly(join(copy, "tsconfig.json"), "src");
    includeOnly(join(copy, "src/faces/page/tsconfig.json"), ".");
    const checks = [
      ["tsc", "--noEmit"],
      ["tsc", "--noEmit", "-p", "src/faces/page"],
      ...(args.includes("--tests") ? [["vitest", "run", "--project", "unit"]] : []),
    ];
    const rooms = run("node", ["scripts/check-rooms.mjs"], copy);
    return [rooms, ...checks.map(([tool, ...rest]) => run(join(root, "node_modules/.bin", tool), rest, copy))]
      .filter((text) => text !== "")
      .join("\n");
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function includeOnly(file, folder) {
  const config = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...config, include: [folder] }));
}

/** What a feature imports of others' insides is imported no more. */
function forgetImportsOf(file, name) {
  const insides = Object.entries(JSON.parse(readFileSync(file, "utf8"))).map(([inside, importers]) => [
    inside,
    importers.filter((importer) => !importer.startsWith(`${name}/`)),
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(insides.filter(([, left]) => left.length > 0))));
}

function run(program, given, cwd) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, given, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  if (status === 0) return "";
  // A check that was killed has nothing to say, and proves nothing.
  return `${stdout ?? ""}${stderr ?? ""}`.trim() || `${program} ended with ${error ?? signal ?? status}`;
}

/** Leaves out what names a feature: the entries and lines that import it, and those that list what they import. */
function forgetIn(file, name) {
  const text = readFileSync(file, "utf8");
  const imports = new RegExp(`import (?:\\* as (\\w+)|\\{ (\\w+) \\}) from "\\./${name}/`, "g");
  const imported = [...text.matchAll(imports)].map(([, all, one]) => all ?? one);
  const isAbout = (line) =>
    line.includes(`"./${name}/`) || imported.some((one) => new RegExp(`\\b${one}\\b`).test(line));
  // An entry in which other features stand as well loses its lines alone.
  const isOfOthers = (entry) => [...entry.matchAll(/"\.\/([\w-]+)\//g)].some(([, other]) => other !== name);
  const entries = text.replace(/^ {2}(?:"?[\w-]+"?: )?\{\n(?: {4}.*\n)+ {2}\},\n/gm, (entry) =>
    isAbout(entry) && !isOfOthers(entry) ? "" : entry,
  );
  const lines = entries.split("\n").filter((line) => !isAbout(line));
  writeFileSync(file, lines.join("\n"));
}
