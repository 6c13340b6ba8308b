import { escapeRegExp } from "../base/text/escape-reg-exp.ts";
import lists from "./words.json" with { type: "json" };

export type WordList = keyof typeof lists;

/** The words of a list in words.json, in its order. */
export const expandWordList = (list: WordList): string[] => lists[list].flatMap(expandWords);

/**
 * Words separated by spaces. `␣` is a space within one, `·` a gap that some write and some do not ("new·relic" is
 * "newrelic", "new-relic", "new_relic" and "new relic"), and `{{list}}` in one stands for each word of a list.
 */
export function expandWords(line: string): string[] {
  return line.split(" ").flatMap((word) => {
    const plain = word.replaceAll("␣", " ");
    const list = /\{\{(\w+)\}\}/.exec(plain);
    const words =
      list === null
        ? [plain]
        : expandWordList(list[1] as WordList).map((item) => plain.replace(list[0], item));
    return words.flatMap((item) =>
      item.includes("·") ? ["", "-", "_", " "].map((gap) => item.replace("·", gap)) : [item],
    );
  });
}

/** A regular expression for each word of a list. */
export const toAlternation = (words: readonly string[]): string => `(?:${words.map(escapeRegExp).join("|")})`;

export const isWordList = (name: string): name is WordList => Object.hasOwn(lists, name);
