import { placeShown } from "../../api/place.ts";

const maxRecent = 6;
const key = () => `pommel.searches ${placeShown() ?? ""}`;

/** What was searched for in this project and this browser, the latest first. */
export const recentSearches = (): string[] => JSON.parse(localStorage.getItem(key()) ?? "[]") as string[];

/** Keeps a search; one that began with less of the same words gives way to it. */
export function rememberSearch(words: string): void {
  const others = recentSearches().filter((known) => !words.startsWith(known));
  localStorage.setItem(key(), JSON.stringify([words, ...others].slice(0, maxRecent)));
}
