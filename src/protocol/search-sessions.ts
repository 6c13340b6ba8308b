import * as z from "zod/mini";
import type { Shaped } from "./shape-parts.ts";
import {
  agent,
  branch,
  described,
  field,
  lazy,
  limit,
  places,
  revision,
  sessionField,
  since,
  text,
  until,
} from "./shape-parts.ts";
import { chunkKinds, chunkTypes, matchModes, resultUnits, searchModes, searchPlaces } from "./values.ts";

export const inPackage = field("only this package, by its name or directory (`pm code packages`)", text);

export const explain = field("show each ranking signal's contribution", z.boolean());

export const by = field(
  "a result for each file and session (default), or for each chunk and turn",
  z.enum(resultUnits),
);

export const transcriptSearchRequest = lazy(() =>
  z.object({
    q: described('what it was about: "why do we retry"', text),
    since,
    until,
    type: field("only these types (annotated: notes by people)", z.array(z.enum(chunkTypes))),
    kind: field("only these kinds", z.array(z.enum(chunkKinds))),
    file: field("only turns that touched these paths or globs", places),
    package: inPackage,
    session: sessionField,
    commit: field("only what led to this commit or checkpoint", revision),
    event: field("only this event (id or title)", text),
    branch,
    agent,
    author: field("only commits by, or sessions shared by, people whose name contains this", text),
    team: field("only what colleagues shared", z.boolean()),
    mine: field("only your own, without what colleagues shared", z.boolean()),
    in: field(
      "content: search everything that was said, and the output of tools, for these exact words",
      z.enum(searchPlaces),
    ),
    match: field(
      "with `in`: exact: content that contains the query as it is; regex: content that matches it as a pattern (RE2)",
      z.enum(matchModes),
    ),
    mode: field(
      "fts: words; semantic: meaning; hybrid: both; regex: RE2; default: hybrid",
      z.enum(searchModes),
    ),
    by,
    limit,
    explain,
  }),
);

export type TranscriptSearchRequest = Shaped<typeof transcriptSearchRequest>;

/** The unit of a search of sessions, by default turns within one session, else sessions. */
export function chooseResultUnit({
  by,
  session,
}: Pick<TranscriptSearchRequest, "by" | "session">): "session" | "turn" {
  return by === "session" || by === "turn" ? by : session === undefined ? "session" : "turn";
}
