/**
 * The page of a commit on the usual hosts of repositories.
 * @param remote as git has it: `git@github.com:owner/name.git`, `https://...`
 * @returns null for a remote that has no such pages
 */
export function makeCommitUrl(remote: string | null, hash: string): string | null {
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
