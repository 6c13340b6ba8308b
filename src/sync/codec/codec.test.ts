import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branch, contentOf, type Machine, sharedRemote } from "../../../test/support/machine-fixture.ts";
import type { SyncSettings } from "../report.ts";

let shared: ReturnType<typeof sharedRemote>;
beforeEach(() => {
  shared = sharedRemote();
});
afterEach(() => shared.remove());

const secret = "the quokka is in the garden";
async function remember(machine: Machine, id: string, said = secret) {
  const builder = machine.session(id);
  builder.prompt(`Remember that ${said}`);
  builder.reply("I will.");
  await machine.read(builder);
}

/** Not a secret: generated here. */
const phrase = ["correct", "horse", "battery"].join(" ");
const byPassphrase = (text: string | null = phrase): Partial<SyncSettings> => ({
  encryption: "passphrase",
  passphrase: async () => text,
});
const byKey: Partial<SyncSettings> = { encryption: "key" };

/** Every object the remote ever received, unpacked, and all file names. */
function everythingAt(remote: (...args: string[]) => string): string {
  const objects = remote("rev-list", "--objects", "--all").split("\n");
  const contents = objects.map((line) => remote("cat-file", "-p", line.split(" ")[0]!));
  return [...objects, ...contents].join("\n");
}

describe("with a passphrase", () => {
  it("shares nothing readable without it, and everything with it", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "session-one");
    expect(await one.sync({}, byPassphrase())).toMatchObject({ pushed: true, encrypted: true });
    const there = everythingAt(shared.git);
    for (const word of ["quokka", "session-one", "manifest", "claude", "transcript", "AGE-SECRET"]) {
      expect(there).not.toContain(word);
    }
    expect(there).toContain("age-encryption.org/v1");
    await two.pull({}, byPassphrase());
    expect(contentOf(two)).toEqual(contentOf(one));
    expect(await two.sync({}, byPassphrase())).toMatchObject({ pushed: false });
    expect(two.tree()).toBe(one.tree());
  });

  it("keeps unchanged files byte for byte", async () => {
    const one = shared.machine("one");
    await remember(one, "a");
    await one.sync({}, byPassphrase());
    const before = one.git("ls-tree", "-r", branch).split("\n");
    await remember(one, "b", "a wombat is there, too");
    await one.sync({}, byPassphrase());
    const after = one.git("ls-tree", "-r", branch).split("\n");
    // Only the manifest differs.
    expect(before.filter((line) => !after.includes(line))).toHaveLength(1);
    expect(await one.sync({}, byPassphrase(null))).toMatchObject({ pushed: false });
  });

  it("reports a wrong passphrase or a missing terminal, and changes nothing", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await one.sync({}, byPassphrase());
    await remember(two, "b");
    const before = [contentOf(two), shared.git("rev-parse", branch)];
    await expect(two.sync({}, byPassphrase("another"))).rejects.toMatchObject({ code: "sync_refused" });
    await expect(two.pull({}, byPassphrase(null))).rejects.toThrow("no terminal to ask");
    await expect(two.sync()).rejects.toThrow("encrypted");
    await expect(two.sync({}, byKey)).rejects.toThrow("passphrase");
    expect([contentOf(two), shared.git("rev-parse", branch)]).toEqual(before);
    await two.sync({}, byPassphrase());
    await one.sync({}, byPassphrase());
    expect(contentOf(two)).toEqual(contentOf(one));
  });

  it("works when two machines set it up at the same time", async () => {
    const [one, two, three] = [shared.machine("one"), shared.machine("two"), shared.machine("three")];
    await remember(one, "a");
    await remember(two, "b");
    // Both begin while the remote is unreachable.
    for (const machine of [one, two]) {
      machine.git("remote", "set-url", "origin", "/nowhere");
      await machine.sync({}, byPassphrase());
      machine.git("remote", "set-url", "origin", shared.remote);
    }
    for (const machine of [one, two, one, two, three]) await machine.sync({}, byPassphrase());
    expect(contentOf(one).sessions).toHaveLength(2);
    expect(contentOf(two)).toEqual(contentOf(one));
    expect(contentOf(three)).toEqual(contentOf(one));
    const tip = shared.git("rev-parse", branch);
    for (const machine of [one, two, three]) await machine.sync({}, byPassphrase());
    expect(shared.git("rev-parse", branch)).toBe(tip);
  });

  it("joins two machines' versions of a session", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    const builder = one.session("a");
    builder.prompt("First");
    builder.reply("One.");
    await one.read(builder);
    await one.sync({}, byPassphrase());
    await two.pull({}, byPassphrase());
    two.memory
      .prepare("UPDATE sessions SET title = 'Ours', title_source = 'user', last_at = last_at + 1")
      .run();
    builder.prompt("Second");
    builder.reply("Two.");
    await one.read(builder);
    for (const machine of [one, two, one]) await machine.sync({}, byPassphrase());
    expect(contentOf(one)).toMatchObject({
      sessions: [{ title: "Ours" }],
      turns: [{ number: 1 }, { number: 2 }],
    });
    expect(contentOf(two)).toEqual(contentOf(one));
  });
});

