/**
 * Words that distinguish a decision from other talk about code, in English and Danish. Each pattern reads a sentence
 * once: no repetition within a repetition, so its time grows linearly with the sentence.
 */

/** Bounded by what is no letter, digit or part of a name. `'` stands for an apostrophe of either sort. */
const words = (...alternatives: string[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_'’-])(?:${alternatives.join("|").replaceAll("'", "['’]")})(?![\\p{L}\\p{N}_-])`,
    "iu",
  );

/** "... uses it instead of ...", "... was chosen because:": the end or the object is elsewhere. */
export const dangling =
  /\b(?:it|this|that|them|these|those) (?:instead of|rather than)\b|\b(?:instead|because)[\s.!:]*$/i;

/** Nothing is a decision without one of these: looked for first, as most sentences have none. */
export const anyCue =
  /instead|overkill|unnecessary|needed|keep|leave|rather|in place of|opposed to|intention|by design|deliberate|on purpose|conscious|decid|decision|agreed|chos|opted|settled|picked|let['’]s|should|must|never|always|want|prefer|no need|go with|only way|right|correct|proper|fix needs|because|to avoid|to prevent|so that|so (?:the|it|we|users|they|caller|there)|since|for (?:consis|simpl|safe|secur|compat|backw|future)|stedet|frem for|med vilje|bevidst|valgt|beslut|aftalt|lad os|skal|hellere|foretræk|ikke have|fordi|for at|aldrig|altid/i;

/** It is asked, not said. */
export const question =
  /\?[\s*_)"'`]*$|^\W*(?:should|could|can|do|does|did|is|are|would|will|what|why|how|which|where|who|want me|shall|any|skal|kan|vil|hvorfor|hvordan|hvilke[nt]?)\s(?!not\b)/i;

/** The agent announces its next step. */
export const narration =
  /^\W*(?:(?:now|ok|okay|good|first|next|great|perfect|actually|then|also|yes|so|done|right|since [^,]{0,80})\b[\s,.!:—-]{0,4}){0,4}(?:let me|let['’]s (?:see|check|look|run|verify|start|move|also|add|fix|update|continue)|i(?:['’]ll| will| need to| should| also need to|['’]m going to|['’]ve|['’]m using| can| see)|now (?:i|we|update|add|remove|fix|replace|the tests?))(?!\p{L})/iu;

/** An item of an agent's to-do list, or a task for somebody. */
export const task =
  /^\W*(?:add|update|fix|extract|document|move|consider|ensure|make sure|check|verify|run|test)\b(?!:)/i;

/** Only the messages before show what it is about: "Use that one." */
export const pointsBack =
  /^\W*(?:(?:yes|yeah|ok|okay|no|nah|right|good|and|but|so|then|also|sure)\b[\s,.!—-]{0,4}){0,4}(?:(?:let['’]s|we should|i['’]d|i would|i['’]ll|please)\s+)?(?:(?:just|also|rather)\s+)?(?:keep|drop|use|do|remove|leave|try|add|go with|stick with|make|move|rename|implement|roll|like|flip|change|put|prefer|want|want to \w+|don['’]t want)\s+(?:it|this|that|them|those|these|both|one|back|so|the (?:first|second|third|last|other|former|latter)(?: one)?|your|option|approach)\b/i;

/** Weighed, proposed, or wished for by somebody else: not chosen. */
export const proposal = words(
  "consider(?:ing)?|could|might|maybe|perhaps|would(?!'ve| have| like| rather| prefer| never)|wouldn't|suggest(?:s|ed|ion)?",
  "recommend(?:s|ed|ation)?|options? [a-d1-9]|alternatively|alternatives?|either|you(?:'d| would)|i wonder|wondering",
  "probably|one (?:way|option)|possible|potential(?:ly)?|if (?:you|we) (?:want|prefer|like)|up to you|pros|cons|we can(?!'t|not)|can (?:use|consolidate|also)|for example|per the",
  "my take|not sure|unclear|claims?|quick question|earlier you|the fix requires|worth|can be",
  "måske|kunne|anbefaler|foreslår|alternativt|muligvis",
);
/** The same for a human, who says "I would" for what they want. */
export const hesitation = words(
  "maybe|perhaps|wondering|i wonder|could|consider|in theory|seems?|suggest|propose|not sure|the fix requires|is intended to|claims?",
  "expected|måske|kunne",
);

/** Facts, events and errors: reports, not choices. */
export const trouble = words(
  "root cause|the (?:issue|problem|bug|error)|bugs?|fail(?:s|ed|ing|ure)?|broke(?:n)?|missing|incorrect(?:ly)?",
  "wrong(?:ly)?|crash(?:es|ed)?|bypassed|currently|still|silently|overwriting|real issue|should have|lacks?|unrelated|similarly|the key|comments?|to (?:say|show|expect)|same issue|loop variable|shadowing|explain(?:s|ed)|false positive|suspicion|the same fix|should see|shows|showing|we're|i like|we (?:hit|have|see|get)|were|was never|tries|tried|stale|unused",
  "never (?:reached|read|executes|validated|called|set|shown|captured)|doesn't|isn't|didn't|won't (?:work|help)",
  "undefined|fejl(?:er|ede)?|virker ikke",
);

/** About tests, reviews and the commit at hand: soon over. */
export const passing = words(
  "(?:unit |integration |e2e |[a-z]+-[a-z]+ )?tests? (?:to|should|that|expects?|is|are|still|now)|assert(?:ions?|s|ed)?",
  "pr (?:title|description)|commit message|lint(?:er)?(?: error)?s?|todo list|next step|verif(?:y|ies|ied)",
  "commit this|review|this (?:pr|commit)|my changes|all remaining",
);

/** One thing and not the other. */
export const contrast = words("instead of|rather than|in place of|as opposed to|i stedet for|frem for");
export const intent = words(
  "intentional(?:ly)?(?! (?:design|pattern))|by design|deliberate(?:ly)?|on purpose|conscious(?:ly)?|med vilje|bevidst",
);
/** "This is intentional - ...": the subject follows. */
export const thisIsIntended =
  /^(?:this|that|it) is (?:actually |also )?(?:intentional|by design|deliberate|on purpose)\s*[-—–:,]+\s*(?=(?!this|that|these|it)\S)/i;
/** A sentence that states a decision. */
export const decided = words(
  "(?:we|i)(?:'ve| have)? (?:explicitly )?(?:decided|agreed|chose|choosed|chosen|opted|settled|picked)",
  "(?:was|were|been) (?:decided|chosen|agreed)|(?:the|our) decision (?:is|was) to",
  "vi (?:har )?(?:valgte?|besluttede|besluttet|aftalte?)|besluttet|beslutning(?:en)?(?::| er| blev)",
);
/** A human's wish, positive or negative. */
export const wish = words(
  "let's (?:\\p{L}+ly )?(?:include|record|use|keep|drop|go with|stick (?:to|with)|switch|not|leave|replace|call|rename|avoid|store|remove)",
  "let's (?:try the|make (?:sure )?(?:the|it|all|every))",
  "we (?:should(?:n't| not)?|must(?: not)?)(?! (?:keep in mind|look|see|check|discuss|figure|think|talk|try|investigate|understand|definitely|review|be able))",
  "we (?:don't want|do not want|never|always)",
  "i'?d (?:rather|prefer)|i would(?: much)? (?:rather|prefer|replace|use|keep|drop|remove)|i (?:want(?! to (?:talk|discuss|know|see|understand|learn|check|invert))|prefer|rather|don't want)",
  "(?<=^\\W*)there (?:should|must) be|no need|go with|the only way",
  "lad os (?:bruge|beholde|droppe|tage|gå med|undgå|kalde|skifte)|vi skal (?:ikke|aldrig|altid)|vi går med",
  "jeg (?:vil hellere|foretrækker|vil ikke have)",
);
export const rightWay = words(
  "the (?:right|correct|proper) (?:approach|fix|way|solution|choice|call)|the fix needs",
);
/** A rule for how something should be. */
export const norm = words(
  "(?:should|must)(?: not|n't)? (?:always|never|only|include|use|stay|live|keep|prompt|store|go (?:in|to|through))",
  "(?:should|must)(?: not|n't) (?:prevent|block|depend|rely|require|change|overwrite|write|read|call|import|know)",
  "(?:should|must)(?: not|n't)? (?:return (?:immediately|early)|enable|disable)",
  "(?:should|must)(?: not|n't)? be (?:removed|stored|kept|committed|ignored|skipped|preserved|entirely|inside|separate|one|the)",
  "(?:should|must)(?: not|n't)? be (?:scoped|shown|limited|based|named|computed|resolved|read|written|put|made|treated|optional|required|handled|done|part|in|on|at|called|renamed|replaced|an?)",
);
/** The same words for things to be seen, or for the reader. */
export const noNorm = words(
  "should(?:n't| not)? (?:now|work|pass|see|match|show|contain|happen)|be on the same|expected|users should|you should|(?:it|they|this) (?:should|must)|would be (?:great|nice|good)",
);

export const reason = words(
  "because|to avoid|to prevent|so that|so (?:the|it|we|users|they|callers|there)|since (?:the|it|we|they|there)",
  "for (?:consistency|simplicity|safety|security|compatibility|backwards?|future)|fordi|for at (?:undgå|forhindre)",
);
/** It begins with the action from now on, mostly after its subject: "Writes: uses a rename". */
export const choice =
  /^(?:[^:—–]{1,60}(?:[:—–]|\s-\s)\s*)?(?:the [\w` .-]{1,60} (?:was|were|is|are) |[\p{L}`(][\p{L}\p{N}`() ,.'_-]{1,70} (?=(?:uses?|keeps?|stores?|skips?|rejects?|defaults?)\s(?!.* so the )))?(?:now |always |never |only |we )?(?:keeps?|kept|us(?:es?|ed)|drop(?:s|ped)?|reject(?:s|ed)?|renam(?:es?|ed)|replac(?:es?|ed)|stor(?:es?|ed)|skip(?:s|ped)?|always|never|only|stop(?:s|ped)?|treat(?:s|ed)?|defaults?|not|do not|don['’]t|making|require[sd]?|prefer(?:s|red)?|ignor(?:es?|ed)|moved|changed|made|extracted|switched|wrapped|disabl(?:es?|ed)|separate|standalone|early return|bruger?|beholder?|dropper?|aldrig|altid)(?!\p{L})/iu;

/** A sentence that begins like this gives the reason for the one before. */
export const reasonNext =
  /^\W*(?:because|since|rationale|reason|why|this (?:avoids|prevents|keeps|means|ensures|way)|that way|otherwise|fordi|ellers|grunden)\b/i;

/** A name from the code: in backticks, with a capital inside, an underscore, a slash or an extension. */
export const codeName =
  /`[^`\n]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+\b|\b[\w-]+\/[\w./-]+|\b[A-Z]{2,}\b|\.\w{2,}\b/;

/** The speaker means themselves: a pasted review does not. */
export const speaks = /\b(?:i|we|us|our|my|me|let['’]?s|please|yes|yeah|ok|okay|no|nah|jeg|vi|os|vores)\b/i;

/** It continues an earlier sentence: "This ensures ...", "So it ...", or begins with a quotation. */
export const continues =
  /^\W*(?:this|these|those|that|it|they|[\w./-]+:\d+:|confirmed|valid|your|you|you['’]re|if|because|since|both|there|but|instead|and|for now|here)\b|^so (?!`)|^["“'✓✅]/i;
/** About tests. */
export const aboutTests = /\b(?:sub)?tests?\b/i;
export const testName = /_test\b|Test[A-Z]|\btest[A-Z]/;
/** A contrast needs one of these to be a choice, not a mishap. */
export const change = words(
  "now|uses?|used|using|chang(?:ed?|es|ing)|switch(?:ed|es|ing)?|replac(?:ed?|es|ing)|should|must|we (?:now|use|make|keep|store|put|call)|prefer|stored?|stores",
  "keeps?|kept|defaults?|calls?|makes?|resolved?|takes?|put|renam(?:ed?|es)|refactor(?:s|ed)?|treat(?:s|ed)?|extract(?:s|ed)?",
  "gets?|prompts?|updat(?:ed?|es)|fixed|returns?|requires?|nu|bruger?|skal",
);
/** The same of a human. */
export const continuesHuman =
  /^\W*(?:but|however|i['’]ve|i have|i see|then|that|that['’]s|this|it|they|these|those|like|e\.g\.|if|for example|actually)(?!\p{L})/iu;
/** The object of the choice is a pronoun. */
export const pronounObject =
  /\b(?:implement|do|have|see|keep|use|add|drop|remove|make|get|fix|change|include|need|want) (?:this|that|it|them|those|these)\b/i;

/** Something is not done, and why. */
export const needless =
  /\b(?:unnecessary|overkill|not needed|no longer needed|redundant)\b.{0,80}\b(?:because|since|as)\b/i;
/** A plan leaves something as it is. */
export const keeps = /^(?:keep|leave|behold|lad)\b/i;
