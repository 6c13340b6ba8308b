import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import type { StartReport } from "../../src/features/daemon/operation.ts";
import { until } from "./daemon-fixture.ts";
import { temporaryDir, temporaryRepository } from "./run-pm.ts";

/** Pommel with the adapter of examples/adapter: added as docs/adapters.md says, built, and used as a person would. */

const repositoryRoot = resolve(import.meta.dirname, "../..");
let pommel: string;
let repo: string;
let jotHome: string;
let pommelProgram: string;

beforeAll(() => {
  pommel = temporaryDir("pommel-with-jot-");
  for (const name of [
    "src",
    "bin",
    "models/static",
    "models/rank",
    "package.json",
    "tsconfig.json",
    "tsdown.config.ts",
  ])
    cpSync(join(repositoryRoot, name), join(pommel, name), { recursive: true });
  symlinkSync(realpathSync(join(repositoryRoot, "node_modules")), join(pommel, "node_modules"));
  mkdirSync(join(pommel, "src/agents/jot"));
  for (const name of ["profile.ts", "jot.ts", "setup.ts"]) {
    const code = readFileSync(join(repositoryRoot, "examples/adapter", name), "utf8");
    writeFileSync(join(pommel, "src/agents/jot", name), code.replaceAll('"../../src/agents/', '"../'));
  }
  register("profiles.ts", "export const profiles = {", "jot: jotProfile,", "jotProfile", "./jot/profile.ts");
  register("registry.ts", "const byName = {", "jot,", "jot", "./jot/jot.ts");
  const tsdown = join(pommel, "node_modules", ".bin", "tsdown");
  execFileSync(process.execPath, [realpathSync(tsdown)], { cwd: pommel, stdio: "pipe" });
  // Grammars, SQLite's binaries and the kernel come from other steps of the build.
  cpSync(join(repositoryRoot, "dist"), join(pommel, "dist"), { recursive: true, force: false });

  repo = temporaryRepository();
  jotHome = temporaryDir("pommel-jot-home-");
  const bin = temporaryDir("pommel-bin-");
  const program = `#!/bin/sh\nexec "${process.execPath}" "${join(pommel, "bin/pm.cjs")}" "$@"\n`;
  pommelProgram = join(bin, "pommel");
  writeFileSync(pommelProgram, program, { mode: 0o755 });
});

afterAll(() => {
  pm("stop");
  for (const dir of [pommel, repo, jotHome]) rmSync(dir, { recursive: true, force: true });
});

/** Adds what the page says to one of the tables of src/agents. */
function register(table: string, begin: string, line: string, name: string, from: string): void {
  const file = join(pommel, "src/agents", table);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(begin);
  writeFileSync(file, `import { ${name} } from "${from}";\n${text.replace(begin, `${begin} ${line}`)}`);
}

const environment = () => ({
  ...process.env,
  PATH: `${dirname(pommelProgram)}:${process.env.PATH}`,
  JOT_HOME: jotHome,
});

function pm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(pommelProgram, args, {
    cwd: repo,
    env: environment(),
    encoding: "utf8",
  });
  expect({ args, status, stderr: status === 0 ? "" : stderr }).toEqual({ args, status: 0, stderr: "" });
  return stdout;
}

const json = <T>(...args: string[]): T => JSON.parse(pm(...args, "--json")) as T;

const git = (...args: string[]) =>
  execFileSync("git", ["-C", repo, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args]);

interface Annotations {
  annotations: { note: string; session_id: string | null }[];
}

interface Blamed {
  ranges: { author: string; agent: string | null; session_id: string | null; how: string | null }[];
}

it("its sessions are imported, its hooks are recorded, and lines that its commands wrote are its own", async () => {
  const started = Date.now() - 3_600_000;
  const time = (seconds: number) => new Date(started + seconds * 1000).toISOString();
  const command = "printf 'let total = 2;\\n' > total.ts";
  const said = [
    { session: "7f3a", cwd: repo, time: time(0) },
    { role: "user", text: "Round the total once.", time: time(1) },
    { role: "tool", name: "console", input: { command }, output: "", time: time(2) },
    { role: "agent", text: "It is rounded once now.", time: time(3) },
  ];
  const log = join(jotHome, "logs", "7f3a.jsonl");
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, said.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(log, new Date(time(3)), new Date(time(3)));
  writeFileSync(join(repo, "total.ts"), "let total = 2;\n");
  writeFileSync(join(repo, ".gitignore"), ".jot/\n");
  git("add", "--all");
  git("commit", "--quiet", "-m", "Round once");

  pm("init", "--agent", "jot");
  const settings = JSON.parse(readFileSync(join(repo, ".jot/settings.json"), "utf8"));
  expect(Object.keys(settings.hooks).sort()).toEqual(["answered", "asked", "done"]);

  // The daemon finds Jot's home, which only the adapter knows.
  const isFound = () => json<StartReport>("start").past_sessions?.agents?.includes("jot");
  await until(isFound);
  expect(json("import", "jot", "--yes")).toMatchObject({ agent: "jot", sessions: 1, failed: [] });
  await until(async () => json<Blamed>("blame", "total.ts").ranges[0]?.author === "agent");
  expect(json<Blamed>("blame", "total.ts").ranges).toMatchObject([
    { agent: "jot", session_id: "7f3a", how: "shell" },
  ]);

  const hook = spawnSync("sh", ["-c", settings.hooks.asked[0].hooks[0].command], {
    cwd: repo,
    env: environment(),
    input: JSON.stringify({ session: "7f3a", log, dir: repo, prompt: "Note to Pommel: round once" }),
    encoding: "utf8",
  });
  expect(hook).toMatchObject({ status: 0, stdout: "", stderr: "" });
  await until(async () => json<Annotations>("annotations").annotations.length > 0);
  expect(json<Annotations>("annotations").annotations).toMatchObject([
    { note: "round once", session_id: "7f3a" },
  ]);

  pm("disable");
  expect(readFileSync(join(makeNewProject(repo).setupDir, "setup.json"), "utf8")).not.toContain(
    "settings.json",
  );
});
