import { expect, it } from "vitest";
import { makeCommitUrl } from "./commit-url.ts";

const hash = "0123456789abcdef0123456789abcdef01234567";

it.each([
  ["https://github.com/owner/name.git", `https://github.com/owner/name/commit/${hash}`],
  ["git@github.com:owner/name.git", `https://github.com/owner/name/commit/${hash}`],
  [
    "ssh://git@gitlab.example.org:2222/group/sub/name.git",
    `https://gitlab.example.org/group/sub/name/-/commit/${hash}`,
  ],
  ["https://codeberg.org/owner/name", `https://codeberg.org/owner/name/commit/${hash}`],
  ["git@bitbucket.org:owner/name", `https://bitbucket.org/owner/name/commits/${hash}`],
  ["/srv/git/name.git", null],
  ["https://example.org/name.git", null],
])("knows the page of a commit of %s", (remote, url) => {
  expect(makeCommitUrl(remote, hash)).toBe(url);
});

it("makes no address of what is no hash", () => {
  expect(makeCommitUrl("https://github.com/owner/name", "HEAD\u0007")).toBeNull();
  expect(makeCommitUrl(null, hash)).toBeNull();
});
