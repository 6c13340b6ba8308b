/** Whose lines commits added; the keys are the JSON's keys. */
export interface StatsAnswer {
  /** What was asked for, ISO 8601; null limits nothing. */
  since: string | null;
  until: string | null;
  paths: string[];
  commits: {
    /** In that time, in HEAD's history; null: git does not say. */
    in_history: number | null;
    /** Those of them that were looked at; only their lines are counted here. */
    looked_at: number;
    /** Those with a line of an agent's. */
    with_agent: number;
  };
  total: Share;
  /** By the author that git names, those with the most lines first, as in what follows. */
  by_author: ({ author: string; commits: number } & Share)[];
  by_directory: ({ directory: string } & Share)[];
  /** In order; ISO 8601, such as 2026-W05, of the time in UTC. */
  by_week: ({ week: string } & Share)[];
  by_model: { model: string; lines: number }[];
  by_session: {
    session_id: string;
    session_title: string | null;
    agent: string | null;
    commits: number;
    lines: number;
  }[];
  /** What has to be known to read it: whole sentences. */
  notes: string[];
}

/** Numbers of lines. */
export interface Share {
  lines: number;
  agent: number;
  human: number;
  unknown: number;
}
