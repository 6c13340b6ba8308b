// Holds the layout of src/ (docs/architecture.md): a room imports only from rooms below it, no file from one that imports it, a
// feature of another one its operations and words only, no production code from test/, SQL stands in store/ and engines/ only, and an
// answer loads no more files than it may. Holds some rules of names and style as well (CONTRIBUTING.md).
// Prints what breaks these rules, and ends with 1 if anything does.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** From the ground floor up. Rooms on one floor do not know each other. */
const floors = [
  ["base"],
  ["protocol"],
  ["store"],
  ["engines"],
  ["models"],
  ["redact"],
  ["agents", "git"],
  ["code"],
  ["sessions", "setup"],
  ["attribution"],
  ["sync"],
  ["answers"],
  ["client"],
  ["terminal", "tools"],
  ["features"],
  ["daemon", "page"],
  ["views"],
  ["faces"],
];
/** What runs in a browser, and what of the rest is made for it. */
const browserRooms = ["page", "views"];
const forBrowsers =
  /^(?:page|base\/text|protocol)\/|^answers\/document\.ts$|^features\/(?:[\w-]+\/(?:view\/|operation\.ts|[\w-]*words\.ts)|[\w-]+\.ts)/;
/** A value of an operation's file, which would bring its answer, and with it the store, to the browser; types bring nothing. */
const operationValues = /^import \{((?:(?!\}).)*)\} from "\.[^"]*operation\.ts"/gms;
/**
 * What people and agents call goes through the one door (src/client/call.ts): it opens no database, and runs no operation
 * itself.
 */
const isCaller = (file) =>
  /^faces\/|^features\/[\w-]+\/(?:command|pm-[\w-]+|tool|tool-answer)\.ts$/.test(file);
const behindTheDoor =
  /^(?:store\/|engines\/|answers\/(?:open|changing|run|reindex)\.ts$|features\/[\w-]+\/answer\.ts$)/;
const sql = /\b(?:SELECT|INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM|PRAGMA|CREATE TABLE)\b/;
/** Read another program's database. */
const foreignReaders = [
  "agents/aline/aline-database.ts",
  "agents/cursor/database.ts",
  "agents/opencode/database.ts",
];

/** An import or export of nothing but types, which loads no file. */
const typesOnly = /(?:import|export) (?:type [^;]*?|\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}) from "\.[^"]+"/gs;
const staticImport = /(?:from|import) "(\.[^"]+)"/g;
/** How many files an answer may load, itself included: what only some questions need is imported when they are asked. */
const maxLoaded = { "features/why/answer.ts": 150 };

/** Types whose name says nothing of what they hold: a search for it finds many things. */
const emptyNames =
  "Answered|Args|Around|Asked|Call|Candidate|Change|Claim|Collected|Data|Described|Entry|Field|Found|Group|Here|Info|Input|Item|Kept|Kind|Known|Later|Line|Lines|Match|Named|Opened|Options|Outcome|Pair|Part|Piece|Place|Placed|Places|Prepared|Presented|Problem|Ranked|Read|Result|Results|Row|Run|Running|Said|Seen|Source|Span|Spoken|State|Statement|Step|Stretch|Surviving|Target|Task|Told|Understood|Waiting|Wanted|Words|Work|Written";
const namingRules = [
  {
    pattern: new RegExp(`^(?:export )?(?:interface|type|class) (${emptyNames})\\b`, "gm"),
    says: "a type's name says what it holds",
  },
  {
    pattern: /^(?:export )?(?:(?:async )?function|const(?=.* = (?:async )?\())\s(\w+Of)\b/gm,
    says: "a function's name begins with a verb",
  },
  {
    pattern:
      /^(?:export )?const (longest|most|enough|fewest|least|biggest|far|near|soon|lately|patience|short|habit|many|few)\b/gm,
    says: "a constant's name has a noun, and its unit",
  },
  { pattern: /\.\.\.\(?(\{) /g, says: "an object is written as an object, without a spread of a literal" },
];

/** What a feature shows to others. */
const shownToOthers = /^(?:operation|(?:[\w-]+-)?words)\.ts$/;
/** Insides of other features that features import all the same, by the file that is imported. The list may only get shorter. */
const allowedInsides = JSON.parse(readFileSync(new URL("insides.json", import.meta.url), "utf8"));

const root = fileURLToPath(new URL("../src", import.meta.url));
const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor])));

