import { contentWords } from "../summaries/words.ts";

/**
 * Where a sentence comes from: an agent, or a human who typed it, handed over a plan, or pasted somebody else's words.
 */
export type Manner = "answer" | "typed" | "plan" | "pasted";

/** What speaks for (1) or against (-1) a sentence stating a choice that can be understood alone; 0: either. */
export const signs = {
  /** "Instead of". */
  contrast: 1,
  /** The same with a verb that chooses and nothing that has gone wrong. */
  chosenOver: 1,
  /** "By design". */
  intent: 1,
  /** A verb that chooses: "keeps", "now uses". */
  choice: 1,
  /** It begins with such a verb, as orders do and lists of what was done. */
  order: 1,
  /** The same with a reason or an aside. */
  reasonedOrder: 1,
  now: 1,
  norm: 1,
  typedNorm: 1,
  typedWish: 1,
  reason: 1,
  arrow: 1,
  /** Its subject is named. */
  subject: 1,
  /** Names from the code. */
  names: 1,
  /** Words with a meaning of their own. */
  content: 1,
  hedge: -1,
  /** What was or is, and perhaps should not be. */
  past: -1,
  question: -1,
  /** Work that follows from choices made elsewhere. */
  chore: -1,
  tidying: -1,
  tests: -1,
  /** About the session's own business: branches, reviews, plans. */
  business: -1,
  /** The agent's next step. */
  narration: -1,
  /** A pronoun, and no name. */
  vague: -1,
  typed: 0,
  plan: 0,
  pasted: 0,
} as const;
export type Signals = Record<keyof typeof signs, number>;

/** `'` stands for an apostrophe of either sort. */
const words = (...alternatives: string[]): RegExp =>
  new RegExp(`\\b(?:${alternatives.join("|").replaceAll("'", "['’]")})\\b(?!-)`, "i");

const choosing =
  "keep(?:s|ing)?|kept|us(?:e|es|ed|ing)|drop(?:s|ped)?|replac(?:e|es|ed|ing)|renam(?:e|es|ed)|remov(?:e|es|ed)|" +
  "delet(?:e|es|ed)|stor(?:e|es|ed)|skip(?:s|ped)?|reject(?:s|ed)?|default(?:s|ed)?|prefer(?:s|red)?|requir(?:e|es|ed)|" +
  "ignor(?:e|es|ed)|allow(?:s|ed)?|avoid(?:s|ed)?|treat(?:s|ed)?|return(?:s|ed)?|switch(?:es|ed)?|chang(?:e|es|ed)|" +
  "mov(?:e|es|ed)|take(?:s|n)?|took|accept(?:s|ed)?|stop(?:s|ped)?|preserv(?:e|es|ed)|disabl(?:e|es|ed)|enabl(?:e|es|ed)|" +
  "makes?|made|hid(?:e|es)|hidden|show(?:s|n)?|put|leav(?:e|es)|left|limit(?:s|ed)?|rel(?:y|ies)|includ(?:e|es|ed)|" +
  "exclud(?:e|es|ed)|record(?:s|ed)?|simplif(?:y|ies|ied)|split|respect(?:s|ed)?|redirect(?:s|ed)?|resolv(?:e|es|ed)|" +
  "print(?:s|ed)?|sets?|fails? (?:loudly|early|fast)|(?:go|going|stick|sticking|stay) with";
const chores =
  "add(?:ed|s|ing)?|updat(?:e|ed|es)|fix(?:ed|es)?|creat(?:e|ed|es)|document(?:ed|s)?|check(?:ed)?|verif(?:y|ied)|run|ran|" +
  "test(?:ed)?|read|look|see|find|review(?:ed)?|implement(?:ed)?|refactor(?:ed)?|extract(?:ed)?|pass(?:ed)?|investigate|" +
  "ensure|write|wrote|consider|start|continue|commit|push|merge|rebase|try|debug|adjust|convert|populate|trace|detect(?:ing|s)?";
