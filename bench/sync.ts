/**
 * Speed of sync through git: 5,000 turns of generated sessions to an empty local remote, a sync with nothing new, one
 * with another turn, and the import of everything on another machine, with chunks and vectors. As in real use: the
 * secret patterns, the bundled model, a real repository.
 *
 *   npm run bench:sync [-- --turns 5000] [--encrypted] [--json]
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { seeded } from "../models/train/random.ts";
import { claude } from "../src/agents/claude/claude.ts";
import { changeMemory } from "../src/answers/changing.ts";
import { makeNewProject, type Project } from "../src/base/paths.ts";
import { syncProject } from "../src/features/share/share-git.ts";
import { ingestTranscript } from "../src/sessions/ingest/ingest.ts";
import { transcript } from "../test/support/transcript-fixture.ts";
import { scratchDir } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    turns: { type: "string", default: "5000" },
    encrypted: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const turnsPerSession = 50;
const base = scratchDir("bench-sync");
process.env.HOME = join(base, "home");
process.env.POMMEL_HOME = join(base, "pommel");
if (options.encrypted) process.env.POMMEL_SYNC_ENCRYPTION = "key";

const random = seeded(7);
const words =
  "token cache retry parser index daemon branch queue socket buffer vector chunk session commit".split(" ");
const some = (count: number) =>
  Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(" ");

function machine(name: string): Project {
  const dir = join(base, name);
  execFileSync("git", ["init", "--quiet", dir]);
  execFileSync("git", ["-C", dir, "remote", "add", "origin", join(base, "remote.git")]);
  return makeNewProject(dir);
}

/** About 6 kB a turn: a question, some tool calls with their results, an edit, an answer. */
function told(project: Project, n: number, turns: number) {
  const session = transcript({ session: `session-${n}`, cwd: project.root });
  for (let i = 0; i < turns; i++) {
    session.prompt(`Please look at ${some(30)}`);
    session.read(`${project.root}/src/file${i}.ts`, some(250));
    session.bash(`npm test ${some(3)}`, some(200));
    session.edit(`${project.root}/src/file${i}.ts`, some(10), some(40));
    session.reply(`We decided to use ${some(120)}`);
    session.wait(600_000);
  }
  return session;
}

/** Of this process, without git's. Milliseconds, in the order of the measurements. */
const cpu: number[] = [];

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const start = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  cpu.push(Math.round((user + system) / 1000));
  return [Math.round(performance.now() - start), result];
}

execFileSync("git", ["init", "--quiet", "--bare", join(base, "remote.git")]);
const [one, two] = [machine("one"), machine("two")];
const turns = Number(options.turns);
const sessions = Math.ceil(turns / turnsPerSession);
const transcripts = join(base, "transcripts");
const read = (n: number, length: number) =>
  changeMemory(
    one,
    async (work) => {
      await ingestTranscript({ ...work, agent: claude }, told(one, n, length).writeTo(transcripts));
    },
    { create: true },
  );
for (let n = 0; n < sessions; n++) await read(n, turnsPerSession);
const [firstMs, first] = await timed(() => syncProject(one, {}));
const [nothingMs] = await timed(() => syncProject(one, {}));
await read(sessions, 1);
const [oneMs] = await timed(() => syncProject(one, {}));
const [pullMs, pulled] = await timed(() => syncProject(two, { direction: "pull" }));
const size = execFileSync("du", ["-sk", join(base, "remote.git")]).toString();
const figures = {
  turns: first.shared.turns,
  sessions: first.shared.sessions,
  encrypted: options.encrypted,
  first_sync_ms: firstMs,
  nothing_new_ms: nothingMs,
  one_turn_more_ms: oneMs,
  pull_ms: pullMs,
  cpu_ms: cpu.join(" / "),
  pulled_turns: pulled.imported.turns,
  remote_mb: Math.round(Number(size.split("\t")[0]) / 102.4) / 10,
  rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
};
if (options.json) console.log(JSON.stringify(figures, null, 2));
else console.table(figures);
