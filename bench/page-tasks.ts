/**
 * Ten things that a person wants from the page, played in a real Chromium: whether each can be done, in how many clicks and
 * keys, and how long it takes until its end is on the screen.
 *
 *   npm run bench:page-tasks -- --project DIR [--file FILE --line N] [--changes] [--json]
 *
 * DIR is an initialised project with sessions and commits in its memory. FILE:N is a line that an agent wrote (default: one of the
 * file that the most sessions changed). Each task begins at Now, which is loaded. Words that are typed count as one step. A
 * note is written and a session forgotten only with `--changes`; without it these tasks end before their last click, which
 * counts. It ends with 1 when a task cannot be done.
 */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Locator, type Page } from "playwright-core";
import { printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    project: { type: "string" },
    file: { type: "string" },
    line: { type: "string" },
    changes: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
if (options.project === undefined) throw new Error("--project DIR is needed");
const root = resolve(options.project);
const program = join(import.meta.dirname, "../bin/pm.cjs");

const ask = <T>(...args: string[]): T =>
  JSON.parse(
    execFileSync(process.execPath, [program, ...args, "--json"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }),
  ) as T;

/** A line that an agent wrote. */
function findLine(): { file: string; line: number } {
  if (options.file !== undefined) return { file: options.file, line: Number(options.line ?? 1) };
  const stats = ask<{ contested_files: { file: string }[] }>("stats");
  for (const { file } of stats.contested_files) {
    const { ranges } = ask<{ ranges: { first_line: number; author: string; session_id: string | null }[] }>(
      "blame",
      file,
    );
    const written = ranges.find(({ author, session_id }) => author === "agent" && session_id !== null);
    if (written) return { file, line: written.first_line };
  }
  throw new Error("No file has a line by an agent: name one with --file and --line.");
}

/** Milliseconds. */
const patience = 60_000;

/** Plays a task, and counts its steps. */
class Player {
  steps = 0;
  constructor(readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.steps++;
    await target.first().click({ timeout: patience });
  }

  async press(key: string): Promise<void> {
    this.steps++;
    await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    this.steps++;
    await this.page.keyboard.type(text);
  }

  async see(...seen: (string | Locator)[]): Promise<void> {
    for (const one of seen) {
      const target = typeof one === "string" ? this.page.locator(one) : one;
      await target.first().waitFor({ timeout: patience });
    }
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole("link", { name });
  }
}

const place = findLine();
const name = place.file.split("/").at(-1)!;

async function openFile(player: Player): Promise<void> {
  await player.press("Control+k");
  await player.type(place.file);
  await player.see(player.page.locator("dialog [aria-selected=true]", { hasText: name }));
  await player.press("Enter");
  await player.see(".cm-line");
}

const tasks: readonly (readonly [what: string, play: (player: Player) => Promise<void>])[] = [
  [
    "the session that made this line",
    async (player) => {
      const { page } = player;
      await openFile(player);
      // To scroll there is no click.
      await page.evaluate((line) => (location.hash += `:${line}`), place.line);
      await player.click(
        page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: new RegExp(`^${place.line}$`) }),
      );
      await player.click(page.locator(".why a[href^='#/session/']"));
      await player.see(".turn[aria-busy=false]");
    },
  ],
  [
    "what happened yesterday",
    (player) => player.see(player.page.getByRole("heading", { name: "Yesterday", exact: true })),
  ],
  ["what is unfinished", (player) => player.see(player.page.getByRole("heading", { name: /^Unfinished/ }))],
  [
    "which prompts cost most",
    async (player) => {
      await player.click(player.link("Sessions"));
      await player.click(player.link("Insights"));
      const by = player.page.locator("select[name=by]");
      await player.see(by);
      player.steps++;
      await by.selectOption("session");
      await player.click(player.page.locator(".answers a[href^='#/session/']"));
      await player.see(player.page.getByText("Most expensive prompts:"));
      await player.click(player.link(/^turn \d+, .*\$/i));
      await player.see(".turn[aria-busy=false]");
    },
  ],
  [
    "an answer of the past",
    async (player) => {
      await player.press("/");
      await player.type("why do tests fail");
      await player.click(
        player.page.locator("main .row a[href^='#/session/'], main a.row[href^='#/session/']"),
      );
      await player.see(".turn[aria-busy=false]");
    },
  ],
  [
    "two sessions compared",
    async (player) => {
      await player.click(player.page.locator(".latest a[href^='#/session/']"));
      await player.click(player.link("Compare…"));
      await player.click(player.page.locator("main .rows a[data-row]"));
      await player.see(".compared");
    },
  ],
  [
    "a long session read quickly",
    async (player) => {
      await player.click(player.page.locator(".latest a[href^='#/session/']"));
      await player.see(".turn[aria-busy=false]");
      await player.press("1");
      await player.press("n");
      await player.see("[aria-current=true]");
    },
  ],
  [
    "which files agents break most",
    async (player) => {
      await player.click(player.link("Sessions"));
      await player.click(player.link("Insights"));
      await player.see(player.page.getByRole("heading", { name: "Which files do agents break most?" }));
    },
  ],
  [
    "a note on a line",
    async (player) => {
      const { page } = player;
      await openFile(player);
      await player.click(page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^3$/ }));
      await player.click(page.getByText(/^Write a note on line/));
      const box = page.locator(".note-here textarea");
      await box.click();
      await player.type("Played by a benchmark");
      if (!options.changes) player.steps++;
      else await player.click(page.locator(".note-here button[type=submit]"));
    },
  ],
  [
    "a session forgotten",
    async (player) => {
      await player.click(player.page.locator(".latest a[href^='#/session/']"));
      await player.click(player.page.getByRole("button", { name: "Forget…" }));
      const forget = player.page.locator("dialog button.danger");
      await player.see(forget);
      if (!options.changes) player.steps++;
      else await player.click(forget);
    },
  ],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const rows: { task: string; ends: string; steps: number; seconds: number }[] = [];
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(ask<{ url: string }>("open", "--no-browser").url);
  for (const [task, play] of tasks) {
    await page.goto(`${new URL(page.url()).origin}/#/`);
    await page.reload();
    await page.locator("main .happening").first().waitFor({ timeout: patience });
    await page.waitForFunction(() => document.querySelector("main[aria-busy=true]") === null);
    const player = new Player(page);
    const start = performance.now();
    const problem = await play(player).then(
      () => "",
      (error: unknown) => String(error).split("\n")[0]!,
    );
    const seconds = (performance.now() - start) / 1000;
    rows.push({ task, ends: problem === "" ? "well" : problem, steps: player.steps, seconds });
    console.error(`${task}: ${problem || "well"}, ${player.steps} steps, ${seconds.toFixed(1)} s`);
  }
} finally {
  await browser.close();
}
if (options.json) console.log(JSON.stringify(rows));
else {
  printTable(
    ["task", "ends", "clicks and keys", "seconds"],
    rows.map(({ task, ends, steps, seconds }) => [task, ends, `${steps}`, seconds.toFixed(1)]),
    { markdown: true },
  );
}
if (rows.some(({ ends }) => ends !== "well")) process.exitCode = 1;
