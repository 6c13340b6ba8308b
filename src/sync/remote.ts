import { isIP } from "node:net";
import { GitFailure, mayFetch, readGitBytes, readGitText } from "../git/git.ts";

/** Access to the remote. Never force-pushes, and runs none of the user's hooks. */

interface RemoteOptions {
  /** Whether git may ask for a password at the terminal. */
  mayAsk: boolean;
  signal?: AbortSignal | undefined;
}

/** The last seen tip at the remote, independent of the remote's refspec. */
export const remoteRef = "refs/pommel/remote";

const quietly = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "push.gpgSign=false",
  // Give up on an unresponsive server.
  "-c",
  "http.lowSpeedLimit=1",
  "-c",
  "http.lowSpeedTime=60",
];

async function run(dir: string, args: readonly string[], { mayAsk, signal }: RemoteOptions): Promise<string> {
  const parts: Buffer[] = [];
  const env = { ...mayFetch, GIT_NO_LAZY_FETCH: "1", ...(mayAsk && { GIT_TERMINAL_PROMPT: "1" }) };
  try {
    for await (const part of readGitBytes(dir, [...quietly, ...args], { signal, env })) parts.push(part);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new RemoteFailure(stripPassword(error.message), Buffer.concat(parts).toString());
  }
  return Buffer.concat(parts).toString();
}

/** The remote refused, or could not be reached. */
export class RemoteFailure extends Error {
  override readonly name = "RemoteFailure";

  constructor(
    message: string,
    /** git's output so far. */
    readonly output: string,
  ) {
    super(message);
  }
}

export const stripPassword = (text: string) => text.replace(/(\w+:\/\/)[^/@\s]+@/g, "$1");

/** The push URLs of a remote; null when there is no such remote. */
export async function pushUrls(dir: string, remote: string): Promise<string[] | null> {
  try {
    const urls = await readGitText(dir, ["remote", "get-url", "--push", "--all", remote]);
    return urls.split("\n").filter((url) => url !== "");
  } catch (error) {
    if (error instanceof GitFailure && error.reason === "failed") return null;
    throw error;
  }
}

/**
 * The tip of the branch at the remote; null when it has none.
 * @throws RemoteFailure
 */
export async function readRemoteTip(
  dir: string,
  remote: string,
  branch: string,
  options: RemoteOptions,
): Promise<string | null> {
  const listed = await run(dir, ["ls-remote", remote, `refs/heads/${branch}`], options);
  for (const line of listed.split("\n")) {
    const [hash, ref] = line.split("\t");
    if (hash && ref === `refs/heads/${branch}`) return hash;
  }
  return null;
}

/**
 * Fetches the branch completely, also into a partial clone.
 * @throws RemoteFailure
 */
export async function fetchBranch(
  dir: string,
  remote: string,
  branch: string,
  options: RemoteOptions,
): Promise<void> {
  const refspec = `+refs/heads/${branch}:${remoteRef}`;
  const plain = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-filter"];
  await run(dir, ["fetch", ...plain, "--refmap=", remote, refspec], options);
  if (await isWithoutBlobs(dir)) {
    // The user's own fetch got the commits, and git would fetch missing blobs one by one.
    await run(dir, ["fetch", ...plain, "--refetch", "--refmap=", remote, refspec], options);
  }
}

/** Whether a partial clone has the branch's commits, but not all blobs. */
async function isWithoutBlobs(dir: string): Promise<boolean> {
  const promisors = await readGitText(dir, ["config", "--get-regexp", "^remote\\..*\\.promisor$"]).catch(
    () => "",
  );
  if (promisors === "") return false;
  const args = ["rev-list", "--objects", "--no-object-names", "--missing=print", remoteRef];
  for await (const part of readGitBytes(dir, args)) if (part.includes("?")) return true;
  return false;
}

/**
 * Pushes a commit if it is a fast-forward.
 * @returns false when the remote has moved on meanwhile
 * @throws RemoteFailure
 */
export async function pushBranch(
  dir: string,
  remote: string,
  branch: string,
  commit: string,
  options: RemoteOptions,
): Promise<boolean> {
  const args = [
    "push",
    "--porcelain",
    "--quiet",
    "--no-verify",
    "--no-follow-tags",
    "--recurse-submodules=no",
  ];
  try {
    await run(dir, [...args, remote, `${commit}:refs/heads/${branch}`], options);
    return true;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    const refused = /^!\t\S+\t\[(remote rejected|rejected)\] ?(.*)$/m.exec(error.output);
    if (refused === null) throw error;
    const reason = refused[2] ?? "";
    const isRace =
      refused[1] === "rejected" ||
      /lock|fetch first|non-fast-forward|failed to update ref|expected/.test(reason);
    if (isRace) return false;
    throw new RemoteFailure(`the remote refused it ${reason}`.trim(), error.output);
  }
}

/** Whether an address is local: a path, this machine or a private network. The readers of all others are unknown. */
export function isOwnRemote(url: string): boolean {
  if (/^file:\/\//.test(url)) return true;
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)/i.exec(url);
  // Like git: a colon before the first slash ends a host.
  const scpLike = /^(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+):(?!\\)/.exec(url);
  const isDrive = /^[A-Za-z]:[\\/]/.test(url);
  const host = withScheme?.[1] ?? (isDrive ? undefined : scpLike?.[1]);
  if (host === undefined) return !/^[a-z][a-z0-9+.-]*::/i.test(url);
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (isIP(name) === 4) return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(name);
  return isIP(name) === 6 && /^(?:::1$|f[cd]|fe[89ab])/.test(name);
}
