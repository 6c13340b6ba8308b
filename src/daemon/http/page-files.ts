import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../../project/errors.ts";

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
