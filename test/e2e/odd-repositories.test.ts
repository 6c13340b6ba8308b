import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { BlameAnswer } from "../../src/features/blame/operation.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { rememberTurn, wrote } from "../support/attribution-fixture.ts";
import { brokenRepositories } from "../support/broken-repositories.ts";
import { namedProject } from "../support/named-project.ts";
import { temporaryGit } from "../support/repository-fixture.ts";
import { cleanUp, createProject } from "./daemon-fixture.ts";
import { callPm, type PmResult, runPm, temporaryDir } from "./run-pm.ts";

/** Every command that reads history, in repositories that are not as most are. */

afterEach(cleanUp);

type Git = ReturnType<typeof temporaryGit>;

const byHand = "const first = byHand();\n";
const byAgent = "const second = writtenByTheAgent();\n";
/** Between the first commit of the fixture and the second. */
const writtenAt = 1_700_000_090_000;

/** An agent did this, and it is remembered. */
function remember(project: Project, file = "a.ts", text = byHand + byAgent): void {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  rememberTurn(memory, "s", [wrote(file, text, writtenAt)], { cwd: project.root });
  memory.close();
}

/** Two commits: by hand, then by the agent; `also` is in the second one as well. */
function twoCommits(git: Git, also: Record<string, string> = {}): void {
  git.commit("By hand", { "a.ts": byHand });
  git.commit("By the agent", { "a.ts": byHand + byAgent, ...also });
}

interface Odd {
  name: string;
  make: (project: Project) => Project | undefined;
  /** The file that is asked about; the agent wrote its second line. */
  file?: string;
  /** Commands whose exit code is not 0, by their first words; with what they say. */
  but?: Record<string, [code: number, says: RegExp]>;
  /** Where no line can be attributed to an agent. */
  isUnknown?: boolean;
}

const odd: Odd[] = [
  {
    name: "no git",
    make: (project) => {
      writeFileSync(join(project.root, "a.ts"), byHand + byAgent);
      remember(project);
    },
    but: {
      "checkpoint backfill": [3, /not a git repository/],
      "checkpoint show": [5, /No checkpoint/],
      "checkpoint diff": [5, /./],
      blame: [3, /not a git repository/],
      why: [3, /not a git repository/],
      rewind: [3, /not a git repository/],
    },
  },
  {
    name: "nothing committed yet",
    make: (project) => {
      temporaryGit(project.root).write({ "a.ts": byHand + byAgent });
      remember(project);
    },
    but: {
      "checkpoint show": [5, /No checkpoint/],
      "checkpoint diff": [5, /./],
      "checkpoint backfill": [3, /No commits yet/],
      blame: [3, /No commits yet/],
      why: [3, /No commits yet/],
      rewind: [3, /No commits yet/],
    },
  },
  {
    name: "a bare repository",
    make: (project) => {
      const source = temporaryGit(temporaryDir());
      twoCommits(source);
      source.git("clone", "--quiet", "--bare", source.dir, join(project.root, "bare.git"));
      const bare = namedProject(join(project.root, "bare.git"));
      remember(bare);
      source.remove();
      return bare;
    },
    but: { "rewind --restore": [2, /bare repository has no working tree/] },
  },
  {
    name: "a detached HEAD",
    make: (project) => {
      const git = temporaryGit(project.root);
      twoCommits(git);
      git.git("switch", "--quiet", "--detach");
      remember(project);
    },
  },
  {
    name: "SHA-256",
    make: (project) => {
      twoCommits(temporaryGit(project.root, ["--object-format=sha256"]));
      remember(project);
    },
  },
  {
    name: "a shallow clone",
    make: (project) => {
      const source = temporaryGit(temporaryDir());
      twoCommits(source);
      source.commit("Later", { "b.ts": "const later = true;\n" });
      const clone = join(project.root, "clone");
      source.git("clone", "--quiet", "--depth=2", `file://${source.dir}`, clone);
      const shallow = namedProject(clone);
      remember(shallow);
      source.remove();
      return shallow;
    },
    // The oldest commit there is may have come with all of the file, or with none of it.
    isUnknown: true,
    but: { "checkpoint show": [5, /No recorded session/] },
  },
  {
    name: "a submodule, as a project of its own",
    make: (project) => {
      const lib = temporaryGit(temporaryDir());
      twoCommits(lib);
      const git = temporaryGit(project.root);
      git.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "lib");
      git.commit("With a library");
      const inside = namedProject(join(project.root, "lib"));
      remember(inside);
      lib.remove();
      return inside;
    },
  },
  {
    name: "a sparse checkout",
    make: (project) => {
      const git = temporaryGit(project.root);
      twoCommits(git, { "in/x.ts": "const x = 1;\n", "out/y.ts": "const y = 1;\n" });
      git.git("sparse-checkout", "set", "in");
      remember(project);
    },
  },
  {
    name: "a linked worktree",
    make: (project) => {
      const main = temporaryGit(join(project.root, mkdir(project.root, "main")));
      twoCommits(main);
      main.git("worktree", "add", "--quiet", "-b", "side", join(project.root, "side"));
      const side = namedProject(join(project.root, "side"));
      remember(side);
      return side;
    },
  },
  {
    name: "Windows line ends",
    make: (project) => {
      const git = temporaryGit(project.root);
      git.git("config", "core.autocrlf", "false");
      git.commit("By hand", { "a.ts": byHand.replace("\n", "\r\n") });
      git.commit("By the agent", { "a.ts": (byHand + byAgent).replaceAll("\n", "\r\n") });
      remember(project, "a.ts", (byHand + byAgent).replaceAll("\n", "\r\n"));
    },
  },
  {
    name: "line ends that git changes",
    make: (project) => {
      const git = temporaryGit(project.root);
      git.git("config", "core.autocrlf", "true");
      twoCommits(git);
      rmSync(join(project.root, "a.ts"));
      git.git("checkout", "--quiet", "--", "a.ts");
      remember(project);
    },
  },
  {
    name: "links",
    make: (project) => {
      const git = temporaryGit(project.root);
      symlinkSync("/nowhere", join(project.root, "dangling"));
      symlinkSync(".", join(project.root, "loop"));
      twoCommits(git);
      remember(project);
    },
    file: "loop/a.ts",
  },
  {
    name: "names with line feeds, quotes and bytes that are no UTF-8",
    make: (project) => {
      const git = temporaryGit(project.root);
      const broken = Buffer.concat([Buffer.from(`${project.root}/b`), Buffer.from([0xff, 0x0a, 0x22])]);
      writeFileSync(broken, "const broken = 1;\n");
      git.commit("By hand", { "new\nline 'ü\".ts": byHand });
      writeFileSync(broken, "const broken = 2;\n");
      git.commit("By the agent", { "new\nline 'ü\".ts": byHand + byAgent });
      remember(project, "new\nline 'ü\".ts");
    },
    file: "new\nline 'ü\".ts",
  },
];