const adverb = "(?:now|always|never|only|also|just|not|no longer|don't|do not|instead|completely|rather)";
const verb = (before: string, verbs: string): RegExp =>
  new RegExp(`${before}(?:${adverb}\\s){0,2}(?:${verbs})(?![a-z-])`.replaceAll("'", "['’]"), "i");

const choiceAnywhere = verb(
  "(?:^|\\b(?:now|should|must|will|to|we|i|both|which|they|it|N|and|let's|don't|not)\\s)",
  choosing,
);
const choiceFirst = verb("^", choosing);
const choreFirst = verb("^", chores);

/** Looked for in a sentence without its names, quotations and asides. */
const contrast = words("instead of|rather than|in place of|as opposed to|in favou?r of");
const intent = words("intentional(?:ly)?|by design|deliberate(?:ly)?|on purpose|conscious(?:ly)?");
const decided = words(
  "(?:we|i)(?:'ve| have)? (?:explicitly |finally )?(?:decided|agreed|chose|chosen|opted|settled on|picked)",
  "(?:was|were|been) (?:decided|chosen|agreed)|(?:the|our|my) decision (?:is|was) to",
);
const goingWith = words("(?:let's|we'll|we will|i'll) (?:go|stick|stay) with");
const reasonBehind = /(?:,|\s(?:because|since|so that)\s).*$/is;
/** "The cache is intentionally not shared." */
const intended = /\b(?:is|are|stays?|N) (?:intentional|by design|deliberate|on purpose)(?:ly)?\b/i;
const norm = words("should(?:n't| not)?|must(?:n't| not)?|ought to|ha(?:s|ve) to|needs? to");
const wish = words(
  "let's|we should|i(?:'d| would)(?: much)? (?:like|rather|prefer|want|replace|use|keep|drop)",
  "i (?:want|prefer|think we should)|we (?:want|don't want|prefer)|please",
);
const now = words("now");
const hedge = words(
  "could|might|may|maybe|perhaps|consider(?:ing)?|would|suggest(?:s|ed|ion)?|recommend(?:s|ed|ation)?|alternatively",
  "alternatives?|options?|either|wonder(?:ing)?|probably|possibl[ey]|potential(?:ly)?|if (?:you|we)|i guess|i feel|seems?",
  "not sure|unclear|propos(?:e|al)|in theory|can we",
);
const trouble = words(
  "root cause|issues?|problems?|bugs?|fail(?:s|ed|ing|ure)?|broke(?:n)?|missing|incorrect(?:ly)?|wrong(?:ly)?",
  "crash(?:es|ed)?|unrelated|repeatedly|expect(?:s|ed)?|flag(?:s|ged|ging)",
);
const past = words(
  "was|were|had|wasn't|weren't|currently|still|right now|previously|should have|doesn't|isn't|didn't|aren't|i see|your?",
);
const pronoun = /\b[a-z]+ (?:this|that|it|them|those|these|both)\b/i;
const tests = words("(?:sub)?tests?|assert(?:s|ions?|ed)?|fixtures?|mock(?:s|ing)?|coverage|N_test");
const narration = words(
  "let me|i'll|i will|i'm|i am|i've|i need|i see|now i|now let's|let's (?:see|check|look|run|verify|start)",
);
const tidying = words("unused|now-unused|dead|duplicated?|obsolete|orphaned|leftover|stale|outdated");
const business = words(
  "prs?|pull request|commit this|branch(?:es)?|review(?:er|ed)?|lint(?:er)?|push|merge|rebase|todo|plan|comments?|docs?",
  "documentation|readme",
);

/** Looked for in the sentence as it is. */
const reason = words(
  "because|since|as (?:it|we|they)|to (?:avoid|prevent|keep|preserve|ensure|allow|make)",
  "so(?: that)? (?:the|it|we|users?|they|callers?|there|no|that)|otherwise|(?:which|this) (?:avoids|keeps|prevents)",
  "for (?:[a-z]+ )?(?:consistency|simplicity|clarity|safety|security|compatibility|performance|isolation|separation)",
  "no need|no longer needed|unnecessary|overkill|redundant|superseded|avoiding|ensuring|preserving|preserves|cleaner|simpler",
);
const arrow = /→|->|=>/;
const aside = /\([^()]{12,}\)|\s[—–-]\s/;
const question =
  /\?[\s*_)"'`]*$|^\W*(?:should|could|can|do|does|did|is|are|would|will|what|why|how|which|where|who|want|shall|any)\s/i;

