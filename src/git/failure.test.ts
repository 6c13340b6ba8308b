import { chmodSync, mkdtempSync, readdirSync, realpathSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { brokenRepositories } from "../../test/support/broken-repositories.ts";
import { temporaryGit } from "../../test/support/repository-fixture.ts";
import { parseFailure } from "./failure.ts";
import { readGitText } from "./git.ts";
import { findHistoryProblem } from "./history/history.ts";

let git: ReturnType<typeof temporaryGit>;
beforeEach(() => {
  git = temporaryGit();
});
afterEach(() => {
  vi.unstubAllEnvs();
  git.remove();
});

function commitTwice() {
  git.commit("one", { "a.ts": "one\n" });
  git.commit("two", { "a.ts": "one\ntwo\n" });
}

/** What a git command that fails throws. */
const failing = (dir: string, ...args: string[]) =>
  readGitText(dir, args).then(
    () => expect.unreachable(`git ${args.join(" ")} did not fail`),
    (error: unknown) => error,
  );

describe("what keeps git from reading a history", () => {
  for (const { name, reason, says, hint, break: breakIt, skip = null } of brokenRepositories) {
    it.skipIf(skip !== null)(skip === null ? name : `${name} (${skip})`, async () => {
      commitTwice();
      expect(await findHistoryProblem(git.dir)).toBeNull();
      breakIt(git);
      const problem = await findHistoryProblem(git.dir);
      expect(problem).toMatchObject({ reason, isBroken: true });
      expect(problem?.message).toMatch(says);
      expect(problem?.hint).toMatch(hint);
    });
  }

  it("no git, no repository and no commits are states of their own", async () => {
    expect(await findHistoryProblem(git.dir)).toMatchObject({
      reason: "no_commits",
      code: "no_git_history",
      message: "No commits yet.",
      isBroken: false,
    });
    const plain = realpathSync(mkdtempSync(join(tmpdir(), "pommel-plain-")));
    expect(await findHistoryProblem(plain)).toMatchObject({
      reason: "no_repository",
      code: "no_git_history",
      isBroken: false,
    });
    vi.stubEnv("PATH", plain);
    expect(await findHistoryProblem(git.dir)).toMatchObject({
      reason: "not_installed",
      code: "git_failed",
      message: "git is not installed.",
      isBroken: true,
    });
  });

  it("a pack that was cut off", async () => {
    commitTwice();
    git.git("gc", "--quiet");
    const packs = join(git.dir, ".git/objects/pack");
    const pack = readdirSync(packs).find((name) => name.endsWith(".pack"))!;
    const file = join(packs, pack);
    chmodSync(file, 0o600);
    truncateSync(file, 60);
    expect(await findHistoryProblem(git.dir)).toMatchObject({ reason: "damaged" });
  });
});

describe("a command that fails", () => {
  it("in a whole repository says nothing about the repository", async () => {
    commitTwice();
    for (const args of [
      ["log", "nothing"],
      ["log", "f".repeat(40), "--"],
      ["blame", "nothing.ts"],
      ["rev-parse", "--verify", "--quiet", "nothing"],
      ["cat-file", "-p", "f".repeat(40)],
      ["cat-file", "-p", "HEAD:nothing"],
    ])
      expect(await failing(git.dir, ...args), args.join(" ")).toMatchObject({
        reason: "failed",
        isBroken: false,
      });
  });

  it("because another git works here names the lock", async () => {
    commitTwice();
    writeFileSync(join(git.dir, ".git/index.lock"), "");
    expect(await failing(git.dir, "add", ".")).toMatchObject({ reason: "locked", code: "locked" });
    writeFileSync(join(git.dir, ".git/refs/heads/main.lock"), "");
    expect(await failing(git.dir, "update-ref", "refs/heads/main", "HEAD~1")).toMatchObject({
      reason: "locked",
      message: expect.stringContaining("main.lock"),
    });
  });

  it("on a damaged index leaves the history readable", async () => {
    commitTwice();
    writeFileSync(join(git.dir, ".git/index"), "no index");
    expect(await failing(git.dir, "ls-files")).toMatchObject({
      reason: "damaged",
      message: expect.stringMatching(/^git's index is damaged/),
    });
    expect(await findHistoryProblem(git.dir)).toBeNull();
  });
});

describe("what git writes", () => {
  const read = (stderr: string) => parseFailure(git.dir, 128, stderr);

  it("without the permission to read", () => {
    const stderr =
      "warning: unable to access '.git/config': Permission denied\nfatal: unable to access '.git/config': Permission denied\n";
    expect(read(stderr)).toMatchObject({ reason: "unreadable", code: "unreadable" });
  });

  it("of a directory whose name a shell would read otherwise", () => {
    const stderr = "fatal: detected dubious ownership in repository at '/srv/my $HOME'\n";
    expect(read(stderr).hint).toContain("safe.directory '/srv/my $HOME'`");
  });

  it("of objects that a partial clone has not fetched", () => {
    const stderr = "error: unable to read sha1 file of a.ts (0123)\nfatal: unable to read tree 0123\n";
    expect(read(stderr).reason).toBe("damaged");
    git.git("config", "remote.origin.promisor", "true");
    expect(read(stderr)).toMatchObject({
      reason: "failed",
      message: "unable to read sha1 file of a.ts (0123)",
    });
  });

  it("or does not write", () => {
    expect(read("").message).toBe("git ended with code 128");
  });
});
