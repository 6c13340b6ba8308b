import { shortenToClause } from "../../../base/text/text-size.ts";
import type { SessionEnding } from "./closing.ts";
import { type ClosingText, readSaid } from "./closing-words.ts";
import notDone from "./not-done.json" with { type: "json" };

/** Most that is said of what a session left open. */
const maxOpenPoints = 4;
/** Characters of one. */
const maxPointChars = 240;
const minPoint = 10;

/** Alternatives as one expression: a line for each way in which it is said. */
const compilePhrases = (...phrases: string[]): RegExp => new RegExp(`\\b(?:${phrases.join("|")})\\b`, "i");

/** Asked of anybody at any time: nothing hangs on the answer. */
const courtesy = compilePhrases(
  "(?:any|some)thing (?:else|different)|any(?: other)? questions|help with anything|what(?:'s| is) next",
  "what would you like (?:me )?to (?:do|work on)(?: next)?|like me to do next|(?:task|thing|issue) you(?:'d| would) like to (?:work|tackle)",
);
/**
 * Words that name something as not done, or as waiting for the person: without one of them a sentence that may be about what is
 * left is not told as open. An offer, a piece of advice and an outlook leave nothing open.
 */
const namesNotDone = compilePhrases(...notDone.says);
const headsNotDone = new RegExp(`^(?:\\W*|.{0,16}\\b)(?:${notDone.heads.join("|")})\\b.{0,24}$`, "i");
/** A question whose answer decides how the work goes on. */
const asksToDecide = compilePhrases(...notDone.decides);
/** An offer to store the work says that it is not stored. */
const offersToStore = new RegExp(
  `^(?:so |and )?(?:want me to|should i|shall i|would you like(?: me)? to|do you want me to|ready to|ok(?:ay)? to)\\b[^?]*\\b(?:${notDone.stores.join("|")})\\?$`,
  "i",
);
const offers =
  /^(?:so |and |or )?(?:want me to|should i|shall i|would you like(?: me)? to|do you want me to|ready to|let me know)\b/i;

/** What stands before an offer in the same sentence says what is left. */
const beforeOffer =
  /(?:\s[—–-]+|[;:,])\s+(?=(?:so |and |or )?(?:want me to|should i|shall i|would you like|do you want)\b)/i;

