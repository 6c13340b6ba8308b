import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { cleanUp, createProject, pmJson, start, untilIdle } from "./daemon-fixture.ts";
import { browserFile, expectAccessible, faultsOf, loadAxe, showView } from "./page-fixture.ts";
import { temporaryDir } from "./run-pm.ts";
import { sessionIn, transcriptDir, untilRead } from "./sessions-fixture.ts";

/** The page with much to show: large sessions and files, and real transcripts where they are at hand. */

const shared = resolve(process.env.POMMEL_SHARED ?? "../shared");
/** Of the real client, made for tests. */
const clientTranscripts = join(shared, "fixtures/claude-code/transcripts");
/** Of people's own work: a folder of Claude Code's files. */
const workTranscripts = process.env.POMMEL_SESSIONS ?? join(shared, "bench/recall/sessions");
/** Reading takes a while: a handful of middling size. */
const most = 6;

for (const folder of [clientTranscripts, workTranscripts]) {
  if (!existsSync(folder)) console.warn(`The page is not tested with real transcripts: no ${folder}.`);
}

let project: Project;
let browser: Browser;
let page: Page;
let origin: string;
let faults: string[];
const turns = 5000;
const long = "11111111-1111-4111-8111-111111111111";
const withAgent = "22222222-2222-4222-8222-222222222222";

/** Transcripts in a folder and below, of middling size first. */
function transcriptsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({ path: join(folder, name), size: statSync(join(folder, name)).size }))
    .sort((a, b) => a.size - b.size);
  const middle = Math.floor(files.length / 2);
  return files.slice(middle, middle + most).map(({ path }) => path);
}

const realTranscripts = [clientTranscripts, workTranscripts].flatMap(transcriptsIn);

/** Whether a turn begins in the window, below what covers its top. */
const isInSight = (turn: number) =>
  page.evaluate((id) => {
    const top = document.getElementById(id)?.getBoundingClientRect().top ?? -1;
    return top > 40 && top < innerHeight;
  }, `turn-${turn}`);

const openAt = (path: string) => page.goto(`${origin}/#${path}`);