/** "This is by design": what is? */
const pronounFirst = /^(?:this|that|these|those|it|they|both|which)\b/i;
const namedSubject = /^(?:the |both |all |each |every )?(?:N|[a-z-]+ N|N [a-z-]+)\s/i;

/** How a sentence is led in: "Good point — ", "Now let me ", "I think ". */
const lead =
  /^(?:(?:now|first|then|so|ok|okay|yes|yeah|no|done|also|and|but|actually|good|fair|great|point|fix|fixed|all|please|i think|i updated|i changed|let me|let['’]s|i['’]ll|we can|to)\b[\s,.:!—–-]*){1,4}/i;
/** A title in front: "Writes: use a rename". */
const title = /^[^:—–]{1,60}(?:[:：]|\s[—–-])\s+(?=\S)/;
/** How an item of a list begins. */
const marker = /^[\s#>*|\d.)-]+(?:[A-H]\)\s)?|^[A-H]\)\s/;
const quoted = /`[^`\n]+`|"[^"]*"|“[^”]*”/g;
/** A name from the code: in backticks, with a capital inside, an underscore, a slash or an extension; an option. */
const name =
  /`[^`\n]+`|\b[a-z]+[A-Z]\w+(?:\(\))?|\b[A-Z][a-z]+[A-Z]\w*(?:\(\))?|\b\w+_\w+\b|\b[\w-]+\/[\w./-]+|\b[A-Z]{2,}\b|(?<!\w)\.\w{2,}\b|--[\w-]+/g;

/** What a sentence shows, from 0 to 1 each, and whether it says itself that it is a decision. */
export interface Reading {
  signals: Signals;
  isDeclared: boolean;
}

export function readingOf(sentence: string, manner: Manner): Reading {
  const said = sentence.replace(marker, "").trim();
  const names = new Set(said.match(name)).size;
  const bare = said
    .replace(quoted, "N")
    .replace(name, "N")
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const body = bare.replace(title, "").replace(lead, "");
  const content = contentWords(bare).size;
  const is = (pattern: RegExp, text = bare) => Number(pattern.test(text));
  const typed = Number(manner === "typed");
  const order = is(choiceFirst, body);
  const choice = Math.max(order, is(choiceAnywhere));
  const asks = is(question, said);
  const isClean = 1 - Math.max(is(trouble), is(past), asks);
  const signals = {
    contrast: is(contrast),
    chosenOver: is(contrast) * choice * isClean,
    intent: is(intent),
    choice,
    order,
    reasonedOrder: order * Math.max(is(reason, said), is(aside, said)) * isClean,
    now: is(now),
    norm: is(norm),
    typedNorm: typed * is(norm),
    typedWish: typed * is(wish) * choice,
    reason: is(reason, said),
    arrow: is(arrow, said),
    subject: is(namedSubject, body),
    names: Math.min(names, 2) / 2,
    content: Math.min(content, 12) / 12,
    hedge: is(hedge),
    past: is(past),
    question: asks,
    chore: is(choreFirst, body),
    tidying: is(tidying),
    tests: is(tests),
    business: is(business),
    narration: is(narration),
    vague: is(pronoun) * Number(names === 0),
    typed,
    plan: Number(manner === "plan"),
    pasted: Number(manner === "pasted"),
  };
  const isPlain = asks === 0 && content + names >= 3;
  // What may happen is often the reason.
  const isSure = is(hedge, bare.replace(reasonBehind, "")) === 0;
  const isChosen = decided.test(bare) || (typed === 1 && goingWith.test(bare));
  const isIntended =
    isClean === 1 &&
    intended.test(body) &&
    signals.tidying + signals.business + signals.narration + is(pronounFirst, body) === 0;
  return { signals, isDeclared: isPlain && ((isSure && isChosen) || (is(hedge) === 0 && isIntended)) };
}
