import { memoize } from "../../base/text/memoize.ts";
import { extractContentWords } from "../summaries/prose.ts";
import choice from "./choice.json" with { type: "json" };

/**
 * Whether a sentence states a choice so that it can be understood alone. Rules rather than probabilities, each for a way in
 * which people put a choice into words: what they do not cover is no decision. They know English; what a person types in some
 * other languages is in other-languages.ts, and `sessions.decision_words` adds words.
 */

/** Shorter sentences have no object, longer ones are not sentences. */
const limits = { minWords: 5, maxWords: 70, maxCharacters: 700 } as const;
/** Names from the code, and words with a meaning of their own, that a choice has at least. */
const minContent = 4;
/** The same where an author only says that it was decided. */
const minDeclared = 6;

/** `'` stands for an apostrophe of either sort, or none. */
const compileWords = (...alternatives: string[]): RegExp =>
  new RegExp(`\\b(?:${alternatives.join("|").replaceAll("'", "['’]?")})\\b(?!-)`, "i");
const compileFirstWords = (...alternatives: string[]): RegExp =>
  new RegExp(`^(?:${alternatives.join("|").replaceAll("'", "['’]?")})\\b(?!-)`, "i");

/** What cannot be said as a list of words. */
const compilePattern = (name: keyof typeof choice.patterns): RegExp => new RegExp(choice.patterns[name], "i");

/** An order: "Use", "Keep", "Don't". */
const ordering = compileFirstWords(...choice.words.ordering);
const absolute = compileFirstWords(...choice.words.absolute);
/** An author who tells what they chose: "Uses", "Kept", "Switched". */
const chose = compileFirstWords(...choice.words.chose);

const contrast = compileWords(...choice.words.contrast);
const turned = compilePattern("turned");
const insteadAlone = compilePattern("insteadAlone");
const everywhere = compileWords(...choice.words.everywhere);
const { reasons } = choice.words;
const reason = compileWords(...reasons, ...choice.words.otherReasons);
/** A reason and no bad consequence: "so errors vanish" may be what was repaired, "so it cannot drift" is what for. */
const goodReason = new RegExp(
  `${compileWords(...reasons).source}|\\bso\\b[^.;]{3,120}\\b(?:cannot|can['’]?t|can never|still|always|stays?|keeps?|remains?|survives?)\\b|(?:[:—–]|, (?:and|which))\\s[^.]*\\bwould\\b`,
  "i",
);
const reasonStart = new RegExp(`${reason.source}|[:—–]\\s[^.]*\\bwould\\b`, "i");
/** What gives a reason first: "Since the ledger is slow, ...". */
const reasonFirst = compilePattern("reasonFirst");

const question = compilePattern("question");
const hedge = compileWords(...choice.words.hedge);
const plan = compileWords(...choice.words.plan);
const trouble = compileWords(...choice.words.trouble);
const past = compileWords(...choice.words.past);
const wasOnce = compileWords(...choice.words.wasOnce);
const tests = compileWords(...choice.words.tests);
const business = compileWords(...choice.words.business);
const narration = compileWords(...choice.words.narration);
const tidying = compileWords(...choice.words.tidying);
/** "I picked the latter": which? */
const vagueReferencePattern = compileWords(...choice.words.vagueReferencePattern);
/** "We decided to drop this dependency", "we opted for 14 months instead": of what? */
const decidedThat = compilePattern("decidedThat");
/** What cannot be, or is not so, explains a choice that stands elsewhere. */
const cannot = compileWords(...choice.words.cannot);
/** Not for long. */
const temporaryPattern = compileWords(...choice.words.temporaryPattern);
/** Trouble is told like this. */
const turning = compilePattern("turning");
const effects = compileWords(...choice.words.effects);
/** "Do that instead": what? */
const vague = compilePattern("vague");
const pronounFirst = compilePattern("pronounFirst");

const declaredFirst = compilePattern("declaredFirst");
const declared = compileWords(...choice.words.declared);
const byIntent = compileWords(...choice.words.byIntent);
/** A person who typed it wants it. */
const wish = compileWords(...choice.words.wish);
const adopting = compilePattern("adopting");

