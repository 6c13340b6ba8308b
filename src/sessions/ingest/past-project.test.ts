import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { idOf, type TranscriptFixture, transcript } from "../../../test/support/transcript-fixture.ts";
import { findAgentByName } from "../../agents/registry.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { rememberGone } from "../../git/projects/gone-checkout.ts";
import { isCwdInProject, listProjectRoots } from "../../git/projects/roots.ts";
import { findPastProject } from "./past-project.ts";

const claude = findAgentByName("claude")!;

let home: ReturnType<typeof temporaryHome>;
let work: string;
let shop: Project;
let other: Project;
beforeEach(async () => {
  home = temporaryHome();
  work = join(home.dir, "work");
  shop = await repository("shop", ["src/cart.ts", "src/till.ts", "src/ledger.ts"]);
  other = await repository("atlas", ["lib/map.py", "lib/road.py"]);
});
afterEach(() => home.remove());

const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-C", root, "-c", "user.name=Ann", "-c", "user.email=ann@shop.test", ...args], {
    encoding: "utf8",
  }).trim();

async function repository(name: string, files: readonly string[]): Promise<Project> {
  const root = join(work, name);
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `${file}\n`);
  }
  git(root, "init", "--quiet", "--initial-branch=main");
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "-m", `Begin ${name}`);
  const project = makeNewProject(root);
  await rememberProject(project);
  return project;
}

let made = 0;
/** The project of a session that ran in a directory that is gone. */
async function foundFor(cwd: string, write: (session: TranscriptFixture) => void, branch = "main") {
  const session = transcript({ session: idOf(`past ${++made}`), cwd, branch });
  session.prompt("go on");
  write(session);
  const project = await findPastProject(claude, session.writeTo(join(home.dir, "projects")), cwd);
  return project?.id ?? null;
}

const edits =
  (cwd: string, ...files: string[]) =>
  (session: TranscriptFixture) => {
    for (const file of files) session.edit(join(cwd, file), "a", "b");
  };
const nothing = () => {};

describe("a session of a worktree that was deleted is its repository's", () => {
  it("by where it lay, by its commits, and by two of its name, its branch and its files: all of 53", async () => {
    const short = git(shop.root, "rev-parse", "--short", "HEAD");
    git(shop.root, "branch", "retries");
    const cases: (readonly [cwd: string, write: (session: TranscriptFixture) => void, branch?: string])[] = [
      // Within the repository.
      ...Array.from({ length: 20 }, (_, i) => [join(shop.root, ".worktrees", `${i}`), nothing] as const),
      ...Array.from(
        { length: 12 },
        (_, i) => [join(shop.root, ".claude/worktrees", `${i}`), nothing] as const,
      ),
      // Beside it, named after it.
      ...Array.from({ length: 6 }, (_, i) => {
        const cwd = join(work, "shop-wt", `${i}`);
        return [cwd, edits(cwd, "src/cart.ts", "src/till.ts", `src/new${i}.ts`)] as const;
      }),
      ...["shop-retries", "shop.retries", "shop_2", "wt-shop", "shop3"].map(
        (name) => [join(work, name), nothing, "retries"] as const,
      ),
      // Elsewhere.
      ...Array.from({ length: 5 }, (_, i) => {
        const cwd = join(home.dir, "tmp", `agent-${i}`, "checkout");
        return [cwd, edits(cwd, "src/cart.ts", "src/ledger.ts"), "retries"] as const;
      }),
      ...Array.from({ length: 5 }, (_, i) => {
        const cwd = join(home.dir, "tmp", `vibe-${i}`);
        const commit = (session: TranscriptFixture) => {
          session.bash("git commit -am 'Begin'", `[retries ${short}] Begin shop\n 1 file changed`);
        };
        return [cwd, commit] as const;
      }),
    ];
    expect(cases).toHaveLength(53);
    const found = [];
    for (const [cwd, write, branch] of cases) found.push([cwd, await foundFor(cwd, write, branch)]);
    expect(found).toEqual(cases.map(([cwd]) => [cwd, shop.id]));
  });

  it("by what git still knows of it", async () => {
    const cwd = join(home.dir, "elsewhere", "wt");
    git(shop.root, "worktree", "add", "--quiet", "--detach", cwd);
    rmSync(cwd, { recursive: true });
    expect(await foundFor(cwd, nothing)).toBe(shop.id);
    git(shop.root, "worktree", "prune");
    expect(await foundFor(cwd, nothing)).toBeNull();
  });

  it("and stays so, once it is remembered", async () => {
    const cwd = join(work, "shop-wt", "1");
    expect(await foundFor(join(cwd, "packages"), nothing)).toBeNull();
    rememberGone(shop, cwd);
    expect(await foundFor(join(cwd, "packages"), nothing)).toBe(shop.id);
    expect(isCwdInProject(await listProjectRoots(shop.root), cwd)).toBe(true);
    rememberGone(other, cwd);
    expect(await foundFor(cwd, nothing)).toBe(shop.id);
  });
});

describe("a session is nobody's", () => {
  it.each<[string, () => [string, (session: TranscriptFixture) => void, string?]]>([
    ["by a name alone", () => [join(work, "shop-wt"), nothing]],
    ["by a branch alone", () => [join(home.dir, "tmp", "x"), nothing, "retries"]],
    ["by a name that only begins alike", () => [join(work, "shopping"), nothing, "retries"]],
    [
      "by files of its own",
      () => [join(work, "shop-wt"), edits(join(work, "shop-wt"), "a.go", "b.go", "src/cart.ts")],
    ],
    ["by files outside of it", () => [join(work, "shop-wt"), edits(shop.root, "src/cart.ts", "src/till.ts")]],
    ["by a default branch", () => [join(work, "shop-wt"), nothing, "master"]],
  ])("%s", async (_, given) => {
    git(shop.root, "branch", "retries");
    git(shop.root, "branch", "master");
    expect(await foundFor(...given())).toBeNull();
  });

  it("where two repositories fit alike", async () => {
    git(shop.root, "branch", "retries");
    git(other.root, "branch", "retries");
    expect(await foundFor(join(work, "shop-atlas"), nothing, "retries")).toBeNull();
  });
});

it("a session of a directory that is there is that directory's", async () => {
  expect(await foundFor(join(other.root, "lib"), nothing)).toBe(other.id);
});
