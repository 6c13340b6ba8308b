import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { preloaded } from "../support/preloaded.ts";
import { makeRichMemory, richSessions } from "../support/rich-memory.ts";
import { cleanUp, pmJson, spawnDaemon, untilAnswering, untilIdle } from "./daemon-fixture.ts";
import { drawTextsAsBoxes, findLooks } from "./page-drawn.ts";
import { browserFile, expectAccessible, expectWhole, loadAxe, showView } from "./page-fixture.ts";
import { callPm, temporaryDir } from "./run-pm.ts";
import { untilRead } from "./sessions-fixture.ts";

/**
 * Every view of one rich memory, at three sizes and in two themes: nothing is cut, nothing breaks axe's rules, and each element is
 * where it was and drawn as it was (docs/decisions/0033). `POMMEL_WRITE_LOOKS=true` writes down how they look now;
 * `POMMEL_LOOKS_TO=DIR` puts pictures there, to look at them.
 */

const isWriting = process.env.POMMEL_WRITE_LOOKS !== undefined;
const looksFile = join(import.meta.dirname, "page-looks.txt");
const sizes = [1440, 1024, 390] as const;
/** A view that is still reading gets so long. Milliseconds. */
const patienceMs = 30_000;
/** By so much may an element be elsewhere: browsers round, and draw their own controls. Pixels. */
const tolerance = 2;

/** When the memory is looked at: what the page says of times is then always the same. */
const now = Date.UTC(2026, 5, 17, 13, 20);

const kept = [
  "/sessions",
  "/digest?since=1%20year%20ago&by=branch",
  "/insights",
  "/dead-ends",
  "/search",
  "/search?q=retry",
  `/session/${richSessions.waiting}`,
  `/session/${richSessions.told}`,
  `/compare/${richSessions.long}?with=${richSessions.told}`,
  "/file/",
  "/file/src/services/payments/providers/",
  "/file/src/http/retry.ts:9",
  "/review/",
  "/review/main..HEAD",
  "/commit/HEAD",
  "/memory/",
  "/memory/notes",
  "/memory/events",
  "/memory/given",
  "/settings/",
  "/nowhere",
];
/** Of these it is not kept how they look: they show the machine, or what it had read and drawn by then. */
const changing = [
  "/",
  `/session/${richSessions.long}`,
  `/session/${richSessions.long}?turn=12`,
  "/commit/HEAD~1?as=split",
  "/memory/keeping",
  "/settings/health",
  "/settings/work",
  "/settings/browsers",
  "/settings/log",
];

/** Test files share their process. */
const realDate = Date;

let project: Project;
let browser: Browser;
/** As people see it, and with texts that take the same room everywhere. */
let shown: Page;
let measured: Page;
let origin: string;

/** How elements of a view look, by their kind: its boxes at the three sizes, and how it is drawn in light and dark. */
type Looks = Map<string, string[]>;

/** Of each view. */
const written = new Map<string, Looks>();

