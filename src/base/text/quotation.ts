import { withoutEscapes } from "./display-width.ts";
import { shortenText } from "./text-size.ts";

/**
 * What others wrote, on its way to an agent: text of sessions, commits and repositories. Everything that Pommel shows a model
 * goes through here, so that no text can end the frame that it stands in, or speak in another's place.
 */

/** Control characters but line ends and tabs, and those that change the direction of writing or are not to be seen. */
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A text without what is not to be seen; its lines stay. */
export function stripInvisible(text: string): string {
  return withoutEscapes(text.replace(/\r\n?/g, "\n")).replace(invisible, "");
}

/**
 * Tags that clients of agents and the templates of models give a meaning to: what the system says, prompts, calls of tools and
 * their results, hooks' context, ours. Other tags are code.
 */
const framing = [
  "system-[a-z]+|user_instructions|environment_context|user_query|(?:start|end)_of_turn|im_(?:start|end)",
  "(?:antml:)?(?:function_calls?|function_results?|invoke)|antml:[a-z]+|tool_(?:use|calls?|results?)",
  "pommel-[a-z]+|hook_context|task-notification|local-command-[a-z]+|command-(?:name|message|args)|user-prompt-submit-hook",
];
/** Words that types have, too (`List<User>`): only in small letters or capitals. */
const plainWords = [
  "system",
  "user",
  "human",
  "assistant",
  "developer",
  "important",
  "instructions",
  "parameter",
  "permissions",
  "thinking",
];
const open = "(?:[<＜﹤]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?)";
const close = "(?:[>＞﹥]|&(?:amp;)*(?:gt|#0*62|#x0*3e);?)";
const anyOpen = new RegExp(open, "gi");
const anyClose = new RegExp(close, "gi");
/** A tag, also one that was cut. */
const makeTagPattern = (names: readonly string[], flags: string) =>
  new RegExp(
    String.raw`${open}([/|]?(?:${names.join("|")}))(?![\w-])(?:((?:\s[^<>\n]{0,200})?[/|]?)${close})?`,
    flags,
  );
const frames = [
  makeTagPattern(framing, "gi"),
  makeTagPattern([...plainWords, ...plainWords.map((word) => word.toUpperCase())], "g"),
];
/** Marks of turns in chat templates. */
const turnMarks = /<\|([a-z_]{1,40})\|>|\[(\/?INST)\]|<<(\/?SYS)>>/gi;

/**
 * A text of any number of lines without tags and marks that an agent's client gives a meaning to; code keeps its own. Whoever
 * shows it sets its lines apart (`> `, or indented).
 */
export function withoutFrames(text: string): string {
  return frames.reduce(
    (result, frame) =>
      result.replace(
        frame,
        (_, name: string, rest?: string) => `‹${name}${rest === undefined ? "" : `${rest}›`}`,
      ),
    withoutTurnMarks(stripInvisible(text)),
  );
}

const withoutTurnMarks = (text: string) =>
  text.replace(turnMarks, (_, ...names: (string | undefined)[]) => `‹${names.slice(0, 3).find(Boolean)}›`);

/** What was said or done in a turn, without lines that begin as ours do that say who speaks. */
export const withoutSpeakers = (text: string) =>
  text.replace(
    /^([ \t]*)\[(USER|ASSISTANT|THINKING|SUMMARY|COMPACTION|NOTICE|TOOL_USE|TOOL_RESULT)\]/gm,
    "$1‹$2›",
  );

/**
 * A text on one line, safe to quote: without control and invisible characters, and without anything that could be a tag
 * of the client's, the end of a code block or the end of the quotation.
 */
export function toHarmlessLine(text: string): string {
  return (
    withoutTurnMarks(withoutEscapes(text))
      .replace(/\s+/g, " ")
      // Formats are bidirectional marks, joiners, invisible tags.
      .replace(/\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|[\uFE00-\uFE0F]/gu, "")
      .replace(anyOpen, "‹")
      .replace(anyClose, "›")
      .replace(/[“”„‟]/g, '"')
      .replace(/`{3,}/g, "'''")
      .replace(/ {2,}/g, " ")
      .trim()
  );
}

/** The beginning of what somebody wrote, on one line and between quotation marks. @param maxChars without these */
export const quote = (text: string, maxChars: number): string =>
  `“${shortenText(toHarmlessLine(text), maxChars)}”`;
