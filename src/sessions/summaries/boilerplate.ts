/** Filler between agents' work, and of people to agents, that is not worth reading again. */

/** "Great! ", "You're absolutely right, ". */
const leadIn =
  /^(?:(?:great|perfect|excellent|wonderful|awesome|nice|good(?: (?:point|catch|question|idea|news|call))?|okay|ok|sure|yes|yep|yeah|no problem|alright|right|got it|i see|understood|of course|absolutely|certainly|wow|ah|aha|hmm|done|all done|thanks?(?: you)?|actually|you(?:'re| are) (?:absolutely |totally |completely )?right|perfekt|fint|super|godt|tak|ja|okay|selvfølgelig|du har ret|det er rigtigt)(?:[!.,:;]+|\s+[-–—])\s*)+/i;

/** "Let me check ...", "Now I'll run the tests", "Here's a summary of the changes:". */
const narration =
  /^(?:(?:now|first|next|then|so|and|also|finally|actually|but|wait|hold on)[,:]? )?(?:let me|let's (?:look|check|see|run|start|verify|find|now|first|also|make sure|try|begin|take|read|explore|continue)|i(?:'ll|'m going to| will| need to| want to| should| can|'m) (?:now |also |first |next |start |begin |just )?(?:look|check|run|start|begin|verify|read|search|examine|review|see|investigate|explore|find|create|write|update|add|fix|do|make|implement|analy[sz]e|need|mark|proceed|commit|continue|take|go|help|launch|trace|rewrite|understand|use the)|(?<=now )(?:update|fix|add|run|create|check|verify|write|remove|rewrite|replace|make|read|test|commit|build)|i(?:'ve| have) (?:now )?(?:a (?:clear|good|complete|thorough|full)|all the|everything|enough)|lad mig|nu (?:vil|skal|kigger|tjekker|kører) (?:jeg|vi)|jeg (?:vil(?: nu)?|skal(?: lige)?|kigger|tjekker|læser|kører|starter))(?![a-zæøå])/i;

/** "... — let me check." */
const aside = /\s+[—–-]\s+(?:let me|lad mig|i'll|jeg vil)\s.*$/i;

const announcement =
  /^(?:here(?:'s| is| are)|below (?:is|are)|this is|these are|the following|summary of|changes made|what (?:was|i) (?:changed|did)|her er|nedenfor)[^.]*:?$/i;

/** Only notes for the agent, or only politeness. */
const empty =
  /^(?:all (?:tests|checks) (?:pass|are passing|passed)|lint passes|tests pass|build succeeds|no issues|let me know|feel free|hope this|is there anything|generated with|co-authored-by)\b[^.]{0,60}[.!]?$/i;

/** `sentence` without its lead-in; "" when nothing worth reading is left. */
export function withoutBoilerplate(sentence: string): string {
  const rest = sentence.replace(leadIn, "").replace(aside, "").trim();
  if (narration.test(rest) || announcement.test(rest) || empty.test(rest)) return "";
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** A prompt that says no more than to go on. */
const goOn =
  /^(?:(?:yes|yep|yeah|no|ok|okay|sure|please|go ahead|continue|go on|proceed|do it|do that|do so|just do it|try again|again|retry|next|done|thanks?|thank you|great|perfect|nice|good|cool|lgtm|looks good|commit|push|merge|amend|force|open|create|draft|pr|a|the|and|it|this|that|them|all|now|then|both|changes|branch|ja|nej|tak|fortsæt|godt|fint|super|gør det|kør|prøv igen|igen|og|det)(?:[\s,.!?&+-]+|$))+$/i;

export function saysOnlyGoOn(prompt: string): boolean {
  return prompt.length < 120 && goOn.test(prompt.trim());
}