describe.skipIf(browserFile === undefined)("the page", () => {
  beforeAll(async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `export const value${i} = ${i};`);
    project = createProject({
      "src/long.ts": `${lines.join("\n")}\n`,
      "src/short.ts": "export const short = 1;\n",
    });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project.root });
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "-m", "Add a long file");
    const made = sessionIn(project, long);
    for (let i = 1; i <= turns; i++) {
      made.prompt(`What does step ${i} do?`);
      made.reply(`Step ${i} empties its queue.`);
    }
    made.writeTo(transcriptDir(project));
    const asking = sessionIn(project, withAgent);
    asking.prompt("Find out what the queue does.");
    asking.task("a1b2c3d4", "Read the queue.", "It is a queue.");
    asking.reply("A subagent read it.");
    asking.writeTo(transcriptDir(project));
    const agent = sessionIn(project, withAgent, { agentId: "a1b2c3d4" });
    agent.prompt("Read the queue.");
    agent.tool("Bash", { command: "npm test -- queue" }, "3 passed");
    agent.reply("The subagent says: it is a queue.");
    agent.writeTo(transcriptDir(project), { agentType: "general-purpose" });
    await start(project);
    await pmJson(project, "import", "claude", "--yes");
    if (realTranscripts.length > 0) {
      const folder = temporaryDir();
      for (const [i, file] of realTranscripts.entries()) cpSync(file, join(folder, `${i}.jsonl`));
      await pmJson(project, "import", "claude", folder, "--all-projects", "--yes");
    }
    await untilRead(project);
    await untilIdle(project);
    browser = await chromium.launch({ executablePath: browserFile!, args: ["--no-sandbox"] });
    page = await (
      await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true })
    ).newPage();
    page.setDefaultTimeout(60_000);
    origin = `http://127.0.0.1:${readDaemonRecord()!.port}`;
    faults = faultsOf(page, origin);
    await page.goto((await pmJson<{ url: string }>(project, "open", "--no-browser")).url);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    await loadAxe(page);
  });

  afterAll(async () => {
    await browser?.close();
    await cleanUp();
  });

  test(`a session of ${turns} turns opens at its beginning, in its middle and at its end`, async () => {
    await openAt(`/session/${long}`);
    await page.locator("#turn-1").getByText("What does step 1 do?").waitFor();
    for (const turn of [2500, turns]) {
      await openAt(`/session/${long}?turn=${turn}`);
      await page.locator(`#turn-${turn}`).getByText(`Step ${turn} empties its queue.`).waitFor();
      await expect.poll(() => isInSight(turn)).toBe(true);
      // The rest is drawn when it is scrolled to.
      expect(await page.locator(".turn").count()).toBeLessThan(turns / 2);
    }
    await showView(page, origin, `/session/${long}`);
    await expect.poll(() => isInSight(1)).toBe(true);
    await page.keyboard.press("End");
    await page.locator(`#turn-${turns}`).getByText(`Step ${turns} empties its queue.`).waitFor();
    const current = page.locator(".outline [aria-current] .faint").first();
    await expect.poll(async () => Number(await current.textContent())).toBeGreaterThan(turns - 50);
    // From there with a key.
    const last = Number(await current.textContent());
    await page.keyboard.press("p");
    await expect.poll(async () => Number(await current.textContent())).toBe(last - 1);
  });

  test("turns that leave the window and come back at once are read", async () => {
    await openAt(`/session/${long}?turn=10`);
    await page.locator("#turn-10").getByText("Step 10 empties its queue.").waitFor();
    await page.evaluate(async (session) => {
      for (let i = 0; i < 40; i++) {
        location.hash = `#/session/${session}?turn=${i % 2 === 0 ? 3003 : 4002}`;
        await new Promise((next) => requestAnimationFrame(next));
      }
    }, long);
    await expect.poll(() => isInSight(4002)).toBe(true);
    await expect.poll(() => page.locator(".turn[aria-busy=true]").count()).toBe(0);
  });

  test("what is shown under an address is that of this address", async () => {
    await openAt("/file/src/long.ts");
    await page.locator(".cm-line").first().waitFor();
    await page.route("**/blame", async (route) => {
      await expect.poll(() => page.locator(".skeleton").count()).toBe(1);
      await route.continue();
    });
    await openAt("/file/src/short.ts");
    await page.locator(".cm-line").getByText("short").waitFor();
    await page.unroute("**/blame");
  });

  test("what a subagent did stands where it was called", async () => {
    await openAt(`/session/${withAgent}`);
    await page.locator("#turn-1 summary").filter({ hasText: "Task" }).click();
    const subagent = page.getByRole("region", { name: "What the subagent did" });
    await subagent.getByText("npm test -- queue").first().waitFor();
    await subagent.getByText("The subagent says: it is a queue.").waitFor();
  });

  test("a file of 50,000 lines opens at any line", async () => {
    for (const line of [1, 25_000, 50_000]) {
      await openAt(`/file/src/long.ts:${line}`);
      await page
        .locator(".cm-line")
        .getByText(`value${line - 1} `)
        .first()
        .waitFor();
      await page.getByRole("heading", { name: `Why line ${line} is there` }).waitFor();
    }
    expect(await page.locator(".cm-line").count()).toBeLessThan(1000);
  });

  test.skipIf(realTranscripts.length === 0)("every view shows real sessions without a fault", async () => {
    const { sessions } = await pmJson<{ sessions: { id: string; turns: number }[] }>(
      project,
      "session",
      "list",
    );
    const views = ["/", "/sessions", "/search?q=test", "/search?q=queue&in=content", "/insights"];
    const parts = ["/memory/", "/memory/notes", "/memory/events", "/memory/given", "/memory/keeping"];
    const settings = ["/settings/", "/settings/health", "/settings/work", "/settings/log"];
    for (const path of [
      ...views,
      ...parts,
      ...settings,
      ...sessions.filter(({ id }) => id !== long).map(({ id }) => `/session/${id}`),
    ]) {
      await showView(page, origin, path);
      expect({ path, alerts: await page.getByRole("alert").allInnerTexts() }).toEqual({ path, alerts: [] });
      await expectAccessible(page, path);
    }
    expect(faults).toEqual([]);
  });
});
