import { extractContentWords, stripMarkdown } from "../summaries/prose.ts";

/** An answer that a person typed to a question that stands in an agent's last words. */
export interface TypedAnswer {
  question: string;
  /** In the person's words; where they only agree, what the agent recommended. */
  said: string;
}

/** Characters of a reply; a longer one is a document. */
const maxReply = 2500;
/** Words of a reply to a single question; more words may be about other things. */
const maxSingleWords = 8;

const questionStart = /^ {0,3}(?:#+ |[-*] )?(?:\*\*)?Q?(\d{1,2})(?:[.)]|\.?\*\*[.:]?)\s+(.+)$/;
const replyStart = /^\s*[Qq]?(\d{1,2})\s*(?:[.):]|\s[-–—])\s*(.+)$/;
/** It agrees, and says nothing more. */
const agrees =
  /^(?:(?:yes|yep|yeah|ok|okay|sure|confirm(?:ed)?|agreed?|acceptable|fine|good|great|correct|exactly|please|recommend\w*|defaults?|go with|use|your?|the|as|that|works?|is|sounds|looks|it|all of it|behaviou?r|option|for me)[\s,.!]*)+$/i;
const recommends = /\brecommend/i;
/** It asks for one of several. */
const asksWhich = /\bor\b/i;

/**
 * The replies to an agent's questions: to a numbered list of them by number ("2. Separate but movable"), or to the one at the
 * end that offers alternatives.
 */
export function pairTypedAnswers(lastSaid: string, reply: string): TypedAnswer[] {
  if (reply.length > maxReply || reply.includes("```")) return [];
  const replies = new Map(
    reply.split("\n").flatMap((line): [string, string][] => {
      const [, number = "", said = ""] = replyStart.exec(line) ?? [];
      return number === "" ? [] : [[number, said.trim()]];
    }),
  );
  if (replies.size === 0) return pairSingleAnswer(lastSaid, reply);
  return listNumberedQuestions(lastSaid).flatMap(({ number, lines }) => {
    const said = replies.get(number);
    const question = formatQuestion(lines);
    if (said === undefined || question === "" || isRepeated(said, lastSaid)) return [];
    if (!agrees.test(said)) return [{ question, said }];
    const recommended = findRecommended(lines);
    return recommended === undefined ? [] : [{ question, said: recommended }];
  });
}

/** Characters from which on nobody writes the same by chance. */
const minRepeated = 40;
const toLetters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");

/** Whether a person only pasted what the agent had said. */
export const isRepeated = (said: string, lastSaid: string): boolean =>
  said.length >= minRepeated && toLetters(lastSaid).includes(toLetters(said).trim());

/** Whether a line of a reply answers by its number. */
export const isNumberedReply = (line: string): boolean => replyStart.test(line);

interface NumberedQuestion {
  number: string;
  /** From its number to the next one. */
  lines: string[];
}

/** The last list of a message, if its items ask. */
function listNumberedQuestions(message: string): NumberedQuestion[] {
  let questions: NumberedQuestion[] = [];
  let isOpen = false;
  let isHeading = false;
  let before = "";
  for (const line of message.split("\n")) {
    const [, number, text = ""] = questionStart.exec(line) ?? [];
    if (number !== undefined) {
      if (number === "1") questions = [];
      questions.push({ number, lines: [text] });
      isOpen = true;
      isHeading = line.startsWith("#");
    } else {
      // A paragraph after a list is no part of its last item.
      if (!isHeading && before === "" && /^\S/.test(line) && !/^[-*+] /.test(line)) isOpen = false;
      if (isOpen) questions.at(-1)?.lines.push(line);
    }
    before = line.trim();
  }
  return questions.filter(({ lines }) =>
    lines.some((line) => line.includes("?") || settlesFirst.test(toPlain(line))),
  );
}

const toPlain = (line: string): string => stripMarkdown(line).replace(/\*\*/g, "").trim();

/** What an agent wants to have settled, without a question mark. */
const settlesFirst = /^(?:clarify|specify|define|decide|choose|explicitly)\b/i;
const minQuestionWords = 5;

/** The sentence that asks, after its title; "" where none does. */
function formatQuestion([first = "", ...others]: readonly string[]): string {
  const text = toPlain(first);
  const asked = /^.*?\?(?=\s|$)/.exec(text)?.[0];
  const below = others.map(toPlain).filter((line) => line.includes("?"));
  // "Flag or pattern?" is a title.
  if (asked !== undefined)
    return asked.split(" ").length < minQuestionWords && below.length > 0
      ? `${asked.replace(/\?$/, "")}: ${below.join(" ")}`
      : asked;
  if (settlesFirst.test(text)) return text.replace(/[.:]$/, "");
  if (text.endsWith(":")) return `${text.slice(0, -1)}?`;
  return below.length === 0 ? "" : `${text.replace(/[.:]$/, "")}: ${below.join(" ")}`;
}

/** What the agent recommends for a question: an option that is marked, or what follows "Recommended:". */
function findRecommended(lines: readonly string[]): string | undefined {
  const line = lines
    .map((each) => stripMarkdown(each).replace(/\*\*/g, ""))
    .find((each) => recommends.test(each));
  if (line === undefined) return undefined;
  const [, after] =
    /\brecommend\w*(?: (?:initially|for [^:.]{2,30}|default|behaviou?r|is))*:?\s+(?:is )?(.+)$/i.exec(line) ??
    [];
  const said = /\((?:recommended|default)[^)]*\)/i.test(line)
    ? line.replace(/\s*\((?:recommended|default)[^)]*\)/i, "")
    : after;
  return said === undefined || extractContentWords(said).size < 1 || said.endsWith("?")
    ? undefined
    : said.replace(/[;.:]\s*$/, "");
}

/** The question at the end, which a sentence may explain. */
const lastQuestion = /(?:^|[.!?:]\s+|\n)([^.!?\n]{8,240}\?)[\s*_)]*(?:\s[^?\n]{1,200})?$/;

/** "Fn or caps lock?" "caps lock": the person names one of what the last sentence offers. */
function pairSingleAnswer(lastSaid: string, reply: string): TypedAnswer[] {
  const question = lastQuestion.exec(lastSaid.trim())?.[1];
  const said = reply.trim();
  if (question === undefined || !asksWhich.test(question) || said.split(/\s+/).length > maxSingleWords)
    return [];
  if (/[?\n]/.test(said) || agrees.test(said)) return [];
  const offered = extractContentWords(question);
  const named = [...extractContentWords(said)];
  return named.some((word) => offered.has(word)) ? [{ question: stripMarkdown(question), said }] : [];
}
