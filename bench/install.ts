/**
 * Time from nothing to a first answer: an installation with a cold npm cache, then a new user's commands in a repository
 * of 1,000 files. The same for peers that npm installs.
 *
 *   npm run bench:install [-- --rounds 3] [--package FILE_OR_SPEC] [--repository DIR] [--only NAME] [--json]
 *
 * `--package` measures another Pommel than this one's tarball, such as an earlier one. The repository is generated, always
 * the same, unless one is given, which is copied. Needs the npm registry. No installation may compile: compilers are
 * left out of the PATH, unless `--compiler`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { percentile } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    package: { type: "string" },
    repository: { type: "string" },
    only: { type: "string" },
    compiler: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "pommel-bench-install-"));

interface Candidate {
  name: string;
  /** What npm installs. */
  spec: string;
  /** A new user's commands until the first answer; empty for peers that do not search code. */
  commands: string[][];
}

const question = "retry a failed request with backoff";
const candidates: Candidate[] = [
  {
    name: "pommel",
    spec: options.package ?? pack(),
    commands: [
      ["pm", "init", "--no-hooks"],
      ["pm", "reindex"],
      ["pm", "search", question],
    ],
  },
  {
    name: "codegraph",
    spec: "@colbymchenry/codegraph",
    commands: [
      ["codegraph", "init"],
      ["codegraph", "explore", question],
    ],
  },
  // It answers about sessions only, once Bun and uv are installed as well.
  { name: "claude-mem", spec: "claude-mem", commands: [] },
];

function pack(): string {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", work];
  const stdout = execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return join(work, (JSON.parse(stdout) as { filename: string }[])[0]!.filename);
}

/** A directory with all programs of the PATH but compilers. */
function withoutCompilers(): string {
  const bin = join(work, "bin");
  mkdirSync(bin);
  for (const dir of process.env.PATH!.split(delimiter).filter((dir) => existsSync(dir))) {
    for (const name of readdirSync(dir)) {
      if (/^(?:make|(?:.*-)?(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+)(?:-\d+)?)$/.test(name)) continue;
      if (!existsSync(join(bin, name))) symlinkSync(join(dir, name), join(bin, name));
    }
  }
  return bin;
}

/** 1,000 files in TypeScript and Python, and one that answers the question. */
function makeRepository(dir: string): void {
  for (let i = 0; i < 1000; i++) {
    const area = join(dir, `area${i % 40}`);
    mkdirSync(area, { recursive: true });
    const functions = Array.from({ length: 8 }, (_, n) =>
      (i % 2 === 0 ? inTypeScript : inPython)(`step${n}Of${i}`),
    );
    writeFileSync(join(area, `module${i}.${i % 2 === 0 ? "ts" : "py"}`), functions.join("\n"));
  }
  const answer =
    "/** Sends a failed request again, waiting longer each time. */\nexport function retryWithBackoff() {}\n";
  writeFileSync(join(dir, "retry.ts"), answer);
}

const inTypeScript = (name: string) =>
  `/** Adds up the ${name}. */\nexport function ${name}(items: number[]): number {\n  let total = 0;\n  for (const item of items) total += item;\n  return total;\n}\n`;
const inPython = (name: string) =>
  `def ${name}(items):\n    """Adds up the ${name}."""\n    total = 0\n    for item in items:\n        total += item\n    return total\n`;

interface Round {
  install: number;
  answer: number;
  bytes: number;
  packages: number;
}

/** Times in seconds: until npm is done, and from then until the first answer. */
function measure({ spec, commands }: Candidate, path: string): Round {
  const home = mkdtempSync(join(work, "home-"));
  const prefix = join(home, "prefix");
  const repository = join(home, "repository");
  if (options.repository === undefined) makeRepository(repository);
  else cpSync(options.repository, repository, { recursive: true });
  // As without a developer's own settings, and without what earlier commands left in the environment.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:npm|XDG|POMMEL)_/i.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    PATH: `${join(prefix, "bin")}${delimiter}${path}`,
  };
  const time = (command: string, ...args: string[]) => {
    const start = performance.now();
    const { status, stderr } = spawnSync(command, args, { cwd: repository, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr.trim().slice(-2000)}`);
    return (performance.now() - start) / 1000;
  };
  try {
    time("git", "init", "--quiet");
    const install = time("npm", "install", "--global", "--prefix", prefix, "--no-update-notifier", spec);
    const answer = commands.reduce((sum, [command, ...args]) => sum + time(command!, ...args), 0);
    return { install, answer, ...sizeOf(join(prefix, "lib/node_modules")) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function sizeOf(modules: string): { bytes: number; packages: number } {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const isPackage = /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;
  return {
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    packages: files.filter((file) => isPackage.test(file)).length,
  };
}

const path = options.compiler ? process.env.PATH! : withoutCompilers();
const results = candidates
  .filter(({ name }) => options.only === undefined || name === options.only)
  .map((candidate) => {
    const rounds = Array.from({ length: Number(options.rounds) }, () => measure(candidate, path));
    const median = (of: (round: Round) => number) => percentile(rounds.map(of), 50);
    const answers = candidate.commands.length > 0;
    return {
      name: candidate.name,
      install_seconds: median(({ install }) => install),
      first_answer_seconds: answers ? median(({ install, answer }) => install + answer) : null,
      megabytes: rounds[0]!.bytes / 1e6,
      packages: rounds[0]!.packages,
    };
  });
rmSync(work, { recursive: true, force: true });

if (options.json) {
  console.log(JSON.stringify({ load: loadavg(), results }, null, 2));
} else {
  console.log(
    "| package | packages | MB | `npm i -g` s | from `npm i -g` to the first answer s |\n|---|---|---|---|---|",
  );
  for (const { name, packages, megabytes, install_seconds, first_answer_seconds } of results) {
    const first = first_answer_seconds?.toFixed(1) ?? "–";
    console.log(
      `| ${name} | ${packages} | ${megabytes.toFixed(1)} | ${install_seconds.toFixed(1)} | ${first} |`,
    );
  }
  console.log(
    `\nMedians of ${options.rounds}; load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}.`,
  );
}
