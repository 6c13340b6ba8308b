import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { splitIdentifier } from "../../src/base/text/tokens.ts";
import { classifyPath } from "../../src/code/files/path-role.ts";
import type { QuestionPair } from "../../src/features/models/evaluate/pairs.ts";

/** What a test says that it tests, for the file that it tests. */
export interface TestPair extends QuestionPair {
  /** The test's own file, which is no answer. */
  asker: string;
}

/** A title as a string, or as the name of a function. */
const titles =
  /\b(?:it|test|specify|scenario|context|describe)\s*\(?\s*(["'`])((?:(?!\1).){15,90})\1|\b(?:def|func|fn|void|fun|function)\s+(?:test_?|Test)(\w{10,80})/g;

const leastWords = 3;
/** Of one file; or a repository with a large one would be asked about nothing else. */
const mostOfFile = 3;

/** The name of a file without what marks it as a test. */
const subjectOf = (path: string) =>
  basename(path)
    .replace(/\.[^.]+$/, "")
    .replace(/^test[_-]?|[._-]?(tests?|spec)$/gi, "")
    .toLowerCase();

/**
 * Titles of tests whose file has the name of one source file, and of no other.
 * @param paths of the repository's files, which lie in `root`
 */
export function testPairs(root: string, paths: readonly string[]): TestPair[] {
  const sources = new Map<string, string[]>();
  for (const path of paths.filter((path) => classifyPath(path) === "source")) {
    const subject = subjectOf(path);
    sources.set(subject, [...(sources.get(subject) ?? []), path]);
  }
  return paths.toSorted().flatMap((asker) => {
    const [file, another] = (classifyPath(asker) === "test" && sources.get(subjectOf(asker))) || [];
    if (file === undefined || another !== undefined) return [];
    const asked = [...readFileSync(join(root, asker), "utf8").matchAll(titles)]
      .map(([, , title, name = ""]) => title ?? splitIdentifier(name).join(" ").toLowerCase())
      .filter((query) => query.split(/\s+/).length >= leastWords && !/[${}\\]/.test(query));
    return [...new Set(asked)].slice(0, mostOfFile).map((query) => ({ query, asker, targets: [{ file }] }));
  });
}
