import { contentWords } from "../summaries/words.ts";
import * as cues from "./cues.ts";

/**
 * Where a sentence comes from: an agent, or a human who typed it, handed over a plan, or pasted somebody else's words.
 */
export type Manner = "answer" | "typed" | "plan" | "pasted";

/** The reason why a sentence counts as a decision. */
export type Grounds = "decided" | "intent" | "wish" | "contrast" | "right way" | "norm" | "reason";

/** Words: shorter sentences have no object, longer ones are not sentences. */
const words = { least: 5, clause: 12, most: 90 } as const;
/** Distinctive words that show what is chosen; fewer are enough where something is named. */
const object = { least: 3, named: 2, wished: 4, normed: 4, contrasted: 4, clear: 6 } as const;

/**
 * Whether a sentence states a choice so that it can be understood alone: the choice, its subject, and mostly the
 * reason. Questions, proposals, work reports, short-lived choices and references to earlier sentences are excluded.
 * Rules only, each linear in the sentence; `npm run bench:decisions` measures them.
 * @returns the grounds on which it is a decision; null: it is none
 */
export function judge(sentence: string, as: Manner): Grounds | null {
  if (!cues.anyCue.test(sentence)) return null;
  const said = sentence
    .replace(/^[\s#>*|\d.)-]+(?:[A-H]\)\s)?|^[A-H]\)\s/, "")
    .replace(cues.thisIsIntended, "Intentional: ")
    .trim();
  const isTyped = as === "typed";
  const count = said.split(/\s+/).length;
  if (count < words.least || count > words.most) return null;
  if (
    said.startsWith("<") ||
    cues.question.test(said) ||
    cues.dangling.test(said) ||
    cues.pointsBack.test(said)
  )
    return null;
  const content = contentOf(said);
  const isNamed = cues.codeName.test(said);
  if (content < (isNamed ? object.named : object.least)) return null;
  if (isTyped ? isLoose(said, isNamed) : isReport(said, as)) return null;
  if (cues.decided.test(said)) return "decided";
  if (as === "pasted") return null;
  if (!isTyped && (cues.proposal.test(said) || cues.trouble.test(withoutAsides(said)))) return null;
  const isLead = count < words.clause && /[:：][*_\s]*$/.test(said);
  if (cues.intent.test(said) && !isLead) return "intent";
  if (
    isTyped &&
    !/[:：]$/.test(said) &&
    cues.wish.test(said.replace(/"[^"]*"/g, " ")) &&
    content >= object.wished
  )
    return "wish";
  if (as !== "plan" && !isLead && (isTyped || isNamed) && content >= object.normed && isNorm(said))
    return "norm";
  if (!isNamed && content < object.clear) return null;
  if (cues.contrast.test(said) && content >= object.contrasted && cues.change.test(said)) return "contrast";
  if (cues.reason.test(said) && cues.choice.test(said)) return "reason";
  if (cues.needless.test(said)) return "reason";
  // A plan lists things to do: nothing else in it is a choice.
  if (as === "plan") return cues.keeps.test(said) ? "norm" : null;
  return !isLead && cues.rightWay.test(said) ? "right way" : null;
}

const isNorm = (said: string): boolean =>
  cues.norm.test(withoutAsides(said).replace(/"[^"]*"/g, " ")) && !cues.noNorm.test(said);

const withoutAsides = (said: string): string => said.replace(/\([^()]*\)/g, " ");

/** Words with a meaning of their own; a name in backticks is one, a command as many as it has words. */
function contentOf(said: string): number {
  const names = [...new Set(said.match(/`[^`]+`/g))].reduce((sum, name) => sum + name.split(" ").length, 0);
  return names + contentWords(said.replace(/`[^`]*`/g, " ")).size;
}

/** An agent's work, step by step, and continuations of earlier sentences. */
const isReport = (said: string, as: Manner): boolean =>
  cues.narration.test(said) ||
  cues.passing.test(said) ||
  cues.continues.test(said) ||
  (as !== "plan" && (cues.testName.test(said) || cues.aboutTests.test(said.replace(/`[^`]*`/g, " ")))) ||
  (as === "answer" && cues.task.test(said));

/** A human's remark about something earlier, or an uncertain one. */
const isLoose = (said: string, isNamed: boolean): boolean =>
  cues.hesitation.test(said) || cues.continuesHuman.test(said) || (!isNamed && cues.pronounObject.test(said));
