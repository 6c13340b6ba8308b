import { extractContentWords } from "../summaries/prose.ts";

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

/** An order: "Use", "Keep", "Don't". */
const ordering = compileFirstWords(
  "use|keep|leave|stay|stick|go|drop|prefer|store|put|rename|call|name|make|move|replace|switch|change|default to|pin|reuse",
  "avoid|allow|treat|require|return|show|hide|split|derive|compute|read|write|pass|run|rely|limit|standardi[sz]e|migrate",
  "remove|skip|have|do|be|track|expose|accept|reject|inline|embed|share|load|cache|model|represent|select|choose|pick|reserve",
  "always|never|don't|do not|only",
);
const absolute = compileFirstWords("always|never");
/** An author who tells what they chose: "Uses", "Kept", "Switched". */
const chose = compileFirstWords(
  "uses?|used|keeps?|kept|leaves?|left|stays?|stick|sticks|drops?|dropped|prefers?|preferred|stores?|stored|puts?|moves?|moved|replaces?",
  "replaced|switch(?:es|ed)?|pins?|pinned|reuses?|reused|avoids? using|default(?:s|ed)? to|cho(?:o?se|oses|sen)|picks?|picked|opt(?:s|ed)?",
  "reserves?|inlines?|inlined|embeds?|models?|derives?|derived|selects?|requires?|rel(?:y|ies)|go|goes|went|make|do|don't|skip|skips|skipped",
  "deliberately|intentionally|explicitly|never|always|only|limits?|limited|treats?|restrict(?:s|ed)?|scopes?|scoped|split|splits",
);

const contrast = compileWords(
  "instead of",
  "rather than",
  "in place of",
  "as opposed to",
  "in favou?r of",
  "over using",
);
const turned =
  /,\s+(?:and\s+|but\s+)?not\s+\w|\band\s+not\s+\w|\bnot\s+[^,.;]{3,60},?\s+but\s+(?=\w)(?!this|that|it|we|i\b)/i;
const insteadAlone = /\binstead\b/i;
const everywhere = compileWords(
  "always",
  "never",
  "only",
  "everywhere",
  "by default",
  "no longer",
  "from now on",
  "going forward",
);
const reasons = [
  "because",
  "since (?!v?\\d|then|the (?:last|first|beginning|start)|when)",
  "so that",
  "to (?:avoid|prevent|preserve|ensure|guarantee|stay|match|minimi[sz]e|reduce|limit|respect|simplify|make sure|let|allow|keep|stop|survive)",
  "otherwise",
  "(?:which|this|that) (?:avoids|keeps|prevents|ensures|preserves|makes|lets|allows)",
  "(?<=, (?:thus |thereby )?)(?:avoiding|ensuring|preserving|preventing|keeping|allowing|letting)",
  "due to|given (?:that|the|how)|in order to|for (?:\\w+ )?(?:consistency|simplicity|clarity|safety|security|compatibility|performance|isolation|parity|readability)",
  "we don't want|we do not want|i don't want|don't need|do not need|no need",
];
const reason = compileWords(
  ...reasons,
  "so (?!far|much|many|long|called|on|forth|is|do|did)",
  "(?<=, )as (?:it|they|we|the|this|that|there) ",
);
/** A reason and no bad consequence: "so errors vanish" may be what was repaired, "so it cannot drift" is what for. */
const goodReason = new RegExp(
  `${compileWords(...reasons).source}|\\bso\\b[^.;]{3,120}\\b(?:cannot|can['’]?t|can never|still|always|stays?|keeps?|remains?|survives?)\\b|(?:[:—–]|, (?:and|which))\\s[^.]*\\bwould\\b`,
  "i",
);
const reasonStart = new RegExp(`${reason.source}|[:—–]\\s[^.]*\\bwould\\b`, "i");
/** What gives a reason first: "Since the ledger is slow, ...". */
const reasonFirst = /^(?:since|because|as|given|to|for|when|if)\b[^,]{8,160},\s+/i;

const question =
  /\?[\s*_)"'`]*$|^\W*(?:should|could|can|do|does|did|is|are|would|will|what|why|how|which|where|who|want|shall|any)\s(?!not\b|n['’]t)/i;
