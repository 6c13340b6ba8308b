/**
 * A team whose members share their sessions through one PostgreSQL: what the exchange costs, whether everything
 * arrives, and how fast a member's daemon searches all of it.
 *
 *   npm run bench:team -- --sessions DIR --questions FILE [--members 10] [--work DIR] [--markdown]
 *
 * DIR holds transcripts of Claude Code, FILE [{question, ...}]. The first member imports and shares them. What the others
 * share is the same under ids of their own, pushed by their own roles; the first imports all of it, and searches. Then the last
 * one leaves and takes everything back; DIR keeps the first's memory. An installed PostgreSQL is started for it, else PGlite (then all
 * members have one role).
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { callDaemon } from "../src/client/daemon-client.ts";
import { searchTranscripts } from "../src/features/search/operation.ts";
import { readDaemonRecord } from "../src/protocol/daemon-record.ts";
import {
  buildTeamServerSettings,
  type StoredTeamRecord,
  type TeamRecord,
  TeamServer,
} from "../src/store/team/team-server.ts";
import { startTestServer } from "../test/support/postgres-server.ts";
import { removeDirectory } from "../test/support/remove-directory.ts";
import { percentile, printTable } from "./measure.ts";
import { loadQuestions } from "./recall/import.ts";
import { childrenCpuMs, usageOf } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    questions: { type: "string" },
    members: { type: "string", default: "10" },
    work: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});
if (!options.sessions || !options.questions) {
  console.error("usage: npm run bench:team -- --sessions DIR --questions FILE [options, see bench/team.ts]");
  process.exit(2);
}
const members = Number(options.members);
const pmFile = resolve(import.meta.dirname, "../bin/pm.cjs");
const work = resolve(options.work ?? mkdtempSync(join(tmpdir(), "pommel-team-")));
const server = await startTestServer();
if (server === null) process.exit(2);
const sql = postgres(server.url, { max: 1, onnotice: () => {} });
const hasRoles = server.engine !== "PGlite";

const root = join(work, "home", "repo");
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: join(work, "home"),
  POMMEL_HOME: join(work, "pommel"),
  POMMEL_DAEMON_AUTOSTART: "false",
};

process.env.POMMEL_HOME = env.POMMEL_HOME;

const pm = (...args: string[]) =>
  execFileSync(process.execPath, [pmFile, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });

function measured<T>(run: () => T) {
  const [cpu, start] = [childrenCpuMs(), performance.now()];
  const value = run();
  return { value, cpu: (childrenCpuMs() - cpu) / 1000, seconds: (performance.now() - start) / 1000 };
}

/** The transcripts as if they had run in this clone. */
function transcriptsOfHere(from: string): string {
  const to = join(work, "transcripts");
  mkdirSync(to);
  for (const file of readdirSync(from).filter((name) => name.endsWith(".jsonl"))) {
    const text = readFileSync(join(from, file), "utf8");
    writeFileSync(
      join(to, file),
      text.replace(/"cwd":"[^"]*"/g, () => `"cwd":${JSON.stringify(root)}`),
    );
  }
  return to;
}

