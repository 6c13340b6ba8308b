import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { readObjects } from "../../git/objects.ts";
import { readForeignNotes } from "./foreign-notes.ts";
import { parseAuthorshipLog } from "./git-ai.ts";
import { readMessage } from "./trailers.ts";

const uuid = "253fd5ef-38bf-4f4a-804a-98df5088a868";

describe("the text of a commit", () => {
  const claims = (message: string, headers = "tree 0\nauthor Ann <ann@example.com> 1 +0000") =>
    readMessage(`${headers}\n\n${message}\n`);

  it("names agents by the address that they sign with, and no people", () => {
    const { coAuthors } = claims(
      [
        "Co-Authored-By: Claude Opus 4.5 <noreply@anthropic.com>",
        "Co-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>",
        "co-authored-by: Cursor <cursoragent@cursor.com>",
        "Co-authored-by: aider (gpt-4o) <noreply@aider.chat>",
        "Co-authored-by: Codex <noreply@openai.com>",
        "Co-authored-by: gemini-code-assist[bot] <176961590+gemini-code-assist[bot]@users.noreply.github.com>",
        "Co-authored-by: Claude Someone <claude@example.com>",
        "Co-authored-by: Ben <ben@anthropic.com>",
        "Co-Authored-By: Claude Opus 4.5 <noreply@anthropic.com>",
      ].join("\n"),
    );
    expect(coAuthors.map(({ tool }) => tool)).toEqual([
      "claude",
      "copilot",
      "cursor",
      "aider",
      "codex",
      "gemini",
    ]);
    expect(coAuthors[0]!.name).toBe("Claude Opus 4.5");
  });

  it("knows aider by its mark on the author", () => {
    expect(claims("x", "tree 0\nauthor Ann (aider) <ann@example.com> 1 +0000").coAuthors).toEqual([
      { name: "Ann (aider)", tool: "aider" },
    ]);
  });

  it("finds checkpoints in the middle, too, as a squash leaves them, and only what can be one", () => {
    const message =
      "* one\n\nEntire-Checkpoint: 00c9e2351016\n\n* two\n\nEntire-Checkpoint: 0b1c2d3e4f50\n\nrest";
    expect(claims(message).entireCheckpoints).toEqual(["00c9e2351016", "0b1c2d3e4f50"]);
    expect(claims("Entire-Checkpoint: ../../etc\nEntire-Checkpoint: 00c9").entireCheckpoints).toEqual([]);
    expect(claims("Entire-Session: a\u0000b\nEntire-Session: 2026-01-05-x").entireSessions).toEqual([
      "2026-01-05-x",
    ]);
  });

  it("reads any text in bounded time", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        const { coAuthors, entireCheckpoints } = readMessage(text);
        expect(coAuthors.length + entireCheckpoints.length).toBeLessThanOrEqual(200);
      }),
    );
    const many = Array.from({ length: 500 }, (_, i) => `Entire-Checkpoint: ${String(i).padStart(12, "0")}`);
    expect(claims(many.join("\n")).entireCheckpoints).toHaveLength(200);
  });
});

