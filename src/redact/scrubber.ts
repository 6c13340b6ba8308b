import { createHmac } from "node:crypto";

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
  numberSecret(type: string, secret: string): number;
}

/**
 * Scrubs a text outside of any session, such as a commit's subject. Secrets are numbered within the text, so that the
 * result is the same on every machine.
 */
export function scrubAlone(scrubber: Scrubber, text: string, name?: string): string {
  return scrubber.scrub(text, createSingleUseLedger(), name);
}

function createSingleUseLedger(): SecretLedger {
  const numbers = new Map<string, number>();
  const counts = new Map<string, number>();
  return {
    numberSecret(type, secret) {
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
    return scrubObject(value as Record<string, unknown>, scrub, name);
  return value;
}

function scrubList(whole: readonly unknown[], scrub: ScrubText, name: string | undefined): unknown {
  const list = scrubTogether(whole, scrub, name);
  const scrubbed = list.map((item, index) => {
    const before = list[index - 1];
    const flag = typeof before === "string" && /^--?[A-Za-z]/.test(before) ? before : undefined;
    return scrubPart(item, scrub, flag ?? name);
  });
  return scrubbed.some((item, index) => item !== whole[index]) ? scrubbed : whole;
}

/** A command's arguments are read together, and a pair of user and password. */
function scrubTogether(list: readonly unknown[], scrub: ScrubText, name: string | undefined) {
  const isPair = list.length === 2 && name !== undefined && /auth|credential|login/i.test(name);
  const isCommand =
    list.length > 1 && list.length <= maxArguments && list.some((item) => /^-[A-Za-z]/.test(String(item)));
  if (!isPair && !isCommand) return list;
  if (!list.every((item) => typeof item === "string" && /^[^\s]{1,400}$/.test(item))) return list;
  const between = isPair ? ":" : " ";
  const scrubbed = scrub(list.join(between), isPair ? "auth" : undefined);
  if (isPair && /^\[REDACTED_[A-Z0-9_]+\]$/.test(scrubbed)) return [list[0], scrubbed];
  const parts = scrubbed.split(between);
  return parts.length === list.length ? parts : list;
}

/** A list of arguments has at most so many. */
const maxArguments = 100;

/** Names of objects whose values are all secrets. */
const collections = /^(?:secrets|credentials|tokens|api_?keys|passwords)$/i;

/** Fields that name the value or text beside them: of a variable, a form's field, an element on a page. */
const labels = [
  "name",
  "key",
  "Name",
  "Key",
  "element",
  "selector",
  "label",
  "field",
  "target",
  "prompt",
  "ref",
];

/** One of these is in every cookie that a browser gives. */
const cookieFields = ["domain", "httpOnly", "sameSite"];

/** Keys as programs write them, too short for a secret. */
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$-]{0,15}$/;

function scrubObject(object: Record<string, unknown>, scrub: ScrubText, parent: string | undefined): unknown {
  const shared = parent !== undefined && collections.test(parent) ? parent.replace(/s$/i, "") : null;
  const label = labels.map((key) => object[key]).find((item) => typeof item === "string");
  const isCookie =
    typeof object.name === "string" && cookieFields.some((field) => Object.hasOwn(object, field));
  const entries = Object.entries(object);
  const scrubbed = entries.map(([key, item]): [string, unknown] => {
    // A field that says "value" has the name beside it, or that of the whole object.
    const whose = isCookie ? "cookie" : typeof label === "string" ? label : parent;
    const name = /^(?:value|text|input|keystrokes|keys)$/i.test(key) ? (whose ?? key) : key;
    const own = scrubPart(item, scrub, name);
    const safe = shared !== null && own === item && typeof item === "string" ? scrub(item, shared) : own;
    return [plainKey.test(key) ? key : scrub(key), safe];
  });
  if (scrubbed.every(([key, item], index) => key === entries[index]![0] && item === entries[index]![1]))
    return object;
  // A key like "__proto__" has to stay a key.
  return Object.fromEntries(scrubbed);
}

/** A row of `secrets`, without its session. */
interface KnownSecret {
  type: string;
  /** Six hexadecimal digits. */
  fingerprint: string;
  number: number;
}

/** A ledger that can be stored and restored. */
interface StoredLedger extends SecretLedger {
  /** Entries added since the last call. */
  takeNew(): KnownSecret[];
}

/**
 * Numbers a session's secrets. Stores only 24 bits of each : an HMAC-SHA256 under a key that stays on this machine:
 * enough to tell a session's secrets apart, too few to confirm a guess (one guess in 16 million fits by chance, and
 * every secret fits that many guesses).
 * @param fingerprintKey random, at least 16 bytes, the same for all of a memory's sessions
 */
export function createLedger(fingerprintKey: Uint8Array, known: Iterable<KnownSecret> = []): StoredLedger {
  const numbers = new Map<string, number>();
  const last = new Map<string, number>();
  const added: KnownSecret[] = [];
  const remember = ({ type, fingerprint, number }: KnownSecret) => {
    numbers.set(`${type} ${fingerprint}`, number);
    last.set(type, Math.max(number, last.get(type) ?? 0));
  };
  for (const secret of known) remember(secret);

  return {
    numberSecret(type, secret) {
      const fingerprint = createHmac("sha256", fingerprintKey)
        .update(`${type}\0${secret}`)
        .digest("hex")
        .slice(0, 6);
      const number = numbers.get(`${type} ${fingerprint}`);
      if (number !== undefined) return number;
      const entry = { type, fingerprint, number: (last.get(type) ?? 0) + 1 };
      remember(entry);
      added.push(entry);
      return entry.number;
    },
    takeNew: () => added.splice(0),
  };
}
