import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { locateClaudeHome } from "../../agents/claude/home.ts";
import { blankOutSection } from "../../base/files/text-file.ts";
import { joinWrapped, splitSentences } from "../../sessions/summaries/prose.ts";
import { findRulesIn, type Used } from "./find-rules.ts";
import type { Saying } from "./read-past.ts";

/**
 * The rules in files of instructions. Whoever wrote such a file may be a colleague: what is found is quoted with the file, and is no rule
 * before the person accepts it.
 */

const inCheckout = [
  "AGENTS.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  ".claude/CLAUDE.md",
  "GEMINI.md",
  ".github/copilot-instructions.md",
];
const maxBytes = 262_144;

/** Each file with its text, but for Pommel's own section; links are not followed, and mostly name another of them. */
function readInstructions(root: string): { file: string; text: string }[] {
  const named = inCheckout.map((file) => ({ file, path: join(root, file) }));
  const own = { file: "~/.claude/CLAUDE.md", path: join(locateClaudeHome(), "CLAUDE.md") };
  return [...named, own].flatMap(({ file, path }) => {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() !== true || stat.size > maxBytes) return [];
      return [{ file, text: blankOutSection(readFileSync(path, "utf8")) }];
    } catch {
      return [];
    }
  });
}

/** @param clean scrubs a text, as all that a project's memory stores */
export const findRulesWritten = (root: string, used: Used, clean: (text: string) => string): Saying[] =>
  readInstructions(root).flatMap(({ file, text }) =>
    [...splitSentences(joinWrapped(clean(text)))]
      .flatMap((sentence) => findRulesIn(sentence, used))
      .map((found) => ({ ...found, holdsOn: true, session: "", turn: 0, at: null, file })),
  );
