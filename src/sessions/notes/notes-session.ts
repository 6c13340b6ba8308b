/** Notes of no session belong to this one, which no agent has; it has no turns, and so is in no list. */
export const notesSession = { uid: "notes", agent: "pommel" } as const;