/** How a sentence is led in: "Good point: ", "Yes, but ". */
const lead = compilePattern("lead");
/** What was repaired: "Fix the flash: use a ref". */
const repaired = compilePattern("repaired");
/** A title in front: "Writes: use a rename", "fix(queue): keep the order". */
const title = /^[^:—–.]{1,60}(?:[:：]|\s[—–-])\s+(?=\S)/;
const marker = /^[\s#>*|\d.)-]+(?:[A-H]\)\s)?|^[A-H]\)\s|^https?:\/\/\S+\s+/;
const quoted = /"[^"]*"|“[^”]*”|(?<!\w)'[^']{2,}'(?!\w)/g;
/** A name from the code: in backticks, with a capital inside, an underscore, a slash or an extension; an option. */
const name =
  /`[^`\n]+`|\b[a-z]+[A-Z]\w+(?:\(\))?|\b[A-Z][a-z]+[A-Z]\w*(?:\(\))?|\b\w+_\w+\b|\b[\w-]+\/[\w./-]+|(?<!\w)\.\w{2,}\b|--[\w-]+/g;

/** A commit's subject, as squashed bodies list them: "fix(queue): keep the order". */
const subject = compilePattern("subject");
/** Work that follows from choices made elsewhere. */
const chore = compileFirstWords(...choice.words.chore);
/** What something does since: behaviour. */
const changed = compilePattern("changed");

interface ChoiceReading {
  /** Without markers, with N for names from the code and Q for quotes. */
  bare: string;
  /** The same without what leads in. */
  body: string;
  content: number;
}

interface AnalysedSentence extends ChoiceReading {
  words: number;
}

function analyseSentence(
  sentence: string,
  leastContent = minContent,
  leastWords: number = limits.minWords,
): ChoiceReading | null {
  const analysed = readSentence(sentence);
  return analysed === null || analysed.words < leastWords || analysed.content < leastContent
    ? null
    : analysed;
}

/** Each sentence is asked several questions in a row. */
const readSentence = memoize(1, (sentence): AnalysedSentence | null => {
  if (sentence.length > limits.maxCharacters || sentence.startsWith("<")) return null;
  const words = sentence.split(/\s+/).length;
  if (words < fewWords || words > limits.maxWords) return null;
  const said = sentence.replace(marker, "").trim();
  if (!isWhole(said) || question.test(said) || said.endsWith(":") || subject.test(said)) return null;
  const names = new Set(said.match(name)).size + (said.match(quoted)?.length ?? 0);
  const bare = said
    .replace(name, "N")
    .replace(quoted, "Q")
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const body = bare.replace(title, "").replace(lead, "");
  return { words, bare, body, content: extractContentWords(bare).size + names };
});

/** Not the rest of something that began elsewhere. */
function isWhole(said: string): boolean {
  if ((said.match(/`/g)?.length ?? 0) % 2 === 1) return false;
  const at = said.search(/[()]/);
  return at < 0 || said[at] === "(";
}

const hasAnyMatch = (text: string, ...patterns: RegExp[]): boolean =>
  patterns.some((pattern) => pattern.test(text));

/** Whether a sentence that a person typed chooses: "let's use a lock file instead of a retry". */
export function isTypedChoice(sentence: string): boolean {
  const reading = analyseSentence(sentence);
  if (reading === null) return false;
  const { bare, body } = reading;
  if (hasAnyMatch(bare, hedge, vague, vagueReferencePattern, temporaryPattern, narration, tests, business))
    return false;
  if (hasAnyMatch(removeReason(bare), trouble, past)) return false;
  if (pronounFirst.test(body)) return false;
  if (declared.test(bare)) return true;
  const isOrder = ordering.test(body);
  const wants = wish.test(bare) || isOrder;
  if (wants && contrast.test(bare)) return true;
  // "Use only the time, and not the date".
  if (isOrder && turned.test(removeReason(bare)) && !ofTheWork.test(bare)) return true;
  if (!adopting.test(bare) && !(isOrder && absolute.test(body))) return false;
  return hasAnyMatch(bare, turned, insteadAlone, everywhere, reason);
}

