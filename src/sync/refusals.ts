import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../base/errors.ts";
import { writeJson } from "../base/files/replace-file.ts";
import { locateHome, makeDirectory } from "../base/home.ts";
import { GitFailure, readGitText } from "../git/git.ts";
import { readRef } from "./branch/objects.ts";
import { isOwnRemote, stripPassword } from "./remote.ts";
import type { SyncRun } from "./report.ts";

/** Reasons to refuse a sync before anything changes. */

export async function refuseWhereItCannot(dir: string, branch: string): Promise<void> {
  let here: Awaited<ReturnType<typeof readRef>>;
  try {
    await readGitText(dir, ["rev-parse", "--git-dir"]);
    here = await readRef(dir, `refs/heads/${branch}`);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason !== "no_repository") throw error;
    throw new PommelError(
      "sync_refused",
      error.message,
      "The memory is shared through git: run `git init` and add a remote.",
    );
  }
  if (here?.worktree) {
    throw new PommelError(
      "sync_refused",
      `The branch ${branch} is checked out in ${here.worktree}.`,
      "Check out another branch there: this one is only for Pommel.",
    );
  }
  if (here && !here.isCommit) throw makeNotOursError(branch);
}

export function refuseStrangers(
  urls: readonly string[],
  { settings, options }: Pick<SyncRun, "settings" | "options">,
): void {
  for (const url of urls) {
    if (settings.encryption !== "none" || isOwnRemote(url) || isAllowed(url)) continue;
    if (options.allowPublic) {
      allow(url);
      continue;
    }
    throw new PommelError(
      "sync_refused",
      `Pommel cannot tell who can read ${stripPassword(url)}. Nothing was shared.`,
      "If only the right people can, run `pm share git --allow-public` once; otherwise set sync.encryption.",
    );
  }
}

export const makeNotOursError = (branch: string) =>
  new PommelError(
    "sync_refused",
    `The branch ${branch} does not contain Pommel's memory. Nothing was changed.`,
    "Choose another branch with `pm config set sync.branch NAME`.",
  );

/** Remotes that the user allowed despite unknown readers; stored per user, not per project. */

const shape = z.object({ allowed: z.array(z.string()) });

const locateConsentFile = () => join(locateHome().configDir, "sync-remotes.json");

function read(file: string): string[] {
  try {
    const parsed = shape.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return parsed.success ? parsed.data.allowed : [];
  } catch {
    // Missing or invalid: nothing is allowed.
    return [];
  }
}

function isAllowed(url: string): boolean {
  return read(locateConsentFile()).includes(stripPassword(url));
}

/** Records the user's consent for a remote. */
function allow(url: string): void {
  const file = locateConsentFile();
  const allowed = [...new Set([...read(file), stripPassword(url)])].sort();
  makeDirectory(dirname(file));
  writeJson(file, { allowed });
}
