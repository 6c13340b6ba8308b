import { row } from "./default-pattern.ts";

/** Data about people, off unless it is asked for. */
export const piiPatterns = [
  row("email", "EMAIL", "@", "[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}\\.[A-Za-z]{2,24}", {
    reach: 64,
    enabled: false,
    pii: true,
  }),
  row("phone-us", "PHONE", "", "(?:\\([0-9]{3}\\) ?|\\b[0-9]{3}[-.])[0-9]{3}[-.][0-9]{4}\\b", {
    enabled: false,
    pii: true,
  }),
  row("ssn", "SSN", "", "\\b[0-9]{3}-[0-9]{2}-[0-9]{4}\\b", { enabled: false, pii: true }),
];