describe("with a key file", () => {
  it("creates one readable by its owner only, and asks for it elsewhere", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    const made: string[] = [];
    await one.sync({ dryRun: true }, byKey);
    expect(existsSync(one.settings.keyFile)).toBe(false);
    await one.sync({}, { ...byKey, onKeyMade: (file) => void made.push(file) });
    expect(made).toEqual([one.settings.keyFile]);
    expect(statSync(one.settings.keyFile).mode & 0o777).toBe(0o600);
    expect(everythingAt(shared.git)).not.toContain("quokka");
    await expect(two.sync({}, byKey)).rejects.toThrow("key file");
    await expect(two.sync({}, byPassphrase())).rejects.toThrow("key file");
    expect(existsSync(two.settings.keyFile)).toBe(false);
    writeFileSync(two.settings.keyFile, readFileSync(one.settings.keyFile));
    await two.sync({}, byKey);
    expect(contentOf(two)).toEqual(contentOf(one));
  });

  it("refuses an unencrypted branch, and swapped files", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await remember(one, "a");
    await one.sync();
    await expect(one.sync({}, byKey)).rejects.toThrow("not encrypted");
    const other = { ...byKey, branch: "pommel/private" };
    await one.sync({}, other);
    // Swaps two files of the branch.
    const lines = one.git("ls-tree", "-r", "pommel/private", "--", "data").split("\n");
    const files = lines.map((line) => ({ blob: line.split(/[ \t]/)[2]!, path: line.split("\t")[1]! }));
    const [first, second] = files as [(typeof files)[0], (typeof files)[0]];
    const env = `${shared.base}/index`;
    const run = (...args: string[]) => one.git("-c", "core.fsmonitor=false", ...args);
    process.env.GIT_INDEX_FILE = env;
    try {
      run("read-tree", "pommel/private");
      run("update-index", "--cacheinfo", `100644,${second.blob},${first.path}`);
      run("update-index", "--cacheinfo", `100644,${first.blob},${second.path}`);
      const tree = run("write-tree");
      const commit = run("commit-tree", tree, "-p", "pommel/private", "-m", "swap");
      one.git("push", "--quiet", "origin", `${commit}:refs/heads/pommel/private`);
    } finally {
      delete process.env.GIT_INDEX_FILE;
    }
    writeFileSync(two.settings.keyFile, readFileSync(one.settings.keyFile));
    const report = await two.pull({}, other);
    expect(report.problems.map(({ reason }) => reason)).toEqual(["not to be read", "not to be read"]);
    expect(report.quarantine).toMatch(/^refs\/pommel\/quarantine\//);
  });
});
