import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { replaceFile } from "../../base/files/replace-file.ts";
import { makeProject } from "../../base/paths.ts";
import { type KnownCheckout, Registry } from "../../store/registry.ts";

const placeFile = z.object({ key: z.string(), of: z.string() });

/**
 * Which part of a shared server or bucket is a checkout's: a key in a file beside where `index.db` would be. Paths would not do, as
 * several machines have the same. It begins with what checkouts of the same project have in common, and is random but for that. A
 * copied directory gets a key of its own, a moved one keeps its.
 */
export class CheckoutKey {
  private readonly path: string;

  /** @param file where the checkout's index would be @param engine ends the file's name */
  constructor(
    private readonly file: string,
    private readonly engine: string,
  ) {
    this.path = this.buildPathBeside(file);
  }

  private buildPathBeside(file: string): string {
    return `${file.replace(/\.db$/, "")}.${this.engine}`;
  }

  /** null: nothing was indexed there. */
  findIndexKey(): string | null {
    const known = this.read();
    if (known === null || known.of === this.file || !existsSync(this.buildPathBeside(known.of))) {
      return known?.key ?? null;
    }
    return null;
  }

  /** The key, a new one if there is none. */
  claimIndexKey(): string {
    const key = this.findIndexKey() ?? `${this.findProjectPrefix() ?? ""}${randomUUID()}`;
    if (this.read()?.of !== this.file) replaceFile(this.path, `${JSON.stringify({ key, of: this.file })}\n`);
    return key;
  }

  forget(): void {
    rmSync(this.path, { force: true });
  }

  /** With this the keys of all checkouts of the project begin, whose first commits tell it; null where these are not known. */
  findProjectPrefix(): string | null {
    const checkout = this.findCheckout();
    const project = checkout && Registry.openIfThere()?.findProjectById(checkout.project);
    if (!project || project.roots.length === 0) return null;
    const facts = JSON.stringify([project.roots.toSorted(), project.within]);
    return `${createHash("sha256").update(facts).digest("hex").slice(0, 16)}_`;
  }

  /** Where the checkout is, for people. */
  describeRoot(): string {
    return this.findCheckout()?.root ?? dirname(this.file);
  }

  private findCheckout(): KnownCheckout | null {
    const checkouts = Registry.openIfThere()?.listCheckouts() ?? [];
    return checkouts.find(({ project, root }) => makeProject(project, root).indexDb === this.file) ?? null;
  }

  private read(): z.infer<typeof placeFile> | null {
    try {
      return placeFile.parse(JSON.parse(readFileSync(this.path, "utf8")));
    } catch {
      // Absent or unreadable: the index is made again.
      return null;
    }
  }
}
