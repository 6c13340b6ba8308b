import { shortenToClause } from "../../../base/text/text-size.ts";
import type { SessionEnding } from "./closing.ts";
import { type ClosingText, readSaid } from "./closing-words.ts";
import { announcesWhatIsLeft, asks, headsAnOffer, headsWhatIsLeft, isLeftOpen } from "./open-points.ts";

/** An outcome of fewer words is followed by what the message lists. */
const enoughWords = 8;
/** Characters of an outcome; a first sentence may be longer. */
const maxOutcomeChars = 420;
const maxSentenceChars = 300;

/** Praise and interjections in front of what is said. */
const interjection =
  /^(?:(?:great|perfect|excellent|wonderful|awesome|nice|good(?: (?:point|catch|question|idea|news|call))?|okay|ok|sure|no problem|alright|right|got it|i see|understood|of course|absolutely|certainly|aha?|hmm|actually|(?:all )?done|you(?:'re| are) (?:absolutely |totally |completely )?right)(?:[!.,:;]+|\s+[-–—])\s*)+/i;
/** What the agent is about to do, or thinks of doing: no outcome. */
const announces =
  /^(?:(?:now|first|next|then|so|and|also|finally|but|wait)[,:]? )*(?:let me|let's|i(?:'ll| will|'m going to| need to| should| want to|'m now|'m (?:also |just |still )?\w+ing)\b|(?:now|next)[,:]? (?:i |we |let |update|fix|add|run|create|check|verify|write|commit|push|the |for |reply|rebase))/i;
/** What it says of its own view of the matter. */
const muses =
  /^(?:(?:now )?i (?:now )?have (?:a |an |all |the |thorough|everything|enough|what)|i (?:can )?(?:now )?(?:see|understand)(?: the (?:issue|problem|full picture))?[.!:]?$|(?:great|good|excellent|fair|interesting) (?:question|catch|point|idea|news|find)s?[.!]?$|that(?:'s| is) a (?:great|good|fair|valid)\b[^.]{0,30}[.!]?$|this is a new task\b|(?:the exploration|exploration) confirms)/i;
const praises =
  /^(?:great|perfect|excellent|wonderful|awesome|nice|good|okay|ok|sure|yes|super|perfekt)[!.]*$/i;
const offers =
  /^(?:reply with|choose (?:from|one)|type \S+ to|select (?:a|one|from)|(?:please )?let me know|(?:please )?(?:go ahead|feel free)|would you like|want me to|do you want|should i|shall i|if you(?:'d| would)? (?:like|want|prefer)|i can (?:also )?|happy to|ready (?:to|for)|you(?:'re| are) all set|is there anything)/i;
const introduces =
  /^(?:here(?:'s| is| are)|below|the following|summary|in summary|changes|what (?:changed|i did|was done))\b[^.]{0,60}:?$/i;

const stripInterjection = (text: string) => {
  const rest = text.replace(interjection, "").trim();
  // What began a sentence keeps its letter: "npm", an address.
  return rest.length === text.length ? text : rest.charAt(0).toUpperCase() + rest.slice(1);
};

/** Says something of what came of it. */
function isTellingOutcome(said: ClosingText): boolean {
  const rest = stripInterjection(said.text);
  return (
    rest.length > 2 &&
    !asks(rest) &&
    !announces.test(rest) &&
    !muses.test(rest) &&
    !offers.test(rest) &&
    !introduces.test(rest) &&
    // A command alone tells nothing.
    /\p{L}{3}/u.test(rest.replace(/`[^`]*`/g, "")) &&
    !announcesWhatIsLeft(rest) &&
    !headsWhatIsLeft(said) &&
    !headsAnOffer(said) &&
    !isLeftOpen(said)
  );
}

/** How a message reports the state of what was done. */
const reportsState =
  /\b(?:committed|pushed|merged|all (?:\w+ )?(?:tests|checks) (?:are )?(?:now )?(?:pass|green)|(?:tests?|lint|build|ci)\b.{0,30}\b(?:pass|fail|green|clean|succe))/i;

/** The parts of a message that say what came of the session, whole, in order. */
function extractOutcomeParts(message: string, room: number): string[] {
  const said = readSaid(message);
  const parts: string[] = [];
  let used = 0;
  const add = (part: string): boolean => {
    if (parts.length > 0 && used + part.length + 1 > room) return false;
    parts.push(part);
    used += part.length + 1;
    return true;
  };
  for (let at = 0; at < said.length; at++) {
    const one = said[at]!;
    if (one.isItem || !isTellingOutcome(one)) {
      // A list that nothing announces is the report itself.
      if (one.isItem && parts.length === 0 && isTellingOutcome(one)) {
        const [listed, next] = joinListItems(said, at, room);
        add(listed);
        at = next - 1;
      }
      continue;
    }
    const text = stripInterjection(one.text);
    if (text.endsWith(":") && said[at + 1]?.isItem) {
      const [listed, next] = joinListItems(said, at + 1, room - used - text.length);
      if (!add(`${shortenSentence(text)} ${listed}`)) break;
      at = next - 1;
      continue;
    }
    // What it announces is code, or nothing.
    if (text.endsWith(":") && said.length > 1 && !reportsState.test(text)) continue;
    if (!add(endWithPeriod(shortenSentence(text)))) break;
  }
  if (countWordsOfParts(parts) < enoughWords) {
    const at = said.findIndex((one) => one.isItem && isTellingOutcome(one));
    if (at !== -1 && !parts.some((part) => part.includes(said[at]!.text.slice(0, 40))))
      add(joinListItems(said, at, room - used)[0]);
  }
  const state = said.findLast(
    (one) => isTellingOutcome(one) && !one.isItem && reportsState.test(one.text) && !announcesList(one, said),
  );
  if (state !== undefined) {
    const text = endWithPeriod(shortenSentence(stripInterjection(state.text)));
    if (!parts.some((part) => part.includes(text.slice(0, -1))) && used + text.length < room + 160)
      parts.push(text);
  }
  return parts;
}

/** "I pushed this to:" says nothing without the list below it. */
const announcesList = (one: ClosingText, said: readonly ClosingText[]): boolean =>
  one.text.endsWith(":") && said[said.indexOf(one) + 1]?.isItem === true;

/** The items of a list from a place on, as many as fit whole, and where it ends. */
function joinListItems(
  said: readonly ClosingText[],
  from: number,
  room: number,
): [text: string, next: number] {
  let next = from;
  while (said[next]?.isItem && said[next]!.heading === said[from]!.heading) next++;
  const all = said.slice(from, next).map(({ text }) => text);
  // What an item announces is below it, and left out.
  const whole = all.filter((text) => !text.endsWith(":"));
  const items = (whole.length > 0 ? whole : all).map((text) => text.replace(/[.;:,]+$/, ""));
  const shown: string[] = [];
  let used = 0;
  for (const item of items) {
    const part = shortenSentence(item);
    if (shown.length > 0 && used + part.length > room) break;
    shown.push(part);
    used += part.length + 2;
  }
  const more = items.length - shown.length;
  return [`${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`, next];
}

const endWithPeriod = (text: string) =>
  /[.!?…。！？]$/.test(text) ? text : `${text.replace(/[:;,：]$/, "")}.`;
const countWordsOfParts = (parts: readonly string[]) => parts.join(" ").split(/\s+/).length;

const shortenSentence = (text: string) => shortenToClause(text, maxSentenceChars);

/** "Pushed." says what of only behind what was said before. Words. */
const minOutcomeWords = 4;

/** What came of a session, in its agent's last words; "" where it said none. */
export function extractOutcome({ texts, turn, lastTurn, actsAfter, before }: SessionEnding): string {
  // What was said on the way to something else is no outcome, unless it reports how things stand.
  const reports = actsAfter ? texts.filter((text) => reportsState.test(text)) : texts;
  let parts: string[] = [];
  for (const text of reports.toReversed()) {
    parts = extractOutcomeParts(text, maxOutcomeChars);
    if (parts.length > 0) break;
  }
  const at = (number: number, text: string) =>
    text === "" || number >= lastTurn ? text : `At turn ${number} of ${lastTurn}: ${text}`;
  const earlier =
    before === null ? [] : extractOutcomeParts(before.text, maxOutcomeChars - parts.join(" ").length);
  if (parts.length === 0 && earlier.length > 0) return at(before!.turn, earlier.join(" "));
  if (parts.length === 0 && !actsAfter) {
    const announced = readSaid(texts.at(-1) ?? "").find(
      ({ text }) => !text.endsWith("?") && !praises.test(text),
    );
    parts = announced === undefined ? [] : [endWithPeriod(shortenSentence(announced.text))];
  }
  return at(turn, (countWordsOfParts(parts) < minOutcomeWords ? [...earlier, ...parts] : parts).join(" "));
}