/** What may be left to do, in the agent's words. */
const leftToDo = compilePhrases(
  "(?:currently|now) fails|still (?:needs?|has to|have to|to do|to be|owed|un[a-z]+(?:ed|en)|missing|open|fails?|failing|broken|outstanding|unresolved|running|pending|stale|outdated|unpublished|unreleased|behind)|not yet",
  "remain(?:s|ing) (?:to|work|item|issue|task|step|piece|open)|left to do|(?:one|only|last) (?:thing|item|step|piece|task) left",
  "follow-?ups? (?:needed|required|is|are)|you(?:'ll| will| may| might| still)+ (?:need|have) to|(?<=^(?:so|but|and|now|then)?,? ?)you need to",
  "you should (?:now |also |still )?(?:run|test|update|restart|rebuild|push|commit|rotate|verify|check)",
  "needs? (?:manual|your|(?:further|more) (?:investigation|work|testing|thought)|to be (?:done|fixed|updated|added|tested|reviewed|addressed|run|rotated|verified|committed|pushed|merged|decided|applied|set|removed))",
  "needs? (?:an? )?(?:separate |full |manual |small |explicit |your )?(?:decision|restart|rebuild|redeploy|re-?run|rebase|follow-?up|approval|fix|human|migration|pr)",
  "(?:has|have)(?:n't| not) (?:yet )?been (?:committed|pushed|tested|run|verified|merged|published|deployed|addressed|applied|implemented)",
  // Not of a thing: "a claim that I did not run".
  "(?<=(?:^|[,;:.(—–-] ?|\\b(?:and|but|so|yet|also|because|though) )(?:here )?)i (?:have(?:n't| not)|did(?:n't| not)) (?:yet )?(?:run|commit|push|test|verif|deploy|implement|open|file|merge|publish)\\w*",
  "(?:is|are)(?:n't| not) (?:yet )?(?:committed|pushed|tested|merged|deployed|implemented|wired|covered|verified|done)|untested|unverified",
  "(?:have|has|did|do|does)(?:n't| not) [^.;]{2,60} yet",
  "(?:was|were)(?:n't| not) able to|(?:i )?could(?:n't| not) (?:verify|test|run|reproduce|complete|push|finish)",
  "not (?:committed|pushed|tested|verified|deployed) yet|(?:is|are|remains?|still|left|leaves?|sits?) (?:\\w+ )?(?:uncommitted|unstaged|unpushed|unanswered)|nothing (?:is|was) (?:yet )?(?:pushed|committed)",
  "commits? ahead|ahead of (?:the remote|origin|.origin|upstream)",
  "blocked (?:by|on|until)|waiting (?:for|on) (?:your|you|the user|review|approval|ci)|waiting for (?:their|its|the) results?",
  "(?<=(?:^|\\b(?:is|are|am|still|now|just|and|'re|'m|'s) ))waiting on|(?:i(?:'ll| will)|will) report (?:back )?(?:when|once)|(?:watching|monitoring) .{0,40}\\b(?:ci|build|run|deploy\\w*)",
  "pending (?:your|review|approval|confirmation|merge)|until (?:you|we|(?:that|this|it|those|these|the)(?:'s| [^.;]{0,30}?\\b(?:is|are)) (?:done|merged|fixed|synced|deployed|released))",
  "(?:ci|checks|the (?:build|pipeline|workflow|run|job)) (?:is|are) (?:now |still )?(?:running|pending|queued|in progress)",
  "(?:agents?|tests?|build|job|download|import) (?:is|are) (?:now |still )?running",
  "for a (?:later|separate|future|follow)|in a (?:later|separate|future|follow-up) (?:pr|commit|change|session|step)|out of scope",
  "(?:can|could|should|must|has to|have to|will) be (?:done|fixed|handled|addressed|removed|cleaned up|tackled|picked up|revisited|added|filed|merged|resolved) (?:later|separately|next|once|after|before|in a|as a)",
  "left (?:as[- ]is|open|unfixed|for (?:you|later|another|now))|(?:flagged|noted)[^.]{0,20}\\bnot (?:fixed|applied|changed)|open (?:decisions?|questions?|points?|issues?)(?! (?:source|were|was|have been|had))",
  "(?:won't|will not|doesn't|does not) take effect until|can(?:'t|not) \\w+[^.]{0,40} yet|when(?:ever)? you want (?:it|this|that|to)",
  "(?:let me know|just say) if you(?:'d| would)? (?:like|want) me to|if you(?:'d| would) (?:like|prefer)[^.]{0,60}\\bi can",
  "worth (?:an? )?(?:considering|watching|(?:separate |closer |quick |second )?(?:look|nudge|check|test|issue|ticket|discussion|follow-?up)|confirming|checking|verifying|testing|fixing|filing|raising|discussing|investigating|revisiting|reviewing|cleaning)",
  "your (?:call|decision)\\b|up to you|(?:your|a) (?:judg(?:e)?ment )?call to (?:make|confirm)|for you to (?:decide|confirm|check|review|test|run|merge)",
  "ready to (?:push|merge|commit|deploy|release|post|ship|publish|send)|ready for (?:your|a|the)? ?(?:push|pr|pull request|review|merge|you)|commit (?:these|the) changes|say the word|give the word|(?:once|when|whenever) (?:you(?:'re| are) )?ready",
  "once you (?:merge|approve|confirm|have|restart|run)|let me know (?:when|once|which|how)|before merging|still open|deferred (?:to|for|until) (?:an?|the|later|phase|v\\d|next)",
  "mangler stadig|udestår|endnu ikke",
);
/** Where something else stands around the words than letters. */
const leftAround =
  /^(?:phase|step|wave|part|milestone) [\w.]+ (?:is )?next\b|TODO:|remaining:|to do:|(?:^|[^\w-])(?<!\b(?:did|do|does) )not (?:yet )?(?:pushed|committed|merged|published|run)\b/i;
/** An order to the person, at the beginning of a sentence. */
const tellsPerson =
  /^(?:(?:now|then|please|just|so|next|you can(?: now)?|go ahead and)[,:]? )*(?:re-?run|retry|restart|reload|refresh|redeploy|re-?test|try (?:it|again|that|the|running|now)|test (?:it|again|that)|double-check|merge (?:it|the|this)|push (?:it|the|with)|reply (?:with|to))\b/i;