/** A record as another member's: ids differ. */
function asOf(member: number, { kind, id, text }: TeamRecord): TeamRecord {
  const shift = (start: string) =>
    ((Number.parseInt(start, 16) + 23 * member) % 256).toString(16).padStart(2, "0");
  const own = (text: string) =>
    text
      .replace(
        /\b([0-9a-f]{2})([0-9a-f]{6}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g,
        (_, a, b) => shift(a) + b,
      )
      .replace(/\bqueued-/g, `queued-${member}`)
      .replace(/\b(toolu|msg|req)_01/g, `$1_${String(member).padStart(2, "0")}x`);
  return { kind, id: own(id), text: text && own(text) };
}

const nameOf = (member: number) => `member${member}`;
const authorOf = (member: number) => `${nameOf(member)}@example.com`;
const urlOf = (member: number) => {
  const url = new URL(server.url);
  if (hasRoles) url.username = nameOf(member);
  return String(url);
};

/** Asks the server as a member. */
async function asMember<T>(member: number, use: (team: TeamServer) => Promise<T>): Promise<T> {
  const team = new TeamServer(
    buildTeamServerSettings({ ...makeDefaultConfig(), "memory.share": urlOf(member) }),
  );
  try {
    return await use(team);
  } finally {
    await team.close();
  }
}

const share = () =>
  JSON.parse(pm("share", "team", "--json")) as {
    shared: { sessions: number; turns: number };
    imported: { sessions: number; turns: number };
    removed: number;
  };
const count = () =>
  (JSON.parse(pm("status", "--json")) as { memory: { sessions: number; turns: number } }).memory;

try {
  for (let i = 1; hasRoles && i <= members; i++) await sql.unsafe(`CREATE ROLE ${nameOf(i)} LOGIN`);
  if (hasRoles) await sql.unsafe(`GRANT CREATE ON DATABASE postgres TO ${nameOf(1)}`);
  mkdirSync(root, { recursive: true });
  git("init", "--quiet");
  git("config", "user.email", authorOf(1));
  git("config", "user.name", nameOf(1));
  git("commit", "--quiet", "--allow-empty", "-m", "First");
  pm("init");
  pm("config", "set", "--global", "memory.share", urlOf(1));
  pm("start", "--wait");
  pm("import", "claude", transcriptsOfHere(options.sessions), "--yes");
  const own = count();
  pm("stop");
  pm("share", "team", "on");
  const first = measured(share);
  console.error(`${nameOf(1)}: ${own.sessions} sessions, ${own.turns} turns; shared`);
  const [project] = await sql<{ key: string }[]>`SELECT key FROM pommel_team_1.projects`;
  const key = project!.key;
  const records: StoredTeamRecord[] = [];
  await asMember(1, async (team) => {
    for (let seq = 0; ; seq = records.at(-1)!.seq) {
      const next = await team.pull(key, seq, 50);
      if (next.length === 0) break;
      records.push(...next);
    }
  });
  const others = Array.from({ length: members - 1 }, (_, i) => i + 2);
  if (hasRoles && others.length > 0) pm("share", "team", "members", "--add", ...others.map(nameOf));
  for (const member of others) {
    await asMember(member, async (team) => {
      await team.join(key, authorOf(member));
      for (let from = 0; from < records.length; from += 50) {
        const some = records.slice(from, from + 50).map((record) => asOf(member, record));
        await team.push(key, authorOf(member), some);
      }
    });
    console.error(`${nameOf(member)}: shared`);
  }
  const whole = measured(share);
  console.error(`${nameOf(1)}: imported the others'`);
  const again = measured(share);
  const after = count();
  const [stored] = await sql<{ bytes: string; records: string }[]>`
    SELECT pg_total_relation_size('pommel_team_1.records') AS bytes,
           (SELECT count(*) FROM pommel_team_1.records) AS records`;
  const here = makeNewProject(root);
  const memoryMb = statSync(here.memoryDb).size / 1e6;
  pm("start", "--wait");
  const questions = loadQuestions(options.questions).map(({ question }) => question);
  const pid = readDaemonRecord()?.pid ?? 0;
  /** The second of two rounds: milliseconds by the clock of each question, and of the daemon's CPU of the median one. */
  const asks = async (team: boolean) => {
    const times: number[] = [];
    let before = 0;
    for (const [i, q] of [...questions, ...questions].entries()) {
      if (i === questions.length) before = usageOf(pid).cpuSeconds;
      const start = performance.now();
      await callDaemon(here.root, searchTranscripts, { q, limit: 10, ...(team && { team: true }) }, 60_000);
      times.push(performance.now() - start);
    }
    const cpuMs = ((usageOf(pid).cpuSeconds - before) * 1000) / questions.length;
    return { times: times.slice(questions.length), cpuMs };
  };
  const everything = await asks(false);
  const ofOthers = await asks(true);
  const { peakRssMb } = usageOf(pid);
  pm("stop");
  const leaver = members;
  if (members > 1) await asMember(leaver, (team) => team.withdraw(key, authorOf(leaver)));
  const removal = measured(share);
  const left = count();
  const cost = ({ cpu, seconds }: { cpu: number; seconds: number }) => [cpu.toFixed(1), seconds.toFixed(0)];
  printTable(
    ["", "sessions", "turns", "CPU s", "s"],
    [
      ["one shares", `${first.value.shared.sessions}`, `${first.value.shared.turns}`, ...cost(first)],
      [
        `imports what ${members - 1} shared`,
        `${whole.value.imported.sessions}`,
        `${whole.value.imported.turns}`,
        ...cost(whole),
      ],
      [
        "exchanges again",
        `${again.value.imported.sessions}`,
        `${again.value.imported.turns}`,
        ...cost(again),
      ],
      [
        "removes what one took back",
        `${after.sessions - left.sessions}`,
        `${after.turns - left.turns}`,
        ...cost(removal),
      ],
    ],
    { markdown: options.markdown },
  );
  const line = ({ times, cpuMs }: { times: readonly number[]; cpuMs: number }) =>
    `p50 ${percentile(times, 50).toFixed(1)}, p95 ${percentile(times, 95).toFixed(1)}, fastest ${Math.min(...times).toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms on average`;
  console.log(`
${server.engine}: ${stored!.records} records, ${(Number(stored!.bytes) / 1e6).toFixed(0)} MB; memory.db ${memoryMb.toFixed(0)} MB
here then: ${after.sessions} sessions, ${after.turns} turns, ${members} times ${own.sessions} and ${own.turns}
search, ten results, over the socket: ${line(everything)}
--team: ${line(ofOthers)}; daemon at most ${peakRssMb.toFixed(0)} MB`);
} finally {
  try {
    pm("stop");
  } catch {
    // Not started, or gone.
  }
  await sql.end();
  await server.stop();
  if (options.work === undefined) removeDirectory(work);
}
