import { createHash } from "node:crypto";
import { compareText, toCanonicalJson } from "../codec/codec.ts";
import type { SharedSignature } from "../records/records.ts";
import { findSigner } from "./sshsig.ts";

/** Lists of what stands for records, with one signature each. */

/** What is signed of a list. */
export const formatListMessage = ({ name, projects, digests }: ListContent) =>
  toCanonicalJson({ format: "pommel-signed-records", version: 1, name, projects, digests });

export const hashListMessage = (message: string) => createHash("sha256").update(message).digest("hex");

type ListContent = Pick<SharedSignature, "name" | "projects" | "digests">;

/** A list with what makes it one. */
export function signList(content: ListContent, sign: (message: string) => string): SharedSignature {
  const message = formatListMessage(content);
  return { uid: hashListMessage(message), ...content, signature: sign(message) };
}

/** The key that a list is signed with; null: it is not valid. */
export function findListSigner(list: SharedSignature): string | null {
  const message = formatListMessage(list);
  return hashListMessage(message) === list.uid ? findSigner(list.signature, message) : null;
}

/** Of two lists at one path, one that is valid. */
export function joinSignatures(a: SharedSignature, b: SharedSignature): SharedSignature {
  const [x, y] = [a, b].map((list) => (findListSigner(list) === null ? 0 : 1));
  if (x !== y) return x! > y! ? a : b;
  return compareText(toCanonicalJson(a), toCanonicalJson(b)) >= 0 ? a : b;
}
