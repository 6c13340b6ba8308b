/** Of a commit's hash, as people see it everywhere: enough for a repository of a million commits. */
const shownChars = 8;

export const shortenHash = (hash: string): string => hash.slice(0, shownChars);
