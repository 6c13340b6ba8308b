/** The full-text index of whole sessions in memory.db; a step of its schema. */

/** A session whose row is missing is indexed again by the next `indexSessions`. */
const outdated = (session: string) => `DELETE FROM session_terms WHERE rowid = ${session};`;

export const sessionTerms = `
  -- What sessions are called, were asked and led to; keyed by sessions.id. Streams come ready-made (tokens.ts).
  CREATE VIRTUAL TABLE session_terms USING fts5 (
    title, branch, prompts, summary,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_$'"
  );

  -- A row goes at once with anything that it was made of, so that nothing forgotten or redacted is left in it.
  CREATE TRIGGER session_terms_forgotten AFTER DELETE ON sessions BEGIN ${outdated("old.id")} END;
  CREATE TRIGGER session_terms_renamed AFTER UPDATE OF title, branch ON sessions
    WHEN old.title IS NOT new.title OR old.branch IS NOT new.branch BEGIN ${outdated("new.id")} END;
  CREATE TRIGGER session_terms_turn_added AFTER INSERT ON turns BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_turn_changed AFTER UPDATE OF prompt, branch ON turns
    WHEN old.prompt IS NOT new.prompt OR old.branch IS NOT new.branch BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_turn_gone AFTER DELETE ON turns BEGIN ${outdated("old.session_id")} END;
  CREATE TRIGGER session_terms_summary_added AFTER INSERT ON summaries BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_summary_changed AFTER UPDATE OF text ON summaries
    WHEN old.text IS NOT new.text BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_summary_gone AFTER DELETE ON summaries BEGIN ${outdated("old.session_id")} END;
`;