const leftForSure = compilePhrases(
  "still (?:missing|fails?|failing|broken|open)|not (?:yet )?(?:committed|pushed|tested|implemented|deployed)|left to do",
  "you(?:'ll| will| may| might| still)* need to|needs? (?:manual|your)|deferred (?:to|for|until) (?:an?|the|later|phase|v\\d|next)|worth (?:a separate look|fixing|confirming)",
);
/** An item of a list about something else tells what was found, unless it asks for the person or says what the agent could not do. */
const addressesPerson = compilePhrases(
  "you(?:'ll| will| may| might| still)* need to|needs? (?:manual|your)|i (?:have(?:n't| not)|did(?:n't| not)|could(?:n't| not))",
);
/** The same words where nothing is left. */
const nothingLeft =
  /\b(?:no (?:remaining|outstanding|pending|further|more|open|follow)|nothing (?:left|else|remaining|to)|none (?:left|remaining)|no longer|won't be|will not be|doesn't need|don't need|won't need|not needed|unchanged|no(?:thing)? uncommitted|another (?:agent|instance)|if you (?:ever|later)|(?:users?|developers?|they|one) (?:will |would )?(?:need|have) to|before this (?:fix|change)|previously|used to|would have|were not able to|wasn't able to|so that (?:you|users?))\b/i;
/** How something went wrong or was judged, before it was put right: the cause is told, and nothing is left. */
const tellsPast =
  /^(?!.*\b(?:is|are|remains?|yet|needs?|now|will|i'll)\b).*\b(?:was|were|had been)\b(?! (?:not |n['’]t )?(?:able|yet))/i;
/** What was left out on purpose, as the agent says. */
const leftOutForReason =
  /\b(?:did(?:n't| not)|have(?:n't| not)) (?:run|test|verif|rerun|re-run)\w*\b[^.;]*\b(?:because|since|as) (?:this|it|it's|they|the|there|these|that|only|nothing|no)\b|\bdid(?:n't| not) run\b[^.;]*\b(?:manually|by hand)\b|\bnot run\b\W{1,3}[^.;]*\b(?:only|no code|nothing)\b/i;
