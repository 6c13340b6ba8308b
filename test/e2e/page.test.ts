import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { cleanUp, createProject, pmJson, start, until, untilIdle, write } from "./daemon-fixture.ts";
import { browserFile, expectAccessible, faultsOf, loadAxe, showView } from "./page-fixture.ts";
import { runPm } from "./run-pm.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

/** The page in a real browser: one browser, one project, one daemon. */

/** What a script of somebody else would look like in what the page shows. */
const attacks = [
  "<img src=x onerror=window.hacked=1>",
  "<script>window.hacked=1</script>",
  '"><svg onload=window.hacked=1>',
  "[x](javascript:window.hacked=1)",
  "{{constructor.constructor('window.hacked=1')()}}",
];
/** The same in a name that git allows. */
const attackingBranch = "<img/src=x/onerror=window.hacked=1>";

let project: Project;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let origin: string;
let faults: string[];

const open = async (...args: string[]) =>
  (await pmJson<{ url: string }>(project, "open", "--no-browser", ...args)).url;

async function newPage(): Promise<Page> {
  const opened = await (await browser.newContext()).newPage();
  onTestFinished(() => opened.context().close());
  return opened;
}

function git(...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project.root });
}

const firstSession = "11111111-1111-4111-8111-111111111111";
const secondSession = "22222222-2222-4222-8222-222222222222";

const decided = "Let's go with tabs instead of spaces in the formatter";

/** Every view that shows something of its own. */
const allViews = [
  "/",
  "/sessions",
  "/search?q=flamingo",
  "/digest?since=1%20year%20ago&by=branch",
  "/insights",
  `/session/${firstSession}?turn=3`,
  "/file/src/flamingo.ts:2",
  "/file/",
  "/file/src/",
  "/review/",
  "/commit/HEAD",
  "/commit/HEAD?as=split",
  "/memory/",
  "/memory/notes",
  "/memory/events",
  "/memory/given",
  "/memory/keeping",
  "/settings/",
  "/settings/health",
  "/settings/work",
  "/settings/browsers",
  "/settings/log",
  "/search",
  "/nowhere",
];

/** The same views of what only attacks. */
const attackedViews = [
  `/session/${secondSession}`,
  `/file/src/${encodeURIComponent("<img src=x onerror=window.hacked=1>.ts")}:1`,
  `/search?q=${encodeURIComponent(attacks[0]!)}`,
  "/search?q=onerror",
  "/search?q=heron",
  `/nowhere/${attacks[0]}`,
];

/** Both themes and both widths meet all rules; contrasts are looked at in each theme where most is shown. */
const appearances: [colorScheme: "light" | "dark", width: number, rules?: string[]][] = [
  ["light", 1280],
  ["dark", 1280, ["color-contrast"]],
  ["dark", 360],
];

