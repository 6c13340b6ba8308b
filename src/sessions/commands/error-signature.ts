/**
 * An error without what differs from run to run, so that the same error is recognised in another file, on another line,
 * on another day.
 */

/** Lines that accompany any error of a tool, and say nothing of it. */
const saysNothing =
  /^(?:[a-z]*: ?downloading .*|<path> #s?|\[(?:build|setup) failed\]|fail <path> \[\w+ failed\]|too many errors|error trace:.*|error: not equal:|exit code|exit status|fail|failed|error|errors?:?|ok|pass|# ?#?|\*|make(?: # )?: \*\*\* .*|npm err! .*lifecycle.*|\[[\w:-]*\] error task failed|error task failed|# (?:issues?|problems?|errors?|tests?)(?: failed| found)?[.:]?|[\w*]+: #|\* [\w-]+: #|test (?:files|suites).*|tests? .*(?:failed|passed).*|--- fail: \S+|fail \S+(?: #)?|.*exited with code #.*|command failed with exit.*|.*task failed.*)$/;

/** Signatures of an error, and characters of each. */
const maxSignatures = 6;
const maxLength = 200;
const minLetters = 10;

/** One for each line of the error that says something, each once, in order. */
export function signaturesOf(error: string, most = maxSignatures): string[] {
  const found = new Set<string>();
  for (const line of error.split("\n")) {
    const signature = signatureOf(line);
    if (signature !== null) found.add(signature);
    if (found.size === most) break;
  }
  return [...found];
}

/** null for a line that says nothing of its own. */
export function signatureOf(line: string): string | null {
  const text = line
    .slice(0, 600)
    .replace(/\u001b\[[\d;]*m/g, "")
    .toLowerCase()
    // Dates and times, before numbers take them apart.
    .replace(/\b\d{4}[-/]\d\d[-/]\d\d(?:[t ]\d\d:\d\d:\d\d\S*)?/g, "")
    .replace(/\bhttps?:\/\/\S+/g, "<url>")
    // A place: file:12:3, then any path.
    .replace(/(?:[a-z]:)?(?:[\w@.~-]*[/\\])+[\w@.~*-]*(?=[:\s,;()'"\]]|$)/g, "<path>")
    .replace(
      /\b[\w-]+\.(?:[cm]?[jt]sx?|go|py|rs|java|kt|rb|php|cs?|cpp|h|hpp|swift|sh|json|ya?ml|toml|md|sql)\b/g,
      "<path>",
    )
    .replace(/<path>(?::\d+)+:?/g, "<path>")
    .replace(/\b0x[\da-f]+\b|\b[\da-f]{7,}\b|\b[\da-f]{8}-[\da-f-]{27}\b/g, "#")
    // A number in a word is part of a name: TS2304.
    .replace(/(?<![a-z])\d+(?:\.\d+)*(?:ms|s|m|kb|mb|gb|%)?/g, "#")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^\[[\w:.-]+\] /, "")
    .replace(/^(?:<path>:?|#|[-|>^~*•\s])+ ?/, "")
    .slice(0, maxLength)
    .trim();
  const letters = text.replace(/<\w+>/g, "").match(/\p{L}/gu)?.length ?? 0;
  return letters < minLetters || saysNothing.test(text) ? null : text;
}