const leftHeading =
  /^(?:\W*|.{0,16}\b)(?:next steps?|remaining(?: (?:work|items?|tasks?|issues?|steps?))?|to-?dos?|left to do|still (?:open|to do|needed|missing|left)|follow-?ups?|open (?:questions?|issues?|items?|points?|decisions?)|pending|(?:intentionally |explicitly )?deferred|skipped|loose ends|left (?:open|alone|as is)|next up|remaining for you|(?:recommended )?(?:ship-?)?blockers|recommend(?:ed|ation)s? next steps|what(?:'s| is) (?:left|next|missing)|(?:\w+ )?things? (?:that )?i (?:didn't|did not|haven't|have not) (?:touch|do|change|fix|verify|test)|still (?:outstanding|owed)\b.{0,60}|not (?:yet )?(?:done|implemented|addressed|fixed|covered|included)|out of scope|known (?:issues?|bugs?|gaps?)|(?:\w+ )?things? (?:that )?needs? your (?:eyes?|attention|input|decision|review)|action (?:items?|needed|required)|(?:to|things? to|calls? to) (?:confirm|decide|verify|watch)|what i (?:didn't|did not) (?:do|change|touch|cover|fix)|outstanding|deferred|manual steps?|you(?:'ll| will)? (?:still )?need to|(?:to |before you )test|questions?(?: for you)?)\b.{0,24}$/i;
/** What is only offered beside it. */
const onlyOffered =
  /^\W*(?:also available|optional)|\b(?:next steps?|follow-?ups?|options|you can|improvements?)\b.{0,24}(?:\bif you(?:'d| would)? (?:want|like|prefer)|\boptional|\bpick (?:one|any)|\bwhenever)\b/i;
/** An item that only says what the agent could do. */
const offersToDo =
  /^(?:(?:if you (?:want|like|prefer)|optionally)\b|i (?:can|could)\b|(?:have|ask|tell) me\b)/i;

/** Whether a heading, or what announces a list, is of what is left. */
export const headsWhatIsLeft = ({
  heading,
  announcedBy,
}: Pick<ClosingText, "heading" | "announcedBy">): boolean =>
  leftHeading.test(announcedBy) || leftHeading.test(heading);
/** Whether a sentence announces what is left, or offered. */
export const announcesWhatIsLeft = (text: string): boolean =>
  text.endsWith(":") && (leftHeading.test(text) || onlyOffered.test(text));
export const headsAnOffer = ({
  heading,
  announcedBy,
}: Pick<ClosingText, "heading" | "announcedBy">): boolean =>
  onlyOffered.test(announcedBy) || onlyOffered.test(heading);

export interface OpenPoint {
  /** The sentence that says so, whole. */
  text: string;
  turn: number;
}

/** A prompt that only has the work stored: what was left before it is still left. */
const storesWork =
  /^(?=.{3,80}$)(?!.*\b(?:feedback|checks?|reviews?|comments?|fix|address|conflicts?|failing)\b)[^?]*\b(?:commit|push|ship it|pr\b|pull request|\/?commit[\w:-]*)|^(?:can|could) you (?:please )?(?:commit|push|open a)\b.{0,40}$/i;
const aboutStoring = /commit|push|ahead of|pull request|\bPR\b|merge/i;

/** What waits for a word from the person. */
export const proposedPlan = {
  word: (title: string) =>
    `A plan${title === "" ? "" : `, "${title}",`} was proposed, and not carried out in this session`,
  pattern: /^A plan(?:, ".*",)? was proposed, and not carried out in this session/,
} as const;

/** An item of the agent's own list of tasks that it had not ticked off. */
export const untickedItem = {
  word: (item: string) => `Not ticked off: ${item}`,
  pattern: /^Not ticked off: /,
} as const;

/**
 * What is left open at the end: a plan and questions that were not answered, and by the agent's last words questions to the
 * person, and what it says is yet to do.
 */
export function findOpenPoints({
  texts,
  turn,
  lastTurn,
  lastPrompt,
  before,
  plan,
  questions,
}: SessionEnding): OpenPoint[] {
  const waiting = [...(plan === null ? [] : [proposedPlan.word(plan)]), ...questions].map((text) => ({
    text: shortenPoint(text),
    turn: lastTurn,
  }));
  // What was open before the last prompt may be done.
  const last = turn < lastTurn ? [] : readOpenPoints(texts.at(-1) ?? "", turn);
  const earlier =
    before !== null && storesWork.test(lastPrompt)
      ? readOpenPoints(before.text, before.turn).filter(
          ({ text }) => !text.endsWith("?") && !aboutStoring.test(text),
        )
      : [];
  const points = [...waiting, ...earlier, ...last];
  // A question may repeat the sentence before it.
  const unique = points.filter(
    ({ text }, at) =>
      !points.some((other, i) => i !== at && other.text.includes(text) && (other.text !== text || i < at)),
  );
  // The last question matters most; of a list, its beginning.
  return unique.length <= maxOpenPoints ? unique : [...unique.slice(0, maxOpenPoints - 1), unique.at(-1)!];
}

function readOpenPoints(message: string, turn: number): OpenPoint[] {
  const said = readSaid(message);
  const found = said.flatMap((given, at) => {
    const [before, next] = [said[at - 1], said[at + 1]];
    // What it announces is code.
    const one = next?.isItem ? given : { ...given, text: given.text.replace(/:$/, ".") };
    // Only what stands right below a heading is what the heading says.
    const below = one.isItem || before === undefined || before.heading !== one.heading;
    // "Or is it there already?" is the other half of an offer.
    if (/^or\b/i.test(one.text) && before !== undefined && offers.test(before.text)) return [];
    return isOpen(below ? one : { ...one, heading: "" }, said.length - at)
      ? [completeQuestion(one.text, before)]
      : [];
  });
  const options = findOptionsAsked(said);
  return [...found, ...(options === null ? [] : [options])].map((text) => ({
    text: shortenPoint(text),
    turn,
  }));
}

/** Whether a sentence ends as a question, in either writing. */
export const asks = (text: string): boolean => /[?？]$/.test(text);

/** "Want me to?" asks what the sentence before it says. */
const minQuestionWords = 5;
const completeQuestion = (text: string, before: ClosingText | undefined): string =>
  text.endsWith("?") && text.split(" ").length < minQuestionWords && before !== undefined && !before.isItem
    ? `${before.text} ${text}`
    : text;

/** A list of what the person may choose from: "Options:". */
const announcesOptions =
  /^(?:(?:so|the|your|our|two|three|four) )*(?:options|choices)(?: (?:are|here|now))?:$/i;

const asksToChoose = /^(?:would you|do you|should (?:i|we)|shall|which|how would|what would|want me to)\b/i;

/** A question whose answers are a list at the end: "Would you like me to:"; null: there is none. */
function findOptionsAsked(said: readonly ClosingText[]): string | null {
  const announced = said.findLastIndex(({ isItem, text }) => !isItem && announcesOptions.test(text));
  const at = announced === -1 ? said.findLastIndex(({ isItem }) => !isItem) : announced;
  const question = said[at]?.text ?? "";
  const options = listItemsFrom(said, at + 1);
  const isAsked = announced !== -1 || (question.endsWith(":") && asksToChoose.test(question));
  if (!isAsked || options.length === 0) return null;
  return `${question} ${options.map(({ text }) => text.replace(/[?.;]+$/, "")).join("; ")}?`;
}

function listItemsFrom(said: readonly ClosingText[], from: number): ClosingText[] {
  const end = said.findIndex(({ isItem }, i) => i >= from && !isItem);
  return said.slice(from, end === -1 ? said.length : end);
}

/** @param fromEnd how many sentences on the end is, from 1 */
function isOpen(said: ClosingText, fromEnd: number): boolean {
  const { text, isItem } = said;
  if (!asks(text)) return isLeftOpen(said) && isNamedNotDone(said);
  // Questions further up are rhetorical, or headings.
  if (isItem || fromEnd > 3 || courtesy.test(text)) return false;
  const [before = ""] = text.split(beforeOffer, 1);
  // "It is not pushed yet — want me to?"
  if (before !== text && isOpen({ ...said, text: before }, fromEnd)) return true;
  return offers.test(text) ? offersToStore.test(text) || offersChoice(text) : asksToDecide.test(text);
}

/** "Shall I revert it, or go on?" of which the second is no way to say no: "or leave it". */
const offersChoice = (text: string): boolean =>
  /\bor\b(?! (?:not|no|leave|keep|is|are|any|anything|something|examine any|look at)\b)/i.test(text);

/** Left out because the person wanted it so, or because it is not worth it. */
const declines = compilePhrases(...notDone.declines);

function isNamedNotDone({ text: whole, isItem, heading, announcedBy, isUnticked }: ClosingText): boolean {
  if (isUnticked) return true;
  if (declines.test(whole)) return false;
  // A reason explains: "they show up since they are not committed".
  const text = whole.replace(/\b(?:since|because)\b.*$/i, "");
  if (headsNotDone.test(announcedBy) || headsNotDone.test(heading)) return isItem || namesNotDone.test(text);
  return namesNotDone.test(text) || leftAround.test(text);
}

/** Whether something may be yet to be done, by what is said of it. */
export function isLeftOpen({ text, isItem, heading, announcedBy, isDone, isUnticked }: ClosingText): boolean {
  if (isDone || text.length < minPoint) return false;
  if (isUnticked) return true;
  if (headsAnOffer({ heading, announcedBy }) || (isItem && offersToDo.test(text))) return false;
  if (leftOutForReason.test(text) || (nothingLeft.test(text) && !/^still open\b/i.test(text))) return false;
  // A command of the client is how, not what.
  if (text.endsWith(":") || text.startsWith("`/")) return false;
  if (headsWhatIsLeft({ heading, announcedBy }) && (isItem || text.split(" ").length >= minQuestionWords))
    return !courtesy.test(text) && !/^(?:if|when)\b/i.test(text);
  // An item describes; that something is left must be said outright.
  // What stands in brackets is by the way, but for where the work is.
  const main = text.replace(/\((?![^()]*\b(?:pushed|committed|merged))[^()]*\)/g, "");
  if (
    tellsPast.test(main) &&
    !leftForSure.test(main) &&
    !/\b(?:not|n't) (?:\w+ )?(?:run|push|commit|test|verif|merg|deploy)/i.test(main)
  )
    return false;
  return isItem
    ? addressesPerson.test(text.replace(/\([^()]*\)/g, ""))
    : leftToDo.test(main) || leftAround.test(main) || tellsPerson.test(text);
}

const shortenPoint = (text: string) => shortenToClause(text, maxPointChars);
