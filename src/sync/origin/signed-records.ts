import { createHash } from "node:crypto";
import type { Memory } from "../../store/memory/memory.ts";
import type { Authorship } from "../../store/memory/memory-records.ts";
import { listSignersOfRecord, saveSigned } from "../../store/memory/signers.ts";
import type { SharedPart } from "../branch/shared-file.ts";
import { compareText, toCanonicalJson } from "../codec/codec.ts";
import type { SharedSignature } from "../records/records.ts";
import { findListSigner, formatListMessage, hashListMessage, signList } from "./signed-list.ts";
import type { SigningKey } from "./signing-key.ts";
import { makeUnsignedAuthorship, type Trust } from "./trust.ts";

/** What a key signs for; of a session its head, and each of its turns: several machines may continue one. */
export type SignedKind = "session" | "turn" | "annotation" | "event";

/**
 * What stands for a record in a signed list: what it is, whose id it has, and all that it says.
 * @param uid of a turn its session's
 */
function hashRecord(kind: SignedKind, uid: string, record: object): string {
  // Everybody links sessions to an event: its words are signed.
  const { links: _, author: __, signer: ___, ...words } = record as Record<string, unknown>;
  return hashText(kind, uid, toCanonicalJson(kind === "event" ? words : record));
}

/** @param text the record as canonical JSON */
const hashText = (kind: SignedKind, uid: string, text: string): string =>
  createHash("sha256")
    .update(`["${kind}",${JSON.stringify(uid)},${text}]`)
    .digest("base64url");

/** A file's records as they are signed: of a transcript a turn on each line. Nothing of what nobody signs. */
function listDigests({ kind, id, part }: SharedPart, text: string): string[] {
  if (kind === "session" && part === "transcript")
    return splitLines(text).map((line) => hashText("turn", id, line));
  if (kind === "session" || kind === "annotation") return [hashText(kind, id, text.trimEnd())];
  return kind === "event" ? [hashRecord(kind, id, JSON.parse(text) as object)] : [];
}

const splitLines = (text: string) => text.split("\n").filter((line) => line !== "");

export interface Signing {
  /** null: this machine signs nothing. */
  key: SigningKey | null;
  trust: Trust;
  /** The project's first commits: a list says which project it is of. */
  projects: readonly string[];
}

/** Whose the records are that come in, and what this machine signs of those that go out. */
export class SignedRecords {
  private readonly unsigned = new Set<string>();
  private made: SharedSignature | null = null;

  constructor(
    private readonly memory: Memory,
    private readonly signing: Signing,
    private readonly name: string | null,
  ) {}

  readonly authorshipOf = (kind: SignedKind, uid: string, record: object): Authorship => {
    const { trust } = this.signing;
    const signer = trust.chooseSigner(listSignersOfRecord(this.memory, hashRecord(kind, uid, record)));
    if (signer !== undefined) return { author: trust.labelAuthor(signer), signer };
    return makeUnsignedAuthorship((record as { author?: string | null }).author);
  };

  private isMine(digest: string): boolean {
    return listSignersOfRecord(this.memory, digest).some((key) => this.signing.trust.isMine(key));
  }

  /**
   * What of a file on the branch may be joined with this person's version: what they signed, of an event what anybody
   * did. The rest is dropped, as it would be signed with the join. null: nothing is left.
   */
  keepOwnPart(place: SharedPart, text: string): string | null {
    const digests = listDigests(place, text);
    if (place.kind === "event")
      return digests.some((one) => listSignersOfRecord(this.memory, one).length > 0) ? text : null;
    if (digests.every((one) => this.isMine(one))) return text;
    const own = splitLines(text).filter((_, i) => this.isMine(digests[i]!));
    return own.length === 0 ? null : `${own.join("\n")}\n`;
  }

  /**
   * Signs what a file says with the next list.
   * @param text canonical
   * @param isAgain though it is signed: in a list that is read elsewhere
   */
  add(place: SharedPart, text: string, isAgain = false): void {
    for (const digest of listDigests(place, text))
      if (isAgain || !this.isMine(digest)) this.unsigned.add(digest);
  }

  /**
   * Believes a list that came in.
   * @returns why it is not, else null
   */
  accept(list: SharedSignature): string | null {
    const signer = findListSigner(list);
    if (signer === null) return "its signature is not valid";
    if (!list.projects.some((project) => this.signing.projects.includes(project)))
      return "it was signed for another project";
    this.signing.trust.rememberSigner(signer, list.name);
    saveSigned(this.memory, signer, list.digests);
    return null;
  }

  /** One signature for all that was added; null: there is nothing to sign, or to sign with. */
  async sign(): Promise<SharedSignature | null> {
    const { key, projects } = this.signing;
    if (key === null || this.unsigned.size === 0) return null;
    const digests = [...this.unsigned].sort(compareText);
    const content = { name: this.name, projects: [...projects].sort(compareText), digests };
    const message = formatListMessage(content);
    // A push that was rejected does not ask for another touch of a security key.
    if (this.made?.uid !== hashListMessage(message)) {
      const signature = await key.sign(message);
      this.made = signList(content, () => signature);
    }
    return this.made;
  }

  /** What was signed is shared now. */
  save(): void {
    if (this.made === null) return;
    const signer = findListSigner(this.made)!;
    this.signing.trust.rememberSigner(signer, this.name, "yours");
    saveSigned(this.memory, signer, this.made.digests);
    this.unsigned.clear();
  }
}