/** What something shall be, or where it shall come from. */
const norm = compileWords(...choice.words.norm);
const place = compileWords(...choice.words.place);
const notThat = compilePattern("notThat");
/** "Status indicators must sit in the footer", "if it is empty, the list should show a hint": of a part of what is built. */
const shapes = compilePattern("shapes");
/** "We should also add a sample": work, and not how. */
const onlyTask = compilePattern("onlyTask");
/** What should be so, and is not, is reported. */
const complains = compilePattern("complains");
/** "Never make draft PRs": whoever says so to an agent means all that comes. */
const standing = compilePattern("standing");
/** "I just want the package step to be a smoke test", "there should be an option". */
const justWants = compilePattern("justWants");
/** "It is not useful, so remove it". */
const notWorth = compilePattern("notWorth");
/** "Switch the lockfile back to A from B". */
const switchesFrom = compilePattern("switchesFrom");
/** "We will need to use a publisher for that". */
const willUse = compilePattern("willUse");
/** "Rename the button to Q". */
const renames = compilePattern("renames");
/** "I want to use the login because I have a subscription". */
const wantsBecause = compilePattern("wantsBecause");
/** "I want JSON first, YAML second". */
const ranks = compilePattern("ranks");
const condition = compileWords(...choice.words.condition);
const exclusive = compileWords(...choice.words.exclusive);
const forbidding = compileFirstWords(...choice.words.forbidding);
/** Of the work at hand rather than of the project. */
const ofTheWork = compileWords(...choice.words.ofTheWork);
/** A command or a field that is taken away, or another name, is a choice in few words. */
const fewContent = 1;
const fewWords = 4;
const ownVoice = compileWords(...choice.words.ownVoice);
/** It waits for an answer, or names nothing. */
const unclear = compilePattern("unclear");
const dropsFirst = compilePattern("dropsFirst");
const wishing =
  "\\b(?:let['’]?s|we should|we must|please|i want to|i want us to|i['’]?d like (?:us )?to|i would (?:rather|prefer to)|we want to)\\s+(?:also\\s+|completely\\s+|just\\s+|simply\\s+|entirely\\s+|really\\s+|not\\s+|then\\s+|still\\s+|rather\\s+)*";
const dropping = new RegExp(
  `${wishing}(?:(?:remove|drop|hide|keep(?! (?:going|on|at|up|it|this|that|in mind|working|looking)\\b)|disable|deprecate|get rid of|default)\\b(?:\\W+\\w+)+|make\\b.{3,60}\\b(?:hidden|optional|required|default|configurable|private|public|internal|read-?only|explicit)\\b|(?:replace|rename|change|swap|switch)\\b.{3,90}\\b(?:with|by|to|into)\\b)`,
  "i",
);
const onlyWhen = compileWords(...choice.words.onlyWhen);
/** "Option 1 does not work since the hash can change". */
const rejects = compileWords(...choice.words.rejects);
const decidedAgainst = compilePattern("decidedAgainst");

/** What a product has or has not, as people name it when they take it away. */
const part =
  "(?:release|target|support|feature|option|flag|command|dependency|endpoint|field|column|setting|config(?:uration)?(?: file)?|logging|plugin|package|job|hook|integration|fallback|limit|check|cache|migration|mode)s?";
const dropsPart = new RegExp(
  `^(?:remove|drop|disable|delete|stop|get rid of|deprecate)\\b(?:\\W+[\\w./-]+){0,5}?\\W+(?:${part}\\b|(?:release|support|logging|output) (?:for|of|to)\\b)`,
  "i",
);
/** "Use uv as the package manager", "use N for the buffer". */
const usesFor = compilePattern("usesFor");
/** "I do not need the traces in the terminal". */
const unwanted = compilePattern("unwanted");
/** It is found out, and not wanted. */
const seeming = compileWords(...choice.words.seeming);
/** What a person prefers, calls something, or wants it to be. */
const preferring = compilePattern("preferring");
const insteadFirst = compilePattern("insteadFirst");
/** "Docker isn't relevant, we can use the runners": what takes its place is named. */
const dismisses = compilePattern("dismisses");
/** "We no longer publish to the store, so that can be dropped too." */
const canGo = compilePattern("canGo");
/** "I want that theme to be the one": a noun, unlike "I want that". */
const wantsNamed = compilePattern("wantsNamed");

