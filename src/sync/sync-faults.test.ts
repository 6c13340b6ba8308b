import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branch, contentOf, type Machine, sharedRemote } from "../../test/support/machine-fixture.ts";
import { locateHome } from "../base/home.ts";
import { isOwnRemote } from "./remote.ts";

let shared: ReturnType<typeof sharedRemote>;
beforeEach(() => {
  shared = sharedRemote();
});
afterEach(() => {
  shared.remove();
  rmSync(join(locateHome().configDir, "sync-remotes.json"), { force: true });
});

async function remember(machine: Machine, id: string, said = id) {
  const builder = machine.session(id);
  builder.prompt(`Remember ${said} please`);
  builder.reply(`I remember ${said}.`);
  await machine.read(builder);
}
const sessions = (machine: Machine) =>
  contentOf(machine).sessions!.map((one) => (one as { uid: string }).uid);

describe("a remote", () => {
  it("that is unreachable: new sessions are kept, and shared later", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    one.git("remote", "set-url", "origin", join(shared.base, "gone.git"));
    const report = await one.sync();
    expect(report).toMatchObject({ pushed: false, isUpToDate: false, shared: { sessions: 1 } });
    expect(report.trouble).toMatchObject({ kind: "unreachable" });
    expect(report.commit).not.toBeNull();
    await expect(one.pull()).rejects.toMatchObject({ code: "sync_failed" });
    one.git("remote", "set-url", "origin", shared.remote);
    expect(await one.sync()).toMatchObject({ pushed: true, trouble: null, commit: report.commit });
    await two.pull();
    expect(sessions(two)).toEqual(["a"]);
  });

  it("that does not exist", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    one.git("remote", "remove", "origin");
    expect(await one.sync()).toMatchObject({ pushed: false, trouble: { kind: "no_remote" } });
    expect(one.files().has("sessions/a/meta.json")).toBe(true);
    await expect(one.pull()).rejects.toThrow("No remote origin");
  });

  it("that refuses the push: reported, and kept", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    const hook = join(shared.remote, "hooks/pre-receive");
    writeFileSync(hook, "#!/bin/sh\nexit 1\n");
    chmodSync(hook, 0o755);
    const report = await one.sync();
    expect(report.trouble?.message).toMatch(/refused it.*stay here/);
    rmSync(hook);
    expect(await one.sync()).toMatchObject({ pushed: true });
  });

  it("that others push to first: retried three times, then reported", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await remember(two, "b");
    await two.sync();
    // The second machine pushes whenever the first one is about to.
    let n = 0;
    const real = one.git("--exec-path");
    const bin = join(shared.base, "bin");
    const script = join(bin, "git");
    const { mkdirSync, existsSync } = await import("node:fs");
    mkdirSync(bin);
    const pushing = join(shared.base, "pushing");
    const go = join(shared.base, "go");
    writeFileSync(
      script,
      `#!/bin/sh\ncase " $* " in *" push "*) : > ${pushing}; while [ ! -e ${go} ]; do sleep 0.02; done; rm ${go};; esac\nexec ${real}/git "$@"\n`,
    );
    chmodSync(script, 0o755);
    const path = process.env.PATH!;
    process.env.PATH = `${bin}:${path}`;
    const rival = setInterval(() => {
      if (!existsSync(pushing)) return;
      rmSync(pushing);
      // A descendant commit, without using its memory.
      const tip = shared.git("rev-parse", branch);
      const commit = shared.git("commit-tree", `${tip}^{tree}`, "-p", tip, "-m", `rival ${++n}`);
      if (n <= 3) shared.git("update-ref", `refs/heads/${branch}`, commit);
      writeFileSync(go, "");
    }, 10);
    try {
      const report = await one.sync();
      expect(report).toMatchObject({ pushed: false, trouble: { kind: "rejected" } });
      expect(n).toBe(3);
      expect(await one.sync()).toMatchObject({ pushed: true, trouble: null });
    } finally {
      clearInterval(rival);
      process.env.PATH = path;
    }
    await two.sync();
    expect(sessions(two)).toEqual(["a", "b"]);
  });

  it("whose branch was deleted or reset: nothing is lost", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await one.sync();
    const old = shared.git("rev-parse", branch);
    await remember(one, "b");
    await one.sync();
    await two.pull();
    shared.git("update-ref", `refs/heads/${branch}`, old);
    await remember(two, "c");
    await two.sync();
    await one.sync();
    expect(sessions(one)).toEqual(["a", "b", "c"]);
    shared.git("update-ref", "-d", `refs/heads/${branch}`);
    await one.sync();
    await remember(two, "d");
    await two.sync();
    await one.sync();
    const paths = [...one.files().keys()].filter((path) => !path.startsWith("signatures/"));
    expect(paths).toHaveLength(9);
    expect(contentOf(one)).toEqual(contentOf(two));
  });
});