function mkdir(root: string, name: string): string {
  mkdirSync(join(root, name));
  return name;
}

/** Ends as it should, says so where it fails, and shows nothing of what is inside. */
function check(args: readonly string[], { code, stdout, stderr }: PmResult, but: Odd["but"] = {}): void {
  const said = stdout + stderr;
  const named = Object.keys(but).find((words) => words.split(" ").every((word) => args.includes(word)));
  const [expected, says] = named === undefined ? [0, null] : but[named]!;
  expect({ args, code, said: code === expected ? "" : said }).toEqual({ args, code: expected, said: "" });
  expect(said).not.toMatch(/^\s+at |\bfatal:|\bTypeError\b|\bundefined\b|\[object |\bNaN\b/m);
  if (says === null) return;
  expect(stderr).toMatch(says);
  expect(stderr).toMatch(/^error: .+\nhint: ./);
}

it.each(odd)("$name", async ({ make, file = "a.ts", but, isUnknown = false }) => {
  const made = createProject({});
  const project = make(made) ?? made;
  const pm = async (...args: string[]) => {
    // A patch goes to the process's stdout as it comes.
    const result = await (args.includes("--patch") ? runPm : callPm)(args, { cwd: project.root });
    check(args, result, but);
    return result;
  };
  await pm("checkpoint", "backfill", "--all");
  const reading = [
    ["checkpoint", "list"],
    ["checkpoint", "show", "HEAD"],
    ["checkpoint", "diff", "HEAD~1", "HEAD", "--patch"],
    ["why", `${file}:2`],
    ["stats"],
    ["rewind", "HEAD~1"],
    ["event", "create", "odd"],
  ];
  const blaming = pm("blame", file, "--json").catch((error: unknown) => error);
  for (let i = 0; i < reading.length; i += 2)
    await Promise.all(reading.slice(i, i + 2).map((args) => pm(...args)));
  if (but?.blame) return check(["blame"], await callPm(["blame", file], { cwd: project.root }), but);
  const blamed = JSON.parse(((await blaming) as PmResult).stdout) as BlameAnswer;
  expect(blamed.ranges.at(-1)).toMatchObject(
    isUnknown ? { author: "unknown", is_boundary: true } : { author: "agent", session_id: "s", turn: 1 },
  );
  // Last, as it changes files.
  if ((await pm("rewind", "HEAD~1", "--restore")).code !== 0) return;
  const git = (...args: string[]) => execFileSync("git", ["-C", project.root, ...args], { encoding: "utf8" });
  expect(git("write-tree")).toBe(git("rev-parse", "HEAD~1^{tree}"));
  expect(git("diff", "--name-only")).toBe("");
});

describe("a repository that git cannot read is named, with what to do, by every command:", () => {
  for (const { name, says, hint, onlyHead = false, break: breakIt, skip = null } of brokenRepositories) {
    it.skipIf(skip !== null)(skip === null ? name : `${name} (${skip})`, async () => {
      const project = createProject({});
      const git = temporaryGit(project.root);
      twoCommits(git);
      remember(project);
      breakIt(git);
      const pm = (...args: string[]) => callPm(args, { cwd: project.root });
      const first = (text: RegExp) => new RegExp(text.source.replace(/^\^|\$$/g, ""), "m");
      for (const args of [
        ["blame", "a.ts"],
        ["why", "a.ts:1"],
        ["stats"],
        ["rewind", "HEAD"],
        ...(onlyHead ? [] : [["related"], ["sync"]]),
        ["checkpoint", "list"],
        ["checkpoint", "backfill"],
      ]) {
        const { code, stderr } = await pm(...args);
        expect({ args, code, stderr }).toEqual({
          args,
          code: 1,
          stderr: expect.stringMatching(/^error: /),
        });
        expect(stderr, args[0]).toMatch(first(says));
        expect(stderr, args[0]).toMatch(first(hint));
      }
      const init = await pm("init", "--yes", "--no-start");
      expect(init.code).toBe(0);
      const status = await pm("status");
      expect(status.stdout).toMatch(first(says));
      const doctor = await pm("doctor", "--json");
      expect(doctor.code).toBe(1);
      const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string }[] };
      expect(checks.find(({ name }) => name === "repository")).toMatchObject({
        status: "fail",
        message: expect.stringMatching(says),
        hint: expect.stringMatching(hint),
      });
    });
  }
});

