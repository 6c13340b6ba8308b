import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { parse } from "yaml";
import { z } from "zod";
import type { SecretCase } from "../../test/support/secrets/make.ts";
import type { ForeignCases } from "./foreign.ts";

const findings = z.array(
  z.object({
    rule: z.string(),
    line_data_list: z.array(
      z.object({ path: z.string(), line_num: z.number(), value: z.string(), info: z.string() }),
    ),
  }),
);

/** Rules that find who or where something is, not what lets one in. */
const isNoSecret = (rule: string) =>
  /\b(?:UUID|Domain|Bucket|Salt|Nonce|Public|Certificate|Client ID|ID)\b/i.test(rule);

/** What CredSweeper (https://github.com/Samsung/CredSweeper, MIT License) finds in its own samples that are plain text. */
export function credsweeperCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const found = findings.parse(JSON.parse(readFileSync(join(checkout, "tests/data/output.json"), "utf8")));
  for (const { rule, line_data_list } of found) {
    if (isNoSecret(rule)) continue;
    const [first] = line_data_list;
    const lines = first === undefined ? null : linesOf(join(checkout, first.path));
    const numbers = line_data_list.map((line) => line.line_num);
    const text = lines?.slice(Math.min(...numbers) - 1, Math.max(...numbers)).join("\n");
    const secrets = line_data_list.map((line) => line.value).filter((value) => text?.includes(value));
    // What it unpacks or decodes first stands in no line.
    if (text === undefined || secrets.length === 0 || line_data_list.some((line) => line.info !== ""))
      cases.unplaced++;
    else cases.secrets.push({ kind: rule, text, secrets, keep: [] });
  }
  return cases;
}

function linesOf(path: string): string[] | null {
  const bytes = readFileSync(path);
  return bytes.includes(0) ? null : bytes.toString("utf8").split(/\r?\n/);
}

export const leaktkFile = "testdata/leaktk-scanner-results.yaml";

const results = z.array(
  z.object({ "rule.description": z.string(), match: z.coerce.string(), secret: z.coerce.string() }),
);

/** What leaktk's patterns (https://github.com/leaktk/patterns, MIT License) are expected to find. */
export function leaktkCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const seen = new Set<string>();
  for (const { "rule.description": kind, match, secret } of results.parse(
    parse(readFileSync(join(checkout, leaktkFile), "utf8")),
  )) {
    if (seen.has(match) || /identifier|client id|public/i.test(kind)) continue;
    seen.add(match);
    cases.secrets.push({ kind, text: match, secrets: [secret], keep: [] });
  }
  return cases;
}

/** Lines around a secret that a reader would have seen. */
const before = 6;
const after = 2;

/** What lets one in; its other categories are identifiers, salts and the like, or keys that have a form of their own. */
const letsIn =
  /^(?:.*:)?(?:SQL |CMD )?(?:Password|Token|Secret|Key|Auth|Credential|API|URL Credentials|(?:Basic|Bearer|Digest) Authorization|JSON Web Token|JWK|OTP \/ 2FA Secret|NKEY Seed|.* (?:Token|API Key|Secret|Credentials))(?::.*)?$/;

/**
 * Lines of public repositories that people labelled, CredData (https://github.com/Samsung/CredData, Apache License 2.0), of the
 * repositories that its `download_data.py` fetched into `tmp`. Nothing of it is copied; it is only read. `kind` is the repository.
 */
export function creddataCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  for (const id of existsSync(join(checkout, "tmp")) ? readdirSync(join(checkout, "tmp")) : []) {
    const folder = join(checkout, "tmp", id);
    const kind = crc32(Buffer.from(id, "hex")).toString(16).padStart(8, "0");
    const files = new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [
          createHash("sha256")
            .update(path.slice(folder.length + 1))
            .digest("hex")
            .slice(0, 8),
          path,
        ]),
    );
    const seen = new Set<string>();
    for (const row of readFileSync(join(checkout, "meta", `${kind}.csv`), "utf8")
      .split(/\r?\n/)
      .slice(1)) {
      const [, file = "", , , , first, last, truth, from = "", to = "", , , category = ""] = row.split(",");
      const path = files.get(file);
      if (path === undefined || !letsIn.test(category) || /UUID|PEM|Client ID/.test(category)) continue;
      const lines = readFileSync(path, "utf8").split(/\r?\n/);
      const [start, end] = [Number(first) - 1, Number(last)];
      const own = lines.slice(start, end).join("\n");
      if (own.length > 2_000) continue;
      const one = caseOf(
        truth ?? "",
        own,
        from,
        to,
        lines.slice(Math.max(0, start - before), end + after).join("\n"),
      );
      if (one === null) {
        if (truth === "T") cases.unplaced++;
        continue;
      }
      const key = `${truth}${own.trim()}${one.secrets.join()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      (truth === "T" ? cases.secrets : cases.lookAlikes).push({ kind, ...one });
    }
  }
  return cases;
}

function caseOf(
  truth: string,
  own: string,
  from: string,
  to: string,
  around: string,
): Omit<SecretCase, "kind"> | null {
  if (truth === "F") return { text: own, secrets: [], keep: [] };
  if (truth !== "T" || from === "") return null;
  const secret = own.slice(Number(from), to === "" ? undefined : Number(to)).trim();
  return secret.length < 4 ? null : { text: around, secrets: [secret], keep: [] };
}
