/** Milliseconds since the epoch as ISO 8601. */
export function formatIsoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
