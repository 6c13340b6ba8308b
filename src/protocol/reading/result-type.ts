import type { ChunkKind, ChunkType } from "../values.ts";

/** What a result of sessions is called; a plain part of a conversation needs no name. */
export function resultType({ chunk_type, kind }: { chunk_type: ChunkType; kind: ChunkKind }): string {
  if (chunk_type === "annotated") return "note";
  return chunk_type === "summary" ? "summary" : kinds[kind];
}

const kinds: Readonly<Record<ChunkKind, string>> = {
  decision: "decision",
  "code-change": "code change",
  "error-fix": "error fixed",
  architecture: "architecture",
  conversation: "",
};
