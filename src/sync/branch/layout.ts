/** Where what is shared lies on the branch. */

export const manifestPath = "manifest.json";

export const sharedKinds = ["session", "annotation", "checkpoint", "attribution", "event"] as const;
export type SharedKind = (typeof sharedKinds)[number];

/** A thing that is shared; of an attribution the id is the commit's hash. */
export interface Thing {
  kind: SharedKind;
  id: string;
}

/** A file of a thing. A session has two, all else has one. */
export interface Place extends Thing {
  part: "meta" | "transcript" | "whole";
}

/** Ids are written so that none of them is `.git`, `..` or a file of another. */
const encoded = (id: string) =>
  id
    .split("/")
    .map((part) => encodeURIComponent(Buffer.from(part).toString()).replaceAll(".", "%2E") || "%")
    .join("/");

function decoded(path: string): string | null {
  try {
    const id = path
      .split("/")
      .map((part) => (part === "%" ? "" : decodeURIComponent(part)))
      .join("/");
    return encoded(id) === path ? id : null;
  } catch {
    return null;
  }
}

/** The path of a thing's file: `sessions/<id>/meta.json`, `attributions/<first two digits>/<hash>.json`. */
export function pathOf({ kind, id, part }: Place): string {
  const name = encoded(id);
  if (kind === "session") return `sessions/${name}/${part === "meta" ? "meta.json" : "transcript.jsonl"}`;
  return kind === "attribution" ? `attributions/${name.slice(0, 2)}/${name}.json` : `${kind}s/${name}.json`;
}

const pattern =
  /^(?:(session)s\/(.+)\/(meta\.json|transcript\.jsonl)|attributions\/.{2}\/([^/]+)\.json|(annotation|checkpoint|event)s\/(.+)\.json)$/s;

/** Whose file a path is; null for the manifest, and for what newer clients may have put there. */
export function placeOf(path: string): Place | null {
  const [, session, uid = "", file, hash, kind, name = ""] = pattern.exec(path) ?? [];
  const place = (found: Place["kind"], text: string, part: Place["part"]): Place | null => {
    const id = decoded(text);
    const made = id === null ? null : { kind: found, id, part };
    return made !== null && pathOf(made) === path ? made : null;
  };
  if (session !== undefined) return place("session", uid, file === "meta.json" ? "meta" : "transcript");
  if (hash !== undefined) return place("attribution", hash, "whole");
  return kind === undefined ? null : place(kind as SharedKind, name, "whole");
}
