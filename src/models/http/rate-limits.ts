/**
 * How long a server asks to wait before the next request, in milliseconds; null when it does not ask.
 * Understands Retry-After (seconds or a date), OpenAI's retry-after-ms, and x-ratelimit-reset-* once a limit is used up.
 */
export function waitAskedFor(headers: Headers, now: number = Date.now()): number | null {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && Number(exact) >= 0) return Number(exact);
  const after = headers.get("retry-after");
  if (after !== null) {
    const ms = /^[\d.]+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
    if (!Number.isNaN(ms)) return Math.max(0, ms);
  }
  const resets = ["requests", "tokens"]
    .filter((what) => headers.get(`x-ratelimit-remaining-${what}`) === "0")
    .map((what) => durationMs(headers.get(`x-ratelimit-reset-${what}`) ?? ""))
    .filter((ms) => ms !== null);
  return resets.length === 0 ? null : Math.max(...resets);
}

const duration = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/;

/** "6m0s", "1.5s", "12ms", or plain seconds; null for anything else. */
function durationMs(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const parts = text === "" ? null : duration.exec(text);
  if (parts === null) return null;
  const [days, hours, minutes, seconds, ms] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000 + ms!;
}
