import { createHash } from "node:crypto";
import { seedWords } from "../../../src/redact/checks/seed-phrase.ts";
import { base62, base64, base64url, digits, hex, lower, maker, type SecretCase, upper } from "./make.ts";

/** Around the name of a key: written apart, so that no scanner of the repository takes a template for one. */
export const dashes = "-----";

/** Lists of texts by class. `«…»` marks a secret, `{name}` and `{name:length}` are generated. */
export type Templates = Readonly<Record<string, readonly string[]>>;

/**
 * The cases of templates, the same for the same seed. The repository contains no secret: each is generated when it is
 * needed.
 */
export function casesOf(templates: Templates, seed: number): SecretCase[] {
  return Object.entries(templates).flatMap(([kind, texts]) =>
    texts.map((template, index) => {
      const marked = expand(template, seed + hashOf(`${kind} ${index}`));
      const secrets = Array.from(marked.matchAll(/«([^»]*)»/g), ([, secret]) => secret!);
      return { kind, text: marked.replace(/[«»]/g, ""), secrets, keep: [] };
    }),
  );
}

/** A fingerprint of templates, to show that nobody changed them. */
export function fingerprint(templates: Templates): string {
  return createHash("sha256").update(JSON.stringify(templates)).digest("hex").slice(0, 16);
}

function hashOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32LE(0);
}

function expand(template: string, seed: number): string {
  const { of, uuid, mixed } = maker(seed);
  const pick = <T>(list: readonly T[]): T => list[Number.parseInt(of(hex, 6), 16) % list.length]!;
  const word = () => pick(words);
  const capital = () => word().replace(/^./, (letter) => letter.toUpperCase());
  const password = () =>
    pick([
      () => `${capital()}${of(digits, 4)}${of("!@#%*", 1)}`,
      () => `${of(lower, 1)}${mixed(base62, 9)}${of("!#%*_", 1)}${of(digits, 2)}`,
      () => `${capital()}-${word()}-${of(digits, 2)}`,
      () => `${word()}${of("!#*", 1)}${capital()}${of(digits, 3)}`,
      () => mixed(base62, 14),
    ])();
  /** With the signs that end a value in one grammar or another, but no quotes. */
  const odd = (signs: string) =>
    `${capital()}${of(signs, 1)}${of(base62, 5)}${of(signs, 2)}${mixed(base62, 5)}`;
  const mnemonic = () => {
    const entropy = Buffer.from(of(hex, 32), "hex");
    const bits = [...entropy, createHash("sha256").update(entropy).digest()[0]!]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("");
    return bits
      .slice(0, 132)
      .match(/.{11}/g)!
      .map((index) => seedWords[Number.parseInt(index, 2)]!);
  };
  const base64Of = (text: string) => Buffer.from(text).toString("base64");
  const base64urlOf = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const makers: Record<string, (length: number) => string> = {
    pw: password,
    weak: () => `${word()}${of(digits, 2)}`,
    phrase: (length) => Array.from({ length }, word).join(" "),
    dash: (length) => Array.from({ length }, word).join("-"),
    word,
    capital,
    odd: () => odd("$&;:?/|()=~^.,!@#%*+"),
    odd2: () => odd("$;:?=~^.,!#%*+()"),
    mnemonic: () => mnemonic().join(" "),
    listed: () =>
      mnemonic()
        .map((item, index) => `${index + 1}. «${item}»`)
        .join("\n"),
    b62: (length) => mixed(base62, length),
    b64: (length) => of(base64, length),
    b64u: (length) => mixed(base64url, length),
    bytes: (length) => Array.from({ length }, () => Number.parseInt(of(hex, 2), 16)).join(","),
    b64of: (length) => base64Of(of(base62, length)),
    b64pw: () => base64Of(password()),
    b64url: () => base64Of(`postgres://${word()}:${password()}@db.acme.test/${word()}`),
    b64secret: () => base64Of(`DB_PASSWORD=${password()}\nAPI_TOKEN=${mixed(base62, 32)}\n`),
    b64docker: () => base64Of(`{"auths":{"ghcr.io":{"auth":"${base64Of(`${word()}:${password()}`)}"}}}`),
    basic: () => base64Of(`${word()}:${password()}`),
    b32: (length) => of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length),
    low: (length) => of(lower + digits, length),
    up: (length) => of(upper + digits, length),
    hex: (length) => of(hex, length),
    HEX: (length) => of(hex, length).toUpperCase(),
    dig: (length) => of("123456789", 1) + of(digits, length - 1),
    uuid,
    jwt: () =>
      `${base64urlOf({ alg: "HS256", typ: "JWT" })}.${base64urlOf({ sub: of(digits, 8), name: word(), iat: 1_735_000_000 })}.${of(base64url, 43)}`,
    luhn: (length) => luhn(`${pick(["4", "51", "37", "6011"])}${of(digits, 20)}`.slice(0, length - 1)),
    visa: () => luhn(`4${of(digits, 14)}`).replace(/(.{4})(?=.)/g, "$1 "),
    mastercard: () => luhn(`53${of(digits, 13)}`).replace(/(.{4})(?=.)/g, "$1-"),
    crypt: () => `$2b$12$${of(`./${base62}`, 53)}`,
    sha512crypt: () => `$6$${of(base62, 16)}$${of(`./${base62}`, 86)}`,
    apr1: () => `$apr1$${of(base62, 8)}$${of(`./${base62}`, 22)}`,
    argon2: () => `$argon2id$v=19$m=65536,t=3,p=4$${of(base64, 22)}$${of(base64, 43)}`,
  };
  return template.replace(/\{([a-zA-Z0-9]+?)(?::([0-9]+))?\}/g, (whole, name: string, length?: string) => {
    const make = makers[name];
    return make === undefined ? whole : make(Number(length ?? 0));
  });
}

/** Adds the check digit (ISO/IEC 7812). */
function luhn(number: string): string {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return `${number}${(10 - (sum % 10)) % 10}`;
}

const words = (
  "anchor basket candle dolphin ember falcon garden harbor island jungle kettle lantern marble nectar orchid pepper " +
  "quartz ribbon saddle timber umber velvet walnut yonder zephyr copper meadow pirate rocket summer thunder winter"
).split(" ");
