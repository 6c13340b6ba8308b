import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getErrorCode } from "../../base/errors.ts";
import { dayMs } from "../../base/text/day.ts";
import type { browsersResponse } from "../../features/page/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";

/** What `pm open` puts into the address has to be used within so long. Milliseconds. */
export const codeLifetimeMs = 60_000;
/** A browser that asked nothing for so long is signed out. Milliseconds. */
const maxUnusedMs = 7 * dayMs;
/** Codes, and browsers that are signed in, at a time; more push out the oldest. */
const maxCodes = 32;
const maxBrowsers = 32;

interface Browser {
  /** Of its secret. */
  hash: Buffer;
  name: string;
  signedInAt: number;
  lastUsedAt: number;
}

/**
 * Who may use the local page: a browser that was opened with a one-time code, and was given a token for it.
 *
 * Codes and tokens hold 256 random bits, are kept as hashes, and in memory alone: they end with the daemon. Whoever gets
 * its port afterwards is the same origin to a browser, and would be handed the token by it (docs/decisions/0011).
 */
export class PageAccess {
  readonly #now: () => number;
  /** By their hash, with the time when they expire, and the browser that used them. */
  readonly #codes = new Map<string, { expires: number; browser: string | null }>();
  /** By their id, which a token begins with. */
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
   * A browser's token for a code, which is used up by it; null if the code is unknown, used or too old. A code that is used
   * twice was seen by somebody else, so whoever was first is signed out.
   * @param userAgent what the browser says it is
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

  /** The id of the browser that an `Authorization` header is of, which counts as used now; null: of none. */
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
    // What waits to be opened was asked for before.
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

/** What a `User-Agent` calls a browser that others imitate comes first. */
const browserNames = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Version", "Safari"],
] as const;

/** Of these names alone, as anybody may write a `User-Agent`. */
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
 * What VS Code's windows are: a tab with a frame, in its workbench. No web page has such an address, so none can show Pommel's
 * page in a frame and make people click there.
 */
const frameAncestors = "frame-ancestors vscode-webview: vscode-file:";

/**
 * For every answer, so that not even a mistake in the page lets it run a script from elsewhere, send anything elsewhere,
 * or be shown in a frame of another page.
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

/** Files that have to have the same name for good, and how each is asked for. */
export const namedFiles = {
  "/": "index.html",
  "/icon.svg": "icon.svg",
  "/manifest.webmanifest": "manifest.webmanifest",
  "/service-worker.js": "service-worker.js",
} as const;

/** A named file of the page, which no browser keeps: after an update it would be the one before. Null where it is not built. */
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
