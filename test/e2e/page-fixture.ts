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
  ":is(.row, .search-start, .happening, .entries, .review, .state, .summary, .turn, .code, .timeline, .figure, .panel)";

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
}

interface Axe {
  run(
    context: Document,
    options: { resultTypes: string[]; runOnly?: string[] },
  ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}

/** The view that is shown has no serious violation of all rules, or only of these, and nothing of it is cut off. */
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
  expect({ path, cut: await page.evaluate(cutOff) }).toEqual({ path, cut: 0 });
}

/** Pixels by which the page is wider than the window. */
const cutOff = () => Math.max(0, document.documentElement.scrollWidth - innerWidth);
