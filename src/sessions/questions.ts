/**
 * Questions that an agent asks with options to choose from, and what the person answered. Claude Code's tool is
 * AskUserQuestion; others have the same shape.
 */

interface QuestionOption {
  label: string;
  /** "" where there is none. */
  description: string;
}

export interface AgentQuestion {
  text: string;
  options: QuestionOption[];
}

export interface QuestionAnswer {
  question: AgentQuestion;
  /** The options that were chosen; none where the person answered in their own words. */
  chosen: QuestionOption[];
  /** As the person answered. */
  said: string;
}

const toTrimmedText = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** Objects of a list; empty where there is none. */
function listObjects(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null);
}

/** The questions in a tool's input; none where it asks nothing. */
export function parseQuestions(input: Record<string, unknown>): AgentQuestion[] {
  return listObjects(input.questions).flatMap((question) => {
    const options = listObjects(question.options)
      .map(({ label, description }) => ({
        label: toTrimmedText(label),
        description: toTrimmedText(description),
      }))
      .filter(({ label }) => label !== "");
    const text = toTrimmedText(question.question) || toTrimmedText(question.header);
    return text === "" ? [] : [{ text, options }];
  });
}

/** `"Which cache?"="Redis", "How large?"="1 GB". You can now continue ...`; own words may contain quotes. */
const answerEnd = /"(?=,\s*"|\.(?:\s|$)|\s*$| user notes:| selected )/;

/** The answers in a tool's result, in the order of the questions; unanswered ones are left out. */
export function parseAnswers(questions: readonly AgentQuestion[], result: string): QuestionAnswer[] {
  return questions.flatMap((question): QuestionAnswer[] => {
    const mark = `"${question.text}"="`;
    const at = result.indexOf(mark);
    if (at < 0) return [];
    const rest = result.slice(at + mark.length);
    const chosen = findChosenOptions(rest, question.options);
    if (chosen !== null) return [{ question, chosen, said: chosen.map(({ label }) => label).join(", ") }];
    const said = rest.slice(0, answerEnd.exec(rest)?.index ?? rest.length).trim();
    return said === "" ? [] : [{ question, chosen: [], said }];
  });
}

/** The options named at the beginning of a text, up to a quotation mark; null: it is something else. */
function findChosenOptions(text: string, options: readonly QuestionOption[]): QuestionOption[] | null {
  // Of two labels that begin alike the longer one is meant.
  const byLength = options.toSorted((a, b) => b.label.length - a.label.length);
  const chosen: QuestionOption[] = [];
  for (let rest = text; ; rest = rest.slice(2)) {
    const option = byLength.find(
      ({ label }) => /^(?:"|, )/.test(rest.slice(label.length)) && rest.startsWith(label),
    );
    if (option === undefined) return null;
    chosen.push(option);
    rest = rest.slice(option.label.length);
    if (rest.startsWith('"')) return chosen;
  }
}
