/**
 * Commits and their sessions on real history: whether Pommel links a commit with the sessions that led to it, and with no
 * others.
 *
 *   npm run bench:links -- --repository DIR --sessions DIR
 *
 *   --memory FILE   keep what was imported there for the next run (default: a temporary file)
 *   --near HOURS    a commit counts if a session that it names has a message so long before it (default 1)
 *   --json          print everything, down to each commit
 *   --links         also print every link, with what it rests on
 *   --wrong         also print the links to sessions that a commit does not name, and the sessions that are missing
 *
 * DIR is a clone, with all branches, of a repository whose commits name the sessions that led to them in
 * `Entire-Checkpoint:` trailers (https://github.com/entireio/cli), and the transcripts of those sessions. Trailers are
 * read only to judge.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { backfill } from "../src/attribution/checkpoints/backfill.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { createScrubber } from "../src/redact/create-scrubber.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { judgeLinks } from "./links/judge.ts";
import { printLinks } from "./links/report.ts";
import { scratchDir } from "./measure.ts";
import { importSessions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    repository: { type: "string" },
    sessions: { type: "string" },
    memory: { type: "string" },
    near: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    links: { type: "boolean", default: false },
    wrong: { type: "boolean", default: false },
  },
});
const { repository, sessions } = options;
if (!repository || !sessions) {
  console.error("usage: npm run bench:links -- --repository DIR --sessions DIR [options, see the file]");
  process.exit(2);
}

const scratch = scratchDir("links");
process.env.POMMEL_HOME = join(scratch, "home");
const memory = await open(options.memory ?? join(scratch, "memory.db"), sessions);
const start = performance.now();
const report = await backfill({
  memory,
  project: makeNewProject(repository),
  roots: [repository],
  trustsTrailers: false,
  scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
  log: { debug() {}, info() {}, warn: console.error, error: console.error },
});
const seconds = (performance.now() - start) / 1000;
const judged = await judgeLinks(memory, { repository, sessions, near: Number(options.near) * 3_600_000 });
if (options.json) console.log(JSON.stringify(judged, null, 2));
else printLinks(judged, { ...report, seconds }, options);
memory.close();

async function open(file: string, from: string): Promise<Memory> {
  const known = Memory.open(file, { readonly: false });
  if (known.prepare("SELECT 1 FROM turns LIMIT 1").get() !== undefined) return known;
  known.close();
  return (await importSessions(from, file)).memory;
}
