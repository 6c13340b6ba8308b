import { type AuditRecord, forgetQuestions } from "../../answers/audit.ts";
import { changeMemory } from "../../answers/changing.ts";
import { describeEntry } from "../../answers/trash-entry.ts";
import type { Project } from "../../base/paths.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { forgetNow, previewForget } from "../../sessions/forget/forget.ts";
import { createPatternCutter } from "../../sessions/forget/forget-pattern.ts";
import { getPatternToForget } from "../../sessions/forget/forget-target.ts";
import type { ForgetRequest, ForgetResponse } from "./operation.ts";
import { isForgottenForGood } from "./words.ts";

/** Forgets, or shows what would be. @throws PommelError as `forgetNow` */
export async function forgetIn(project: Project, request: ForgetRequest): Promise<ForgetResponse> {
  const now = new Date();
  const { dry_run: isPreview = false, for_good: forGood = false, ...asked } = request;
  const isMeant = isForgottenForGood(request) ? await makeQuestionFilter(asked, now) : () => false;
  if (isPreview) {
    const found = await changeMemory(project, ({ memory }) => previewForget(memory, asked, now));
    const questions = forgetQuestions(project, isMeant, { dryRun: true });
    return { ...found, questions, forgotten: false, log_emptied: null, trash: null };
  }
  // The log comes first: killed after it, what is left to forget is found again.
  const questions = forgetQuestions(project, isMeant);
  const { isLogEmpty, trash, ...gone } = await changeMemory(project, (work) =>
    forgetNow(work, asked, { forGood, now }),
  );
  return {
    ...gone,
    questions,
    forgotten: true,
    log_emptied: isLogEmpty,
    trash: trash && describeEntry(trash),
  };
}

/** Which questions had to do with it: those that hold a match, name it, or were asked in that time. */
async function makeQuestionFilter(
  { since, until, session, turn, annotation, ...asked }: ForgetRequest,
  now: Date,
): Promise<(question: string, record: AuditRecord) => boolean> {
  const pattern = getPatternToForget(asked);
  if (pattern !== undefined) {
    const { cut } = createPatternCutter(pattern);
    return (question) => [question, ...extractTexts(question)].some((text) => cut(text) !== text);
  }
  const named = session ?? turn ?? annotation;
  if (named !== undefined) return (question) => question.includes(named);
  const period = await parsePeriod({ since, until }, now);
  const [from, to] = [period.since ?? 0, period.until ?? now.getTime()];
  return (_, { at }) => Date.parse(at) >= from && Date.parse(at) <= to;
}

/** The texts of a request, without JSON's escapes. */
function extractTexts(question: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(question, (_, value: unknown) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
  } catch {
    // It was cut.
  }
  return texts;
}
