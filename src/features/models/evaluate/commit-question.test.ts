import { describe, expect, test } from "vitest";
import { extractCommitQuestion } from "./commit-pairs.ts";

function ask(message: string, files = ["src/http/retry.ts"], author = "Ann"): string | null {
  return extractCommitQuestion({ message, files, author });
}

test.each([
  ["feat(http)!: retry failed requests with backoff (#123)", "retry failed requests with backoff"],
  ["KAFKA-1234: Retry failed requests with backoff", "Retry failed requests with backoff"],
  ["[http] Retry failed requests with backoff, fixes #12", "Retry failed requests with backoff"],
  [":bug: Retry failed requests with backoff. Closes owner/name#7", "Retry failed requests with backoff"],
  ["http: retry failed requests with backoff", "http: retry failed requests with backoff"],
  ["Retry failed requests with backoff\n\nSigned-off-by: Ann <a@b.c>", "Retry failed requests with backoff"],
])("takes prefixes, tickets and trailers off: %s", (message, question) => {
  expect(ask(message)).toBe(question);
});

test("the first line of the body counts when it is prose", () => {
  expect(ask("Retry failed requests\n\nA server that is down comes back soon.\nMostly.")).toBe(
    "Retry failed requests. A server that is down comes back soon",
  );
  expect(ask("Retry failed requests\n\n- one\n- two")).toBe("Retry failed requests");
  expect(ask("Retry failed requests\n\nhttps://example.org/why")).toBe("Retry failed requests");
});

test("paths and names of files are left out", () => {
  expect(ask("Retry failed requests in src/http/retry.ts and `retry.ts`")).toBe(
    "Retry failed requests in and",
  );
  expect(ask("Retry failed requests in Makefile", ["Makefile"])).toBe("Retry failed requests in");
  expect(ask("net/http: retry failed requests")).toBe("retry failed requests");
  expect(ask("Retry failed requests as server.ts does")).toBe("Retry failed requests as does");
  expect(ask("Retry failed requests in app.use")).toBe("Retry failed requests in app.use");
});

describe("says nothing about code", () => {
  test.each([
    "wip retry failed requests",
    'Revert "Retry failed requests with backoff"',
    "Bump lodash from 4.17.20 to 4.17.21 in the group",
    "fix(deps): bump golang.org/x/net to patched version",
    "chore: move the retry settings elsewhere",
    "Release the version with retries",
    "v1.2.3 with retries and backoff",
    "Fix a typo in the comment about retries",
    "fix typo in retry of failed requests",
    "Update changelog for the retry release",
    "Merge branch retry of failed requests",
    "style: format the retry code anew",
    "fix",
    "",
  ])("%s", (message) => expect(ask(message)).toBe(null));

  test("what a bot wrote", () => {
    expect(ask("Retry failed requests with backoff", [], "renovate[bot]")).toBe(null);
  });
});
