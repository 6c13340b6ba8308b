/**
 * A newcomer's first five minutes on a busy machine: in each repository, never seen before, the usual questions at once, and every
 * statement of the answers checked against the repository itself.
 *
 *   npm run bench:newcomer -- --repositories DIR [--loops 8] [--json]
 *
 *   --repositories DIR  a directory of git repositories; a clone of each is asked about
 *   --loops N           busy loops beside it; 0: none (default: 8)
 *
 * Ends with 1 where a statement is false.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { percentile, printTable, scratchDir } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    repositories: { type: "string" },
    loops: { type: "string", default: "8" },
    json: { type: "boolean", default: false },
  },
});
if (!options.repositories) {
  console.error("usage: npm run bench:newcomer -- --repositories DIR [options, see bench/newcomer.ts]");
  process.exit(2);
}
const pmFile = resolve(import.meta.dirname, "../bin/pm.cjs");
/** No answer takes longer. Milliseconds. */
const timeoutMs = 120_000;

interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** A repository that a newcomer asks about, and what he was told that is false. */
class Newcomer {
  readonly root: string;
  readonly times = new Map<string, number[]>();
  readonly falsehoods: string[] = [];
  statements = 0;
  private readonly env: NodeJS.ProcessEnv;

  constructor(
    readonly name: string,
    source: string,
    work: string,
  ) {
    this.root = join(work, name);
    const home = join(work, `${name}-home`);
    mkdirSync(home);
    this.env = { ...process.env, HOME: home, POMMEL_HOME: join(home, "pommel") };
    execFileSync("git", ["clone", "--quiet", source, this.root]);
  }

  git(...args: string[]): string {
    return execFileSync("git", ["-C", this.root, ...args], { encoding: "utf8", maxBuffer: 1e8 });
  }

  ask(...args: string[]): Said {
    const start = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [pmFile, ...args], {
      cwd: this.root,
      env: this.env,
      encoding: "utf8",
      timeout: timeoutMs,
      maxBuffer: 1e8,
    });
    const ms = performance.now() - start;
    const what = args[0] === "search" ? `search ${args[1]}` : args[0]!;
    this.times.set(what, [...(this.times.get(what) ?? []), ms]);
    return { code: status, stdout, stderr, ms };
  }

  /** @returns null where it is no JSON, which is a falsehood of its own */
  askJson<T>(...args: string[]): (T & { code: number | null }) | null {
    const { code, stdout, stderr } = this.ask(...args, "--json");
    try {
      return { ...(JSON.parse(stdout) as T), code };
    } catch {
      this.check(false, `${args.join(" ")} answered ${JSON.stringify((stdout || stderr).slice(0, 200))}`);
      return null;
    }
  }

  check(isTrue: boolean, statement: string): void {
    this.statements++;
    if (!isTrue) this.falsehoods.push(statement);
  }

  lines(file: string): string[] {
    return readFileSync(join(this.root, file), "utf8").split("\n");
  }
}

interface Found {
  verdict: string;
  coverage?: { done: number; total: number } | null;
  results: { file: string; start_line: number; end_line: number; content?: string; line?: number }[];
}

