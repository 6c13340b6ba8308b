import type { Decision } from "../../protocol/operations/decisions.ts";

/** A decision of which only this much is known. */
export const decisionWith = (known: Pick<Decision, "source" | "text"> & Partial<Decision>): Decision => ({
  place: null,
  session_id: null,
  session_title: null,
  turn: null,
  timestamp: null,
  branch: null,
  files: [],
  score: null,
  superseded_by: null,
  supersedes: [],
  ...known,
});

/** Whose it is, where a colleague shared it. */
export const authorOf = ({ author }: { author?: string | null | undefined }): Pick<Decision, "author"> =>
  author == null ? {} : { author };
