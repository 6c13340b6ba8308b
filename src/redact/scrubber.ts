/** Takes secrets out of a text before it is stored. */
export interface Scrubber {
  /** Changes when a rule does; stored data that was scrubbed under another one is scrubbed again. */
  readonly version: string;
  /**
   * The text with every secret replaced by a typed placeholder, `[REDACTED_GITHUB_TOKEN]`; the second different secret
   * of a type in a session becomes `[REDACTED_GITHUB_TOKEN_2]`, so that what was the same stays the same. Scrubbing
   * a scrubbed text changes nothing. Linear in the length of the text. A text without secrets comes back as it is.
   * @param name what the text is the value of, when that is known: a JSON key, a header, a flag ("db_password")
   */
  scrub(text: string, ledger: SecretLedger, name?: string): string;
  /** What would be replaced, in order, without overlaps. */
  find(text: string, name?: string): SecretMatch[];
}

export interface SecretMatch {
  /** Name of the rule: "github-token". */
  rule: string;
  /** The placeholder's type: "GITHUB_TOKEN". */
  type: string;
  start: number;
  end: number;
}

/** Which of a session's secrets of a type a secret is. */
export interface SecretLedger {
  /** 1 for the first of its type that this session shows, 2 for the next different one. */
  numberOf(type: string, secret: string): number;
}