/** "Internal changes are never breaking, only those of settings are". */
const neverOnly = compilePattern("neverOnly");

/** A longer sentence with "only" and "never" tells how something is. */
const maxRuleWords = 18;

/** Whether a sentence that a person typed says what they prefer, or want something to be. */
export function isPreference(sentence: string): boolean {
  const reading = analyseSentence(sentence, 3, fewWords);
  if (reading === null) return false;
  const { bare, body } = reading;
  if (standing.test(body) || notWorth.test(bare)) return true;
  if (dismisses.test(bare) || canGo.test(bare)) return !hasAnyMatch(bare, vagueReferencePattern, tests);
  const isStrong =
    preferring.test(bare) ||
    wantsBecause.test(bare) ||
    justWants.test(bare) ||
    switchesFrom.test(body) ||
    willUse.test(bare) ||
    ranks.test(bare) ||
    insteadFirst.test(body) ||
    (neverOnly.test(bare) && bare.split(" ").length <= maxRuleWords);
  if (!isStrong || hasAnyMatch(bare, vagueReferencePattern, tests)) return false;
  if (vague.test(bare) && !wantsNamed.test(bare)) return false;
  const main = removeReason(bare);
  return !hasAnyMatch(main, past) && !/\b(?:maybe|perhaps|not sure|unclear|wonder)\b/i.test(main);
}

/** A sentence that sets something apart from what the one before said. */
const notStart = compilePattern("notStart");
/** A longer prompt may be somebody else's words. Characters. */
const maxOwnPrompt = 300;

/** What is said around a sentence of a prompt. */
export interface TypedAround {
  next: string;
  /** Of the whole prompt. Characters. */
  length: number;
}

/**
 * Whether a sentence of a short prompt says in few words what shall be used, taken away, or is not wanted, and is none of the
 * usual tasks: "use uv as the package manager", "remove the Intel release", "I don't need traces in the terminal".
 */
export function isTypedOrder(sentence: string, { next, length }: TypedAround): boolean {
  if (length > maxOwnPrompt) return false;
  const reading = analyseSentence(sentence, 2, fewWords);
  if (reading === null) return false;
  const { bare, body, content } = reading;
  if (
    hasAnyMatch(
      bare,
      hedge,
      vague,
      vagueReferencePattern,
      temporaryPattern,
      narration,
      business,
      tests,
      unclear,
    )
  )
    return false;
  const order = body.replace(
    /^(?:after|once|when|then)\b[^,]{3,40}?(?:,\s*| (?=(?:disable|remove|use|drop)\b))/i,
    "",
  );
  const main = removeReason(order);
  if (hasAnyMatch(main, ofTheWork, tidying) || pronounFirst.test(order)) return false;
  if (dropsPart.test(order)) return content >= 2 && !trouble.test(main);
  if (renames.test(order)) return true;
  if (usesFor.test(order)) return content >= 3 && !hasAnyMatch(main, trouble, past);
  if (unwanted.test(bare)) return content >= 2 && !hasAnyMatch(main, trouble, seeming);
  return (
    norm.test(main) &&
    content >= 3 &&
    (notThat.test(bare) || notStart.test(next) || turned.test(bare)) &&
    !hasAnyMatch(main, trouble, past)
  );
}

/** How people settle something in passing, as they speak: with "I think" and "maybe", but of one thing and against another. */
const settlesInPassing = choice.settlesInPassing.map(({ pattern }) => new RegExp(pattern, "i"));

