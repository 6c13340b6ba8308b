/** What would be removed, or was; `examples` are titles, prompts and notes, for a preview. */
export interface ForgetReport {
  sessions: number;
  turns: number;
  chunks: number;
  annotations: number;
  /** Places where a pattern matches. */
  matches: number;
  examples: string[];
}
