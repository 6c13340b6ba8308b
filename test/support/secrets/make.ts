/** A secret in the place where it was found. */
export interface SecretCase {
  kind: string;
  text: string;
  /** None of these may be left. */
  secrets: string[];
  /** These have to stay. */
  keep: string[];
}

export const lower = "abcdefghijklmnopqrstuvwxyz";
export const upper = lower.toUpperCase();
export const digits = "0123456789";
export const hex = "0123456789abcdef";
export const base62 = lower + upper + digits;
export const base64url = `${base62}-_`;
export const base64 = `${base62}+/`;

/** Random letters, the same for the same seed: the source contains no secret, and every run sees the same ones. */
export function maker(seed: number) {
  let state = seed >>> 0;
  // Mulberry32, by Tommy Ettinger.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const of = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]!).join("");
  const lines = (alphabet: string, count: number, width = 64) =>
    Array.from({ length: count }, () => of(alphabet, width)).join("\n");
  const uuid = () => [8, 4, 4, 4, 12].map((length) => of(hex, length)).join("-");
  /** Has every kind of letter, so that none of the made ones is a word by chance. */
  const mixed = (alphabet: string, length: number): string => {
    const made = of(alphabet, length);
    return /[0-9]/.test(made) && /[a-z]/.test(made) && /[A-Z]/.test(made) && /^\w.*\w$/.test(made)
      ? made
      : mixed(alphabet, length);
  };
  return { of, lines, uuid, mixed };
}

/** A list that grows by calls: `add("kind", secret, (s) => text around it)`. */
export function collector() {
  const cases: SecretCase[] = [];
  const add = (kind: string, secret: string | string[], text: string, keep: string[] = []) => {
    cases.push({ kind, text, secrets: typeof secret === "string" ? [secret] : secret, keep });
  };
  return { cases, add };
}