/** A question that has an answer, as its words are in the sources. */
function wordsOf(newcomer: Newcomer, file: string): string {
  const names = newcomer
    .lines(file)
    .flatMap((line) => line.match(/\b[A-Za-z_]{6,30}\b/g) ?? [])
    .filter(
      (word) =>
        !/^(?:import|export|return|function|package|public|private|static|extends|default)$/.test(word),
    );
  const rare = [...new Set(names)].sort((a, b) => b.length - a.length)[0] ?? "main";
  return rare
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/** Words that the verdicts of a whole index are made of. */
const verdicts = /nothing found|no results|probably not here|\b0 results/i;

function askSearches(newcomer: Newcomer, files: readonly string[]): void {
  for (const file of files) {
    const query = wordsOf(newcomer, file);
    const found = newcomer.askJson<Found>("search", "code", query);
    if (found === null) continue;
    const { verdict, coverage, results, code } = found;
    const isPartial = coverage != null && coverage.done < coverage.total;
    newcomer.check(code === 0, `search code "${query}" ended with ${code}`);
    newcomer.check(
      !isPartial || verdict === "not_yet",
      `"${query}": ${verdict} from ${JSON.stringify(coverage)}`,
    );
    newcomer.check(results.length > 0, `"${query}" is in ${file}, and nothing was found`);
    for (const { file: path, start_line: first, end_line: last } of results) {
      const isThere = existsSync(join(newcomer.root, path));
      newcomer.check(isThere, `"${query}" names ${path}, which does not exist`);
      if (isThere)
        newcomer.check(first >= 1 && last <= newcomer.lines(path).length, `${path}:${first}-${last}`);
    }
    for (const { file: path, start_line: first, content } of results.slice(0, 3)) {
      if (content === undefined || !existsSync(join(newcomer.root, path))) continue;
      const [line = ""] = content.split("\n");
      newcomer.check(
        newcomer.lines(path)[first - 1]?.includes(line.trim()) === true,
        `${path}:${first} is not ${JSON.stringify(line)}`,
      );
    }
    const text = newcomer.ask("search", "code", query);
    newcomer.check(!verdicts.test(text.stdout + text.stderr), `"${query}": ${text.stdout.split("\n")[0]}`);
  }
  const nonsense = newcomer.askJson<Found>("search", "code", "zxqvw florbnic");
  if (nonsense?.coverage && nonsense.coverage.done < nonsense.coverage.total)
    newcomer.check(
      nonsense.verdict === "not_yet" && nonsense.code === 0,
      `nonsense: ${nonsense.verdict}, ${nonsense.code}`,
    );
}

function askWho(newcomer: Newcomer, files: readonly string[]): void {
  for (const file of files.slice(0, 3)) {
    const line = Math.min(3, newcomer.lines(file).length);
    const blamed = newcomer.git("blame", "--porcelain", "-L", `${line},${line}`, "--", file).split(" ")[0];
    const why = newcomer.askJson<{
      origins: { commit: { hash: string } | null; written_by: { author: string } }[];
    }>("why", `${file}:${line}`);
    newcomer.check(
      why?.origins[0]?.commit?.hash === blamed,
      `why ${file}:${line} names another commit than git`,
    );
    for (const { written_by } of why?.origins ?? [])
      newcomer.check(
        written_by.author === "unknown",
        `why ${file}:${line}: ${written_by.author}, without a session`,
      );
    const said = newcomer.ask("why", `${file}:${line}`);
    newcomer.check(!/\b0 ?%/.test(said.stdout), `why ${file}:${line} gives a share of what is not known`);
  }
  const numbers = newcomer.git("show", "--numstat", "--format=", "HEAD").trim().split("\n");
  const added = numbers.reduce((sum, row) => sum + (Number(row.split("\t")[0]) || 0), 0);
  const review = newcomer.askJson<{ insertions: number; lines: { agent: number; human: number } }>(
    "review",
    "HEAD",
  );
  if (newcomer.git("rev-list", "--parents", "-1", "HEAD").trim().split(" ").length === 2)
    newcomer.check(review?.insertions === added, `review HEAD: +${review?.insertions} instead of +${added}`);
  newcomer.check(
    review?.lines.agent === 0 && review?.lines.human === 0,
    "review HEAD: authors, without a session",
  );
  const text = newcomer.ask("review", "HEAD").stdout;
  newcomer.check(
    !/by agents 0 ?%|100 ?% by people/.test(text),
    "review HEAD gives a share of what is not known",
  );
}

function askState(newcomer: Newcomer, isFirst: boolean): void {
  const tracked = newcomer.git("ls-files").trim().split("\n").length;
  const status = newcomer.askJson<{ index: { files: number; is_complete: boolean } | null }>("status");
  newcomer.check(
    (status?.index?.files ?? 0) <= tracked,
    `status: ${status?.index?.files} files of ${tracked}`,
  );
  const text = newcomer.ask("status").stdout;
  newcomer.check(
    !/all is well/i.test(text) || status?.index?.is_complete === true,
    "status: all is well, before it is",
  );
  if (isFirst) newcomer.check(!existsSync(join(newcomer.root, ".pommel")), "status made a .pommel");
  const sessions = newcomer.ask("search", "sessions", "why was this reverted");
  newcomer.check(
    !/probably not here/i.test(sessions.stdout),
    "a verdict on sessions, of which none is recorded",
  );
}

const work = scratchDir("newcomer");
const loops: ChildProcess[] = [];
const rows: (string | number)[][] = [];
const all: Newcomer[] = [];
try {
  for (let i = 0; i < Number(options.loops); i++)
    loops.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  for (const name of readdirSync(resolve(options.repositories)).sort()) {
    const newcomer = new Newcomer(name, join(resolve(options.repositories), name), work);
    all.push(newcomer);
    const sources = newcomer
      .git("ls-files")
      .split("\n")
      .filter(
        (path) =>
          /\.(?:[jt]sx?|py|go|rs|java|kt|rb|php|cs|exs?|swift|c|cc|cpp|h|hpp|scala)$/.test(path) &&
          !/tests?\b|spec|min\./i.test(path),
      )
      .filter((path) => newcomer.lines(path).length > 30);
    const files = [0.1, 0.3, 0.5, 0.7, 0.9].map((at) => sources[Math.floor(at * sources.length)]!);
    askState(newcomer, true);
    askSearches(newcomer, files);
    askWho(newcomer, files);
    askState(newcomer, false);
    newcomer.ask("daemon", "stop");
    const first = newcomer.times.get("search code")?.[0] ?? 0;
    const times = [...newcomer.times.values()].flat();
    rows.push([
      name,
      times.length,
      newcomer.statements,
      newcomer.falsehoods.length,
      ...[first, percentile(times, 50), percentile(times, 95)].map(Math.round),
    ]);
  }
} finally {
  for (const loop of loops) loop.kill();
}

const falsehoods = all.flatMap(({ name, falsehoods: own }) => own.map((each) => `${name}: ${each}`));
if (options.json) console.log(JSON.stringify({ rows, falsehoods }, null, 2));
else {
  printTable(
    ["repository", "questions", "statements", "false", "first search ms", "p50 ms", "p95 ms"],
    rows.map((row) => row.map(String)),
    { markdown: true },
  );
  for (const falsehood of falsehoods) console.log(`false: ${falsehood}`);
}
process.exitCode = falsehoods.length > 0 ? 1 : 0;
