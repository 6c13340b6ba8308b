import { isIP } from "node:net";
import { GitFailure, gitBytes, gitText } from "../git/git.ts";

/** The remote that the branch is pushed to. Never forced, and no hook of the user's runs for it. */

interface RemoteOptions {
  /** Whether git may ask for a password at the terminal. */
  mayAsk: boolean;
  signal?: AbortSignal | undefined;
}

/** What was last seen of the branch at the remote. In a place of its own, whatever the remote's refspec says. */
export const remoteRef = "refs/pommel/remote";

const quietly = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "push.gpgSign=false",
  // A server that says nothing is not waited for.
  "-c",
  "http.lowSpeedLimit=1",
  "-c",
  "http.lowSpeedTime=60",
];

async function run(dir: string, args: readonly string[], { mayAsk, signal }: RemoteOptions): Promise<string> {
  const parts: Buffer[] = [];
  const env = mayAsk ? { GIT_TERMINAL_PROMPT: "1" } : {};
  try {
    for await (const part of gitBytes(dir, [...quietly, ...args], { signal, env })) parts.push(part);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new RemoteFailure(withoutPassword(error.message), Buffer.concat(parts).toString());
  }
  return Buffer.concat(parts).toString();
}

/** The remote did not do it, or could not be reached. */
export class RemoteFailure extends Error {
  override readonly name = "RemoteFailure";

  constructor(
    message: string,
    /** What git had said until then. */
    readonly output: string,
  ) {
    super(message);
  }
}

export const withoutPassword = (text: string) => text.replace(/(\w+:\/\/)[^/@\s]+@/g, "$1");

/** Where pushes to a remote go; null when there is no such remote. */
export async function pushUrls(dir: string, remote: string): Promise<string[] | null> {
  try {
    const urls = await gitText(dir, ["remote", "get-url", "--push", "--all", remote]);
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
export async function tipAtRemote(
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
 * Brings the branch's commits here, all of it, also into a partial clone.
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
    // The user's own fetch brought the commits, and git would bring the rest one by one.
    await run(dir, ["fetch", ...plain, "--refetch", "--refmap=", remote, refspec], options);
  }
}

/** Whether a partial clone has the branch's commits, but not all that is in them. */
async function isWithoutBlobs(dir: string): Promise<boolean> {
  const promisors = await gitText(dir, ["config", "--get-regexp", "^remote\\..*\\.promisor$"]).catch(
    () => "",
  );
  if (promisors === "") return false;
  const args = ["rev-list", "--objects", "--no-object-names", "--missing=print", remoteRef];
  for await (const part of gitBytes(dir, args)) if (part.includes("?")) return true;
  return false;
}

/**
 * Pushes a commit, if it goes on from what is there.
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

/**
 * Whether only the user, or the local network, can be behind an address: a path, or a machine of one's own. Of every
 * other one nobody can tell from here who may read it.
 */
export function isOwnRemote(url: string): boolean {
  if (/^file:\/\//.test(url)) return true;
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)/i.exec(url);
  // As git tells them apart: a colon before the first slash is a host's.
  const scpLike = /^(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+):(?!\\)/.exec(url);
  const isDrive = /^[A-Za-z]:[\\/]/.test(url);
  const host = withScheme?.[1] ?? (isDrive ? undefined : scpLike?.[1]);
  if (host === undefined) return !/^[a-z][a-z0-9+.-]*::/i.test(url);
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (isIP(name) === 4) return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(name);
  return isIP(name) === 6 && /^(?:::1$|f[cd]|fe[89ab])/.test(name);
}
