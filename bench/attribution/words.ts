import type { Random } from "./random.ts";

/** Names and sentences that code is made of. */

const verbs =
  "load save read write parse build find check update remove merge resolve open close send fetch sort count render track".split(
    " ",
  );
const nouns =
  "user order token config session path index cache buffer node report entry request result line commit branch event queue page account invoice file record".split(
    " ",
  );
export const kinds =
  "next last current pending cached raw default shared local remote total first inner base".split(" ");
export const words =
  "keeps drops retries waits until before after unless because every missing empty stale large slow broken client server network database answer limit order version".split(
    " ",
  );

export const cap = (word: string) => word[0]!.toUpperCase() + word.slice(1);
export const verb = (r: Random) => r.pick(verbs);
export const noun = (r: Random) => r.pick(nouns);
export const camel = (r: Random) => (r.chance(0.5) ? `${r.pick(kinds)}${cap(noun(r))}` : noun(r));
export const method = (r: Random) => `${verb(r)}${r.chance(0.4) ? cap(r.pick(kinds)) : ""}${cap(noun(r))}`;
export const snake = (r: Random) => (r.chance(0.5) ? `${r.pick(kinds)}_${noun(r)}` : noun(r));
export const snakeMethod = (r: Random) => `${verb(r)}_${r.chance(0.4) ? `${r.pick(kinds)}_` : ""}${noun(r)}`;
export const sentence = (r: Random) =>
  `${cap(verb(r))} the ${r.pick(kinds)} ${noun(r)} ${Array.from({ length: r.int(2, 7) }, () => r.pick(words)).join(" ")}.`;
export const value = (r: Random) =>
  r.weighted<string>([
    [`${r.int(0, 9)}`, 2],
    [`${r.int(10, 9999)}`, 2],
    ["true", 1],
    ["false", 1],
    [`"${noun(r)}-${r.pick(words)}"`, 3],
    ["null", 1],
  ]);
export const args = (r: Random, name: (r: Random) => string) =>
  Array.from({ length: r.int(1, 4) }, () => name(r));
export const indented = (lines: readonly string[], by: string) =>
  lines.map((line) => (line === "" ? "" : by + line));
export const some = <T>(r: Random, from: number, to: number, make: () => T[]): T[] =>
  Array.from({ length: r.int(from, to) }, make).flat();
