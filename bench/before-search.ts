/**
 * What is told before a search: plays the searches of real sessions against the code as it was when each session began, and compares
 * the places that would be named with the file that the session opens next.
 *
 *   npm run bench:before-search -- --sessions DIR --repository DIR [--half choose|confirm] [--every N] [--shown]
 *
 * DIR holds transcripts of Claude Code. A search is answered if one of the session's next ten actions reads or edits a named file.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { claude } from "../src/agents/claude/claude.ts";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { silentLog } from "../src/base/log.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { createIgnoreRules } from "../src/code/files/ignore.ts";
import { Indexer } from "../src/code/index/indexer.ts";
import { CodeSearch } from "../src/code/search/engine.ts";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { indexDriver } from "../src/engines/drivers.ts";
import { findDefinitionsByName, findPlaceInjections } from "../src/features/context/for-search.ts";
import { type SearchAsked, searchAskedBy } from "../src/features/context/search-asked.ts";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import { printTable, scratchDir } from "./measure.ts";
import { halfOf } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    repository: { type: "string" },
    half: { type: "string" },
    every: { type: "string", default: "1" },
    shown: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
if (!options.sessions || !options.repository) {
  console.error(
    "usage: npm run bench:before-search -- --sessions DIR --repository DIR [options, see bench/before-search.ts]",
  );
  process.exit(2);
}

/** Actions after a search in which a file that is opened was looked for by it. */
const reach = 10;

interface Asked extends SearchAsked {
  session: string;
  /** Files that were opened before, and those that are opened next, in order. */
  known: ReadonlySet<string>;
  next: string[];
}

interface Session {
  name: string;
  startedAt: number;
  searches: Asked[];
}

async function readSession(path: string): Promise<Session | null> {
  const session: Session = { name: basename(path, ".jsonl"), startedAt: 0, searches: [] };
  const acts: { search: SearchAsked | null; files: string[] }[] = [];
  for await (const { lines } of claude.read(path, null)) {
    for (const { at, cwd, entries } of lines) {
      if (session.startedAt === 0 && at !== null) session.startedAt = at;
      const stored = (file: string) =>
        cwd !== null && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
      for (const entry of entries) {
        if (entry.kind !== "tool_use") continue;
        const search = searchAskedBy(entry.tool, entry.input);
        const from = search === null ? "" : stored(search.path === cwd ? `${cwd}/.` : search.path);
        acts.push({
          search: search && { ...search, path: from },
          files: entry.files.map((file) => stored(file.path)),
        });
      }
    }
  }
  acts.forEach(({ search }, i) => {
    if (search === null) return;
    const known = new Set(acts.slice(0, i).flatMap(({ files }) => files));
    const next = acts.slice(i + 1, i + 1 + reach).flatMap(({ files }) => files);
    session.searches.push({ ...search, session: session.name, known, next });
  });
  return session.startedAt === 0 ? null : session;
}

const sessions: Session[] = [];
for await (const { path } of claude.list(options.sessions)) {
  if (readFileSync(path, "utf8").length === 0) continue;
  const session = await readSession(path);
  if (session !== null && (options.half === undefined || halfOf({ id: session.name }) === options.half))
    sessions.push(session);
}
const asked = sessions
  .sort((a, b) => a.startedAt - b.startedAt)
  .filter((_, i) => i % Number(options.every) === 0);

const scratch = scratchDir("before-search");
const root = join(scratch, "code");
execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", options.repository, root]);
const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
const project = makeNewProject(root);
const config = makeDefaultConfig();
const { index } = await (await indexDriver(config)).openToWrite(join(scratch, "code.db"), silentLog);
const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
let revision = "";
const rows: { spoke: boolean; right: boolean; opens: boolean; text: string; asked: Asked; by: string }[] = [];
for (const { startedAt, searches } of asked) {
  if (searches.length === 0) continue;
  const then = git("rev-list", "-1", `--before=${new Date(startedAt).toISOString()}`, "HEAD");
  if (then === "") continue;
  if (then !== revision) {
    git("checkout", "--quiet", "--force", "--detach", then);
    const rules = createIgnoreRules(root, config);
    const indexer = new Indexer({ project, config, rules, index, withVectors: true, log: silentLog });
    await indexer.reconcile();
    await indexer.close();
    revision = then;
  }
  const search = new CodeSearch({ project, index, embedder });
  const told = new Set<string>();
  for (const one of searches) {
    let by = "definition";
    const source = {
      definitions: (names: readonly string[]) => findDefinitionsByName(index, names),
      search: async (query: string, paths: readonly string[]) => {
        by = "search";
        const answer = await search.search({
          query,
          limit: 5,
          levels: [],
          paths: paths.flatMap((path) => [path, `${path}/**`]),
          languages: [],
          explain: false,
        });
        return { ...answer, index: { pending: 0, is_complete: true, as_of: null } } as never;
      },
    };
    const places = (await findPlaceInjections(source, one, (path) => one.known.has(path))).filter(
      ({ ref }) => !told.has(ref),
    );
    const spoke = places.length > 0;
    for (const { ref } of places) told.add(ref);
    const named = places.map(({ quote }) => quote.replace(/:\d+ .*$/, ""));
    rows.push({
      spoke,
      right: spoke && one.next.some((file) => named.includes(file)),
      opens: one.next.some((file) => !one.known.has(file)),
      text: places.map(({ quote }) => quote).join(", "),
      asked: one,
      by,
    });
  }
}
const share = (count: number, of: number) =>
  of === 0 ? "-" : `${(count / of).toFixed(2)} (${count} of ${of})`;
const table = ["definition", "search", "all"].map((by) => {
  const some = by === "all" ? rows : rows.filter((row) => row.by === by);
  const spoke = some.filter((row) => row.spoke);
  const opening = spoke.filter(({ opens }) => opens);
  return [
    by,
    share(spoke.length, rows.length),
    share(spoke.filter(({ right }) => right).length, spoke.length),
    share(opening.filter(({ right }) => right).length, opening.length),
  ];
});
printTable(["by", "spoke", "a named file is opened", "of those that open a new file"], table, options);
if (options.shown) {
  for (const { spoke, right, text, asked: one } of rows)
    if (spoke)
      console.log(
        `${right ? "+" : "-"} ${one.pattern} in ${one.path || "."} → ${text} | opened ${one.next.slice(0, 3).join(" ")}`,
      );
}
await index.close?.();