/** What is wanted against what is not: "I don't want rounded edges, I just want them straight". */
const wantsAgainst = compilePattern("wantsAgainst");

/** Whether a sentence of a short prompt settles something in passing, as it is spoken or typed in haste. */
export function isSettledInPassing(sentence: string, length: number): boolean {
  if (length > maxOwnPrompt) return false;
  const reading = analyseSentence(sentence, 2, fewWords);
  if (reading === null) return false;
  const { bare, body } = reading;
  if (wantsAgainst.test(bare)) return !hasAnyMatch(bare, vagueReferencePattern, tests);
  if (!settlesInPassing.some((pattern) => pattern.test(bare) || pattern.test(sentence))) return false;
  // Who is told, and what it follows from, does not say what it is about.
  const work = removeReason(body)
    .replace(/^(?:no |yes )?i (?:want|need) you to\b/i, "")
    .replace(/^(?:since|as|because|given)\b.*?\b(?=(?:just )?use\b)/i, "");
  return !hasAnyMatch(bare, tests, temporaryPattern, business) && !hasAnyMatch(work, ofTheWork);
}

/**
 * Whether a sentence that a person typed sets a rule for what is built: "the author comes from the metadata, not from
 * settings", "only hidden sessions should be skipped, since they have no prompt", "let's remove the start command".
 */
export function isTypedRule(sentence: string, length = Number.POSITIVE_INFINITY): boolean {
  if (marksRule.test(sentence)) return sentence.length <= limits.maxCharacters && !question.test(sentence);
  const reading = analyseSentence(sentence, fewContent, fewWords);
  if (reading === null) return false;
  const { bare, body, content } = reading;
  if (rejects.test(bare) && !hasAnyMatch(bare, hedge, narration, tests)) return content > minDeclared;
  if (hasAnyMatch(bare, vagueReferencePattern, narration, business, unclear)) return false;
  const main = removeReason(bare).replace(/,\s+(?:and\s+|but\s+)?not\s.*$/, "");
  // What it makes possible is neither doubted nor pointed at.
  const told = bare.replace(/,? so (?:that )?we can\b.*$/i, "");
  if (hasAnyMatch(told, vague, hedge) || /\b(?:i|we) would (?:need|have) to\b/i.test(main)) return false;
  if (hasAnyMatch(main, trouble, past, ofTheWork, tidying)) return false;
  if (onlyWhen.test(bare) && (reason.test(bare) || /,\s+(?:they|it|that)\b/i.test(bare) || norm.test(main)))
    return true;
  if (dropping.test(bare) || dropsFirst.test(body)) return !tests.test(bare);
  if (length <= limits.maxCharacters && content >= 3 && isShape(bare, body)) return true;
  if (content < minContent || pronounFirst.test(body)) return false;
  const isForbidden = forbidding.test(body);
  // A reviewer's words, pasted, speak of the code alone; nobody pastes so little.
  const isOwn =
    length <= maxOwnPrompt ||
    ownVoice.test(bare) ||
    isForbidden ||
    ordering.test(body) ||
    /^[\s\p{P}]*\p{Ll}/u.test(sentence);
  if (!isOwn) return false;
  const isRule = hasAnyMatch(bare, turned, contrast, exclusive, reason) || notThat.test(bare);
  if (tests.test(bare)) return exclusive.test(bare) && norm.test(main);
  if (place.test(main) && notThat.test(bare)) return true;
  if (norm.test(main) && isRule && !(onlyTask.test(main) && !hasAnyMatch(bare, turned, contrast)))
    return true;
  if (length <= maxOwnPrompt && (statesNorm.test(main) || forbidsDoing.test(body))) return true;
  if (isForbidden) return condition.test(bare) || reason.test(bare) || content > minDeclared;
  return decidedAgainst.test(bare) && (wish.test(bare) || ordering.test(body));
}

/** Whether a sentence says what a part of what is built shall be or do, and reports no fault. */
const isShape = (bare: string, body: string): boolean =>
  shapes.test(body) && !complains.test(bare) && !tests.test(bare);