/** A session of Claude Code, as it lies in the user's home. */
function transcriptOf(id: string, prompts: readonly string[], branch: string): string {
  const lines = prompts.flatMap((prompt, i) => {
    const about = {
      sessionId: id,
      cwd: project.root,
      gitBranch: branch,
      version: "2.1.0",
      userType: "external",
      isSidechain: false,
      timestamp: new Date(Date.UTC(2026, 2, 2, 9, i)).toISOString(),
    };
    const answer = [
      { type: "text", text: `Done: ${prompt}. Decision: we use flamingos because they stand on one leg.` },
    ];
    return [
      {
        ...about,
        type: "user",
        uuid: `${id}-${i}-u`,
        parentUuid: null,
        message: { role: "user", content: prompt },
      },
      {
        ...about,
        type: "assistant",
        uuid: `${id}-${i}-a`,
        parentUuid: `${id}-${i}-u`,
        message: {
          id: `m${i}`,
          role: "assistant",
          model: "claude-x",
          content: answer,
          usage: { input_tokens: 100, output_tokens: 50 },
        },
      },
    ];
  });
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

// Each goes on where the one before left the page, which a second try would not find.
describe.skipIf(browserFile === undefined)("the page", { retry: 0 }, () => {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: browserFile!,
      args: ["--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
    });
    project = createProject({
      "src/flamingo.ts": `/** Waits before it tries again. */\nexport function retryFlamingo(times: number): string {\n  return "${attacks.join(" ").replaceAll('"', "'")}" + times;\n}\n`,
      "src/<img src=x onerror=window.hacked=1>.ts": "export const heron = 'a grey heron';\n",
    });
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "-m", "<img src=x onerror=window.hacked=1>");
    await start(project);
    await untilIdle(project);
    origin = `http://127.0.0.1:${readDaemonRecord()!.port}`;
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    // Less than a test's: so a failure names the step.
    page.setDefaultTimeout(60_000);
    faults = faultsOf(page, origin);
  });

  afterAll(async () => {
    await browser?.close();
    await cleanUp();
  });

  test("without a token it says what to do, and shows nothing", async () => {
    const stranger = await newPage();
    await stranger.goto(origin);
    await stranger.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    expect(await stranger.locator("nav").count()).toBe(0);
    expect(await stranger.evaluate(() => fetch("/sessions").then(({ status }) => status))).toBe(401);
  });

  test("the link of pm open signs in once, and leaves the address", async () => {
    const url = await open("search", "flamingo");
    await page.goto(url);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    expect(page.url()).toBe(`${origin}/#/search?q=flamingo`);
    expect(await context.cookies()).toEqual([]);

    const second = await newPage();
    await second.goto(url);
    await second.getByText("This link was used before, or is too old.").waitFor();
    expect(second.url()).not.toContain("code=");
    // It may have been stolen: whoever used it first is signed out.
    await page.reload();
    await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    await page.goto(await open("search", "flamingo"));
    await page.getByRole("navigation", { name: "Views" }).waitFor();
  });

  test("a place in a link whose code is refused does not count", async () => {
    const elsewhere = createProject({ "a.ts": "export const elsewhere = 1;\n" });
    const other = await context.newPage();
    onTestFinished(() => other.close());
    await other.goto(`${origin}/#code=guessed&place=${encodeURIComponent(elsewhere.root)}&to=%2F`);
    const choice = other.getByRole("combobox", { name: "Project" });
    await choice.waitFor();
    expect(await choice.locator("option:checked").textContent()).toBe(basename(project.root));
  });

  test("a page of another origin can neither read nor change anything", async () => {
    const other = createServer((_, response) => response.end("<p>another page")).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const foreign = await context.newPage();
    onTestFinished(() => foreign.close());
    for (const host of ["127.0.0.1", "localhost"]) {
      await foreign.goto(`http://${host}:${port}/`);
      const outcomes = await foreign.evaluate(async (ours) => {
        const ask = (path: string, options: RequestInit) =>
          fetch(ours + path, { credentials: "include", ...options }).then(
            () => "answered",
            () => "refused",
          );
        const body = JSON.stringify({ note: "from elsewhere" });
        return [
          await ask("/sessions", {}),
          await ask("/sessions", { mode: "no-cors" }),
          await ask("/index/transcript/annotate", { method: "POST", mode: "no-cors", body }),
          await ask("/settings/change", { method: "POST", mode: "no-cors", body }),
          await ask("/event/create", { method: "POST", mode: "no-cors", body }),
        ];
      }, origin);
      expect(new Set(outcomes)).toEqual(new Set(["refused"]));
    }
    const notes = await page.evaluate(
      (root) =>
        fetch(`/annotations?directory=${encodeURIComponent(root)}`, {
          headers: { authorization: `Bearer ${localStorage.getItem("pommel.token")}` },
        }).then((response) => response.text()),
      project.root,
    );
    expect(JSON.parse(notes)).toHaveProperty("annotations");
    expect(notes).not.toContain("from elsewhere");
  });

  test("another host name for this machine is refused (DNS rebinding)", async () => {
    const victim = await newPage();
    const answer = await victim.goto(`http://evil.example:${new URL(origin).port}/`);
    expect(answer!.status()).toBe(403);
  });

  test("an empty project says how sessions come in, and searches code", async () => {
    await page.goto(`${origin}/#/`);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await page.goto(`${origin}/#/sessions`);
    await page.getByRole("heading", { name: "No sessions" }).waitFor();
  });

  test("shows sessions with whatever stands in them, and runs none of it", async () => {
    const home = process.env.HOME!;
    const folder = join(home, ".claude/projects", project.root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
    write(
      { ...project, root: folder },
      `${firstSession}.jsonl`,
      transcriptOf(firstSession, ["Why does the flamingo fail at night?", ...attacks, decided], "main"),
    );
    write(
      { ...project, root: folder },
      `${secondSession}.jsonl`,
      transcriptOf(secondSession, attacks, attackingBranch),
    );
    await pmJson(project, "import", "claude", "--yes");
    await pmJson(project, "note", attacks.join(" "));
    await until(async () => (await pmJson<{ total: number }>(project, "session", "list")).total === 2);
    await page.goto(`${origin}/#/sessions`);
    // Which branches there are it asks but once.
    await page.reload();
    await page.locator(".row").getByText(attackingBranch).first().waitFor();
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  test("a note is written, edited and forgotten after a preview; a decision is superseded", async () => {
    await page.goto(`${origin}/#/`);
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByRole("navigation", { name: "Parts of the memory" }).getByText("Notes").click();
    await page.getByRole("textbox", { name: "A new note" }).fill(`Herons eat frogs ${attacks[0]}`);
    await page.getByRole("button", { name: "Save note" }).click();
    const note = page.locator(".entry").filter({ hasText: "Herons eat" });
    await note.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "The note" }).fill(`Herons eat fish ${attacks[1]}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await note.getByText("eat fish").waitFor();
    expect(await page.getByText("eat frogs").count()).toBe(0);

    await note.getByRole("button", { name: "Forget…" }).click();
    const dialog = page.getByRole("dialog", { name: "Forget this?" });
    await dialog.getByText("This removes 1 note, 1 chunk:").waitFor();
    await dialog.getByText("Herons eat fish").waitFor();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await note.count()).toBe(1);
    await note.getByRole("button", { name: "Forget…" }).click();
    await dialog.getByRole("button", { name: "Forget", exact: true }).click();
    await note.waitFor({ state: "detached" });

    await page.goto(`${origin}/#/memory/?about=formatter`);
    const decision = page.locator(".entry").filter({ hasText: "with tabs" }).first();
    await decision.getByRole("button", { name: "Supersede…" }).click();
    await page.getByRole("textbox", { name: "What holds instead" }).fill(`Storks ${attacks[0]}`);
    await page.getByRole("button", { name: "Supersede", exact: true }).click();
    await page.locator(".entry-note").getByText("Storks").first().waitFor();
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  test("a note that is written elsewhere appears by itself", async () => {
    await page.goto(`${origin}/#/memory/notes`);
    await page.getByRole("textbox", { name: "A new note" }).waitFor();
    await pmJson(project, "note", "Cormorants dry their wings");
    await page.locator(".entry").getByText("Cormorants dry").waitFor();
  });

  test("an event is created, filled, closed and emptied", async () => {
    await page.goto(`${origin}/#/memory/events`);
    await page.getByRole("button", { name: "New event…" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill(attacks[0]!);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: attacks[0]! }).waitFor();
    await page.getByRole("combobox", { name: "A session or commit to add" }).fill("nobody");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").getByText("nobody").waitFor();
    await page.getByRole("combobox", { name: "A session or commit to add" }).fill(firstSession);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { name: "1 session" }).waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByText("frozen").waitFor();
    await page.getByRole("button", { name: "Remove the session" }).click();
    await page.getByRole("heading", { name: "0 sessions" }).waitFor();
  });

  test("a setting is changed and reset; one that reaches out is not to be changed here", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press(",");
    const limit = page.locator(".setting").filter({ hasText: "search.limit" });
    await limit.getByRole("button", { name: "Change" }).click();
    await page.getByRole("textbox", { name: "search.limit" }).fill(attacks[0]!);
    await page.getByRole("button", { name: "Save for this project" }).click();
    await limit.getByRole("alert").getByText("a whole number from 1 to").waitFor();
    await page.getByRole("textbox", { name: "search.limit" }).fill("12");
    await page.getByRole("button", { name: "Save for this project" }).click();
    await limit.getByText("yours, for this project").waitFor();
    await limit.getByRole("button", { name: "Reset" }).click();
    await limit.getByText("default", { exact: true }).waitFor();
    const reaching = page.locator(".setting").filter({ hasText: "openai.url" }).first();
    expect(await reaching.getByRole("button").count()).toBe(0);
    const refused = await page.evaluate(
      (root) =>
        fetch("/settings/change", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-pommel-place": encodeURIComponent(root),
            authorization: `Bearer ${localStorage.getItem("pommel.token")}`,
          },
          body: JSON.stringify({ key: "openai.url", value: "https://evil.example" }),
        }).then(({ status }) => status),
      project.root,
    );
    expect(refused).toBe(403);
    await page.goto(`${origin}/#/settings/health`);
    await page.locator(".check").getByText("node", { exact: true }).waitFor();
    await page.goto(`${origin}/#/settings/log`);
    await page
      .locator(".log")
      .getByText(/answers on 127.0.0.1/)
      .first()
      .waitFor();
  });

  test("a text is found in a session's turns, and marked where it stands", async () => {
    await page.goto(`${origin}/#/session/${firstSession}`);
    await page.locator("#turn-1").waitFor();
    await page.keyboard.press("f");
    await page.keyboard.type("constructor.constructor");
    await page.getByRole("region", { name: "In what was said and done" }).getByRole("link").first().click();
    await page.waitForURL(/find=constructor/);
    await until(() => page.evaluate(() => (CSS.highlights.get("found")?.size ?? 0) > 0));
    await page.goto(`${origin}/#/search?q=flamingos+because+they&in=content`);
    await page.locator("main [data-row]").first().waitFor();
  });

  test("search by keyboard: words, next result, open", async () => {
    await page.goto(`${origin}/#/`);
    await page.locator("main [data-row]").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("retryFlamingo");
    const first = page.locator("main [data-row]").filter({ hasText: "src/flamingo.ts" }).first();
    await first.waitFor();
    expect(page.url()).toBe(`${origin}/#/search?q=retryFlamingo`);
    await page.keyboard.press("ArrowDown");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href") ?? "");
    expect(await focused()).toMatch(/^#\/(file|session)\//);
    await page.keyboard.press("k");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("search-box");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/(file|session)\//);
    await page.goBack();
    await first.waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("what is typed while the code of Ctrl-K is on its way is typed into it", async () => {
    const slow = await newPage();
    let letCome = (): void => {};
    const wanted = new Promise<void>((resolve) => {
      letCome = resolve;
    });
    await slow.route(/assets\/palette-/, async (route) => {
      await wanted;
      await route.continue();
    });
    await slow.goto(await open());
    await slow.getByRole("navigation", { name: "Views" }).waitFor();
    await slow.keyboard.press("Control+k");
    await slow.keyboard.type("/flamingo.ts");
    letCome();
    await expect.poll(() => slow.getByRole("combobox", { name: /^Go to/ }).inputValue()).toBe("/flamingo.ts");
  });

  test("a rule that is proposed is accepted with one key", async () => {
    const file = join(project.root, "CLAUDE.md");
    writeFileSync(file, "- Never push to `main`.\n");
    onTestFinished(() => rmSync(file));
    await page.goto(`${origin}/#/memory/rules`);
    await page.locator("li", { hasText: "Never push to" }).locator("[data-row]").focus();
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "What happens: Never push to `main`." }).waitFor();
    await page.getByRole("button", { name: "Drop Never push to" }).click();
    await page.getByRole("heading", { name: "No rules" }).waitFor();
  });

  test("a session is read from any of its turns, each to be copied", async () => {
    await page.goto(`${origin}/#/session/${firstSession}?turn=3`);
    await page.locator("#turn-3").getByText(attacks[1]!).first().waitFor();
    await page.getByText(`claude --resume=${firstSession}`).waitFor();
    await page.getByRole("navigation", { name: "Turns" }).getByText(attacks[2]!).click();
    await page.waitForURL(/turn=4/);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#turn-4").getByRole("button", { name: "Copy as Markdown" }).click();
    await page.locator("#turn-4").getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    // Escaped, for wherever it is pasted.
    expect(copied).toMatch(/^## Turn 4, 2026-/);
    expect(copied).toContain(`\n\n> ${attacks[2]!.replace("<", "&lt;")}`);
    await page.goto(`${origin}/#/session/nobody`);
    await page.getByRole("alert").getByText("nobody").waitFor();
  });

  test("a line of a file says why it is there, by mouse and by keyboard", async () => {
    await page.goto(`${origin}/#/file/src/flamingo.ts`);
    await page.getByText("Choose a line, or several").waitFor();
    await page.getByText("Text that is in no commit").click();
    await page
      .getByText(/Nothing of .* was lost|replaced by an edit/)
      .first()
      .waitFor();
    await page.locator(".cm-line").getByText("retryFlamingo").click();
    await page.getByRole("heading", { name: "Why line 2 is there" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "Why line 3 is there" }).waitFor();
    expect(page.url()).toContain("flamingo.ts:3");
    await page.getByText("Write a note on line 3").click();
    await page.getByRole("textbox", { name: "A note on line 3" }).fill("flamingos come back");
    await page.getByRole("button", { name: "Save note" }).click();
    await page.getByRole("region", { name: "Notes on line 3" }).getByText("flamingos come back").waitFor();
    await page.getByRole("region", { name: "Notes on line 3" }).getByText("src/flamingo.ts:3").waitFor();
    // Whoever comes back to the page finds the file as it was left.
    const line = await page.locator(".cm-line").first().elementHandle();
    const answered = page.waitForResponse(/blame/);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await (await answered).finished();
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => setTimeout(next))));
    expect(await line!.evaluate((one) => one.isConnected)).toBe(true);
    await page.goto(`${origin}/#/file/no/such/file.ts`);
    await page.getByRole("alert").waitFor();
  });

  test("times go on while the page is open", async () => {
    const opened = await newPage();
    await opened.clock.install();
    await opened.goto(await open());
    const latest = opened.getByRole("region", { name: "Latest sessions" }).locator("time").first();
    await latest.evaluate((one) => Object.assign(window, { first: one.textContent }));
    await opened.clock.fastForward(40 * 24 * 3600_000);
    await opened.waitForFunction(
      () =>
        document.querySelector(".latest time")?.textContent !== (window as never as { first: string }).first,
    );
  });

  test("an address of before leads to the new place, and insights have their numbers", async () => {
    await page.goto(`${origin}/#/timeline`);
    await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
    expect(page.url()).toBe(`${origin}/#/sessions`);
    await page.goto(`${origin}/#/insights`);
    await page.getByRole("region", { name: "What do sessions cost?" }).getByText("tokens").first().waitFor();
  });

  test("a question has its answer as a card, and is kept at hand", async () => {
    const asked = "tabs instead of spaces in the formatter";
    await page.goto(`${origin}/#/commands?q=${encodeURIComponent(asked)}`);
    await page
      .getByRole("region", { name: "Decision", exact: true })
      .getByText("with tabs")
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.goto(`${origin}/#/search`);
    const pinned = page.getByRole("region", { name: "Pinned" });
    await pinned.getByRole("link", { name: asked }).click();
    await page.getByRole("button", { name: "Unpin" }).click();
    await page.goto(`${origin}/#/search`);
    await page.locator(".search-start").waitFor();
    expect(await pinned.count()).toBe(0);
  });

  test("nothing found is said plainly", async () => {
    await page.goto(`${origin}/#/search?q=${encodeURIComponent("zzyzx quokka marmalade")}`);
    // In a memory this small nobody can say that it is not there.
    await page
      .getByText(/these come closest/)
      .first()
      .waitFor();
  });

  test("filters are in the address, and hold after a reload", async () => {
    await page.goto(`${origin}/#/sessions`);
    await page.getByRole("combobox", { name: "Any branch" }).selectOption("main");
    expect(page.url()).toBe(`${origin}/#/sessions?branch=main`);
    await page.reload();
    await page.locator("main").getByText("Why does the flamingo fail at night?").waitFor();
    expect(await page.locator("main .row").count()).toBe(1);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await until(async () => (await page.locator("main .row").count()) === 2);
  });

  test.each([
    ["since", "today", "Why does the flamingo fail"],
    ["branch", "main", "src/flamingo.ts"],
    ["kind", "decision", "src/flamingo.ts"],
    ["path", "docs/", "src/flamingo.ts"],
  ])("a search is limited by %s, also after a reload", async (name, value, left) => {
    await page.goto(`${origin}/#/search?q=flamingo`);
    await page.locator("main .row").filter({ hasText: left }).first().waitFor();
    const chip = page.locator(`.chips [name=${name}]`);
    if (name === "path") {
      await chip.fill(value);
      await chip.press("Enter");
    } else await chip.selectOption(value);
    const isLimited = () =>
      until(async () => (await page.locator("main .row").filter({ hasText: left }).count()) === 0);
    await isLimited();
    expect(page.url()).toBe(`${origin}/#/search?q=flamingo&${name}=${encodeURIComponent(value)}`);
    await page.reload();
    await page.locator("main .count").first().waitFor();
    await isLimited();
    expect(await chip.inputValue()).toBe(value);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.locator("main .row").filter({ hasText: left }).first().waitFor();
  });

  test("an error of the API is shown with its hint", async () => {
    await page.goto(`${origin}/#/sessions?agent=nobody`);
    await page.getByRole("alert").getByText("Unknown agent: nobody.").waitFor();
    await page.getByRole("alert").getByText("Choose from:").waitFor();
  });

  describe("every view", () => {
    let shown: Page;

    beforeAll(async () => {
      shown = await (await browser.newContext({ bypassCSP: true })).newPage();
      shown.setDefaultTimeout(60_000);
      await shown.goto(await open());
      await shown.getByRole("navigation", { name: "Views" }).waitFor();
      await loadAxe(shown);
    });
    afterAll(() => shown?.context().close());

    test.each(allViews)(
      "%s is accessible in light and dark, wide and narrow, and runs nothing",
      async (path) => {
        await showView(shown, origin, path);
        for (const [colorScheme, width, rules] of appearances) {
          await shown.emulateMedia({ colorScheme });
          await shown.setViewportSize({ width, height: 800 });
          await expectAccessible(shown, path, rules);
        }
        expect(await shown.evaluate(() => "hacked" in window)).toBe(false);
      },
    );

    test.each(attackedViews)("%s runs nothing", async (path) => {
      await showView(shown, origin, path);
      expect(await shown.evaluate(() => "hacked" in window)).toBe(false);
    });

    test("those of all projects are accessible", async () => {
      await showView(shown, origin, "/?project=all");
      for (const path of ["/", "/sessions", "/review/", "/file/", "/search?q=flamingo"]) {
        await showView(shown, origin, path);
        await expectAccessible(shown, path);
      }
    });
  });

  test("another project is chosen in its header, and stays chosen in this tab", async () => {
    const second = createProject({ "src/bittern.ts": "export const bittern = 1;\n" });
    await pmJson(second, "note", "A bittern booms");
    const other = await newPage();
    await other.goto(await open("sessions"));
    const choice = other.getByRole("combobox", { name: "Project" });
    await choice.waitFor();
    await choice.selectOption({ label: basename(second.root) });
    await other.getByRole("heading", { name: "No sessions" }).waitFor();
    expect(other.url()).toBe(`${origin}/#/sessions`);
    await other.goto(`${origin}/#/memory/notes`);
    await other.locator(".entry").getByText("A bittern booms").waitFor();
    await other.reload();
    await other.locator(".entry").getByText("A bittern booms").waitFor();
    await choice.selectOption({ label: basename(project.root) });
    await other.locator(".entry").first().waitFor();
    expect(await other.getByText("A bittern booms").count()).toBe(0);

    // Each place shows all projects where that is chosen; a row leads into its own.
    await choice.selectOption({ label: "All projects" });
    await other.getByRole("heading", { name: "Lately" }).waitFor();
    await other.goto(`${origin}/#/sessions`);
    const ofFirst = other.getByRole("link").filter({ hasText: basename(project.root) });
    await ofFirst.first().waitFor();
    await other.goto(`${origin}/#/review/`);
    await other.getByRole("heading", { name: "Commits of all projects" }).waitFor();
    await other.goto(`${origin}/#/file/`);
    await other.getByRole("link", { name: basename(project.root) }).waitFor();
    await other.goto(`${origin}/#/`);
    await other.getByRole("searchbox", { name: "Search code" }).fill("bittern");
    await other
      .getByRole("region", { name: basename(second.root) })
      .getByRole("link")
      .first()
      .click();
    // An option of a closed choice counts as hidden.
    const chosen = choice.locator("option:checked", { hasText: basename(second.root) });
    await chosen.waitFor({ state: "attached" });
  });

  test("an agent that waits is told of once, while the page is out of sight", async () => {
    const tab = await newPage();
    // A browser without a screen shows no notifications, and counts every tab as looked at.
    await tab.addInitScript(() => {
      const told: unknown[] = [];
      class Told {
        static permission = "default";
        static async requestPermission() {
          Told.permission = "granted";
          return "granted";
        }
        constructor(title: string, { body }: { body: string }) {
          told.push(`${title}: ${body}`);
        }
      }
      Object.assign(window, { told, Notification: Told });
    });
    const toldOf = (title: string) =>
      tab.evaluate(
        (text) => (window as never as { told: string[] }).told.filter((one) => one.startsWith(text)),
        title,
      );
    const isInSight = (isSeen: boolean) =>
      tab.evaluate(
        (state) => {
          Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        },
        isSeen ? "visible" : "hidden",
      );
    const waitForPermission = async (id: string) => {
      const at = new Date(Date.now() - 60_000).toISOString();
      const session = sessionIn(project, id, { start: at });
      session.prompt("Count the herons");
      session.toolUse("Bash", { command: "rm -r nests" });
      const transcript_path = session.writeTo(transcriptDir(project));
      const payload = { session_id: id, transcript_path, cwd: project.root, hook_event_name: "Notification" };
      const { code } = await runPm(["hook", "notification"], {
        cwd: project.root,
        input: JSON.stringify({ ...payload, notification_type: "permission_prompt" }),
      });
      expect(code).toBe(0);
    };
    await tab.goto(await open());
    await waitForPermission("33333333-3333-4333-8333-333333333333");
    await tab.getByRole("button", { name: "Tell me when an agent waits for me" }).click();
    await tab.waitForFunction(() => document.title.startsWith("(1)"));
    expect(await toldOf("")).toEqual([]);

    await isInSight(false);
    await waitForPermission("44444444-4444-4444-8444-444444444444");
    await expect
      .poll(() => toldOf("Count the herons"), { timeout: 60_000 })
      .toEqual(["Count the herons: waits for your permission: Bash rm -r nests"]);
    await tab.waitForFunction(() => document.title.startsWith("(2)"));
  });

  test("asks no other host, and needs nothing that its policy forbids", () => {
    expect(faults).toEqual([]);
  });

  test("a stopped daemon is named, with what to do", async () => {
    await page.goto(`${origin}/#/sessions`);
    await page.locator("main [data-row]").first().waitFor();
    await pmJson(project, "stop");
    await page.getByRole("link", { name: "Now", exact: true }).click();
    await page.getByRole("alert").getByText("The Pommel daemon does not answer.").first().waitFor();
    await page.getByText("pm open").first().waitFor();
  });
});
