import { existsSync, rmSync } from "node:fs";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { makeDirectory } from "../../base/home.ts";
import { findEnvelopeOfDatabase } from "../../store/encryption/envelope.ts";
import { locateEngineFolder } from "../../store/index/engine-folder.ts";
import type { IndexDriver } from "../../store/index/port.ts";
import { type BlobEngine, type BlobStore, blobKinds } from "../blobs/blob-store.ts";
import { createEngineDriver } from "../blobs/engine-driver.ts";
import { CheckoutKey } from "../blobs/place.ts";
import { describeDamage } from "../blobs/store.ts";
import type { EngineSettings } from "../drivers.ts";
import { connect, explainUnavailable, LanceBlobs, type LanceConnection } from "./tables.ts";

/** The code index in LanceDB: a table in a folder beside the checkout's other caches, or in object storage. */
export function createLanceDriver({ "index.url": url }: EngineSettings): IndexDriver {
  // An address of PostgreSQL is that of the other engine.
  return createEngineDriver(
    /^(?:s3|gs|az):/.test(url) ? new LanceBucket(url.replace(/\/$/, "")) : new LanceFolder(),
  );
}

const table = "blobs";

class LanceFolder implements BlobEngine {
  readonly place = "";

  async open(file: string, mode: "read" | "write" | "rebuild"): Promise<BlobStore | null> {
    const dir = this.describePlace(file);
    if (findEnvelopeOfDatabase(dir) !== null) throw makeNotEncryptedError();
    if (mode === "read" && !existsSync(dir)) return null;
    if (mode !== "read") makeDirectory(dir);
    const connection = await connect(dir, mode === "read");
    return mode === "read"
      ? LanceBlobs.open(connection, table)
      : ((await LanceBlobs.open(connection, table)) ?? LanceBlobs.create(connection, table));
  }

  isThere(file: string): boolean {
    // Without the package its error says more.
    return explainUnavailable() !== null || existsSync(this.describePlace(file));
  }

  async remove(file: string): Promise<void> {
    rmSync(this.describePlace(file), { recursive: true, force: true });
  }

  explain(error: unknown, file: string): unknown {
    const why = explainLance(error);
    if (why === null || error instanceof PommelError) return error;
    const dir = this.describePlace(file);
    const because = { cause: error };
    if (/No space left|ENOSPC/i.test(why))
      return new PommelError("disk_full", `The disk of ${dir} is full.`, "Free some space.", because);
    if (/Permission denied|EACCES|Read-only/i.test(why))
      return new PommelError(
        "unreadable",
        `${dir} cannot be used: ${why}`,
        "Check its owner and permissions.",
        because,
      );
    return describeDamage(dir, why, error);
  }

  describePlace(file: string): string {
    return locateEngineFolder(file);
  }
}

/** Each checkout has a table of its own, called by its key. */
class LanceBucket implements BlobEngine {
  constructor(readonly place: string) {}

  async open(file: string, mode: "read" | "write" | "rebuild"): Promise<BlobStore | null> {
    const place = new CheckoutKey(file, "lancedb");
    if (mode === "read") {
      const key = place.findIndexKey();
      return key === null ? null : LanceBlobs.open(await connect(this.place, true), key);
    }
    const connection = await connect(this.place, false);
    const name = place.claimIndexKey();
    const known = await LanceBlobs.open(connection, name);
    if (known !== null) return known;
    const source = mode === "write" ? await openOther(connection, place) : null;
    const blobs = await LanceBlobs.create(connection, name);
    if (source !== null) await copyBlobs(source, blobs);
    return blobs;
  }

  isThere(file: string): boolean {
    return explainUnavailable() !== null || new CheckoutKey(file, "lancedb").findIndexKey() !== null;
  }

  async remove(file: string): Promise<void> {
    const place = new CheckoutKey(file, "lancedb");
    const key = place.findIndexKey();
    try {
      if (key !== null) await (await connect(this.place, false)).dropTable(key);
    } finally {
      place.forget();
    }
  }

  explain(error: unknown): unknown {
    const why = explainLance(error);
    if (why === null || error instanceof PommelError) return error;
    return new PommelError(
      "index_unavailable",
      `The index at ${this.place} cannot be reached or used: ${why}.`,
      "Check index.url, the network, and the variables with the storage's keys; `pm config set index.driver sqlite` keeps the index on this machine.",
      { cause: error },
    );
  }

  describePlace(): string {
    return this.place;
  }
}

/** Indexes that are looked at to find one to begin with. */
const maxCandidates = 20;

/** The largest index of another checkout of the same project; null where there is none. Machines that are gone may have left parts. */
async function openOther(connection: LanceConnection, place: CheckoutKey): Promise<BlobStore | null> {
  const prefix = place.findProjectPrefix();
  if (prefix === null) return null;
  let largest: { blobs: BlobStore; bytes: number } | null = null;
  try {
    const names = await connection.tableNames({ startAfter: prefix, limit: maxCandidates });
    for (const name of names.filter((one) => one.startsWith(prefix))) {
      const blobs = await LanceBlobs.open(connection, name);
      const bytes = (await blobs?.countBytes()) ?? 0;
      if (blobs !== null && bytes > (largest?.bytes ?? 0)) largest = { blobs, bytes };
    }
  } catch {
    // To list what is there takes rights of its own.
  }
  return largest?.blobs ?? null;
}

/** Until the journal is there, which comes last, nothing counts. */
async function copyBlobs(from: BlobStore, to: BlobStore): Promise<void> {
  const journal = [];
  for (const kind of ["whole", "journal"] as const) {
    for await (const part of from.readFrom(kind, 0))
      for (const [number, bytes] of part) journal.push({ kind, number, bytes });
  }
  for (const kind of blobKinds) {
    if (kind === "whole" || kind === "journal") continue;
    for await (const part of from.readFrom(kind, 0))
      await to.add([...part].map(([number, bytes]) => ({ kind, number, bytes })));
  }
  await to.add(journal);
}

/** What LanceDB says of an error, in short; null for one that is not its own. */
function explainLance(error: unknown): string | null {
  if (!(error instanceof Error) || !/GenericFailure|lance|table|object store/i.test(getErrorMessage(error)))
    return null;
  return getErrorMessage(error)
    .split(/[\n,]? *Caused by|, \/\S+\.rs:/)[0]!
    .replace(/^.*LanceError\(\w+\): /s, "");
}

const makeNotEncryptedError = () =>
  new PommelError(
    "index_unavailable",
    "index.driver = lancedb stores the index plain, and this project is encrypted.",
    "`pm config set index.driver sqlite` keeps the index encrypted.",
  );
