import type { Scrubber, SecretLedger } from "./scrubber.ts";

/**
 * A text of no session without secrets, such as a commit's subject. Different ones are numbered within the text, so that
 * it reads the same on every machine.
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
