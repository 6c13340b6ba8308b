/** What would go, or went; `examples` are titles, prompts and notes, for a preview. */
export interface ForgetReport {
  sessions: number;
  turns: number;
  chunks: number;
  annotations: number;
  /** Places where a pattern matches. */
  matches: number;
  examples: string[];
}
