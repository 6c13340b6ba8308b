import { useAnswer } from "../../../page/api/use-answer.ts";
import { wordUsed } from "../words.ts";

/** How often agents called Pommel, and whether they used what they were given; nothing where nothing is known. */
export function UsedLine() {
  const { data } = useAnswer("used", {});
  const text = data === null ? "" : wordUsed(data);
  return text === "" ? null : <p class="summary">In the last 30 days, by agents: {text}.</p>;
}
