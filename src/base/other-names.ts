import data from "./other-names.json" with { type: "json" };

/**
 * What other memories of agents, and Pommel's first designs, call what Pommel has: the source of errors that name today's name,
 * and of docs/coming-from.md. A name that works as well stands here only where Pommel has another for it.
 */

export const otherOrigins = {
  first: "Pommel's first designs",
  ec: "EntireContext (`ec`)",
  recall: "cc-recall",
  camille: "Camille's memory hook",
} as const;

/** value: of an option. argument: of a tool. field: of JSON that Pommel answers. variable: of the environment. */
export const otherKinds = [
  "command",
  "option",
  "value",
  "tool",
  "argument",
  "field",
  "setting",
  "variable",
] as const;
export type OtherKind = (typeof otherKinds)[number];

interface OtherName {
  from: keyof typeof otherOrigins;
  kind: OtherKind;
  /** As it is written: of an option with its command, of an argument with its tool's name here. A word in capitals is any. */
  name: string;
  /** Pommel's names for it; none: it has nothing like it, and `note` says why. A setting's may be followed by a value. */
  today: readonly string[];
  /** A sentence. */
  note?: string;
}

/** other-names.json has the rows; a row's note is a key of its `notes`. */
export const otherNames: readonly OtherName[] = data.rows.map(({ note, ...row }) => ({
  ...(row as OtherName),
  ...(note !== undefined && { note: data.notes[note as keyof typeof data.notes] }),
}));

/**
 * What Pommel calls something, as a hint.
 * @param isMeant by its name
 * @returns null: nobody calls it so
 */
export function suggestPommelName(
  kind: OtherKind,
  isMeant: string | ((name: string) => boolean),
  written: (today: string) => string = (today) => today,
): string | null {
  const row = otherNames.find(
    (one) => one.kind === kind && (typeof isMeant === "string" ? one.name === isMeant : isMeant(one.name)),
  );
  if (row === undefined) return null;
  const names = row.today.map(written);
  const named = `Pommel's name${names.length > 1 ? "s" : ""} for it: ${names.join(", ")}.`;
  return [names.length > 0 ? named : null, row.note].filter((part) => part != null).join(" ");
}