const hedge = compileWords(
  "might|may|maybe|perhaps|consider(?:ing)?|could|alternatively|wonder(?:ing)?|probably|possibl[ey]|potential(?:ly)?|i guess|i feel",
  "not sure|unclear|never mind|we can|propos(?:e|es|ed|al)|in theory|can we|can you|could you|what if|ideally|would (?:be|it)|suggest(?:s|ed|ion)?|tbd",
);
const plan = compileWords(
  "will|todo|later|follow-?ups?|eventually|soon|next|going to|plan(?:s|ned)?|future|upcoming|phase|milestone|pending|not yet|yet",
);
const trouble = compileWords(
  "issues?|problems?|bugs?|fail(?:s|ed|ing|ures?)?|broke(?:n)?|breaks?|incorrect(?:ly)?|wrong(?:ly)?|crash(?:es|ed|ing)?|regress\\w*|symptoms?",
  "mistaken(?:ly)?|accidental(?:ly)?|silently|flaky|stale|leak(?:s|ed|ing)?|errors? (?:out|when|because)|root cause|hangs?|hung",
);
const past = compileWords(
  "was|were|had|wasn't|weren't|did|didn't|used to|previously|before this|until now|currently|right now|still|formerly|originally|earlier",
);
const wasOnce = compileWords("was|were|had|did|didn't|previously|before this|until now");
const tests = compileWords(
  "(?:sub)?tests?|tested|testing|assert(?:s|ions?|ed|ing)?|fixtures?|mock(?:s|ed|ing)?|coverage|covered|specs?|snapshots?|stub(?:s|bed)?|verif(?:y|ies|ied)",
);
const business = compileWords(
  "prs?|pull request|commit (?:this|it|message)|reviewers?|review|lint(?:er)?|biome|eslint|prettier|rebase|readme|changelog|typos?|docs?|documentation|comments?|wording|documented",
);
const narration = compileWords(
  "let me|i'll|i will|i'm|i am|i've|i have|i need|i see|now let's|let's (?:see|check|look|run|verify|start|try|do|fix|add|write|create|update|review|commit|push)",
);
const tidying = compileWords(
  "unused|now-unused|dead code|duplicated?|duplication|obsolete|orphaned|leftover|outdated|redundant",
);
/** "I picked the latter": which? */
const vagueReferencePattern = compileWords(
  "the (?:latter|former|same|above|following)|such an?",
  "(?:this|that|these|those) (?:solution|approach|way|option|design|method)|options? (?:[a-h]|\\d)",
);
/** "We decided to drop this dependency", "we opted for 14 months instead": of what? */
const decidedThat =
  /\b(?:chose|chosen|opted|decided|agreed|picked|went)\b[^.]{0,40}\b(?:it|this|these|those|instead)\b/i;
/** What cannot be, or is not so, explains a choice that stands elsewhere. */
const cannot = compileWords(
  "cannot|can't|could not|couldn't|does not|doesn't|do not (?:use|need|expose|have)|don't need",
);
/** Not for long. */
const temporaryPattern = compileWords("temporar(?:y|ily)|for now|for the (?:time being|moment)");
/** Trouble is told like this. */
const turning = /^(?:but|however|although|though|yet|still|while|unfortunately|the reason)\b/i;
const effects = compileWords(
  "no effect|causing|without this|never (?:triggers?|fires?|runs?|matches)|killing|losing|unusable|so nothing|go(?:es)? unnoticed",
);
/** "Do that instead": what? */
const vague =
  /\b(?:do|use|go with|keep|prefer|like|want|make|change|remove|drop|call|put|move|leave|pin|store|treat)\s+(?:this|that|it|them|those|these|one)\b/i;
const pronounFirst = /^(?:this|that|these|those|its?|they|their|both|which|he|she|there|here)\b/i;

