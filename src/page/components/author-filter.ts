/** What the project has of each; the answer of `page`. */
export interface FilterChoices {
  agents: string[];
  authors: string[];
  branches: string[];
  languages: string[];
}

export const nothingKnown: FilterChoices = { agents: [], authors: [], branches: [], languages: [] };

/** Whose sessions: one's own, all that colleagues shared, or one colleague's. None are offered where nobody shared any. */
export const makeAuthorFilter = ({ authors }: Pick<FilterChoices, "authors">) => ({
  name: "author",
  label: "Anyone’s",
  values: authors.length === 0 ? [] : [["me", "Mine"] as const, ["*", "Colleagues’"] as const, ...authors],
});

/** As requests for sessions take it. */
export const readAuthorFilter = (query: URLSearchParams): { mine?: true; team?: true; author?: string } => {
  const author = query.get("author") ?? "";
  if (author === "me") return { mine: true };
  return author === "*" ? { team: true } : author === "" ? {} : { author };
};
