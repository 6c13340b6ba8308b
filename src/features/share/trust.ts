import { existsSync } from "node:fs";
import { listProjects } from "../../answers/known-projects.ts";
import { withMemory } from "../../answers/open.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { unsignedKey } from "../../store/memory/heard.ts";
import { Memory } from "../../store/memory/memory.ts";
import { listSignersHere, type SignerHere } from "../../store/memory/signers.ts";
import { readTrust } from "../../sync/origin/open-signing.ts";
import type { Signer, Standing, Trust } from "../../sync/origin/trust.ts";

export interface TrustRequest {
  /** Whose standing changes: a key, the beginning of one, a name, or `unsigned`; left out: nobody's. */
  who?: string | undefined;
  standing?: Standing | undefined;
}

/** Somebody whose words are in this project, or who is known from another one. */
export interface ListedSigner extends Signer, Pick<SignerHere, "sessions" | "notes"> {}

export interface TrustAnswer {
  signers: ListedSigner[];
  /** Projects whose memory could not be opened: what is here of a signer keeps its label until the next exchange. */
  left: string[];
}

/**
 * Whose words agents get, in all of this person's projects.
 * @throws PommelError `not_found`, `usage` when several could be meant
 */
export async function trustIn(project: Project, { who, standing }: TrustRequest): Promise<TrustAnswer> {
  const trust = await readTrust(project.root);
  const left: string[] = [];
  if (who !== undefined && standing !== undefined) {
    trust.set(findSigner(trust, who), standing);
    for (const { project: one } of listProjects()) if (!relabelMemory(one, trust)) left.push(one.root);
  }
  const here = existsSync(project.memoryDb) ? await withMemory(project, listSignersHere) : [];
  const findCounts = (key: string) => {
    const { sessions, notes } = here.find(({ signer }) => (signer ?? unsignedKey) === key) ?? {};
    return { sessions: sessions ?? 0, notes: notes ?? 0 };
  };
  const signers = trust.listSigners();
  const isNew = findCounts(unsignedKey);
  const unsigned: Signer[] =
    isNew.sessions + isNew.notes > 0 && !signers.some(({ key }) => key === unsignedKey)
      ? [{ key: unsignedKey, name: "", since: 0, standing: "not_trusted" }]
      : [];
  return { signers: [...signers, ...unsigned].map((one) => ({ ...one, ...findCounts(one.key) })), left };
}

/** What a change of trust means for what is here already. @returns whether it could be done */
function relabelMemory({ memoryDb }: Project, trust: Trust): boolean {
  if (!existsSync(memoryDb)) return true;
  try {
    const memory = Memory.open(memoryDb, { readonly: false });
    try {
      trust.relabelRecords(memory);
    } finally {
      memory.close();
    }
    return true;
  } catch {
    return false;
  }
}

function findSigner(trust: Trust, who: string): string {
  const name = who.trim();
  // The key of another machine may be named before anything comes from there.
  if (name === unsignedKey || wholeKey.test(name)) return name;
  const known = trust.listSigners();
  const bare = name.replace(/…$/, "");
  const exact = known.filter(({ key }) => key === name);
  const named = known.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  const begun = known.filter(({ key }) => bare.length >= minBeginning && key.startsWith(bare));
  const [found, ...others] = [exact, named, begun].find((some) => some.length > 0) ?? [];
  if (found !== undefined && others.length === 0) return found.key;
  throw found === undefined
    ? new PommelError(
        "not_found",
        `Nobody called ${name} shared anything with you.`,
        "`pm share trust` lists who did.",
      )
    : new PommelError(
        "usage",
        `Several are called ${name}: ${[found, ...others].map(({ key }) => key).join(", ")}.`,
        "Give the key instead of the name.",
      );
}

const wholeKey = /^SHA256:[A-Za-z0-9+/]{43}$/;
/** `SHA256:` and enough of a key to mean one. */
const minBeginning = 15;