const declaredFirst =
  /^(?:(?:we|i)(?:['’]ve| have)? (?:decided|agreed|settled|settle|opted|chose|chosen|went with|picked)|the decision (?:is|was) to)\b/i;
const declared = compileWords(
  "(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|opted|chose|chosen|went with|picked)",
  "(?:the )?decision (?:is|was) to",
);
const byIntent = compileWords("by design|deliberately|intentionally|on purpose|purposely");
/** A person who typed it wants it. */
const wish = compileWords(
  "let's|i'd like|i would like|we should|we shouldn't|we should not|we'll|we must|we want|we don't want|we do not want|i'd (?:rather|prefer)|i would (?:rather|prefer)|i prefer|i want|i don't want|i do not want|please|i think we should|we need to",
);
const adopting =
  /\b(?:let['’]?s|we should|we['’]ll|we must|please|i want (?:to|us to)|we want to|i['’]?d (?:rather|prefer)(?: to| we)?|i think we should)\s+(?:not\s+|always\s+|never\s+|only\s+|just\s+|rather\s+)*(?:use|keep|stick (?:with|to)|go with|stay with|default to|standardi[sz]e on|switch to|rely on|store|name|call|rename|drop|avoid|treat|support only|replace)\b/i;

/** How a sentence is led in: "Good point: ", "Yes, but ". */
const lead =
  /^(?:(?:now|first|then|so|ok|okay|yes|yeah|yep|no|nope|also|and|but|actually|good|fair|great|point|alright|all right|hmm|cool|i think|well)\b[\s,.:!—–-]*){1,4}/i;
/** What was repaired: "Fix the flash: use a ref". */
const repaired = /^\W*(?:hot)?fix(?:es|ed)?\b/i;
/** A title in front: "Writes: use a rename", "fix(queue): keep the order". */
const title = /^[^:—–.]{1,60}(?:[:：]|\s[—–-])\s+(?=\S)/;
const marker = /^[\s#>*|\d.)-]+(?:[A-H]\)\s)?|^[A-H]\)\s/;
const quoted = /"[^"]*"|“[^”]*”|(?<!\w)'[^']{2,}'(?!\w)/g;
/** A name from the code: in backticks, with a capital inside, an underscore, a slash or an extension; an option. */
const name =
  /`[^`\n]+`|\b[a-z]+[A-Z]\w+(?:\(\))?|\b[A-Z][a-z]+[A-Z]\w*(?:\(\))?|\b\w+_\w+\b|\b[\w-]+\/[\w./-]+|(?<!\w)\.\w{2,}\b|--[\w-]+/g;

/** A commit's subject, as squashed bodies list them: "fix(queue): keep the order". */
const subject = /^(?:fix|feat|chore|docs?|tests?|refactor|perf|style|build|ci|revert)(?:\([^)]*\))?!?:/i;
/** Work that follows from choices made elsewhere. */
const chore = compileFirstWords(
  "(?:also )?(?:fix|add|update|handle|ensure|document|extract|refactor|implement|introduce|detect|correct|address|simplify|optimi[sz]e|bump)(?:e?s|e?d|ing)?",
);
/** What something does since: behaviour. */
const changed = /\bnow\b/i;

interface Reading {
  /** Without markers, with N for names from the code and Q for quotes. */
  bare: string;
  /** The same without what leads in. */
  body: string;
  content: number;
}

function analyseSentence(
  sentence: string,
  leastContent = minContent,
  leastWords: number = limits.minWords,
): Reading | null {
  if (sentence.length > limits.maxCharacters || sentence.startsWith("<")) return null;
  const count = sentence.split(/\s+/).length;
  if (count < leastWords || count > limits.maxWords) return null;
  const said = sentence.replace(marker, "").trim();
  const names = new Set(said.match(name)).size + (said.match(quoted)?.length ?? 0);
  const bare = said
    .replace(name, "N")
    .replace(quoted, "Q")
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const body = bare.replace(title, "").replace(lead, "");
  const content = extractContentWords(bare).size + names;
  if (
    !isWhole(said) ||
    question.test(said) ||
    said.endsWith(":") ||
    subject.test(said) ||
    content < leastContent
  )
    return null;
  return { bare, body, content };
}

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
  if (!adopting.test(bare) && !(isOrder && absolute.test(body))) return false;
  return hasAnyMatch(bare, turned, insteadAlone, everywhere, reason);
}

/** What something shall be, or where it shall come from. */
const norm = compileWords(
  "should(?:n't)?(?: not)?|must(?:n't)?(?: not)?|needs? to|has to|have to|is supposed to|are supposed to|ought to|shall",
);
const place = compileWords(
  "comes? from|goes? (?:in|into|to|under)|belongs?|lives? in|stays?|is the source of",
);
const notThat = /,\s+(?:and\s+|but\s+)?not\s+\w/i;
const condition = compileWords("if|when|unless|until|whenever|as long as|for (?:all|every|each|any)|in case");
const exclusive = compileWords(
  "only|always|never|by default|everywhere|no longer|from now on|at most|at least|regardless",
);
const forbidding = compileFirstWords("don't|do not|never|avoid|no|not");
/** Of the work at hand rather than of the project. */
const ofTheWork = compileWords(
  "prs?|pull request|commit(?:ting|s)?|push(?:ed|ing)?|(?:this|current|new) branch|branch(?:es)? (?:now|here|first)|rebase|review(?:ers?|ed)?|continue|before (?:we|you)|for me|your|you|agents?|sub-?agents?",
  "bugbot|linear|figma|screenshot|summary|check(?:ed|ing)?|look(?:ed|ing)? (?:at|into)|investigat\\w*|try|run|step|next|todo|task|plan|document(?:ation)?|docs?|readme|claude\\.md",
);
/** A command or a field that is taken away, or another name, is a choice in few words. */
const fewContent = 1;
const fewWords = 4;
const ownVoice = compileWords("we|i|i'd|let's|our|us|my|please");
/** It waits for an answer, or names nothing. */
const unclear = /\bright\s*[?.]?$|\b(?:solution|something|stuff|things?|better|robust|cleaner|nicer)\b/i;
const dropsFirst =
  /^(?:completely |entirely )?(?:remove|drop|hide|get rid of)\b.{3,}\b(?:entirely|completely|altogether|instead)\b/i;
const wishing =
  "\\b(?:let['’]?s|we should|we must|please|i want to|i want us to|i['’]?d like (?:us )?to|i would (?:rather|prefer to)|we want to)\\s+(?:also\\s+|completely\\s+|just\\s+|simply\\s+|entirely\\s+|really\\s+|not\\s+|then\\s+|still\\s+|rather\\s+)*";
const dropping = new RegExp(
  `${wishing}(?:(?:remove|drop|hide|keep(?! (?:going|on|at|up|it|this|that|in mind|working|looking)\\b)|disable|deprecate|get rid of|default)\\b(?:\\W+\\w+)+|make\\b.{3,60}\\b(?:hidden|optional|required|default|configurable|private|public|internal|read-?only|explicit)\\b|(?:replace|rename|change|swap|switch)\\b.{3,90}\\b(?:with|by|to|into)\\b)`,
  "i",
);
const onlyWhen = compileWords("only (?:when|if|after|for|in|on|with|once|where)");
/** "Option 1 does not work since the hash can change". */
const rejects = compileWords(
  "(?:does not|doesn't|won't|will not|cannot|can't) work (?:because|since|as|here because)",
);
const decidedAgainst =
  /\b(?:defer|postpone|skip|leave (?:out|off)|no need (?:for|to)|not worth|out of scope|overkill|abandon)\b/i;

/**
 * Whether a sentence that a person typed sets a rule for what is built: "the author comes from the metadata, not from
 * settings", "only hidden sessions should be skipped, since they have no prompt", "let's remove the start command".
 */
export function isTypedRule(sentence: string): boolean {
  const reading = analyseSentence(sentence, fewContent, fewWords);
  if (reading === null) return false;
  const { bare, body, content } = reading;
  if (rejects.test(bare) && !hasAnyMatch(bare, hedge, narration, tests)) return content > minDeclared;
  if (hasAnyMatch(bare, hedge, vague, vagueReferencePattern, narration, business, unclear)) return false;
  const main = removeReason(bare).replace(/,\s+(?:and\s+|but\s+)?not\s.*$/, "");
  if (hasAnyMatch(main, trouble, past, ofTheWork, tidying)) return false;
  if (onlyWhen.test(bare) && (reason.test(bare) || /,\s+(?:they|it|that)\b/i.test(bare) || norm.test(main)))
    return true;
  if (dropping.test(bare) || dropsFirst.test(body)) return !tests.test(bare);
  if (content < minContent || pronounFirst.test(body)) return false;
  const isForbidden = forbidding.test(body);
  // A reviewer's words, pasted, speak of the code alone.
  const isOwn =
    ownVoice.test(bare) || isForbidden || ordering.test(body) || /^[\s\p{P}]*\p{Ll}/u.test(sentence);
  if (!isOwn) return false;
  const isRule = hasAnyMatch(bare, turned, contrast, exclusive, reason) || notThat.test(bare);
  if (tests.test(bare)) return exclusive.test(bare) && norm.test(main);
  if (place.test(main) && notThat.test(bare)) return true;
  if (norm.test(main) && isRule) return true;
  if (isForbidden) return condition.test(bare) || reason.test(bare) || content > minDeclared;
  return decidedAgainst.test(bare) && (wish.test(bare) || ordering.test(body));
}

/** Words with which an agent says what it chose. */
const agentChose =
  /\b(?:I|we)(?:['’]ve| have)?\s+(?:deliberately |intentionally |also )?(?:chose|chosen|decided|opted|went with|picked|kept|left|avoided|used|preferred)\b/i;

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
const present = compileWords(
  "is|are|stays?|keeps?|uses?|derives?|goes|lives?|belongs?|runs?|reads?|writes?|takes?|comes?|returns?|defaults?|prefers?|stores?|treats?",
  "relies|rely|falls?|resolves?|requires?|accepts?|rejects?|sends?|waits?|counts?|compares?|matches|checks?|loads?|sits?|wins?|carries|holds?|opens?",
  "skips?|renders?|picks?|points?|lists?|names?|owns?|shares?|drops?|marks?|maps?|maintains?|remains?|bypasses|states?|decides?|trusts?|caches|computes?|gets?",
);
const happened = compileWords(
  "(?<!\\b(?:is|are|be|been|being|not|as) )(?:showed|threw|failed|took|went|sent|ran|came|gave|lost|fell|got|made|returned|produced|caused|reported|rendered|matched|ignored|assumed|flagged|found|leaving|leaves|left)",
);

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
