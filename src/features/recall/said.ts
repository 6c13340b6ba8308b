import { formatIsoTime } from "../../base/text/iso-time.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import { rankSentences, type Sentence } from "../../sessions/summaries/said-sentences.ts";
import { askedTokens } from "../../sessions/summaries/sentences.ts";
import type { RecallClaim } from "./operation.ts";

/** A person's own words: sentences of prompts, not what a search finds around them. */

const maxClaims = 12;

/** What a person said about something, what says most of it first, then the latest. */
export function findSaid(sentences: readonly Sentence[], about: string): RecallClaim[] {
  return rankSentences(sentences, askedTokens(about))
    .slice(0, maxClaims)
    .map(
      ({ text, session, author, turn, at }): RecallClaim => ({
        kind: "said",
        text,
        outcome: null,
        by: author ?? "user",
        at: formatIsoTime(at),
        standing: [],
        id: formatTurnPlace(session, turn),
      }),
    );
}