it("pm init says why git's hooks cannot be added", async () => {
  const project = createProject({});
  twoCommits(temporaryGit(project.root));
  rmSync(join(project.root, ".git/HEAD"));
  const { stdout, stderr } = await callPm(["init", "--yes", "--no-start"], { cwd: project.root });
  expect(stdout).toContain("Git\n");
  expect(stderr).toMatch(/! No git hooks: .*is no git repository any more.* clone it again/);
});

describe("pm doctor looks beyond HEAD:", () => {
  const repositoryCheck = async (damage: (git: Git) => void) => {
    const project = createProject({});
    const git = temporaryGit(project.root);
    twoCommits(git);
    damage(git);
    const { stdout } = await callPm(["doctor", "--json"], { cwd: project.root });
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    return checks.find(({ name }) => name === "repository");
  };

  it("an index, an older object, and a lock that was left", async () => {
    expect(await repositoryCheck(() => {})).toMatchObject({ status: "ok" });
    expect(
      await repositoryCheck(({ dir }) => writeFileSync(join(dir, ".git/index"), "no index")),
    ).toMatchObject({ status: "fail", message: expect.stringMatching(/^git's index is damaged/) });
    expect(
      await repositoryCheck(({ dir, git }) => {
        const tree = git("rev-parse", "HEAD~1^{tree}");
        rmSync(join(dir, ".git/objects", tree.slice(0, 2), tree.slice(2)));
      }),
    ).toMatchObject({ status: "fail", message: expect.stringMatching(/is damaged: /) });
    expect(
      await repositoryCheck(({ dir }) => {
        writeFileSync(join(dir, ".git/index.lock"), "");
        utimesSync(join(dir, ".git/index.lock"), 0, 0);
      }),
    ).toMatchObject({ status: "warn", message: expect.stringContaining("index.lock") });
  });
});

const binary = Buffer.from([0, 1, 2, 255]);

it("a file without lines in git is reported with what to do", async () => {
  const project = createProject({});
  const git = temporaryGit(project.root);
  twoCommits(git, { "out/y.ts": "const y = 1;\n" });
  writeFileSync(join(project.root, "logo.png"), binary);
  git.commit("A picture", { "gone.ts": "x\n" });
  git.commit("Gone", { "gone.ts": null });
  const lib = temporaryGit(temporaryDir());
  twoCommits(lib);
  git.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "lib");
  rmSync(join(project.root, "out"), { recursive: true });
  remember(project);
  const refusal = async (...args: string[]) => {
    const result = await callPm(args, { cwd: project.root });
    check(args, result, { [args[0]!]: [result.code ?? 0, /./] });
    return [result.code, result.stderr];
  };
  expect(await refusal("blame", "logo.png")).toEqual([2, expect.stringContaining("logo.png is binary")]);
  expect(await refusal("why", "gone.ts:1")).toEqual([
    5,
    expect.stringMatching(/deleted in .*\n.*pm blame gone\.ts --rev/),
  ]);
  expect(await refusal("blame", "out/y.ts")).toEqual([
    5,
    expect.stringContaining("pm blame out/y.ts --rev HEAD"),
  ]);
  expect(await refusal("blame", "lib/a.ts")).toEqual([2, expect.stringContaining("pm -C lib blame a.ts")]);
  namedProject(join(project.root, "lib"));
  expect(await refusal("why", "lib/a.ts:1")).toEqual([2, expect.stringContaining("pm -C lib blame a.ts")]);
  execFileSync("git", ["-C", project.root, "checkout", "--quiet", "--", "out"]);
  lib.remove();
});
