/** What tokens and money are summed up by. */
export const costGroups = ["day", "week", "branch", "commit", "session", "model", "turn"] as const;
