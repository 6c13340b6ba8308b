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

/** Whatever a view shows, be it an error. */
export const anyContent =
  "main :is(.row, .search-start, .happening, .entries, .review, .state, .summary, .turn, .code, .timeline, .figure, .panel)";

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

interface Axe {
  run(
    context: Document,
    options: { resultTypes: string[] },
  ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}

/** The view that is shown has no serious violation, and nothing of it is cut off. */
export async function expectAccessible(page: Page, path: string): Promise<void> {
  const { violations } = await page.evaluate(() =>
    (window as never as { axe: Axe }).axe.run(document, { resultTypes: ["violations"] }),
  );
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect({ path, serious: serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`) }).toEqual({
    ...{ path, serious: [] },
  });
  expect({ path, cut: await page.evaluate(cutOff) }).toEqual({ path, cut: 0 });
}

/** Pixels by which the page is wider than the window. */
const cutOff = () => Math.max(0, document.documentElement.scrollWidth - innerWidth);
