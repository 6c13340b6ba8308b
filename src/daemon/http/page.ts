import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getErrorCode } from "../../base/errors.ts";
import { dayMs } from "../../base/text/day.ts";
import type { browsersResponse } from "../../features/page/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";

/** The code that `pm open` puts into the address expires after this time. Milliseconds. */
export const codeLifetimeMs = 60_000;
/** A browser that sends no request for this time is signed out. Milliseconds. */
const maxUnusedMs = 7 * dayMs;
/** The most codes and signed-in browsers at a time; a further one replaces the oldest. */
const maxCodes = 32;
const maxBrowsers = 32;

interface Browser {
  /** The hash of the secret in the browser's token. */
  hash: Buffer;
  name: string;
  signedInAt: number;
  lastUsedAt: number;
}

/**
 * Decides who may use the local page: a browser that exchanged a one-time code for a token.
 *
 * Codes and tokens have 256 random bits. The daemon keeps only their hashes, and only in memory, so they end with the daemon. To a
 * browser, the next program on the daemon's port is the same origin, so the browser would send it the token
 * (docs/decisions/0011).
 */
export class PageAccess {
  readonly #now: () => number;
  /** The codes by their hash, with the time when they expire and the browser that used them. */
  readonly #codes = new Map<string, { expires: number; browser: string | null }>();
  /** The browsers by their id, with which their token begins. */
  readonly #browsers = new Map<string, Browser>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A code that opens the page once. */
  createCode(): string {
    const code = makeSecret();
    this.#codes.set(hashSecret(code).toString("hex"), {
      expires: this.#now() + codeLifetimeMs,
      browser: null,
    });
    dropOldest(this.#codes, maxCodes);
    return code;
  }

  /**
   * Exchanges a code for a browser's token; null if the code is unknown, used or too old. If a code is used twice, somebody else has
   * seen it, so the browser that used it first is signed out.
   * @param userAgent what the browser calls itself
   * @param asker the browser that asks, if it is signed in
   */
  signIn(code: string, userAgent = "", asker: string | null = null): string | null {
    const known = this.#codes.get(hashSecret(code).toString("hex"));
    if (known === undefined || known.expires < this.#now()) return null;
    if (known.browser !== null) {
      if (known.browser !== asker) this.#browsers.delete(known.browser);
      return null;
    }
    const [id, secret] = [randomBytes(4).toString("hex"), makeSecret()];
    const now = this.#now();
    const name = parseBrowserName(userAgent);
    this.#browsers.set(id, { hash: hashSecret(secret), name, signedInAt: now, lastUsedAt: now });
    dropOldest(this.#browsers, maxBrowsers);
    known.browser = id;
    return `${id}.${secret}`;
  }

  /** The id of the browser that sent an `Authorization` header, and counts as used now; null if the token is not known. */
  findBrowser(authorization: string | undefined): string | null {
    const [, id = "", secret = ""] = /^Bearer (\w+)\.([\w-]+)$/.exec(authorization ?? "") ?? [];
    const browser = this.#current().get(id);
    if (!browser || !timingSafeEqual(hashSecret(secret), browser.hash)) return null;
    browser.lastUsedAt = this.#now();
    return id;
  }

  /** Who is signed in, the last used first. */
  listBrowsers(): Shaped<typeof browsersResponse>["browsers"] {
    const iso = (at: number) => new Date(at).toISOString();
    return [...this.#current()]
      .sort(([, a], [, b]) => b.lastUsedAt - a.lastUsedAt)
      .map(([id, { name, signedInAt, lastUsedAt }]) => ({
        id,
        name,
        signed_in_at: iso(signedInAt),
        last_used_at: iso(lastUsedAt),
      }));
  }

  /** @param id default: all. @returns how many browsers were signed out */
  signOut(id?: string): number {
    const gone = [...this.#current().keys()].filter((one) => id === undefined || one === id);
    for (const one of gone) this.#browsers.delete(one);
    // Codes that are not used yet were made before this, so they end as well.
    if (id === undefined) this.#codes.clear();
    return gone.length;
  }

  #current(): ReadonlyMap<string, Browser> {
    for (const [id, { lastUsedAt }] of this.#browsers) {
      if (this.#now() - lastUsedAt >= maxUnusedMs) this.#browsers.delete(id);
    }
    return this.#browsers;
  }
}

const makeSecret = () => randomBytes(32).toString("base64url");

const hashSecret = (text: string) => createHash("sha256").update(text).digest();

function dropOldest(map: Map<string, unknown>, max: number): void {
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}

/** Names of browsers by their word in `User-Agent`. Browsers that imitate others come before those. */
const browserNames = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Version", "Safari"],
] as const;

/** Returns only names from the list, because a `User-Agent` may contain anything. */
function parseBrowserName(userAgent: string): string {
  for (const [product, name] of browserNames) {
    const [, major] = new RegExp(`${product}/(\\d{1,4})\\b`).exec(userAgent) ?? [];
    if (major !== undefined) return `${name} ${major}`;
  }
  return "unknown browser";
}

/** The built page (`npm run build`). */
export function getPageDirectory(): string {
  const dir = import.meta.url.endsWith(".ts") ? "../../../dist/ui" : "./ui";
  return fileURLToPath(new URL(dir, import.meta.url));
}

/**
 * The addresses of VS Code's windows, where a tab shows the page in a frame. No web page has such an address, so none can show
 * the page in a frame and trick people into clicking there.
 */
const frameAncestors = "frame-ancestors vscode-webview: vscode-file:";

/**
 * Sent with every answer. Even if the page has a bug, it cannot run scripts from elsewhere, send anything elsewhere, or be shown
 * in another page's frame.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    ...["script-src", "style-src", "connect-src", "font-src"].map((kind) => `${kind} 'self'`),
    "img-src 'self' data:",
    "manifest-src 'self'",
    ...["base-uri", "form-action"].map((kind) => `${kind} 'none'`),
    frameAncestors,
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

export interface PageFile {
  content: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** Files whose names never change, by the path at which they are requested. */
export const namedFiles = {
  "/": "index.html",
  "/icon.svg": "icon.svg",
  "/manifest.webmanifest": "manifest.webmanifest",
  "/service-worker.js": "service-worker.js",
} as const;

/** A named file of the page; null if the page is not built. Browsers must not store it: it would be outdated after an update. */
export const readNamedFile = (dir: string, name: string): Promise<PageFile | null> =>
  readPageFile(join(dir, name), "no-store");

/** A file in `assets/` by its name, which changes with its content. Null for anything else. */
export const readAsset = async (dir: string, name: string): Promise<PageFile | null> =>
  // A plain name: no separator, no dot at its beginning.
  /^[\w-][\w.-]*$/.test(name)
    ? readPageFile(join(dir, "assets", name), "public, max-age=31536000, immutable")
    : null;

async function readPageFile(file: string, cacheControl: string): Promise<PageFile | null> {
  const type = contentTypes[extname(file)];
  if (type === undefined) return null;
  try {
    const content = new Uint8Array(await readFile(file));
    return { content, headers: { "content-type": type, "cache-control": cacheControl } };
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(getErrorCode(error))) return null;
    throw error;
  }
}