/** What a person calls a rule: "Code standard: every new file cites its ticket". */
const marksRule = compilePattern("marksRule");
/** "Session details should not have any preamble": of a part of what is built. */
const statesNorm = compilePattern("statesNorm");
/** "Do not render what is no text of the agent". */
const forbidsDoing = compilePattern("forbidsDoing");

/** Words with which an agent says what it chose. */
const agentChose = compilePattern("agentChose");

/** Whether a sentence with which an agent closes its work says what it chose, against what, and why. */
export function isAgentsChoice(sentence: string, next = ""): boolean {
  const reading = analyseSentence(sentence);
  if (reading === null) return false;
  const { bare, body, content } = reading;
  if (!(reason.test(body) || isReason(next)) || pronounFirst.test(body) || content < minDeclared)
    return false;
  if (
    hasAnyMatch(bare, hedge, tests, business, tidying, vagueReferencePattern, temporaryPattern) ||
    hasAnyMatch(removeReason(body), trouble, wasOnce)
  )
    return false;
  return agentChose.test(bare) && hasAnyMatch(bare, contrast, turned);
}

/** "Let's defer that", "no, revert this": what was decided before it does not count any more. */
const takingBack = compilePattern("takingBack");

/** Whether a person takes back what was just decided, without saying what. */
export const takesBack = (sentence: string): boolean => takingBack.test(sentence) && !/\?\s*$/.test(sentence);

/** Whether an answer sets something apart from something else: "only by a flag, not in a prompt". */
export const setsApart = (said: string): boolean => hasAnyMatch(said, contrast, turned, notThat, exclusive);

/** Whether an answer says what to do: "keep current: condense on commit". */
export const isOrder = (said: string): boolean =>
  ordering.test(said.replace(lead, "")) && !hasAnyMatch(said, hedge, narration);

/**
 * Whether a sentence of a commit or a record gives a choice and its reason: "Keep the queue in SQLite rather than in
 * files, because a crash must not lose jobs". The reason may be the next sentence.
 */
export function isReasonedChoice(sentence: string, next = ""): boolean {
  const reading = analyseSentence(sentence);
  if (reading === null) return false;
  const { bare, body, content } = reading;
  if (!(reason.test(body) || isReason(next)) || pronounFirst.test(body)) return false;
  if (hasAnyMatch(bare, turning, repaired)) return false;
  const main = removeReason(body);
  if (
    hasAnyMatch(bare, narration, tests, business, tidying, vagueReferencePattern, temporaryPattern, effects)
  )
    return false;
  if (hasAnyMatch(main, hedge, plan, trouble, decidedThat, cannot)) return false;
  const said = body.replace(reasonFirst, "");
  if (declaredFirst.test(said)) return content >= minDeclared;
  if (hasAnyMatch(main, past, changed)) return false;
  const isGood = goodReason.test(body) || isReason(next);
  // "Intentional": what is?
  if (main.search(byIntent) > 2) return isGood && !wasOnce.test(bare) && !chore.test(said);
  const sets = contrast.test(main) || turned.test(main);
  if (chose.test(said)) return sets;
  return sets && isGood && present.test(main) && !chore.test(said) && !hasAnyMatch(bare, happened, wasOnce);
}

/** What something is or does, as far as it tells a choice apart from what once happened. */
const present = compileWords(...choice.words.present);
const happened = compileWords(...choice.words.happened);

/** A sentence that gives the reason for the one before. */
export const isReason = (sentence: string): boolean =>
  /^\W*(?:because|since|rationale|reason|why|this (?:avoids|prevents|keeps|ensures|way|lets)|that way|otherwise)\b(?:\W+\w+){4}/i.test(
    sentence,
  ) && !/[?:]\s*$/.test(sentence);

/** A sentence without its reason: what was or may be is often the reason. */
function removeReason(bare: string): string {
  const withoutFirst = bare.replace(reasonFirst, "");
  const at = withoutFirst.search(reasonStart);
  return at > 0 ? withoutFirst.slice(0, at) : withoutFirst;
}
