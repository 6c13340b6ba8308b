import { beginningOf } from "../../text/text-size.ts";
import { saysOnlyGoOn } from "./boilerplate.ts";
import { sentencesOf, shortenUrls } from "./prose.ts";
import { contentWords } from "./words.ts";

/** How a plan is handed over: the plan's title is the request. */
const handedPlan =
  /^\s*(?:please )?(?:implement|execute|carry out|follow) (?:the|this) (?:following )?plan\b/i;
const plan = new RegExp(`${handedPlan.source}:?[^\\S\\n]*\\n\\s*(?:#+\\s*)?(?:plan:\\s*)?(.+)`, "i");

/** Whether a prompt hands a plan over. */
export const isPlan = (prompt: string): boolean => handedPlan.test(prompt);

/** A slash command's name, as the client wraps it. */
const commandName = /<command-name>([^<]{0,200})<\/command-name>/;
const commandArguments = /<command-args>([\s\S]*?)(?:<\/command-args>|$)/;
const slashCommand = /^\s*\/([a-z][\w:.-]*)(?=\s|$)\s*/i;

const attachments = /\[(?:Image|Pasted text|File)[^\]\n]{0,60}\]/gi;
const politeness =
  /^(?:(?:hi|hey|hello|hej|please|pls|also|ok(?:ay)?|yes|yeah|no|so|now|um|hmm|well|alright|ja|nej)[\s,!:.]+|(?:can|could|would|will) (?:you|we) (?:please |also |now |maybe |now )*|(?:kan|vil|gider) (?:du|vi) (?:lige |også |ikke )*|i(?:'d| would) like you to )+/i;
const trailing = /[\s,]+(?:please|pls|thanks|thank you|tak)[.!?]*$/i;

/** "You are a highly experienced developer. " */
const persona = /^(?:you are|act as|du er) (?:an?|en|et) [^.!\n]{1,300}[.!]\s+/i;

/** Characters of a prompt that are read. */
const maxReadLength = 60_000;

export interface Ask {
  /** The request, in one or two sentences. */
  text: string;
  words: ReadonlySet<string>;
}

/** A prompt's request, without pasted blobs, commands and courtesies; null without a new request. */
export function askOf(prompt: string, most: number): Ask | null {
  const askText = withoutCommand(prompt.slice(0, maxReadLength).trim()).replace(attachments, " ");
  const planned = plan.exec(askText)?.[1];
  const text = shortenUrls(
    planned === undefined ? firstSentences(askText, most) : planned.replace(/[#*`]/g, ""),
  );
  const meant = text.replace(persona, "");
  const polite = politeness.exec(meant)?.[0] ?? "";
  const request = meant.slice(polite.length).replace(trailing, "").replace(/\s+/g, " ").trim();
  // "Can you fix it?" is no question any more.
  const asked = beginningOf(polite === "" ? request : request.replace(/\?$/, ""), most);
  const words = contentWords(asked);
  if (words.size === 0 || saysOnlyGoOn(asked)) return null;
  return { text: asked.charAt(0).toUpperCase() + asked.slice(1), words };
}

/** A command's arguments, or its name where it has none. */
function withoutCommand(prompt: string): string {
  const wrapped = commandName.exec(prompt)?.[1];
  if (wrapped !== undefined) {
    const given = commandArguments.exec(prompt)?.[1]?.trim() ?? "";
    return given === "" ? wrapped.trim().replace(/^\//, "").replace(/[-_:]/g, " ") : given;
  }
  const rest = prompt.replace(slashCommand, "");
  return rest.trim() === "" ? prompt.replace(/^\s*\//, "") : rest;
}

/** As many sentences as fit, the first one in any case. */
function firstSentences(text: string, most: number): string {
  let found = "";
  for (const sentence of sentencesOf(text)) {
    const longer = found === "" ? sentence : `${found} ${sentence}`;
    if (found !== "" && longer.length > most) break;
    found = longer;
    if (found.length > most) break;
  }
  return found;
}
