import { isPassphrase, isSecretValue, isStated } from "./checks/values.ts";
import data from "./names.json" with { type: "json" };

type SecretKind = "password" | "token" | "code" | "phrase" | "pair";

const revealingNames = data.map(({ name, kind, type }) => ({
  name: new RegExp(name),
  kind: kind as SecretKind,
  type,
}));

/** Longer values are not judged by their name alone. Characters. */
const maxNamedLength = 8_000;

/** The secret type that a value's name implies; null when it is not a secret. */
export function findNamedSecretType(name: string, value: string): string | null {
  if (value.length > maxNamedLength || (value.includes("\n") && value.length > 400)) return null;
  const plain = normaliseName(name);
  for (const { name: pattern, kind, type } of revealingNames) {
    if (!pattern.test(plain)) continue;
    const bare = type === "AUTHORIZATION" ? value.replace(/^[A-Za-z]+ +/, "") : value;
    return isOfKind(kind, bare) ? type : null;
  }
  return null;
}

function isOfKind(kind: SecretKind, value: string): boolean {
  if (kind === "code") return /^[0-9]{3,8}$/.test(value.replace(/[ -]/g, ""));
  if (kind === "pair")
    return /^[^\s:/]{1,60}:[^\s/]+$/.test(value) && isStated(value.slice(value.indexOf(":") + 1));
  if (kind === "phrase")
    return isPassphrase(value, 6) || /^[a-z]{3,8}(?:[ ,]+[a-z]{3,8}){11,23}$/.test(value);
  return isSecretValue(kind, value);
}

/** `dbPassword`, `--db-password`, `#password`, `Password textbox` and `input[name=password]` in one form. */
function normaliseName(name: string): string {
  return name
    .slice(0, 200)
    .replace(/^.*\[(?:name|id|type|placeholder|aria-label)[*^$~|]?=["']?([\w-]+)["']?\].*$/, "$1")
    .replace(/^[-#.]+/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s.-]+/g, "_")
    .replace(/_?[0-9]{1,2}$/, "")
    .toLowerCase()
    .replace(/(?:_(?:text_?box|text|field|input|box|entry|edit))+$/, "");
}
