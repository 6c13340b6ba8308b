import { isSecretValue } from "../checks/checks.ts";

const telling: readonly { name: RegExp; kind: "password" | "token"; type: string }[] = [
  { name: /(?:password|passwd|passphrase|passcode|pwd|(?:^|_)pass)$/, kind: "password", type: "PASSWORD" },
  {
    name: /(?:api|secret|access|auth|account|encryption|signing|private|master|license)_?key$/,
    kind: "token",
    type: "API_KEY",
  },
  { name: /(?:client_)?secret(?:_(?:access_)?key|_key_base|_token)?$/, kind: "token", type: "SECRET" },
  { name: /token$/, kind: "token", type: "TOKEN" },
  { name: /credentials?$/, kind: "token", type: "CREDENTIAL" },
  { name: /^(?:proxy_)?authorization$/, kind: "token", type: "AUTHORIZATION" },
  { name: /^(?:set_)?cookies?$/, kind: "token", type: "COOKIE" },
];

/** The longest value that a name alone makes a secret. Characters. */
const longest = 8_000;

/** The type of the secret that `value` is because of what it is called; null when it is none. */
export function namedSecretType(name: string, value: string): string | null {
  if (value.length > longest || (value.includes("\n") && value.length > 400)) return null;
  const plain = name
    .replace(/^-+/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s.-]+/g, "_")
    .replace(/_?[0-9]{1,2}$/, "")
    .toLowerCase();
  for (const { name: pattern, kind, type } of telling) {
    if (!pattern.test(plain)) continue;
    const bare = type === "AUTHORIZATION" ? value.replace(/^[A-Za-z]+ +/, "") : value;
    return isSecretValue(kind, bare) ? type : null;
  }
  return null;
}