describe("an authorship log", () => {
  const agent = (tool: string, more = {}) => ({ agent_id: { tool, ...more } });
  const log = (attestations: string, metadata: object) =>
    `${attestations}---\n${JSON.stringify({ schema_version: "authorship/3.0.0", ...metadata })}`;

  it("reads the lines of prompts and sessions, and leaves out people's", () => {
    const text = log(
      [
        "src/main.rs",
        "  abcd1234abcd1234 1-10,12",
        "  h_dca485b1adf836 11",
        '"src/my file.rs"',
        "  s_a76964380084ef::t_a3a130d3e145e3 28",
        "",
      ].join("\n"),
      {
        prompts: { abcd1234abcd1234: agent("cursor", { id: "x", model: "gpt-5" }) },
        sessions: { s_a76964380084ef: agent("claude", { id: uuid }) },
        humans: { h_dca485b1adf836: { author: "Ann" } },
      },
    );
    expect(parseAuthorshipLog(text)).toEqual([
      { path: "src/main.rs", first: 1, last: 10, tool: "cursor", model: "gpt-5", session: "x" },
      { path: "src/main.rs", first: 12, last: 12, tool: "cursor", model: "gpt-5", session: "x" },
      { path: "src/my file.rs", first: 28, last: 28, tool: "claude", model: null, session: uuid },
    ]);
  });

  it("leaves out invalid data", () => {
    const prompts = { abcd1234abcd1234: agent("claude") };
    const lines = (attestations: string) => parseAuthorshipLog(log(attestations, { prompts })).length;
    expect(lines("a.ts\n  abcd1234abcd1234 5-3,0,x,7-\n")).toBe(0);
    expect(lines("a.ts\n  ffff1234abcd1234 1\n")).toBe(0);
    expect(lines("a.ts\n  __proto__ 1\n  constructor 1\n")).toBe(0);
    expect(lines("../up.ts\n  abcd1234abcd1234 1\n/abs.ts\n  abcd1234abcd1234 1\n")).toBe(0);
    expect(lines("  abcd1234abcd1234 1\n")).toBe(0);
    expect(lines(`a.ts\n  abcd1234abcd1234 ${"1,".repeat(30_000)}1\n`)).toBe(20_000);
    expect(parseAuthorshipLog("a.ts\n  abcd 1\n---\nnot JSON")).toEqual([]);
    expect(parseAuthorshipLog('a.ts\n  abcd 1\n---\n{"schema_version":"authorship/9.0.0"}')).toEqual([]);
  });

  it("never fails, and gives ranges only", () => {
    const line = fc.oneof(
      fc.constantFrom("a.ts", "  k 1-3", "  k 9", "---", '{"schema_version":"authorship/3.0.0",', "}"),
      fc.string({ maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (parts) => {
        const end = `---\n{"schema_version":"authorship/3.0.0","prompts":{"k":{"agent_id":{"tool":"t"}}}}`;
        for (const { path, first, last } of parseAuthorshipLog(`${parts.join("\n")}\n${end}`)) {
          expect(first >= 1 && last >= first && path !== "").toBe(true);
        }
      }),
    );
  });
});

describe("in a repository", () => {
  let dir: string;
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-notes-")));
    git("init", "-q", "--initial-branch=main");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function git(...args: string[]): string {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
    return execFileSync("git", [...who, ...args], { cwd: dir, encoding: "utf8", stdio: "pipe" }).trim();
  }

  function commit(message: string, files: Record<string, string> = {}): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    git("add", "--all");
    git("commit", "-q", "--allow-empty", "-m", message);
    return git("rev-parse", "HEAD");
  }

  function addCheckpoint(ref: string): void {
    git("switch", "-q", "--orphan", "other");
    commit("Checkpoint: 00c9e2351016", {
      "00/c9e2351016/metadata.json": JSON.stringify({
        sessions: [
          { metadata: "/00/c9e2351016/0/metadata.json" },
          { metadata: "/00/c9e2351016/2/metadata.json" },
          { metadata: "/ff/ffffffffff/0/metadata.json" },
          { metadata: "/00/c9e2351016/3/metadata.json" },
        ],
      }),
      "00/c9e2351016/0/metadata.json": JSON.stringify({ session_id: uuid, agent: "Claude Code" }),
      "00/c9e2351016/2/metadata.json": JSON.stringify({ session_id: `2026-01-05-${uuid.replace("2", "3")}` }),
      "00/c9e2351016/3/metadata.json": "{ damaged",
      "ff/ffffffffff/0/metadata.json": JSON.stringify({ session_id: "of another checkpoint" }),
    });
    git("update-ref", ref, "HEAD");
    git("switch", "-q", "main");
    git("branch", "-q", "-D", "other");
  }

  it("follows a checkpoint's trailer to its sessions, on the local branch and on a remote's", async () => {
    const hash = commit("work\n\nEntire-Checkpoint: 00c9e2351016", { "a.ts": "1" });
    const plain = commit("people's work", { "a.ts": "2" });
    expect((await readForeignNotes(dir, [hash])).size).toBe(0);
    for (const ref of ["refs/remotes/origin/entire/checkpoints/v1", "refs/heads/entire/checkpoints/v1"]) {
      addCheckpoint(ref);
      const notes = await readForeignNotes(dir, [hash, plain]);
      expect([...notes.keys()]).toEqual([hash]);
      expect(notes.get(hash)).toEqual({
        sessions: [uuid, uuid.replace("2", "3")],
        tools: ["claude"],
        coAuthors: [],
        lines: [],
      });
      git("update-ref", "-d", ref);
    }
  });

  it("reads notes of Git AI, in folders and without, relative to the project's directory", async () => {
    const hashes = [commit("one", { "sub/a.ts": "1", "b.ts": "1" }), commit("two", { "sub/a.ts": "2" })];
    const metadata = {
      schema_version: "authorship/3.0.0",
      prompts: { abcd1234abcd1234: { agent_id: { tool: "claude", id: uuid, model: "opus" } } },
    };
    const note = `sub/a.ts\n  abcd1234abcd1234 1-2\nb.ts\n  abcd1234abcd1234 3\n---\n${JSON.stringify(metadata)}`;
    git("notes", "--ref=ai", "add", "-m", note, hashes[0]!);
    const range = { first: 1, last: 2, tool: "claude", model: "opus", session: uuid };
    const top = (await readForeignNotes(dir, hashes)).get(hashes[0]!);
    expect(top?.lines).toEqual([
      { path: "sub/a.ts", ...range },
      { path: "b.ts", ...range, first: 3, last: 3 },
    ]);
    expect(top).toMatchObject({ sessions: [uuid], tools: ["claude"] });
    expect((await readForeignNotes(join(dir, "sub"), hashes)).get(hashes[0]!)?.lines).toEqual([
      { path: "a.ts", ...range },
    ]);
    // As a tree with many notes has it.
    const blob = git("rev-parse", `refs/notes/ai:${hashes[0]}`);
    const inner = execFileSync("git", ["mktree"], {
      cwd: dir,
      input: `100644 blob ${blob}\t${hashes[0]!.slice(2)}\n`,
      encoding: "utf8",
    }).trim();
    const tree = execFileSync("git", ["mktree"], {
      cwd: dir,
      input: `040000 tree ${inner}\t${hashes[0]!.slice(0, 2)}\n`,
      encoding: "utf8",
    }).trim();
    git("update-ref", "refs/notes/ai", git("commit-tree", "-m", "n", tree));
    expect((await readForeignNotes(dir, hashes)).get(hashes[0]!)).toEqual(top);
  });

  it("returns nothing for an unknown commit, and nothing without git", async () => {
    commit("one\n\nCo-Authored-By: Claude <noreply@anthropic.com>");
    expect((await readForeignNotes(dir, ["f".repeat(40), "HEAD", "--all"])).size).toBe(0);
    const bare = mkdtempSync(join(tmpdir(), "pommel-none-"));
    expect((await readForeignNotes(bare, ["f".repeat(40)])).size).toBe(0);
    rmSync(bare, { recursive: true });
  });

  it("skips objects that are too large, and reads on", async () => {
    commit("one", { "large.txt": "x".repeat(5000), "small.txt": "small\n\nwith lines\n" });
    const found = await readObjects(dir, ["HEAD:large.txt", "HEAD:none", "a\nb", "HEAD:small.txt"], {
      maxBytes: 1000,
    });
    expect([...found].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ["HEAD:small.txt", "small\n\nwith lines\n"],
    ]);
  });
});
