import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Something that is shown as a decision. */
export interface Shown {
  /** What it was found in. */
  of: string;
  source:
    | "answer"
    | "option"
    | "prompt"
    | "annotation"
    | "conversation"
    | "adr"
    | "comment"
    | "commit"
    | "memory";
  text: string;
  place: string;
}

/**
 * A reader's verdict, with what stands around it. yes: somebody chose this, about the project, and the text alone says
 * what. unclear: a choice, but of what is not clear without more. The others are none: passing, about the session itself;
 * behaviour, what something does or did; task, something to be done; other.
 */
export const verdicts = ["yes", "unclear", "passing", "behaviour", "task", "other"] as const;
type Verdict = (typeof verdicts)[number];

/**
 * The verdicts by hash. The rules were frozen before each round, and changed by what the first one showed: only the last
 * one says how good they are.
 */
export const rounds = ["first", "second", "third", "fourth"] as const;
type Round = (typeof rounds)[number];

export function loadLabels(round: Round): Map<string, Verdict> {
  const file = readFileSync(new URL("labels.tsv", import.meta.url), "utf8");
  const rows = file.trimEnd().split("\n").slice(1);
  return new Map(
    rows.flatMap((row) => {
      const [hash = "", label, drawnIn] = row.split("\t");
      if (drawnIn !== round) return [];
      const verdict = verdicts.find((one) => one === label);
      if (verdict === undefined) throw new Error(`no label: ${row}`);
      return [[hash, verdict] as const];
    }),
  );
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Names a decision by its letters. */
export const hashOf = ({ of, text }: Pick<Shown, "of" | "text">): string =>
  digest(`${of} ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")}`).slice(0, 16);

/** In an order that a seed gives. */
export function drawn(some: readonly Shown[], seed: string): Shown[] {
  return some.toSorted((a, b) =>
    digest(`${seed} ${hashOf(a)}`).localeCompare(digest(`${seed} ${hashOf(b)}`)),
  );
}
