import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { framePage, parseFileAddress } from "../../editors/vscode/src/page-frame.ts";
import type { Project } from "../../src/base/paths.ts";
import { cleanUp, createProject, pmJson, start, untilIdle } from "./daemon-fixture.ts";
import { browserFile } from "./page-fixture.ts";

/** The page in the frame that the extension for VS Code puts around it. */

describe.skipIf(browserFile === undefined)("the page in a tab of an editor", () => {
  let project: Project;
  let browser: Browser;
  let editor: Server;
  let tab: Page;
  /** What the frame's document told the extension. */
  const told = () => tab.evaluate(() => (globalThis as unknown as { told: unknown[] }).told);

  beforeAll(async () => {
    project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
    const git = (...args: string[]) => execFileSync("git", ["-C", project.root, ...args]);
    git("init", "--quiet");
    git("add", ".");
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "-m", "retry");
    await start(project);
    await untilIdle(project);
    editor = createServer((_, response) => response.end("")).listen(0, "127.0.0.1");
    await once(editor, "listening");
    browser = await chromium.launch({ executablePath: browserFile!, args: ["--no-sandbox"] });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    editor?.close();
    await cleanUp();
  });

  /** Opens the frame's document as the editor would, which is the only one with an address such as the page allows. */
  async function openTab({ isAllowed }: { isAllowed: boolean }): Promise<void> {
    const origin = `http://127.0.0.1:${(editor.address() as AddressInfo).port}`;
    const { url } = await pmJson<{ url: string }>(project, "open", "--no-browser");
    tab = await browser.newPage();
    tab.setDefaultTimeout(30_000);
    await tab.addInitScript(() => {
      const given: unknown[] = [];
      Object.assign(globalThis, {
        told: given,
        acquireVsCodeApi: () => ({ postMessage: (data: unknown) => given.push(data) }),
      });
    });
    const html = framePage(url, "abc").replace("<body>", '<body class="vscode-dark">');
    await tab.route(`${origin}/`, (route) => route.fulfill({ contentType: "text/html", body: html }));
    if (isAllowed)
      await tab.route(`${new URL(url).origin}/`, async (route) => {
        const response = await route.fetch();
        const headers = response.headers();
        const policy = headers["content-security-policy"]!;
        headers["content-security-policy"] = policy.replace("vscode-webview:", `${origin} vscode-webview:`);
        await route.fulfill({ response, headers });
      });
    await tab.goto(`${origin}/`);
  }
  const frame = () => tab.frameLocator("iframe");

  test("is signed in, has the editor's theme, and opens files in the editor", async () => {
    await openTab({ isAllowed: true });
    await frame().getByRole("navigation", { name: "Views" }).waitFor();
    const theme = () => frame().locator("html").getAttribute("data-theme");
    await expect.poll(theme).toBe("dark");
    await tab.evaluate(() => document.body.classList.replace("vscode-dark", "vscode-light"));
    await expect.poll(theme).toBe("light");

    await frame()
      .locator("html")
      .evaluate(() => {
        location.hash = "#/file/src/retry.ts:1";
      });
    await frame().locator('a[href^="vscode://file"]').first().click();
    await expect.poll(told).toHaveLength(1);
    const [{ open }] = (await told()) as [{ open: string }];
    expect(parseFileAddress(open)).toEqual({ path: join(project.root, "src/retry.ts"), line: 1 });
  });

  test("is shown in no frame of another origin", async () => {
    await openTab({ isAllowed: false });
    await expect.poll(() => tab.frames()[1]?.url(), { timeout: 30_000 }).toMatch(/^chrome-error:/);
    expect(await frame().getByRole("navigation", { name: "Views" }).count()).toBe(0);
  });
});

test.each([
  ["vscode://file/home/robin/a%20b.ts:12", { path: "/home/robin/a b.ts", line: 12 }],
  ["vscode://file/home/robin/a.ts", null],
  ["https://example.com/a.ts:1", null],
  ["vscode://file/%E0%A4%A:1", null],
  [undefined, null],
])("the editor opens %s", (address, place) => {
  expect(parseFileAddress(address)).toEqual(place);
});
