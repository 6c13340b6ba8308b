/**
 * Every command line of the documentation is typed into the project of `pm demo`, and prints what its page shows.
 * `npm run docs:examples` writes what they print into the pages.
 */
import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { drawTerminal } from "../../scripts/draw-terminal.ts";
import { stopDaemon } from "../../src/client/stop-daemon.ts";
import { runCommandLine } from "../../src/faces/cli/run-command-line.ts";
import { storyDay } from "../../src/features/demo/story.ts";
import { tellStory } from "../../src/features/demo/tell-story.ts";
import { collectedStreams } from "../support/collected-streams.ts";
import {
  chooseShown,
  type Example,
  isShownRight,
  readExampleBlocks,
  replaceShown,
  splitCommandLine,
} from "../support/doc-examples.ts";
import { callPm, homeAt, temporaryDir } from "./run-pm.ts";

const isWriting = process.env.POMMEL_WRITE_EXAMPLES === "true";

const project = fileURLToPath(new URL("../..", import.meta.url));
const listPages = (directory: string) =>
  readdirSync(join(project, directory))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(directory, name));
const pages = ["README.md", ...listPages("docs")];

const home = join(temporaryDir(), "robin");
const prepared = `${home}-prepared`;
const root = join(home, "harbor");
Object.assign(process.env, homeAt(home), { TZ: "UTC" });

beforeAll(async () => {
  mkdirSync(home);
  tellStory({ root, home, now: storyDay });
  setClock();
  for (const args of [
    ["init", "--no-hooks", "--no-start"],
    ["import", "claude", "--yes"],
    ["checkpoint", "backfill", "--all"],
    ["daemon", "reindex"],
  ]) {
    const { code, stderr } = await callPm(args, { cwd: root });
    expect(code, `pm ${args.join(" ")}: ${stderr}`).toBe(0);
  }
  copyHome(home, prepared);
});
let usedHomes = 0;
beforeEach(() => {
  const fresh = `${home}-fresh`;
  copyHome(prepared, fresh);
  // Threads that end late still write to the home of the page before, so it is set aside. The temporary directory of the
  // whole run is deleted later.
  renameSync(home, `${home}-used-${++usedHomes}`);
  renameSync(fresh, home);
  setClock();
});
afterEach(async () => {
  vi.useRealTimers();
  // A page may have started one.
  await stopDaemon();
});

const copyHome = (from: string, to: string) =>
  cpSync(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !lstatSync(path).isSocket(),
  });
/** As a reader would see it, whatever directory this is and however the project is numbered. */
const anonymize = (output: string) =>
  output.replaceAll(dirname(home), "/home").replaceAll(/\bharbor-[0-9a-f]{12}\b/g, "harbor-c590cecc9d2f");
/** A note that is typed in a terminal is a person's. */
const { isTTY } = process.stdin;
beforeAll(() => {
  process.stdin.isTTY = true;
});
afterAll(() => {
  process.stdin.isTTY = isTTY;
});
const setClock = () => vi.useFakeTimers({ toFake: ["Date"], now: storyDay });

describe.each(pages)("%s", (name) => {
  const file = join(project, name);
  const blocks = readExampleBlocks(readFileSync(file, "utf8"));
  const examples = blocks
    .filter(({ notRun }) => notRun === null)
    .flatMap((block) => block.examples.map((example) => ({ example, exitCode: block.exitCode })));

  it.runIf(examples.length > 0)("shows what its commands print", async () => {
    const changed = new Map<Example, readonly string[]>();
    let cwd = root;
    for (const { example, exitCode } of examples) {
      const [program, ...args] = splitCommandLine(example.command) ?? [];
      if (program === "cd") {
        cwd = resolve(cwd, args[0] ?? home);
        continue;
      }
      expect(program, `${example.command}: only pm is run; say why this is not`).toBe("pm");
      const { code, stdout, stderr } = await callPm(args, { cwd });
      expect(code, `${example.command}: ${stdout}${stderr}`).toBe(exitCode);
      if (example.shown === null) continue;
      const wanted = chooseShown(example.shown, anonymize(stdout));
      if (isShownRight(example.shown, wanted)) continue;
      if (isWriting) changed.set(example, wanted);
      else expect([example.typed, ...example.shown].join("\n")).toBe([example.typed, ...wanted].join("\n"));
    }
    if (isWriting) writeFileSync(file, replaceShown(readFileSync(file, "utf8"), changed));
  });
});

it("a console block elsewhere says why it is not run", () => {
  const tracked = execFileSync("git", ["-C", project, "ls-files", "-z", "*.md"], { encoding: "utf8" });
  const others = tracked.split("\0").filter((name) => name !== "" && !pages.includes(name));
  const silent = others.flatMap((name) =>
    readExampleBlocks(readFileSync(join(project, name), "utf8"))
      .filter(({ notRun }) => notRun === null)
      .map(({ line }) => `${name}:${line}`),
  );
  expect(silent).toEqual([]);
});

/** Pictures of the same story: why an agent's line is there, for the first screen of the README, and who wrote a file. */
it.each([
  ["why", ["why", "src/http/retry.ts:14"]],
  ["blame", ["blame", "src/http/retry.ts:4-12"]],
])("draws %s.svg", async (name, args) => {
  const file = join(project, `docs/images/${name}.svg`);
  const columns = 100;
  const { streams, written } = collectedStreams();
  const terminal = { ...streams, hasColor: () => true, columns };
  const code = await runCommandLine(args, { cwd: root, isRemote: false, streams: terminal });
  expect(code).toBe(0);
  const drawn = drawTerminal(`pm ${args.join(" ")}`, written[1], columns);
  if (isWriting) writeFileSync(file, drawn);
  expect(readFileSync(file, "utf8")).toBe(drawn);
});