/** A feature's views stand above the page that they are made of. */
function roomOf(file) {
  if (
    /^features\/(?:[\w-]+\/view\/|(?:views|memory-parts|now-parts|answer-cards|page-parts)\.ts$)/.test(file)
  )
    return "views";
  return file.includes("/") ? file.split("/")[0] : null;
}
/** Whether a feature imports what another one keeps to itself. */
function isInside(file, target) {
  const [of, to] = [file, target].map((one) => /^features\/([\w-]+)\/(.+)$/.exec(one));
  return of !== null && to !== null && of[1] !== to[1] && !shownToOthers.test(to[2]);
}
const resolveImport = (file, specifier) => normalize(join(dirname(file), specifier)).replaceAll("\\", "/");
const isTest = (file) => file.endsWith(".test.ts");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file));
const problems = [];
/** "file <- file that imports it" */
const insides = new Set();
/** What each file imports, types included. */
const imports = new Map();
/** What each file loads with itself. */
const loads = new Map();

for (const file of files.filter((one) => !isTest(one))) {
  const room = roomOf(file);
  // The entries of the programs, which put the rooms together.
  if (room === null) continue;
  if (!floorOf.has(room)) problems.push(`${file}: the room "${room}" has no floor`);
  const text = readFileSync(join(root, file), "utf8");
  imports.set(file, new Set());
  loads.set(
    file,
    [...text.replace(typesOnly, "").matchAll(staticImport)].map(([, specifier]) =>
      resolveImport(file, specifier),
    ),
  );
  for (const { pattern, says } of namingRules)
    for (const [, name] of text.matchAll(pattern)) problems.push(`${file}, "${name}": ${says}`);
  const query =
    room === "store" || room === "engines" || foreignReaders.includes(file) ? null : sql.exec(text);
  if (query) problems.push(`${file} says ${query[0]}: SQL stands in store/ and engines/ only`);
  if (browserRooms.includes(room))
    for (const [, names] of text.matchAll(operationValues))
      if (names.split(",").some((name) => name.trim() !== "" && !name.trim().startsWith("type ")))
        problems.push(`${file} imports values of an operation: only its types are for a browser`);
  for (const [how, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
    const target = resolveImport(file, specifier);
    if (!how.includes("(")) imports.get(file).add(target);
    if (target.startsWith("../test/")) problems.push(`${file} imports ${target}: tests only`);
    if (target.startsWith("../")) continue;
    const other = roomOf(target);
    const isOfThePage = browserRooms.includes(room) || file.startsWith("faces/page/");
    if (isOfThePage && !target.startsWith("faces/page/") && !forBrowsers.test(target))
      problems.push(`${file} imports ${target}, which is not made for a browser`);
    if (isCaller(file) && behindTheDoor.test(target))
      problems.push(`${file} imports ${target}: it goes through src/client/call.ts`);
    if (isInside(file, target)) insides.add(`${target} <- ${file}`);
    if (other !== room && !(floorOf.get(other) < floorOf.get(room)))
      problems.push(`${file} imports ${target}: ${other} is not below ${room}`);
  }
}

/** Files whose imports are being followed, and those that are in no circle, or in one that was named. */
const path = [];
const followed = new Set();
function follow(file) {
  const at = path.indexOf(file);
  if (at >= 0) problems.push(`a circle: ${[...path.slice(at), file].join(" -> ")}`);
  if (at >= 0 || followed.has(file)) return;
  path.push(file);
  for (const target of imports.get(file) ?? []) follow(target);
  path.pop();
  followed.add(file);
}
for (const file of imports.keys()) follow(file);

/** The files that are loaded with one, itself included. */
function listLoaded(file, loaded = new Set()) {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const target of loads.get(file) ?? []) listLoaded(target, loaded);
  return loaded;
}
for (const [file, most] of Object.entries(maxLoaded)) {
  const { size } = listLoaded(file);
  if (size > most) problems.push(`${file} loads ${size} files: ${most} at most`);
}

const allowed = new Set(
  Object.entries(allowedInsides).flatMap(([target, importers]) =>
    importers.map((file) => `features/${target} <- features/${file}`),
  ),
);
for (const one of insides)
  if (!allowed.has(one)) problems.push(`${one}: a feature knows of another its operations and words only`);
for (const one of allowed)
  if (!insides.has(one)) problems.push(`${one} is imported no more: delete its line in scripts/insides.json`);

for (const problem of problems) console.error(problem);
if (problems.length > 0)
  console.error(`\n${problems.length} in ${relative(process.cwd(), root)}. The rules: docs/architecture.md.`);
process.exitCode = problems.length > 0 ? 1 : 0;
