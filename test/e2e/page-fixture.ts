import { existsSync } from "node:fs";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** What tests of the page share. */

export const browserFile = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((file) => file !== undefined && existsSync(file));
if (browserFile === undefined) {
  console.warn("The page is not tested: no Chromium. Set CHROMIUM_PATH to the program of one.");
}

/** In `main`, whatever a view shows, be it an error. */
const anyContent =
  ":is(.row, .search-start, .happening, .entries, .review, .state, .summary, .turn, .code, .panel, .document, .part, .compared)";

/** Requests to other hosts, messages about the Content-Security-Policy and errors of scripts: there must be none. */
export function faultsOf(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on("request", (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== "data:" && host !== new URL(origin).host) faults.push(`asked ${request.url()}`);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text());
  });
  return faults;
}

/** Loads axe into a page that bypasses the Content-Security-Policy. Another view is another fragment: axe stays. */
export const loadAxe = (page: Page) => page.evaluate(axe.source);

/** Goes to a view, and waits until it shows what it has: nothing of the view before is left. */
export async function showView(page: Page, origin: string, path: string): Promise<void> {
  await page.goto(`${origin}/#/between`);
  await page.locator("main code", { hasText: "/between" }).waitFor();
  await page.goto(`${origin}/#${path}`);
  await page.locator("main", { hasNotText: "/between" }).locator(anyContent).first().waitFor();
  await page.locator("main .skeleton").first().waitFor({ state: "detached" });
  await settle(page);
}

/** Waits until nothing that the view asked for is on its way: neither answers, nor what is in sight, as turns of a session. */
async function settle(page: Page): Promise<void> {
  const findBusy = () => {
    const isInSight = (one: Element) => {
      const { top, bottom } = one.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    };
    return [...document.querySelectorAll("[aria-busy=true]")]
      .filter((one) => one.matches("main") || isInSight(one))
      .map(({ localName, id }) => `${localName}#${id}`);
  };
  await page.waitForFunction(`(${findBusy})().length === 0`).catch(async (error: unknown) => {
    throw new Error(
      `Still busy: ${await page.evaluate(findBusy)}: ${await page.locator("main").textContent()}`,
      {
        cause: error,
      },
    );
  });
}

interface Axe {
  run(
    context: Document,
    options: { resultTypes: string[]; runOnly?: string[] },
  ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}

/** The view that is shown has no serious violation of all rules, or only of these. */
export async function expectAccessible(page: Page, path: string, rules?: string[]): Promise<void> {
  const { violations } = await page.evaluate(
    (runOnly) =>
      (window as never as { axe: Axe }).axe.run(document, {
        resultTypes: ["violations"],
        ...(runOnly && { runOnly }),
      }),
    rules,
  );
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect({ path, serious: serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`) }).toEqual({
    path,
    serious: [],
  });
}

/** All that is shown is seen whole. */
export async function expectWhole(page: Page, path: string): Promise<void> {
  expect({ path, clipped: await page.evaluate(findClipped) }).toEqual({ path, clipped: [] });
}

/**
 * What nobody sees whole: a page that is wider than the window, what has no size, text that is cut off without a sign, and what
 * lies outside of its dialog.
 */
function findClipped(): string[] {
  const clipped: string[] = [];
  const tooWide = document.documentElement.scrollWidth - innerWidth;
  if (tooWide > 0) clipped.push(`the page is ${tooWide} px wider than the window`);
  for (const one of document.querySelectorAll<HTMLElement>("body *")) {
    if (!one.checkVisibility() || one.closest(".hidden, .skip-link, svg *, .cm-editor *")) continue;
    const { width, height, left, right } = one.getBoundingClientRect();
    const describe = () => `${one.localName}.${one.className} ${one.textContent?.slice(0, 40)}`;
    if (one.matches("[role=img], time, a, button, input, select, textarea, svg") && (width < 1 || height < 1))
      clipped.push(`no size: ${describe()}`);
    const style = getComputedStyle(one);
    const hides = (overflow: string) => overflow === "hidden" || overflow === "clip";
    const isText = [...one.childNodes].some((node) => node instanceof Text && node.data.trim() !== "");
    const isCutAcross = hides(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    const isCutBelow = hides(style.overflowY) && one.scrollHeight > one.clientHeight + 2;
    const saysSo =
      style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none" || style.maskImage !== "none";
    if (isText && !saysSo && one.clientWidth > 0 && (isCutAcross || isCutBelow))
      clipped.push(`cut: ${describe()}`);
    // Above and below it scrolls.
    const dialog = one.closest("dialog")?.getBoundingClientRect();
    if (dialog && width > 0 && (left < dialog.left - 1 || right > dialog.right + 1))
      clipped.push(`outside its dialog: ${describe()}`);
  }
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
      clipped.push("a dialog is outside of the window");
  }
  return clipped;
}
