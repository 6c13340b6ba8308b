import type { Memory } from "./memory.ts";

/** Whose key signed what came here (docs/share.md). */

/** The keys that signed a record, by the digest that stands for it. */
export function listSignersOfRecord(memory: Memory, digest: string): string[] {
  return memory.readColumn<string>(
    "SELECT signer FROM signed_records WHERE digest = ? ORDER BY signer",
    digest,
  );
}

export function saveSigned(memory: Memory, signer: string, digests: readonly string[]): void {
  memory.change(
    "INSERT INTO signed_records (digest, signer) SELECT value, ? FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING",
    signer,
    digests,
  );
}

/** As if no signature were known: those on the branch are gone with it. */
export function forgetSigned(memory: Memory): void {
  memory.change("DELETE FROM signed_records");
}

/** Tables whose rows say whose words they are. */
const tables = ["sessions", "annotations", "events"] as const;

/** What one signer's records are labelled with; null: they are this person's. */
export function relabelSigner(memory: Memory, signer: string, author: string | null): void {
  memory.runInTransaction(() => {
    for (const table of tables) {
      memory
        .prepare(`UPDATE ${table} SET author = @author WHERE signer = @signer AND author IS NOT @author`)
        .run({ signer, author });
    }
  });
}

export interface SignerHere {
  /** null: nobody signed it. */
  signer: string | null;
  sessions: number;
  notes: number;
}

/** What is here of others, or of this person's other machines, by who signed it. */
export function listSignersHere(memory: Memory): SignerHere[] {
  return memory.all<SignerHere>(`SELECT signer, sum(kind = 's') AS sessions, sum(kind = 'n') AS notes FROM (
      SELECT signer, 's' AS kind FROM sessions WHERE author IS NOT NULL OR signer IS NOT NULL
      UNION ALL SELECT signer, 'n' FROM annotations WHERE author IS NOT NULL OR signer IS NOT NULL
      UNION ALL SELECT signer, 'e' FROM events WHERE author IS NOT NULL OR signer IS NOT NULL)
    GROUP BY signer ORDER BY signer`);
}
