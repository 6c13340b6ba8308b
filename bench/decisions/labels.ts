import { readFileSync } from "node:fs";

/**
 * A reader's label of a sentence. yes: it states the choice and its subject, clear to somebody who reads nothing else.
 * option: it chooses one of the options listed before. The others decide nothing: question; unclear without context;
 * proposal, perhaps never accepted; passing, about the session itself; no choice at all.
 */
const labels = ["yes", "option", "question", "unclear", "proposal", "passing", "no-choice"] as const;

export interface Label {
  session: string;
  /** uuid of the transcript's line. */
  line: string;
  /** Beginning of the SHA-256 of the sentence's letters. */
  sentence: string;
  label: (typeof labels)[number];
  /** The draw that it is from. */
  sample: Sample;
}

/** What was drawn and labelled at one time. */
type Sample = (typeof samples)[number];
export const samples = ["first", "second", "tuning"] as const;

export function loadLabels(): Label[] {
  const file = readFileSync(new URL("labels.tsv", import.meta.url), "utf8");
  return file
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((row) => {
      const [session = "", line = "", sentence = "", label, drawn] = row.split("\t");
      const known = labels.find((one) => one === label);
      const sample = samples.find((one) => one === drawn);
      if (known === undefined || sample === undefined) throw new Error(`no label: ${row}`);
      return { session, line, sentence, label: known, sample };
    });
}
