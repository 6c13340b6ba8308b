import { join } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { readTextIfAny } from "../../base/files/if-any.ts";
import { writeJson } from "../../base/files/replace-file.ts";
import type { Home } from "../../base/home.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { cleanLabel } from "../../protocol/outside.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Authorship } from "../../store/memory/memory-records.ts";
import { listSignersHere, relabelSigner } from "../../store/memory/signers.ts";

/**
 * Whose words this person's agents get. It is the person's, for all projects, and shared with nobody: a file in the
 * home.
 */

const standings = ["yours", "trusted", "not_trusted"] as const;
export type Standing = (typeof standings)[number];

/** Somebody whose records came here. */
export interface Signer {
  /** `SHA256:…` of a key; `role:NAME` of a colleague whom a team's server knows; `unsigned`. */
  key: string;
  /** As its first records said; what it says later changes nothing. */
  name: string;
  /** Milliseconds since the epoch. */
  since: number;
  standing: Standing;
}

export const trustFileIn = ({ configDir }: Pick<Home, "configDir">): string => join(configDir, "trust.json");

/** Colleagues whom a server authenticates. */
export const formatRoleKey = (name: string): string => `role:${name}`;

const shape = z.object({
  signers: z.array(
    z.object({ key: z.string(), name: z.string(), since: z.number(), standing: z.enum(standings) }),
  ),
});

const cleanName = (name: string | null | undefined) => cleanLabel("author", name ?? "");

/** Whose a record is that nobody signed. */
export function makeUnsignedAuthorship(claimed: string | null | undefined): Authorship {
  const name = cleanName(claimed);
  return { author: `somebody unsigned${name === "" ? "" : ` who claims to be ${name}`}`, signer: null };
}

const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export class Trust {
  /** This person's names; whoever else uses one is another. */
  private readonly own: readonly string[];

  constructor(
    private readonly file: string,
    own: readonly string[] = [],
  ) {
    this.own = own.map(cleanName).filter((name) => name !== "");
  }

  private known: Signer[] | null = null;

  /** In the order in which they came; with a file that is damaged nobody is trusted. */
  listSigners(): Signer[] {
    this.known ??= this.read() ?? [];
    return this.known;
  }

  /** null: it is damaged. */
  private read(): Signer[] | null {
    const text = readTextIfAny(this.file);
    if (text === "") return [];
    try {
      const parsed = shape.safeParse(JSON.parse(text));
      return parsed.success ? parsed.data.signers : null;
    } catch {
      return null;
    }
  }

  isMine(key: string): boolean {
    return this.listSigners().some((one) => one.key === key && one.standing === "yours");
  }

  /** Of several who signed the same, this person, else who came first. */
  chooseSigner(keys: readonly string[]): string | undefined {
    const known = this.listSigners().filter(({ key }) => keys.includes(key));
    return (known.find(({ standing }) => standing === "yours") ?? known[0])?.key ?? keys[0];
  }

  /** The signers whose words agents get. */
  listHeardSigners(): string[] {
    return this.listSigners().flatMap(({ key, standing }) => (standing === "not_trusted" ? [] : [key]));
  }

  /**
   * Remembers a signer. A new one is trusted, unless its name is another's already: then a person has to decide.
   * @param now milliseconds since the epoch
   */
  rememberSigner(
    key: string,
    named: string | null,
    standing: Standing | null = null,
    now = Date.now(),
  ): void {
    const known = this.listSigners().find((one) => one.key === key);
    if (known && (standing === null || standing === known.standing)) return;
    this.changeSigners((signers) => {
      const name = cleanName(named);
      const usual = this.isTaken(signers, key, name) ? "not_trusted" : "trusted";
      const others = signers.filter((one) => one.key !== key);
      if (known) return signers.map((one) => (one.key === key ? { ...one, standing: standing! } : one));
      return [...others, { key, name, since: now, standing: standing ?? usual }];
    });
  }

  /** Remembers a colleague whom a team's server knows: it lets nobody use another's name. */
  rememberRole(name: string): void {
    const key = formatRoleKey(name);
    if (!this.listSigners().some((one) => one.key === key)) this.rememberSigner(key, name, "trusted");
  }

  set(key: string, standing: Standing): void {
    this.rememberSigner(key, null, standing);
  }

  /** Labels what is in a memory anew: a key may have become this person's, or no longer be. */
  relabelRecords(memory: Memory): void {
    for (const { signer } of listSignersHere(memory))
      if (signer !== null) relabelSigner(memory, signer, this.labelAuthor(signer));
  }

  /** What a signer's records are labelled with; null: they are this person's. */
  labelAuthor(key: string): string | null {
    const signers = this.listSigners();
    const signer = signers.find((one) => one.key === key);
    if (signer?.standing === "yours") return null;
    const name = signer?.name ?? "";
    const shown = name === "" ? "somebody" : name;
    const isPlain = /^[\x20-\x7e]+$/.test(shown);
    if (name !== "" && isPlain && !this.isTaken(signers, key, name)) return shown;
    const claimed = shortenText(shown, maxClaimedName);
    return key.startsWith("role:")
      ? `${claimed} at the team's server`
      : `${claimed} with another key ${shortenKey(key)}`;
  }

  /** Whether a name is this person's, or that of somebody who came earlier. */
  private isTaken(signers: readonly Signer[], key: string, name: string): boolean {
    if (name === "") return false;
    if (this.own.some((one) => isSameName(one, name))) return true;
    const at = signers.findIndex((one) => one.key === key);
    const earlier = at < 0 ? signers : signers.slice(0, at);
    const mine = signers.filter(({ standing }) => standing === "yours");
    return [...earlier, ...mine].some((one) => one.key !== key && isSameName(one.name, name));
  }

  private changeSigners(edit: (signers: Signer[]) => Signer[]): void {
    withFileLock(`${this.file}.lock`, () => {
      const now = this.read();
      if (now === null)
        throw new PommelError(
          "unreadable",
          `${this.file} is damaged.`,
          "Repair the file, or move it away. Without it, nobody is trusted.",
        );
      this.known = edit(now);
      writeJson(this.file, { signers: this.known });
    });
  }
}

/** Characters: what is said of a name stands behind it, where labels are not cut yet. */
const maxClaimedName = 20;

const shortenKey = (key: string): string => (key.length > 21 ? `${key.slice(0, 19)}…` : key);
