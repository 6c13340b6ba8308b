/** Redacts secrets in a text before it is stored. */
export interface Scrubber {
  /** Changes with every rule; data stored under another version is scrubbed again. */
  readonly version: string;
  /**
   * The text with every secret replaced by a typed placeholder, `[REDACTED_GITHUB_TOKEN]`; the second different secret
   * of a type in a session becomes `[REDACTED_GITHUB_TOKEN_2]`, so that equal secrets stay equal. Idempotent, and
   * linear in the length of the text.
   * @param name the name of the value, if known: a JSON key, a header, a flag ("db_password"); or the command that
   *   printed it after `printedBy`: "$ openssl rand -hex 32"
   */
  scrub(text: string, ledger: SecretLedger, name?: string): string;
  /** The matches, in order, without overlaps. */
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

/** Numbers a session's secrets by type. */
export interface SecretLedger {
  /** 1 for the session's first secret of the type, 2 for the next different one. */
  numberOf(type: string, secret: string): number;
}

/**
 * Scrubs a text outside of any session, such as a commit's subject. Secrets are numbered within the text, so that the
 * result is the same on every machine.
 */
export function scrubAlone(scrubber: Scrubber, text: string, name?: string): string {
  return scrubber.scrub(text, ledgerOfOne(), name);
}

function ledgerOfOne(): SecretLedger {
  const numbers = new Map<string, number>();
  const counts = new Map<string, number>();
  return {
    numberOf(type, secret) {
      const key = `${type} ${secret}`;
      const number = numbers.get(key) ?? (counts.get(type) ?? 0) + 1;
      numbers.set(key, number);
      counts.set(type, Math.max(number, counts.get(type) ?? 0));
      return number;
    },
  };
}

/** Begins a name that is the command which printed a text. */
export const printedBy = "$ ";

/** Scrubs a text; `name` is the name of the value. */
export type ScrubText = (text: string, name?: string) => string;

/**
 * Scrubs every string in a value, at any depth, and keys that contain a secret. Recognises values by revealing names:
 * `{ password: "hunter22" }`, `{ pin: 4711 }`, `{ name: "API_TOKEN", value: "..." }`, `{ element: "Password textbox",
 * text: "..." }`, `["--password", "hunter22"]`. Unchanged parts are the same objects as before.
 */
export function scrubValue<T>(value: T, scrub: ScrubText): T {
  return scrubPart(value, scrub, undefined) as T;
}

function scrubPart(value: unknown, scrub: ScrubText, name: string | undefined): unknown {
  if (typeof value === "string") return scrub(value, name);
  if (typeof value === "number" && name !== undefined && value >= 1000) {
    const digits = String(value);
    const scrubbed = scrub(digits, name);
    return scrubbed === digits ? value : scrubbed;
  }
  if (Array.isArray(value)) return scrubList(value, scrub, name);
  if (typeof value === "object" && value !== null)
    return scrubObject(value as Record<string, unknown>, scrub);
  return value;
}

function scrubList(list: readonly unknown[], scrub: ScrubText, name: string | undefined): unknown {
  const scrubbed = list.map((item, index) => {
    const before = list[index - 1];
    const flag = typeof before === "string" && /^--?[A-Za-z]/.test(before) ? before : undefined;
    return scrubPart(item, scrub, flag ?? name);
  });
  return scrubbed.some((item, index) => item !== list[index]) ? scrubbed : list;
}

/** Fields that name the value or text beside them: of a variable, a form's field, an element on a page. */
const labels = ["name", "key", "Name", "Key", "element", "selector", "label", "field", "ref"];

/** Keys as programs write them, too short for a secret. */
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$-]{0,15}$/;

function scrubObject(object: Record<string, unknown>, scrub: ScrubText): unknown {
  const label = labels.map((key) => object[key]).find((item) => typeof item === "string");
  const entries = Object.entries(object);
  const scrubbed = entries.map(([key, item]): [string, unknown] => {
    const name = typeof label === "string" && /^(?:value|text)$/i.test(key) ? label : key;
    return [plainKey.test(key) ? key : scrub(key), scrubPart(item, scrub, name)];
  });
  if (scrubbed.every(([key, item], index) => key === entries[index]![0] && item === entries[index]![1]))
    return object;
  // A key like "__proto__" has to stay a key.
  return Object.fromEntries(scrubbed);
}
