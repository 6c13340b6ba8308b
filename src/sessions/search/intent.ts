/** The intent of a question about the past, judged by its words. English and Danish. */
export interface SessionIntent {
  /** It asks for the large picture: summaries answer it. */
  isHighLevel: boolean;
  /** It asks for a fix: turns in which an error became a success answer it. */
  isFix: boolean;
  /** It asks for a reason or a choice. */
  isDecision: boolean;
  /** It asks for the latest. */
  isRecent: boolean;
}

const highLevel =
  /\b(overview|summar\w+|recap|overall|in general|big picture|what (did|have) (we|i|you) (do|done|work|worked|been)|work(ed)? on|status of|progress|history of|last session|opsummer\w*|overblik|hvad lavede|hvad har vi lavet)\b/i;
const fix =
  /\b(how (did|do|was|were|have) .{0,40}\b(fix|solv|resolv|repair|debug|get .{0,20}(work|pass))|(fix|fixed|fixes|solved|resolved|workaround|root cause|repaired)\b|what (caused|was wrong|broke)|why (did|was|were) .{0,60}\b(fail|crash|break|broke|hang|flak|wrong|error)|hvordan (fik|løste|rettede|fiksede)|løsningen på)|årsagen til/i;
const decision =
  /\b(why|decid\w+|decision|chose|choose|choice|reason\w*|instead of|rather than|agree\w*|trade-?off|rationale|hvorfor|beslut\w*|valgte|i stedet for|begrund\w*)\b/i;
const recentWords =
  /\b(latest|last time|most recent|recently|newest|just now|yesterday|today|this week|seneste|sidste|for nylig|i går|i dag)\b/i;

export function detectSessionIntent(question: string): SessionIntent {
  return {
    isHighLevel: highLevel.test(question),
    isFix: fix.test(question),
    isDecision: decision.test(question),
    isRecent: recentWords.test(question),
  };
}
