import { useEffect, useState } from "preact/hooks";
import { placeShown } from "../../api/place.ts";

/** Whoever comes back sooner has not been away. Milliseconds. */
const awayMs = 20 * 60_000;

/** When the reader looked at the project last, before this time; null: never, or just now. ISO 8601. */
export function useSeen(): string | null {
  const key = `pommel.seen ${placeShown() ?? ""}`;
  const [seen] = useState(() => localStorage.getItem(key));
  useEffect(() => {
    const leave = () => localStorage.setItem(key, new Date().toISOString());
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  return seen !== null && Date.now() - Date.parse(seen) > awayMs ? seen : null;
}
