import { checkNames } from "./default-pattern.ts";
import { defaultPatterns } from "./default-patterns.ts";

/** The file as it is first written. */
export function patternsTemplate(): string {
  const entries = defaultPatterns.map((pattern) => {
    const lines = [
      "[[patterns]]",
      `name = ${JSON.stringify(pattern.name)}`,
      `pattern = ${literal(pattern.pattern)}`,
      `replacement = ${JSON.stringify(pattern.replacement)}`,
    ];
    if (pattern.keywords.length > 0) lines.push(`keywords = [${pattern.keywords.map(literal).join(", ")}]`);
    if (pattern.check !== null) lines.push(`check = ${JSON.stringify(pattern.check)}`);
    if (pattern.pii) lines.push("pii = true");
    if (!pattern.enabled) lines.push("enabled = false");
    return lines.join("\n");
  });
  return `${head}\n${entries.join("\n\n")}\n`;
}

const head = `# What Pommel removes from sessions before it stores them. Edit it as you like; see docs/privacy.md.
#
#   name         what the pattern is called
#   pattern      a regular expression in RE2's syntax; with a group (?<secret>...) only that part is replaced
#   replacement  a placeholder, [REDACTED_TYPE]
#   keywords     the pattern is tried only where one of these occurs, in upper or lower case; without them everywhere
#   check        leaves out variables, types, words and examples: ${checkNames.join(", ")}
#   enabled      false switches the pattern off; removing an entry brings back its default
#   pii          true for personal data: in force when scrub.pii is true as well
`;

/** A text in quotes that take backslashes as they are, where that is possible. */
function literal(text: string): string {
  if (!text.includes("'")) return text.includes("\\") || text.includes('"') ? `'${text}'` : `"${text}"`;
  return text.includes("'''") || text.endsWith("'") ? JSON.stringify(text) : `'''${text}'''`;
}
