import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { measureWidth, withoutEscapes } from "../../src/base/text/display-width.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, turn } from "../support/memory-fixture.ts";
import { cleanUp, createProject, until } from "./daemon-fixture.ts";
import { callPm, pmFile, runPm } from "./run-pm.ts";

const pty = await import("@lydell/node-pty").catch(() => null);
if (pty === null) console.warn("Skipped: without @lydell/node-pty, nothing runs in a terminal.");

const evil = "\u001b]0;evil\u0007\u001b[2J修正登录页面";
const turns = 60;
let project: Project;

beforeAll(async () => {
  project = createProject({ "src/retry.ts": "/** Tries again. */\nexport function retryLater(): void {}\n" });
  const git = (...args: string[]) =>
    execFileSync("git", [
      "-C",
      project.root,
      "-c",
      "user.name=Ann",
      "-c",
      "user.email=ann@example.com",
      ...args,
    ]);
  git("init", "--quiet");
  git("add", "src");
  git("commit", "--quiet", "-m", "Try again");
  expect(await callPm(["reindex"], { cwd: project.root })).toMatchObject({ code: 0 });
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const place = { branch: "main", cwd: project.root };
  for (const [name, at] of [
    ["8ecde0fc", 2000],
    ["99999999", 1000],
  ] as const) {
    const id = `${name}-091c-4586-b688-cc9efe6f655c`;
    const title = { text: `Session ${name} ${evil}`, source: "agent" as const };
    const session = addSession(memory, id, { ...place, title, startedAt: at, lastAt: at });
    for (let number = 1; number <= turns; number++) {
      const entries = [
        { kind: "prompt", text: `Question ${number} ${evil}`, images: 0 },
        { kind: "text", text: `Answer ${number}.` },
      ];
      const content = packContent([{ uid: null, seq: number, at, entries }]);
      saveTurn(memory, session.id, turn(number, { prompt: `Question ${number} ${evil}`, content }));
    }
  }
  memory.close();
});

afterAll(cleanUp);

/** `pm` in a terminal of its own. */
function inTerminal(args: readonly string[], { columns = 80, rows = 24 } = {}) {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const child = pty!.spawn(process.execPath, [pmFile, ...args], {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd: project.root,
    // What a machine of tests sets must not keep a reader's page from being drawn.
    env: { ...inherited, CI: "true", POMMEL_DAEMON_AUTOSTART: "false" },
  });
  let shown = "";
  let code: number | null = null;
  child.onData((text) => {
    shown += text;
  });
  child.onExit(({ exitCode }) => {
    code = exitCode;
  });
  return {
    child,
    all: () => shown,
    exitCode: () => until(() => (code === null ? null : { code })),
    /** Waits for a text in what was drawn since the last key, or since the terminal got another size. */
    async shows(text: string) {
      const seen = () => withoutEscapes(shown);
      await vi.waitFor(() => expect(seen()).toContain(text), { timeout: 90_000, interval: 20 });
    },
    press(keys: string) {
      shown = "";
      child.write(keys);
    },
    resize(columns: number, rows: number) {
      shown = "";
      child.resize(columns, rows);
    },
  };
}

const enter = "\u001b[?1049h";
/** The screen from before, with a cursor. */
const left = /\u001b\[\?25h\u001b\[\?1049l(?:\u001b\[\?25h)*$/;

describe.skipIf(pty === null)("pm browse", () => {
  it("opens, moves, reads, searches and leaves", async () => {
    const page = inTerminal(["browse"]);
    await page.shows("❯ 8ecde0fc");
    expect(page.all()).toContain(enter);
    expect(page.all()).not.toContain("evil\u0007");
    page.press("j");
    await page.shows("❯ 99999999");
    page.press("\r");
    await page.shows("Answer 1.");
    page.press("G");
    await page.shows("Answer 60.");
    page.press("\u001b");
    await page.shows("❯ 99999999");
    page.press("/8ecd");
    await page.shows("1 of 2");
    page.press("\t");
    await page.shows("No agent is at work");
    page.press("\t");
    await page.shows("no recorded session led to a commit");
    page.press("\t");
    await page.shows("Type to search");
    page.press("retryLater");
    await page.shows("❯ src/retry.ts:1");
    page.press("\r");
    await page.shows("Author unknown; committed by");
    page.resize(60, 15);
    await page.shows("Author unknown; committed by");
    page.press("?");
    await page.shows("PgUp PgDn");
    for (const line of withoutEscapes(page.all()).split(/\r?\n/))
      expect(measureWidth(line)).toBeLessThanOrEqual(60);
    page.press("\u0003");
    expect(await page.exitCode()).toEqual({ code: 0 });
    expect(page.all()).toMatch(left);
  });

  it("begins at a turn, and leaves the terminal as it was when it is ended", async () => {
    const page = inTerminal(["browse", "session", "8ecde0fc:30", "--no-color"]);
    await page.shows("Answer 30.");
    expect(page.all()).not.toMatch(/\u001b\[\d*m/);
    page.child.kill("SIGTERM");
    await page.exitCode();
    expect(page.all()).toMatch(left);
  });

  it("is not for pipes", async () => {
    const { code, stderr } = await runPm(["browse"], { cwd: project.root });
    expect(code).toBe(2);
    expect(stderr).toContain("`pm browse` needs a terminal.");
    expect(stderr).toContain("`pm session list` lists sessions.");
  });
});
