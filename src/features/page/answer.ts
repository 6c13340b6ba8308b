import { KeptOnce } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import { PommelError } from "../../base/errors.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findInPast } from "./finding.ts";
import type { browsersResponse, signOutRequest } from "./operation.ts";
import { describePage as describe, findQuestions } from "./page.ts";

/** Who may use the page in a browser, as a daemon keeps it. */
interface PageKeys {
  /** A code that signs a browser in once, for so long. Milliseconds. */
  createCode(): { code: string; lifetimeMs: number };
  browsers(): Shaped<typeof browsersResponse>["browsers"];
  /** @param browser undefined: all. @returns how many were signed out */
  signOut(browser: string | undefined): number;
  /** Opens a project before it is asked for. */
  warmUp(place: string): void;
}
export const pageKeys = new KeptOnce<PageKeys>();

export const describePage = ({ project }: Subjects["project"]) => describe(project);

export const suggestQuestions = async ({ project, memory }: Subjects["memory, if any"]) => ({
  questions: await findQuestions(project, memory),
  finding: memory === null ? null : findInPast(memory),
});

export function createPageCode({ place }: Subjects["daemon"]) {
  const keys = pageKeys.get();
  // It is open by the time the browser is.
  if (place !== null) keys.warmUp(place);
  const { code, lifetimeMs } = keys.createCode();
  return { code, expires_in_seconds: lifetimeMs / 1000 };
}

export const listBrowsers = () => ({ browsers: pageKeys.get().browsers() });

export function signOut(_: Subjects["daemon"], { browser }: Shaped<typeof signOutRequest>) {
  const signedOut = pageKeys.get().signOut(browser);
  if (browser !== undefined && signedOut === 0) {
    throw new PommelError("not_found", "No such browser is signed in.", "See `pm open --browsers`.");
  }
  return { signed_out: signedOut };
}