describe("a damaged branch", () => {
  const tamper = (machine: Machine, files: Record<string, string | null>) => machine.tamper(files);

  it("imports readable files; the rest is reported and quarantined", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await remember(one, "b");
    await one.sync();
    const transcript = one.files().get("sessions/b/transcript.jsonl")!;
    tamper(two, {
      "sessions/a/meta.json": "{not json",
      "sessions/b/transcript.jsonl": `${transcript}garbage\n`,
      "checkpoints/c.json": '{"uid":"c"}',
      "events/e.json": JSON.stringify({ uid: "other" }),
      "manifest.json": "<<<<<<<",
      "later/x.bin": "of a newer client",
    });
    const report = await two.sync();
    expect(report.problems.map(({ path }) => path).sort()).toEqual([
      "checkpoints/c.json",
      "events/e.json",
      "sessions/a/meta.json",
      "sessions/b/transcript.jsonl",
    ]);
    expect(two.git("rev-parse", report.quarantine!)).toHaveLength(40);
    expect(sessions(two)).toEqual(["a", "b"]);
    expect(contentOf(two).turns).toHaveLength(2);
    // The machine with the original repairs it.
    one.memory.prepare("UPDATE sessions SET last_at = last_at").run();
    await one.sync();
    expect(JSON.parse(one.files().get("sessions/a/meta.json")!)).toMatchObject({ uid: "a", agent: "claude" });
    expect(JSON.parse(one.files().get("manifest.json")!).sessions).toHaveProperty("a");
    expect(one.files().get("later/x.bin")).toContain("newer");
    await two.sync();
    expect(contentOf(two).turns).toEqual(contentOf(one).turns);
  });

  it("stores no session whose transcript lies where no session's id leads", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await one.sync();
    const transcript = one.files().get("sessions/a/transcript.jsonl")!;
    const paths = ["--yolo", "%2E%2E/%2E%2E/x", "a%00b"].map((name) => `sessions/${name}/transcript.jsonl`);
    tamper(two, Object.fromEntries(paths.map((path) => [path, transcript])));
    const report = await two.sync();
    expect(report.problems.map(({ path }) => path).sort()).toEqual(paths.sort());
    expect(sessions(two)).toEqual(["a"]);
  });

  it("is refused when it is unrelated", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    const tree = one.git("mktree", "--missing");
    const blob = one.git("hash-object", "-w", join(one.dir, ".git/HEAD"));
    const { execFileSync } = await import("node:child_process");
    const full = execFileSync("git", ["-C", one.dir, "mktree"], { input: `100644 blob ${blob}\tREADME\n` });
    const commit = one.git("commit-tree", full.toString().trim(), "-m", "code");
    one.git("push", "--quiet", "origin", `${commit}:refs/heads/${branch}`);
    await expect(one.sync()).rejects.toThrow("does not contain Pommel's memory");
    expect(shared.git("rev-parse", branch)).toBe(commit);
    expect(tree).toHaveLength(40);
  });

  it("is reported when git cannot read it at the remote; new sessions are kept", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await one.sync();
    const blob = shared.git("rev-parse", `${branch}:sessions/a/transcript.jsonl`);
    rmSync(join(shared.remote, "objects", blob.slice(0, 2), blob.slice(2)));
    await remember(two, "b");
    const report = await two.sync();
    expect(report.trouble).toMatchObject({ kind: "damaged" });
    expect(report.commit).not.toBeNull();
    await expect(two.pull()).rejects.toThrow("damaged");
    expect(sessions(two)).toEqual(["b"]);
  });

  it("of a newer layout is left alone", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await one.sync();
    tamper(two, { "manifest.json": '{"version":2}' });
    await expect(two.sync()).rejects.toThrow("newer Pommel");
  });
});