async function open(colorScheme: "light" | "dark"): Promise<Page> {
  const context = await browser.newContext({
    bypassCSP: true,
    colorScheme,
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.clock.setFixedTime(now);
  const { url } = await pmJson<{ url: string }>(project, "open", "--no-browser");
  await page.goto(url);
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  return page;
}

/** Draws the page anew at a width, as long as it is: lists draw what is in sight. */
async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
}

async function shoot(path: string, appearance: string): Promise<void> {
  const dir = process.env.POMMEL_LOOKS_TO;
  if (dir === undefined) return;
  await shown.screenshot({
    path: join(dir, `${path.replaceAll(/\W+/g, "_")}-${appearance}.png`),
    fullPage: true,
  });
}

async function readLooks(root: string): Promise<Looks> {
  const boxes = new Map<string, string[]>();
  const drawn = new Map<string, string[]>();
  for (const [i, width] of sizes.entries()) {
    await setWidth(measured, width);
    // What stays in sight lies where the page is scrolled to.
    await measured.evaluate(() => scrollTo(0, 0));
    await setWidth(measured, width);
    for (const look of await measured.evaluate(findLooks, root)) {
      const of = boxes.get(look.kind) ?? sizes.map(() => "-");
      of[i] = look.box;
      boxes.set(look.kind, of);
      if (!drawn.has(look.kind)) drawn.set(look.kind, [look.drawn]);
    }
  }
  await measured.emulateMedia({ colorScheme: "dark" });
  for (const look of await measured.evaluate(findLooks, root)) drawn.get(look.kind)?.push(look.drawn);
  await measured.emulateMedia({ colorScheme: "light" });
  return new Map([...boxes].map(([kind, at]) => [kind, [...at, [...new Set(drawn.get(kind))].join(" / ")]]));
}

describe.skipIf(browserFile === undefined)("the page with a rich memory", { retry: 0 }, () => {
  beforeAll(async () => {
    const root = join(temporaryDir("pommel-looks-"), "harbor");
    project = makeNewProject(root);
    process.env.POMMEL_TEST_CLOCK_MS = String(now - Date.now());
    createRequire(import.meta.url)("../support/preloads/other-time.cjs");
    spawnDaemon([], { env: { ...preloaded("other-time.cjs"), TZ: "UTC" } });
    await untilAnswering();
    await makeRichMemory({ root, home: process.env.HOME!, now }, async (...args) => {
      const { code, stdout, stderr } = await callPm(args, { cwd: root });
      expect({ args, code, said: code === 0 ? "" : stdout + stderr }).toEqual({ args, code: 0, said: "" });
    });
    await untilIdle(project);
    await untilRead(project);
    origin = `http://127.0.0.1:${readDaemonRecord()!.port}`;
    browser = await chromium.launch({
      executablePath: browserFile!,
      args: ["--no-sandbox", "--font-render-hinting=none"],
    });
    shown = await open("light");
    await loadAxe(shown);
    measured = await open("light");
    await drawTextsAsBoxes(measured);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await cleanUp();
    globalThis.Date = realDate;
  });

  test.each([...kept, ...changing])(
    "%s is whole and accessible at three sizes, in light and dark",
    async (path) => {
      await shown.emulateMedia({ colorScheme: "light" });
      await setWidth(shown, sizes[0]);
      await showView(shown, origin, path);
      await expectAccessible(shown, path);
      for (const width of sizes) {
        await setWidth(shown, width);
        await expectWhole(shown, `${path} at ${width}`);
        await shoot(path, `${width}-light`);
      }
      await shown.emulateMedia({ colorScheme: "dark" });
      await expectAccessible(shown, path);
      await shoot(path, `${sizes.at(-1)}-dark`);
    },
  );

  test.each(kept)("%s looks as it did", async (path) => {
    await setWidth(measured, sizes[0]);
    await showView(measured, origin, path);
    const before = isWriting ? null : (parseLooks(readFileSync(looksFile, "utf8")).get(path) ?? new Map());
    let last: Looks = new Map();
    // A view that is still reading is looked at again, until it looks as it did, or stays as it is.
    await expect
      .poll(
        async () => {
          const looks = await readLooks("main");
          const different = compareLooks(before ?? last, looks);
          last = looks;
          return different;
        },
        { timeout: patienceMs, interval: 300 },
      )
      .toEqual([]);
    written.set(path, last);
  });

  test.runIf(isWriting)("how every view looks is written down", () =>
    writeFileSync(looksFile, formatLooks(written)),
  );
});

/** What is different, in words. */
const compareLooks = (before: Looks, after: Looks): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((element) => {
    const [was, is] = [before.get(element), after.get(element)];
    if (was === undefined) return [`${element} is new`];
    if (is === undefined) return [`${element} is gone`];
    return was.flatMap((part, i) => (isSame(part, is[i]) ? [] : [`${element} was ${part}, is ${is[i]}`]));
  });

/** Boxes may differ by what browsers round, and by anything where other words stand; all else by nothing. */
function isSame(was: string, is = ""): boolean {
  const [a, b] = [was, is].map((part) => part.split(" ").map(Number)) as [number[], number[]];
  if (was === is || a.length !== 5 || b.length !== 5) return was === is;
  return a[4] !== b[4] || a.every((value, i) => Math.abs(value - b[i]!) <= tolerance);
}

/** An element is a line. How it is drawn is said again where its kind was last drawn in another way. */
function formatLooks(views: ReadonlyMap<string, Looks>): string {
  const drawn = new Map<string, string>();
  const format = ([kind, parts]: [string, string[]]) => {
    const how = parts.at(-1)!;
    const isKnown = drawn.get(kind) === how;
    drawn.set(kind, how);
    return [kind, ...(isKnown ? parts.slice(0, -1) : parts)].join(" | ");
  };
  return [...views].map(([path, looks]) => `# ${path}\n${[...looks].map(format).join("\n")}\n`).join("\n");
}

/** The elements of each view. */
function parseLooks(text: string): Map<string, Looks> {
  const views = new Map<string, Looks>();
  const drawn = new Map<string, string>();
  let looks: Looks = new Map();
  for (const line of text.split("\n")) {
    const [kind = "", ...parts] = line.split(" | ");
    if (line.startsWith("# ")) {
      looks = new Map();
      views.set(line.slice(2), looks);
    } else if (line !== "") {
      const how = parts[sizes.length] ?? drawn.get(kind)!;
      drawn.set(kind, how);
      looks.set(kind, [...parts.slice(0, sizes.length), how]);
    }
  }
  return views;
}
