import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import type { Palette } from "./palette.ts";

/**
 * The address of a file for a terminal's link. It names the machine, as a terminal may show the output of another one.
 * @param path absolute
 */
export function fileUrl(path: string): string {
  const url = pathToFileURL(path);
  if (process.platform !== "win32") url.hostname = hostname();
  return url.href;
}

/** Gives the page of each commit of a repository; of none where the terminal opens no links. */
export async function commitPages(
  root: string,
  { hasLinks }: Palette,
): Promise<(hash: string) => string | null> {
  if (!hasLinks) return () => null;
  const { remoteOf } = await import("../../git/projects/identity.ts");
  const remote = await remoteOf(root);
  return (hash) => commitUrl(remote, hash);
}

/**
 * The page of a commit on the usual hosts of repositories.
 * @param remote as git has it: `git@github.com:owner/name.git`, `https://...`
 * @returns null for a remote that has no such pages
 */
export function commitUrl(remote: string | null, hash: string): string | null {
  if (remote === null || !/^[0-9a-f]{7,64}$/.test(hash)) return null;
  const [, host, path] =
    /^(?:https?:\/\/|ssh:\/\/|git:\/\/)?(?:[^@/\s]+@)?([\w.-]+)(?::\d+(?=\/))?[/:]([\w./~-]+?)(?:\.git)?\/?$/.exec(
      remote,
    ) ?? [];
  if (host === undefined || path === undefined) return null;
  if (/(^|\.)gitlab\./.test(host)) return `https://${host}/${path}/-/commit/${hash}`;
  if (host === "bitbucket.org") return `https://${host}/${path}/commits/${hash}`;
  return /^(github\.|codeberg\.org$|gitea\.)/.test(host) ? `https://${host}/${path}/commit/${hash}` : null;
}