describe("repositories of all kinds", () => {
  it("a detached HEAD, a changed index, a stash and hooks stay untouched", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    writeFileSync(join(one.dir, "x.txt"), "staged");
    one.git("add", "x.txt");
    writeFileSync(join(one.dir, "x.txt"), "changed");
    for (const hook of ["pre-push", "post-commit", "reference-transaction"]) {
      const file = join(one.dir, ".git/hooks", hook);
      writeFileSync(file, hook === "pre-push" ? "#!/bin/sh\nexit 1\n" : "#!/bin/sh\nexit 0\n");
      chmodSync(file, 0o755);
    }
    one.git("config", "commit.gpgSign", "true");
    one.git("config", "push.followTags", "true");
    const before = one.surroundings();
    expect(await one.sync()).toMatchObject({ pushed: true, trouble: null });
    expect(one.surroundings()).toEqual(before);
    one.git("checkout", "--quiet", "--detach");
    await remember(one, "b");
    expect(await one.sync()).toMatchObject({ pushed: true });
    expect(shared.git("tag")).toBe("");
    expect(one.git("for-each-ref", "--format=%(refname)").split("\n").sort()).toEqual([
      `refs/heads/main`,
      `refs/heads/${branch}`,
      "refs/pommel/remote",
      // Written by every push.
      `refs/remotes/origin/${branch}`,
    ]);
    expect(readdirSync(join(one.dir, ".git")).filter((name) => /fast_import|FETCH_HEAD/.test(name))).toEqual(
      [],
    );
  });

  it("SHA-256, and an unborn branch", async () => {
    const sha256 = sharedRemote("--object-format=sha256");
    try {
      const [one, two] = [sha256.machine("one"), sha256.machine("two")];
      one.git("checkout", "--quiet", "--orphan", "unborn");
      await remember(one, "a");
      expect(await one.sync()).toMatchObject({ pushed: true });
      await two.sync();
      expect(contentOf(two)).toEqual(contentOf(one));
      expect(one.git("rev-parse", branch)).toHaveLength(64);
    } finally {
      sha256.remove();
    }
  });

  it("a shallow, partial clone fetches the whole branch", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    shared.git("config", "uploadpack.allowFilter", "true");
    await remember(one, "a");
    await one.sync();
    two.git("config", "remote.origin.promisor", "true");
    two.git("config", "remote.origin.partialclonefilter", "blob:none");
    two.git("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", branch);
    await two.sync();
    expect(contentOf(two)).toEqual(contentOf(one));
  });

  it("sync refuses a checked-out branch, and a project without repository", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    await one.sync();
    one.git("worktree", "add", "--quiet", join(shared.base, "tree"), branch);
    await expect(one.sync()).rejects.toThrow("checked out");
    rmSync(join(one.dir, ".git"), { recursive: true });
    await expect(one.sync()).rejects.toThrow("not a git repository");
  });
});

describe("consent for a remote", () => {
  it("is not needed for paths and private machines", () => {
    const own = [
      "/srv/x.git",
      "../x",
      "file:///srv/x.git",
      "ssh://git@192.168.1.4/x",
      "git@10.0.0.1:x",
      "C:\\x\\y",
    ];
    own.push("http://localhost:3000/x.git", "ssh://git@[::1]:22/x", "./a:b");
    const strange = ["https://git.example.com/x", "git@git.example.com:x/y.git", "ssh://nas/x", "nas:x.git"];
    strange.push(
      "ext::sh -c evil",
      "https://127.0.0.1.example.com/x",
      "git://8.8.8.8/x",
      "http://[2001:db8::1]/x",
    );
    expect(own.filter((url) => !isOwnRemote(url))).toEqual([]);
    expect(strange.filter(isOwnRemote)).toEqual([]);
  });

  it("is asked for once per remote", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    one.git("remote", "set-url", "origin", "https://bob:pw@git.example.invalid/x.git");
    one.git("config", `url.${shared.remote}.insteadOf`, "https://elsewhere.invalid/x.git");
    await expect(one.sync()).rejects.toMatchObject({ code: "sync_refused" });
    await expect(one.sync()).rejects.not.toThrow("pw@");
    expect(one.git("for-each-ref", "refs/heads")).not.toContain("pommel");
    // A dry run sends nothing, and the fetch fails.
    expect(await one.sync({ dryRun: true })).toMatchObject({
      shared: { sessions: 1 },
      trouble: { kind: "unreachable" },
    });
    expect(await one.sync({ allowPublic: true })).toMatchObject({ trouble: { kind: "unreachable" } });
    expect(await one.sync()).toMatchObject({ trouble: { kind: "unreachable" } });
    one.git("remote", "set-url", "origin", "https://other.invalid/x.git");
    await expect(one.sync()).rejects.toMatchObject({ code: "sync_refused" });
  });
});
