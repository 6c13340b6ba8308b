import type { Ending } from "./closing.ts";
import { readSaid, type Said } from "./closing-words.ts";

/** Most that is said of what a session left open. */
const maxOpenPoints = 4;
/** Characters of one. */
const maxPointChars = 240;
const minPoint = 10;

/** A question that waits for the person, or an offer. */
const asksPerson =
  /\b(?:would you|do you|want me|should (?:i|we)|shall (?:i|we)|ready (?:to|for)|which (?:one|of|option|approach|way)|what (?:would|do|should) (?:you|we|i)|how (?:would|do) you|can you|could you|are you|is (?:that|this) (?:ok|okay|what|correct|right)|skal jeg|vil du have|thoughts|sound good|make sense|does (?:that|this)|any (?:preference|other)|prefer)\b/i;
/** Asked of anybody at any time: nothing hangs on the answer. */
const courtesy =
  /\b(?:anything else|any(?: other)? questions|help with anything|what(?:'s| is) next|what would you like (?:me )?to (?:do|work on)(?: next)?|like me to do next)\b/i;
/** What is left to do, in the agent's words. */
const leftToDo =
  /\b(?:still (?:needs?|has to|have to|to do|to be|missing|open|fails?|failing|broken|outstanding|unresolved)|not yet\b|remain(?:s|ing) (?:to|work|item|issue|task|step|piece)|remaining:|left to do|(?:still )?to do:|TODO:|follow-?ups? (?:needed|required|is|are)\b|you(?:'ll| will| may| might| still)* (?:need|have) to\b|you should (?:now |also |still )?(?:run|test|update|restart|rebuild|push|commit|rotate|verify|check)|needs? (?:manual|your|(?:further|more) (?:investigation|work|testing|thought)|to be (?:done|fixed|updated|added|tested|reviewed|addressed|run|rotated|verified|committed|pushed))|(?:has|have)(?:n't| not) (?:yet )?been (?:committed|pushed|tested|run|verified|merged|published|deployed|addressed)|(?:is|are)(?:n't| not) (?:yet )?(?:committed|pushed|tested|merged|deployed|implemented|wired|covered)|(?:was|were)(?:n't| not) able to|(?:i )?could(?:n't| not) (?:verify|test|run|reproduce|complete|push|finish)|not (?:committed|pushed|tested) yet|(?:is|are|remains?|still|left|leaves?) (?:\w+ )?(?:uncommitted|unstaged)|blocked (?:by|on)|waiting (?:for|on) (?:your|you|the user|review|approval|ci)|for a (?:later|separate|future|follow)|in a (?:later|separate|future|follow-up) (?:pr|commit|change|session|step)|out of scope|ready to (?:push|merge|commit|deploy|release)\b|(?:^|[^\w-])not (?:yet )?(?:pushed|committed|merged|published)\b|say the word|give the word|when you(?:'re| are) ready|once you (?:merge|approve|confirm)|worth considering|before merging\b|still open\b|when (?:you(?:'re| are) )?ready\b|waiting for (?:their|its|the) results?|deferred (?:to|for|until)|mangler stadig|udestår|endnu ikke)\b/i;
const leftForSure =
  /\b(?:still (?:missing|fails?|failing|broken)|not (?:yet )?(?:committed|pushed|tested|implemented|deployed)|remaining:|left to do|TODO:|you(?:'ll| will| may| might| still)* need to|needs? (?:manual|your)|deferred (?:to|for|until))\b/i;
/** The same words where nothing is left. */
const nothingLeft =
  /\b(?:no (?:remaining|outstanding|pending|further|more|open|follow)|nothing (?:left|else|remaining|to)|none (?:left|remaining)|no longer|won't be|will not be|doesn't need|don't need|won't need|not needed|unchanged|no(?:thing)? uncommitted|if you (?:ever|later|want)|whenever|(?:users?|developers?|they|one) (?:will |would )?(?:need|have) to|before this (?:fix|change)|previously)\b/i;
const leftHeading =
  /^(?:\W*|.{0,16}\b)(?:next steps?|remaining(?: (?:work|items?|tasks?|issues?|steps?))?|to-?dos?|left to do|still (?:open|to do|needed|missing)|follow-?ups?|open (?:questions?|issues?|items?|points?)|pending|(?:intentionally |explicitly )?deferred|next up|remaining for you|(?:recommended )?(?:ship-?)?blockers|recommend(?:ed|ation)s?(?: next steps)?|what(?:'s| is) (?:left|next|missing)|not (?:yet )?(?:done|implemented|addressed|fixed)|outstanding|deferred|manual steps?|you(?:'ll| will)? (?:still )?need to|questions?(?: for you)?)\b.{0,12}$/i;
/** What is only offered beside it. */
const onlyOffered = /^\W*(?:also available|optional)/i;

/** Whether a heading, or what announces a list, is of what is left. */
export const headsWhatIsLeft = ({ heading, announcedBy }: Pick<Said, "heading" | "announcedBy">): boolean =>
  leftHeading.test(announcedBy) || leftHeading.test(heading);
export const headsAnOffer = ({ heading, announcedBy }: Pick<Said, "heading" | "announcedBy">): boolean =>
  onlyOffered.test(announcedBy) || onlyOffered.test(heading);

export interface OpenPoint {
  /** The sentence that says so, whole. */
  text: string;
  turn: number;
}

/** What is left open by the agent's last words: questions to the person, and what it says is yet to do. */
export function findOpenPoints({ texts, turn, lastTurn }: Ending): OpenPoint[] {
  const message = texts.at(-1) ?? "";
  // What was open before the last prompt may be done.
  if (message === "" || turn < lastTurn) return [];
  const said = readSaid(message);
  const found: Said[] = [];
  said.forEach((one, at) => {
    if (isOpen(one, said.length - at)) found.push(one);
  });
  const options = findOptionsAsked(said);
  const points = [
    ...found.map(({ text }) => ({ text: shortenPoint(text), turn })),
    ...(options === null ? [] : [{ text: shortenPoint(options), turn }]),
  ];
  const unique = [...new Map(points.map((point) => [point.text, point])).values()];
  // The last question matters most; of a list, its beginning.
  return unique.length <= maxOpenPoints ? unique : [...unique.slice(0, maxOpenPoints - 1), unique.at(-1)!];
}

const asksToChoose = /^(?:would you|do you|should (?:i|we)|shall|which|how would|what would|want me to)\b/i;

/** A question whose answers are a list at the end: "Would you like me to:"; null: there is none. */
function findOptionsAsked(said: readonly Said[]): string | null {
  const at = said.findLastIndex(({ isItem }) => !isItem);
  const question = said[at]?.text ?? "";
  if (!question.endsWith(":") || !asksToChoose.test(question) || at === said.length - 1) return null;
  return `${question} ${said
    .slice(at + 1)
    .map(({ text }) => text.replace(/[?.;]+$/, ""))
    .join("; ")}?`;
}

/** @param fromEnd how many sentences on the end is, from 1 */
function isOpen(said: Said, fromEnd: number): boolean {
  const { text, isItem } = said;
  if (!text.endsWith("?")) return isLeftOpen(said);
  // Questions further up are rhetorical, or headings.
  return !isItem && fromEnd <= 3 && !courtesy.test(text) && (asksPerson.test(text) || fromEnd === 1);
}

/** Whether something is yet to be done, by what is said of it. */
export function isLeftOpen({ text, isItem, heading, announcedBy, isDone }: Said): boolean {
  if (isDone || text.length < minPoint) return false;
  if (nothingLeft.test(text) && !/^still open\b/i.test(text)) return false;
  if (isItem && headsWhatIsLeft({ heading, announcedBy }))
    return !courtesy.test(text) && !text.endsWith(":") && !/^(?:if|when)\b/i.test(text);
  // An item describes; that something is left must be said outright.
  return !text.endsWith(":") && (isItem ? leftForSure : leftToDo).test(text);
}

function shortenPoint(text: string): string {
  if (text.length <= maxPointChars) return text;
  const cut = text.slice(0, maxPointChars);
  return `${cut.slice(0, cut.lastIndexOf(" "))}…`;
}
