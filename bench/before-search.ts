/**
 * What is told before a search: plays the searches of real sessions against the code as it was when each session began, and compares
 * the places that would be named with the file that the session opens next.
 *
 *   npm run bench:before-search -- --repository DIR [--sessions DIR] [--half choose|confirm] [--every N] [--shown]
 *
 * The sessions are those that a clone publishes on entire/checkpoints/v1, or the transcripts in another directory. A search is answered if one of the session's next ten actions reads or edits a named file.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { claude } from "../src/agents/claude/claude.ts";
import { recognise } from "../src/agents/registry.ts";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { silentLog } from "../src/base/log.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { createIgnoreRules } from "../src/code/files/ignore.ts";
import { Indexer } from "../src/code/index/indexer.ts";
import { CodeSearch } from "../src/code/search/engine.ts";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { indexDriver } from "../src/engines/drivers.ts";
import { findDefinitionsByName, findPlaceInjections, namesIn } from "../src/features/context/for-search.ts";
import { type SearchAsked, searchAskedBy } from "../src/features/context/search-asked.ts";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import { createRelativizer } from "../src/sessions/relative-paths.ts";
import { printTable, scratchDir } from "./measure.ts";
import { takePublishedTranscripts } from "./published.ts";
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
if (!options.repository) {
  console.error(
    "usage: npm run bench:before-search -- --repository DIR [--sessions DIR] [options, see bench/before-search.ts]",
  );
  process.exit(2);
}
const scratch = scratchDir("before-search");
const transcripts = options.sessions ?? join(scratch, "sessions");
if (!options.sessions) takePublishedTranscripts(options.repository, transcripts);

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
  let launched = "";
  const acts: { search: SearchAsked | null; files: string[] }[] = [];
  const agent = (await recognise(path))?.agent ?? claude;
  for await (const { lines } of agent.read(path, null)) {
    for (const { at, cwd, entries } of lines) {
      if (session.startedAt === 0 && at !== null) session.startedAt = at;
      // As the memory stores them: from where the session was launched.
      launched ||= cwd ?? "";
      const stored = createRelativizer({ root: "", worktrees: [], cwd: launched });
      for (const entry of entries) {
        if (entry.kind !== "tool_use") continue;
        const search = searchAskedBy(entry.tool, entry.input);
        const from = search === null || search.path === launched ? "" : stored(search.path);
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
for (const name of readdirSync(transcripts, { recursive: true, encoding: "utf8" }).sort()) {
  if (!name.endsWith(".jsonl")) continue;
  const path = join(transcripts, name);
  const session = await readSession(path);
  if (session !== null && (options.half === undefined || halfOf({ id: session.name }) === options.half))
    sessions.push(session);
}
const asked = sessions
  .sort((a, b) => a.startedAt - b.startedAt)
  .filter((_, i) => i % Number(options.every) === 0);

const root = join(scratch, "code");
execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", options.repository, root]);
const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
const project = makeNewProject(root);
const config = makeDefaultConfig();
const { index } = await (await indexDriver(config)).openToWrite(join(scratch, "code.db"), silentLog);
const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
let revision = "";
const silent = new Map<string, number>();
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
    if (!spoke) {
      const isInFile = /\.\w+$/.test(one.path) && !one.path.includes("*");
      const anyway = await findPlaceInjections(source, one, () => false);
      const why = isInFile
        ? "one file is searched"
        : anyway.length > 0
          ? "the session has the file open, or was told"
          : namesIn(one.pattern).length === 0
            ? "no name is searched for"
            : "not sure";
      silent.set(why, (silent.get(why) ?? 0) + 1);
    }
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
printTable(
  ["silent, as", "searches"],
  [...silent].map(([why, count]) => [why, share(count, rows.length)]),
  options,
);
if (options.shown) {
  for (const { spoke, right, text, asked: one } of rows)
    if (spoke)
      console.log(
        `${right ? "+" : "-"} ${one.pattern} in ${one.path || "."} → ${text} | opened ${one.next.slice(0, 3).join(" ")}`,
      );
}
await index.close?.();
