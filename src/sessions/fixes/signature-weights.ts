import { memoize } from "../../base/text/memoize.ts";
import { tokenize } from "../../base/text/tokens.ts";
import type { ErrorSignature } from "../../store/memory/commands.ts";
import { signaturePrefixes } from "../commands/commands-of-turn.ts";

/** A line that so many sessions met says little of what was wrong. */
const commonLimits = { share: 0.1, sessions: 12 } as const;

/** Words that any error may have. */
const anyError = new Set(
  "error fail failed failur not found cannot could is no such the a an to of in at for with but and it unexpect expect got want undefin invalid exit code statu test type".split(
    " ",
  ),
);

/** What programs print of any failure: it says that something failed, and not what. */
const ofAnyFailure: readonly RegExp[] = [
  // mocha, node:test, vitest, pytest, cargo, go: how many failed.
  /^\W*(?:#|\d+|<\w+>)?\s*(?:tests? )?(?:failing|failed|passing|passed|pending)\b[\W#\d]*$/i,
  /^\W*(?:#|\d+) tests? failed\W*$/i,
  // node:assert and what shows the difference.
  /\bexpected values to be (?:strictly|loosely) (?:deep-)?equal\b|^\W*\+ ?(?:actual|expected)\b|^\W*- ?(?:actual|expected)\b/i,
  /^\W*(?:assertion ?error)\W*(?:\[?err_assertion\]?)?\W*$/i,
  // npm, pnpm, yarn, make: that what they ran failed.
  /\bELIFECYCLE\b|\bsee above for more details\b|^\W*(?:npm (?:err!?|error) )?(?:code|errno) (?:#|\d+|\w+)\W*$/i,
  /\b(?:process completed|exited|failed) with (?:exit )?code\b|^make(?:\[#?\d*\])?: \*\*\*/i,
];

/** Whether a signature is of a line that accompanies any failure of its program. */
export const isOfAnyFailure = (signature: string): boolean =>
  isLine(signature) && ofAnyFailure.some((pattern) => pattern.test(signature));

/** How much a signature says, by how many sessions met it: 0 for one that accompanies everything. */
export function weighSignatures(known: readonly ErrorSignature[]): Map<string, number> {
  const most = Math.max(1, ...known.filter(isOfLine).map(({ sessions }) => sessions));
  return new Map(
    known.map(({ signature, sessions, worked }) => {
      const isCommon =
        sessions >= commonLimits.sessions && sessions > commonLimits.share * most * 2 && isLine(signature);
      // What is printed where all is well as often says nothing.
      const isNoise = isCommon || 2 * worked >= sessions;
      return [signature, isNoise ? 0 : measureSpecificity(signature) / (1 + Math.log2(sessions))] as const;
    }),
  );
}

export const isRule = (signature: string) => signature.startsWith(signaturePrefixes.rule);

export const isLine = (signature: string) =>
  !isRule(signature) && !signature.startsWith(signaturePrefixes.test);

export const isOfLine = ({ signature }: ErrorSignature) => isLine(signature);

/** By the words that not any error has; 0 where there is none. */
export function measureSpecificity(signature: string): number {
  if (!isLine(signature)) return isRule(signature) ? ofRule : 1;
  let telling = 0;
  for (const word of collectSignatureWords(signature)) if (!anyError.has(word)) telling++;
  return telling === 0 ? 0 : Math.min(1, 0.4 + 0.2 * telling);
}

/** A rule or a class of error is met in many places, which are mended alike. */
const ofRule = 0.5;

/** A project knows some thousands of signatures, and each question about an error looks at all of them. */
const maxSignatures = 5_000;

/** The words of a signature, each once. */
export const collectSignatureWords = memoize(
  maxSignatures,
  (signature): ReadonlySet<string> =>
    new Set(tokenize(signature.replace(/<\w+>|#/g, " ")).filter((word) => word.length > 1)),
);
