import { type CallInput, listEditInputs } from "../../agents/reading/call-input.ts";

/** What a call to an agent's editing tool does to a text, as far as its input says it. Hooks load this. */

interface EditReplacement {
  from: string;
  to: string;
  isEverywhere: boolean;
}

/** null: the call is not made of replacements. */
function listReplacements(input: CallInput): EditReplacement[] | null {
  const found: EditReplacement[] = [];
  for (const { from, to, isEverywhere } of listEditInputs(input)) {
    if (from === null || to === null) return null;
    found.push({ from, to, isEverywhere });
  }
  return found;
}

/** The text after a call; null where the input does not say it. */
export function applyEdit(before: string, input: CallInput): string | null {
  const replacements = listReplacements(input);
  if (replacements === null) return typeof input.content === "string" ? input.content : null;
  let text = before;
  for (const { from, to, isEverywhere } of replacements) {
    if (from === "" || !text.includes(from)) return null;
    text = isEverywhere ? text.split(from).join(to) : text.replace(from, () => to);
  }
  return text;
}

/** The text before a call that was made; null where that can't be told for sure. */
export function takeBackEdit(after: string, input: CallInput): string | null {
  let text = after;
  for (const { from, to, isEverywhere } of (listReplacements(input) ?? [null])
    .toReversed()
    .flatMap((one) => one ?? [])) {
    if (to === "" || isEverywhere || text.split(to).length !== 2) return null;
    text = text.replace(to, () => from);
  }
  return text === after ? null : text;
}
