import { locateHome } from "../../base/home.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { readCheckoutIdentity } from "../../git/projects/identity.ts";
import { cleanLabel } from "../../protocol/outside.ts";
import type { Signing } from "./signed-records.ts";
import { findSigningKey, locateKeyFile } from "./signing-key.ts";
import { Trust, trustFileIn } from "./trust.ts";

/** Whose words this person's agents get. */
export const readTrust = async (root: string): Promise<Trust> => openTrust(await shareAuthor(root));

/** @param name this person's */
const openTrust = (name: string | null) => new Trust(trustFileIn(locateHome()), [name ?? ""]);

/** Under which name this person shares; null: none is known. */
export async function shareAuthor(root: string): Promise<string | null> {
  return cleanLabel("author", (await readGitTextIfAny(root, ["config", "user.email"])) ?? "") || null;
}

/** What this machine signs with, and under which name. */
export interface PersonSigning extends Signing {
  /** null: none is known. */
  name: string | null;
}

/** @param how `isTrial`: no key is made */
export async function openSigning(
  root: string,
  { onNote, isTrial = false }: { onNote?: ((text: string) => void) | undefined; isTrial?: boolean } = {},
): Promise<PersonSigning> {
  const [name, identity] = await Promise.all([shareAuthor(root), readCheckoutIdentity(root, null)]);
  const trust = openTrust(name);
  const file = locateKeyFile(locateHome().configDir);
  const onMade = () =>
    onNote?.(
      `Created the key ${file}, which signs what you share. \`pm share trust --mine\` tells your other machines.`,
    );
  const key = await findSigningKey(root, { file, make: !isTrial, onMade });
  if (key?.fingerprint && !isTrial) trust.rememberSigner(key.fingerprint, name, "yours");
  // Of a clone that was cut off, or without commits, nobody can tell whose signatures are for it.
  const projects = identity.gitId === null ? [noRepository] : (identity.roots ?? []);
  return { key, trust, name, projects };
}

/** What signatures name where there is no repository: such a memory leaves in a file only. */
const noRepository = "no repository";
