import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { describeAgent } from "../../../../test/support/agent-contract.ts";
import { readAll } from "../../../../test/support/agent-samples.ts";
import { pictureData } from "../../../../test/support/chat-fixture.ts";
import { cursorConversation } from "../../../../test/support/cursor-fixture.ts";
import type { TranscriptEntry } from "../../agent.ts";
import { cursor } from "../cursor.ts";
import { locateUserDirectory } from "../profile.ts";

const cwd = "/home/dev/shop";
const heron = `${cwd}/src/heron.ts`;
const chat = "3f6c1b7a-1111-4222-8333-444455556666";
const slug = "home-dev-shop";
const start = Date.UTC(2026, 2, 2, 9);

const line = (role: string, ...content: object[]) => `${JSON.stringify({ role, message: { content } })}\n`;
const text = (said: string) => ({ type: "text", text: said });
const call = (name: string, input: unknown) => ({ type: "tool_use", name, input });
const prompt = (said: string, ...more: object[]) =>
  line(
    "user",
    text(`<timestamp>Monday, Mar 2, 2026, 4:00 AM (UTC-5)</timestamp>\n<user_query>\n${said}\n</user_query>`),
    ...more,
  );
const ended = `${JSON.stringify({ type: "turn_ended", status: "success" })}\n`;
const noted = { [`../chats/c0ffee/${chat}/meta.json`]: JSON.stringify({ cwd, hasConversation: true }) };

describeAgent("Cursor's command line", {
  agent: cursor,
  root: (dir) => join(dir, ".cursor", "projects"),
  env: (root) => ({ HOME: dirname(dirname(root)), XDG_CONFIG_HOME: "/nowhere", APPDATA: "/nowhere" }),
  scratch: `${slug}/agent-transcripts/sample/sample.jsonl`,
  transcripts: [
    {
      path: `${slug}/agent-transcripts/${chat}/${chat}.jsonl`,
      text: [
        prompt("Why does the café's importer give up? 🛒"),
        line("assistant", text("Looking."), call("Read", { path: heron })),
        line("assistant", call("Shell", { command: "npm test", working_directory: cwd })),
        line("assistant", text("It retries.")),
        ended,
      ].join(""),
      info: { session: chat, parent: null, cwd, startedAt: start },
      beside: noted,
    },
    {
      path: `${slug}/agent-transcripts/${chat}/subagents/7f3a.jsonl`,
      text: line("user", text("Find the limit.")) + line("assistant", text("It is seven.")),
      info: {
        session: `${chat}/7f3a`,
        parent: { session: chat, toolUse: null, agentType: null, task: "Find the limit." },
        cwd,
        startedAt: null,
      },
      beside: noted,
    },
  ],
  commands: ["npm test"],
  others: [`${slug}/terminals/1.txt`, `${slug}/agent-transcripts/${chat}/other.jsonl`],
  withPictures: {
    text:
      prompt("look", { type: "image", data: pictureData }) +
      line("assistant", text("Seen."), call("Shell", { command: "base64 a.png", image: pictureData })),
    picture: pictureData,
  },
  unknownLine: { line: '{"type":"mystery","text":"?"}', reason: "type:mystery" },
});

describe("A transcript of Cursor's command line", () => {
  let home: string;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-cursor-cli-")));
    vi.stubEnv("HOME", home);
    vi.stubEnv("XDG_CONFIG_HOME", join(home, ".config"));
    vi.stubEnv("APPDATA", join(home, "AppData"));
  });
  afterEach(() => vi.unstubAllEnvs());

  function write(said: string, place = slug): string {
    const file = join(home, ".cursor", "projects", place, "agent-transcripts", chat, `${chat}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, said);
    return file;
  }
  const entriesOf = async (...said: string[]): Promise<TranscriptEntry[]> =>
    (await readAll(cursor, write(said.join("")))).lines.flatMap(({ entries }) => entries);

  it.skipIf(process.platform === "win32")(
    "has the only directory with its slug; none if there are two, or none (skipped on Windows: other roots)",
    async () => {
      const place = (name: string) => `${join(home, name)}`.slice(1).replaceAll(/[^A-Za-z0-9]/g, "-");
      mkdirSync(join(home, "my.shop"), { recursive: true });
      expect(await cursor.describe(write(prompt("Why?"), place("my-shop")))).toMatchObject({
        session: chat,
        cwd: join(home, "my.shop"),
      });
      mkdirSync(join(home, "two-birds"));
      mkdirSync(join(home, "two", "birds"), { recursive: true });
      expect(await cursor.describe(write(prompt("Why?"), place("two-birds")))).toBeNull();
      expect(await cursor.describe(write(prompt("Why?"), place("gone")))).toBeNull();
    },
  );

  it("is left to the editor's database, where that has the conversation", async () => {
    const meta = join(home, ".cursor", "chats", "c0ffee", chat, "meta.json");
    mkdirSync(dirname(meta), { recursive: true });
    writeFileSync(meta, JSON.stringify({ cwd }));
    const file = write(prompt("Why?"));
    expect(await cursor.describe(file)).toMatchObject({ session: chat, cwd });
    const conversation = cursorConversation(locateUserDirectory(process.env), { id: chat });
    expect(await cursor.describe(file)).not.toBeNull();
    conversation.prompt("Why?");
    expect(await cursor.describe(file)).toBeNull();
  });

  it("has edits with their lines, and nothing that the client or Pommel added", async () => {
    const patch = "*** Begin Patch\n*** Add File: src/b.ts\n+b = 1\n*** End Patch";
    const entries = await entriesOf(
      prompt("Retry.\n<pommel-context>known</pommel-context>"),
      line("assistant", text("Done.\n\n[REDACTED]"), call("Write", { path: heron, contents: "a = 1\n" })),
      line("assistant", call("StrReplace", { path: heron, old_string: "a = 1", new_string: "a = 3" })),
      line("assistant", call("ApplyPatch", patch)),
      line("assistant", text("[REDACTED]")),
    );
    const edits = entries.flatMap((entry) => (entry.kind === "tool_result" ? (entry.edits ?? []) : []));
    expect(edits).toMatchObject([
      { path: heron, content: "a = 1\n" },
      { path: heron, hunks: [{ lines: ["-a = 1", "+a = 3"] }] },
      { path: join(edits[2]!.path), content: "b = 1\n" },
    ]);
    expect(entries.filter(({ kind }) => kind === "prompt" || kind === "text")).toEqual([
      { kind: "prompt", text: "Retry.", images: 0 },
      { kind: "text", text: "Done." },
    ]);
  });

  it.each([
    ["Monday, Mar 2, 2026, 2:30 PM (UTC+5:30)", start],
    ["Monday, Mar 2, 2026, 9:00 AM (UTC)", start],
    ["yesterday", null],
  ])("knows the time %s", async (time, at) => {
    const said = line("user", text(`<timestamp>${time}</timestamp>\n<user_query>Why?</user_query>`));
    const { lines } = await readAll(cursor, write(said + line("assistant", text("So."))));
    expect(lines.map((each) => each.at)).toEqual([at, at]);
    expect(lines[0]!.entries).toEqual([{ kind: "prompt", text: "Why?", images: 0 }]);
  });
});
