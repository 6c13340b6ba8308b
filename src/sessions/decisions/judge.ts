import { contentWords } from "../summaries/words.ts";
import * as cues from "./cues.ts";

/** Who says a sentence. */
export interface Speaker {
  by: "human" | "agent";
  /** A human typed it, or handed it over as a plan to be carried out; what else they pasted is somebody else's. */
  as: "typed" | "plan" | "pasted" | "answer";
}

/** By what a sentence was taken for a decision. */
export type Grounds = "decided" | "intent" | "wish" | "contrast" | "right way" | "norm" | "reason";

/** Words: shorter sentences hold no object, longer ones are no sentences. */
const words = { least: 5, most: 90 } as const;
/** Words with a meaning of their own that tell what is chosen; fewer where something is named. */
const object = { least: 3, named: 2, wished: 4, contrasted: 4, clear: 6 } as const;

/**
 * Whether a sentence says what was chosen so that somebody who reads nothing else understands it: a choice, what it is
 * about, and mostly why. Questions, proposals, work reports, what is soon over and what points back to something said
 * before are out. Rules only, each linear in the sentence; `npm run bench:decisions` measures them.
 * @returns on what grounds it is one; null: it is none
 */
export function judge(sentence: string, { by, as }: Speaker): Grounds | null {
  if (!cues.anyCue.test(sentence)) return null;
  const said = sentence.replace(/^[\s#>*|\d.)-]+/, "").trim();
  const isTyped = as === "typed";
  const count = said.split(/\s+/).length;
  if (count < words.least || count > words.most) return null;
  if (
    said.startsWith("<") ||
    cues.question.test(said) ||
    /\binstead[.!]?$/.test(said) ||
    cues.pointsBack.test(said)
  )
    return null;
  const content = contentWords(said.replace(/`[^`]*`/g, " named ")).size;
  const isNamed = cues.codeName.test(said);
  if (content < (isNamed ? object.named : object.least)) return null;
  const isClear = isNamed || content >= object.clear;
  if (isTyped ? isLoose(said, isNamed) : isReport(said, by)) return null;
  if (cues.decided.test(said)) return "decided";
  if (as === "pasted") return null;
  if (!isTyped && (cues.proposal.test(said) || cues.trouble.test(said))) return null;
  const isLead = /[:：][*_\s]*$/.test(said);
  if (cues.intent.test(said) && !isLead) return "intent";
  if (isTyped && cues.wish.test(said.replace(/"[^"]*"/g, " ")) && content >= object.wished) return "wish";
  if (!isClear) return null;
  if (cues.contrast.test(said) && content >= object.contrasted && cues.change.test(said)) return "contrast";
  // A plan lists what to do: no more of it is a choice.
  if (as === "plan") return null;
  if (isLead) return null;
  if (cues.rightWay.test(said)) return "right way";
  const bare = said.replace(/\([^()]*\)|"[^"]*"/g, " ");
  if (cues.norm.test(bare) && !cues.noNorm.test(said)) return "norm";
  if (cues.reason.test(said) && cues.choice.test(said)) return "reason";
  return null;
}

/** An agent's work, step by step, and what continues what it said before. */
const isReport = (said: string, by: Speaker["by"]): boolean =>
  cues.narration.test(said) ||
  cues.passing.test(said) ||
  cues.continues.test(said) ||
  cues.aboutTests.test(said) ||
  (by === "agent" && cues.task.test(said));

/** What a human says of something that was said before, or is not sure of. */
const isLoose = (said: string, isNamed: boolean): boolean =>
  cues.hesitation.test(said) || cues.continuesHuman.test(said) || (!isNamed && cues.pronounObject.test(said));
