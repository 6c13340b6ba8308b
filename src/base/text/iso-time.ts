/** Milliseconds since the epoch as ISO 8601. */
export function formatIsoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** "2026-01-31 14:05 UTC": whoever reads it may live elsewhere. */
export function formatUtcMinute(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
