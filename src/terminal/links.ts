import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import { makeCommitUrl } from "../git/commit-url.ts";
import type { Palette } from "./palette.ts";

/**
 * The address of a file for a terminal's link. It names the machine, as a terminal may show the output of another one.
 * @param path absolute
 */
export function toFileUrl(path: string): string {
  const url = pathToFileURL(path);
  if (process.platform !== "win32") url.hostname = hostname();
  return url.href;
}

/** Makes a function that returns the page of a commit. If the terminal opens no links, no commit has one. */
export async function makeCommitPageFinder(
  root: string,
  { hasLinks }: Palette,
): Promise<(hash: string) => string | null> {
  if (!hasLinks) return () => null;
  const { findRemote } = await import("../git/projects/identity.ts");
  const remote = await findRemote(root);
  return (hash) => makeCommitUrl(remote, hash);
}
