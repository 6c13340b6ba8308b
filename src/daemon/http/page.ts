import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../../project/errors.ts";

/** What `pm open` puts into the address has to be used within so long. Milliseconds. */
export const codeLifetimeMs = 60_000;
/** How long a browser stays signed in. Milliseconds. */
const cookieLifetimeMs = 30 * 24 * 3600 * 1000;
/** Unused codes at a time; more push out the oldest. */
const maxCodes = 32;

/**
 * Who may use the local page: a browser that was opened with a one-time code, and has a cookie for it since.
 *
 * A code is 256 random bits, works once, and is kept in memory as a hash only. A cookie is a random number and its expiry,
 * signed with a key in `page-key` in the state directory (0600, like the token). The key outlives the daemon, so that a restart does not
 * sign the browser out; removing the file signs all browsers out.
 */
export class PageAccess {
  readonly #keyFile: string;
  readonly #now: () => number;
  /** Hashes of unused codes, with the time when they expire. */
  readonly #codes = new Map<string, number>();

  constructor(keyFile: string, now: () => number = Date.now) {
    this.#keyFile = keyFile;
    this.#now = now;
  }

  /** A code that opens the page once. */
  createCode(): string {
    const code = randomBytes(32).toString("base64url");
    const oldest = this.#codes.keys().next();
    if (this.#codes.size >= maxCodes && !oldest.done) this.#codes.delete(oldest.value);
    this.#codes.set(hashOf(code), this.#now() + codeLifetimeMs);
    return code;
  }

  /** The `Set-Cookie` header for a code, which is used up by it; null if the code is unknown, used or too old. */
  signIn(code: string, port: number): string | null {
    const hash = hashOf(code);
    const expires = this.#codes.get(hash);
    this.#codes.delete(hash);
    if (expires === undefined || expires < this.#now()) return null;
    const content = `${this.#now() + cookieLifetimeMs}.${randomBytes(16).toString("base64url")}`;
    const value = `${content}.${this.#signatureOf(content)}`;
    return `${cookieName(port)}=${value}; Max-Age=${cookieLifetimeMs / 1000}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Whether the `Cookie` header of a request has a valid cookie of the page. */
  isSignedIn(header: string | undefined, port: number): boolean {
    return valuesIn(header, cookieName(port)).some((value) => {
      const [, content = "", expires = "", signature = ""] = /^((\d+)\.[^.]+)\.([^.]+)$/.exec(value) ?? [];
      return Number(expires) > this.#now() && isSame(signature, this.#signatureOf(content));
    });
  }

  #signatureOf(content: string): string {
    return createHmac("sha256", this.#key()).update(content).digest("base64url");
  }

  /** Read each time: a person may have removed the file. */
  #key(): Buffer {
    try {
      const key = readFileSync(this.#keyFile);
      if (key.length >= 32) return key;
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
    const key = randomBytes(32);
    mkdirSync(dirname(this.#keyFile), { recursive: true, mode: 0o700 });
    writeFileSync(this.#keyFile, key, { mode: 0o600 });
    return key;
  }
}

/** Browsers send cookies to all ports of a host, so each daemon's has a name of its own. */
const cookieName = (port: number) => `pommel-${port}`;

function valuesIn(header: string | undefined, name: string): string[] {
  return (header ?? "").split(";").flatMap((part) => {
    const [key = "", ...value] = part.trim().split("=");
    return key === name ? [value.join("=")] : [];
  });
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url");

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The built page (`npm run build`). */
export function builtPage(): string {
  const dir = import.meta.url.endsWith(".ts") ? "../../../dist/ui" : "./ui";
  return fileURLToPath(new URL(dir, import.meta.url));
}

/**
 * For every answer, so that not even a mistake in the page lets it run a script from elsewhere, send anything elsewhere,
 * or be shown in a frame.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    ...["script-src", "style-src", "connect-src", "font-src"].map((kind) => `${kind} 'self'`),
    "img-src 'self' data:",
    ...["base-uri", "form-action", "frame-ancestors"].map((kind) => `${kind} 'none'`),
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
  ".woff2": "font/woff2",
};

export interface PageFile {
  content: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** A file of the page: `index.html`, or one in `assets/` by its name. Null for anything else. */
export async function pageFile(dir: string, asset?: string): Promise<PageFile | null> {
  // A plain name: no separator, no dot at its beginning.
  if (asset !== undefined && !/^[\w-][\w.-]*$/.test(asset)) return null;
  const type = contentTypes[extname(asset ?? "index.html")];
  if (type === undefined) return null;
  try {
    return {
      content: new Uint8Array(
        await readFile(asset === undefined ? join(dir, "index.html") : join(dir, "assets", asset)),
      ),
      headers: {
        "content-type": type,
        // The name of an asset changes with its content.
        "cache-control": asset === undefined ? "no-store" : "public, max-age=31536000, immutable",
      },
    };
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(codeOf(error))) return null;
    throw error;
  }
}
