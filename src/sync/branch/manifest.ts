import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { compareText, toCanonicalJson } from "../codec/codec.ts";
import { chooseFileType, decode, type SharedKind, type SharedPart, sharedKinds } from "./shared-file.ts";

/** The layout of the branch. */

export const manifestPath = "manifest.json";

/** Encodes ids so that none is `.git`, `..` or another's file. */
const encodeId = (id: string) =>
  id
    .split("/")
    .map((part) => encodeURIComponent(Buffer.from(part).toString()).replaceAll(".", "%2E") || "%")
    .join("/");

function decodeId(path: string): string | null {
  try {
    const id = path
      .split("/")
      .map((part) => (part === "%" ? "" : decodeURIComponent(part)))
      .join("/");
    return encodeId(id) === path ? id : null;
  } catch {
    return null;
  }
}

/** The path of an item's file: `sessions/<id>/meta.json`, `attributions/<first two digits>/<hash>.json`. */
export function buildItemPath({ kind, id, part }: SharedPart): string {
  const name = encodeId(id);
  if (kind === "session") return `sessions/${name}/${part === "meta" ? "meta.json" : "transcript.jsonl"}`;
  return kind === "attribution" ? `attributions/${name.slice(0, 2)}/${name}.json` : `${kind}s/${name}.json`;
}

const pattern =
  /^(?:(session)s\/(.+)\/(meta\.json|transcript\.jsonl)|attributions\/.{2}\/([^/]+)\.json|(annotation|checkpoint|event|signature)s\/(.+)\.json)$/s;

/** The item of a path; null for the manifest, and for unknown files of newer clients. */
export function parseItemPath(path: string): SharedPart | null {
  const [, session, uid = "", file, hash, kind, name = ""] = pattern.exec(path) ?? [];
  const place = (found: SharedPart["kind"], text: string, part: SharedPart["part"]): SharedPart | null => {
    const id = decodeId(text);
    const made = id === null ? null : { kind: found, id, part };
    return made !== null && buildItemPath(made) === path ? made : null;
  };
  if (session !== undefined) return place("session", uid, file === "meta.json" ? "meta" : "transcript");
  if (hash !== undefined) return place("attribution", hash, "whole");
  return kind === undefined ? null : place(kind as SharedKind, name, "whole");
}

/** The newest supported layout. */
export const layoutVersion = 1;

/** A file's entry in the manifest. */
export interface ManifestEntry {
  sha256: string;
  /** Last change: a session's last line, a commit's time. */
  updated: number;
}

/** By path. */
export type BranchManifest = Map<string, ManifestEntry>;

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const entryShape = z.object({ updated: z.number(), files: z.record(z.string(), hash) });
const shape = z.object({
  version: z.int(),
  ...(Object.fromEntries(sharedKinds.map((kind) => [`${kind}s`, z.record(z.string(), entryShape)])) as Record<
    `${SharedKind}s`,
    z.ZodMiniRecord<z.ZodMiniString, typeof entryShape>
  >),
});

const fileNames: Record<SharedPart["part"], string> = {
  meta: "meta.json",
  transcript: "transcript.jsonl",
  whole: "record",
};

/** A manifest's version; null if invalid. */
export function parseManifestVersion(text: string): number | null {
  try {
    const parsed = z.object({ version: z.int() }).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.version : null;
  } catch {
    return null;
  }
}

/** null if invalid; it can be rebuilt from the files. */
export function readManifest(text: string): BranchManifest | null {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = shape.safeParse(given);
  if (!parsed.success) return null;
  const manifest: BranchManifest = new Map();
  for (const kind of sharedKinds) {
    for (const [id, { updated, files }] of Object.entries(parsed.data[`${kind}s`])) {
      for (const part of ["meta", "transcript", "whole"] as const) {
        const sha256 = files[fileNames[part]];
        if (sha256 !== undefined) manifest.set(buildItemPath({ kind, id, part }), { sha256, updated });
      }
    }
  }
  return manifest;
}

/** One line per item, so that git's delta of the next version is small. */
export function writeManifest(manifest: BranchManifest): string {
  const kinds = sharedKinds.map((kind): string => {
    const things = new Map<string, { updated: number; files: Record<string, string> }>();
    for (const [path, { sha256, updated }] of manifest) {
      const place = parseItemPath(path);
      if (place?.kind !== kind) continue;
      const thing = things.get(place.id) ?? { updated: 0, files: {} };
      thing.updated = Math.max(thing.updated, updated);
      thing.files[fileNames[place.part]] = sha256;
      things.set(place.id, thing);
    }
    const lines = [...things]
      .sort(([a], [b]) => compareText(a, b))
      .map(([id, thing]) => `\n${JSON.stringify(id)}:${toCanonicalJson(thing)}`);
    return `"${kind}s":{${lines.join(",")}}`;
  });
  return `{"version":${layoutVersion},\n${kinds.sort(compareText).join(",\n")}}\n`;
}

/** A file's manifest entry; null for the manifest itself, and for unknown or malformed files. */
export function makeManifestEntry(path: string, text: string): ManifestEntry | null {
  const place = parseItemPath(path);
  if (place === null || path === manifestPath) return null;
  const type = chooseFileType(place);
  const sha256 = createHash("sha256").update(text).digest("hex");
  // Its meta.json has the time, and it is long.
  if (type === "transcript") return { sha256, updated: 0 };
  const { record } = decode(type, text);
  if (record === null) return null;
  if ("last_at" in record) return { sha256, updated: Number(record.last_at ?? 0) };
  if ("updated_at" in record) return { sha256, updated: Number(record.updated_at) };
  if ("created_at" in record) return { sha256, updated: Number(record.created_at) };
  if ("commit" in record && !Array.isArray(record)) {
    return { sha256, updated: (record.commit as { committed_at: number }).committed_at };
  }
  return { sha256, updated: "at" in record ? Number(record.at) : 0 };
}
