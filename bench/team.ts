/**
 * A team whose members share their sessions through one PostgreSQL: what the exchange costs, whether everything
 * arrives, and how fast a member's daemon searches all of it.
 *
 *   npm run bench:team -- --sessions DIR --questions FILE [--members 10] [--markdown]
 *
 * DIR holds transcripts of Claude Code, FILE [{question, ...}]. Every member has all of them, under ids of their own.
 * An installed PostgreSQL with pgvector is started for it, else PGlite (then all members have one role).
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { askDaemon } from "../src/client/daemon-client.ts";
import { projectAt } from "../src/project/paths.ts";
import { readDaemonRecord } from "../src/protocol/daemon-record.ts";
import { startTestServer } from "../test/support/postgres-server.ts";
import { percentile } from "./measure.ts";
import { loadQuestions } from "./recall/questions.ts";
import { childrenCpuMs, usageOf } from "./speed.ts";
import { printTable } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    questions: { type: "string" },
    members: { type: "string", default: "10" },
    markdown: { type: "boolean", default: false },
  },
});
if (!options.sessions || !options.questions) {
  console.error("usage: npm run bench:team -- --sessions DIR --questions FILE [options, see bench/team.ts]");
  process.exit(2);
}
const members = Number(options.members);
const pmFile = resolve(import.meta.dirname, "../bin/pm.cjs");
const work = mkdtempSync(join(tmpdir(), "pommel-team-"));
const server = await startTestServer();
if (server === null) process.exit(2);
const sql = postgres(server.url, { max: 1, onnotice: () => {} });

interface Member {
  name: string;
  root: string;
  env: NodeJS.ProcessEnv;
}

const memberAt = (i: number): Member => {
  const name = `member${i}`;
  const home = join(work, name);
  return {
    name,
    root: join(home, "repo"),
    env: { PATH: process.env.PATH, HOME: home, POMMEL_DAEMON_AUTOSTART: "false" },
  };
};
const all = Array.from({ length: members }, (_, i) => memberAt(i + 1));

const pm = ({ root, env }: Member, ...args: string[]) =>
  execFileSync(process.execPath, [pmFile, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
const git = ({ root, env }: Member, ...args: string[]) =>
  execFileSync("git", args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });

function measured<T>(run: () => T) {
  const [cpu, start] = [childrenCpuMs(), performance.now()];
  const value = run();
  return { value, cpu: (childrenCpuMs() - cpu) / 1000, seconds: (performance.now() - start) / 1000 };
}

/** The transcripts as another person's: ids differ, and they ran in their clone. */
function transcriptsOf(member: Member, number: number): string {
  const to = join(work, "transcripts");
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  const shift = (start: string) =>
    ((Number.parseInt(start, 16) + 23 * number) % 256).toString(16).padStart(2, "0");
  const own = (text: string) =>
    text
      .replace(
        /\b([0-9a-f]{2})([0-9a-f]{6}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g,
        (_, a, b) => shift(a) + b,
      )
      .replace(/\b(toolu|msg|req)_01/g, `$1_${String(number).padStart(2, "0")}x`)
      .replace(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(member.root)}`);
  for (const file of readdirSync(options.sessions!).filter((name) => name.endsWith(".jsonl"))) {
    const text = readFileSync(join(options.sessions!, file), "utf8");
    writeFileSync(join(to, own(file)), own(text));
  }
  return to;
}

/**
 * What others shared is put aside while a member shares, or each would import all that came before. The trigger that
 * numbers records is off meanwhile.
 */
const aside = {
  records: "pommel_team_1.records",
  put: () =>
    sql.unsafe(`SET session_replication_role = replica;
      CREATE TABLE IF NOT EXISTS aside AS SELECT * FROM ${aside.records} LIMIT 0;
      INSERT INTO aside SELECT * FROM ${aside.records}; DELETE FROM ${aside.records}`),
  takeBack: () => sql.unsafe(`INSERT INTO ${aside.records} SELECT * FROM aside; DROP TABLE aside`),
};

const sharedBy = (text: string) =>
  JSON.parse(text) as {
    shared: { sessions: number; turns: number };
    imported: { sessions: number; turns: number };
  };
const count = (member: Member) =>
  (JSON.parse(pm(member, "status", "--json")) as { memory: { sessions: number; turns: number } }).memory;

try {
  const [first] = all as [Member, ...Member[]];
  const hasRoles = server.engine !== "PGlite";
  if (hasRoles) for (const { name } of all) await sql.unsafe(`CREATE ROLE ${name} LOGIN`);
  if (hasRoles) await sql.unsafe(`GRANT CREATE ON DATABASE postgres TO ${first.name}`);
  const rows: string[][] = [];
  for (const [i, member] of all.entries()) {
    mkdirSync(member.root, { recursive: true });
    git(member, "init", "--quiet");
    git(member, "config", "user.email", `${member.name}@example.com`);
    git(member, "config", "user.name", member.name);
    // The same first commit in every clone: it names the project.
    const date = { GIT_AUTHOR_DATE: "@1700000000 +0000", GIT_COMMITTER_DATE: "@1700000000 +0000" };
    git(
      { ...member, env: { ...member.env, ...date } },
      ...["-c", "user.name=First", "-c", "user.email=first@example.com"],
      ...["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    const url = new URL(server.url);
    if (hasRoles) url.username = member.name;
    pm(member, "init", "--yes");
    pm(member, "config", "set", "--global", "memory.share", String(url));
    pm(member, "start", "--wait");
    const imported = measured(() => pm(member, "import", "claude", transcriptsOf(member, i), "--yes"));
    const own = count(member);
    pm(member, "stop");
    if (i > 0 && hasRoles) pm(first, "share", "members", "--add", member.name);
    pm(member, "share", "on");
    if (i > 0) await aside.put();
    const { value, cpu, seconds } = measured(() => sharedBy(pm(member, "share", "--json")));
    rows.push([
      member.name,
      String(own.sessions),
      String(own.turns),
      imported.seconds.toFixed(0),
      `${value.shared.sessions} / ${value.imported.sessions}`,
      cpu.toFixed(1),
      seconds.toFixed(1),
    ]);
    console.error(rows.at(-1)!.join("\t"));
  }
  if (members > 1) await aside.takeBack();
  await sql.unsafe(`VACUUM FULL ${aside.records}`);
  const whole = measured(() => sharedBy(pm(first, "share", "--json")));
  const again = measured(() => sharedBy(pm(first, "share", "--json")));
  const [[stored]] = [
    await sql<{ bytes: string; records: string }[]>`
      SELECT pg_total_relation_size('pommel_team_1.records') AS bytes,
             (SELECT count(*) FROM pommel_team_1.records) AS records`,
  ];
  const after = count(first);
  pm(first, "start", "--wait");
  const project = projectAt(first.root);
  process.env.HOME = first.env.HOME;
  const questions = loadQuestions(options.questions).map(({ question }) => question);
  const asks = async (team: boolean) => {
    const times: number[] = [];
    for (const q of [...questions, ...questions]) {
      const start = performance.now();
      await askDaemon(project, "searchTranscripts", { q, limit: 10, ...(team && { team: true }) }, 60_000);
      times.push(performance.now() - start);
    }
    return times.slice(questions.length);
  };
  const everything = await asks(false);
  const others = await asks(true);
  const { peakRssMb } = usageOf(readDaemonRecord(project)?.pid ?? 0);
  pm(first, "stop");
  printTable(
    ["", "sessions", "turns", "import s", "shared / imported", "exchange CPU s", "exchange s"],
    rows,
    { markdown: options.markdown },
  );
  const line = (times: readonly number[]) =>
    `p50 ${percentile(times, 50).toFixed(1)}, p95 ${percentile(times, 95).toFixed(1)}, fastest ${Math.min(...times).toFixed(1)} ms`;
  console.log(`
${server.engine}: ${stored!.records} records, ${(Number(stored!.bytes) / 1e6).toFixed(0)} MB
${first.name} imports the others': ${whole.value.imported.sessions} sessions, ${whole.value.imported.turns} turns in ${whole.seconds.toFixed(0)} s (${whole.cpu.toFixed(0)} CPU s); again: ${again.value.imported.sessions} in ${again.seconds.toFixed(1)} s
here then: ${after.sessions} sessions, ${after.turns} turns
search, ten results, over the socket: ${line(everything)}; --team: ${line(others)}; daemon at most ${peakRssMb.toFixed(0)} MB`);
} finally {
  for (const member of all) {
    try {
      pm(member, "stop");
    } catch {
      // Not started, or gone.
    }
  }
  await sql.end();
  await server.stop();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
