import { existsSync } from "node:fs";
import { basename } from "node:path";
import { agents, listTranscriptPlaces } from "../../../agents/registry.ts";
import { loadConfig } from "../../../base/config/config.ts";
import { PommelError } from "../../../base/errors.ts";
import { type DiskEncryption, detectDiskEncryption } from "../../../base/files/disk-encryption.ts";
import { locateHome } from "../../../base/home.ts";
import type { Project } from "../../../base/paths.ts";
import { formatBytes } from "../../../base/text/bytes.ts";
import { formatRelativeTime } from "../../../base/text/relative-time.ts";
import { call } from "../../../client/call.ts";
import type { LeftOut } from "../../../sessions/ingest/known-transcripts.ts";
import { formatCount } from "../../../terminal/text.ts";
import { findPlainFiles } from "../../encryption/operation.ts";
import type { DamageFinding, StoreCheck } from "../findings.ts";
import { inspectBackups, listDamagedLines, listLeftOut } from "../operation.ts";
import { type CheckResult, fail, loadConfigOrDefault, ok, warn } from "./check.ts";

/** Messages about one of Pommel's databases besides the findings. */
interface CheckMessages {
  /** It is not there: as good as well, or to be mended. */
  absent: CheckResult;
  /** What to do when it is damaged, and when a newer Pommel wrote it. */
  damaged: string;
  tooNew: string;
  /** What to do when it is from before the first release. */
  unreleased?: string;
}

/** Formats the findings about a database. */
export function toDatabaseResult(
  file: string,
  check: StoreCheck,
  { absent, damaged, tooNew, unreleased }: CheckMessages,
): CheckResult {
  const name = basename(file);
  switch (check.state) {
    case "absent":
      return absent;
    case "sound":
      return ok(`${name} is sound (schema ${check.schema}, ${formatBytes(check.bytes)})`);
    case "older":
      return warn(
        `${name} was written by an older Pommel (schema ${check.schema}).`,
        (check.isReleased ? undefined : unreleased) ?? "Run `pm daemon start`.",
      );
    case "newer":
      return fail(
        `${name} was written by a newer Pommel (schema ${check.schema}; this version supports ${check.known}).`,
        tooNew,
      );
    case "damaged":
      return fail(`${name} is damaged: ${check.why}`, damaged);
    case "unreadable":
      return fail(`${name} cannot be read: ${check.why}`, check.hint ?? "Check who owns the file.");
  }
}

/** Formats the findings about an index on a server. */
export function toServerResult(place: string, check: StoreCheck): CheckResult {
  if (check.state === "sound") return ok(`the index is at ${place} (about ${formatBytes(check.bytes)})`);
  if (check.state === "damaged")
    return fail(check.why, "Run `pm daemon reindex`: this project's part is made again.");
  const why = check.state === "unreadable" ? check.why : `The index at ${place} is ${check.state}.`;
  return fail(why, "Until then code is searched by the words of the files on disk.");
}

/**
 * Whether the memory could be restored, when it was last checked, and what killed processes left of it; `fix` removes that.
 */
export async function checkBackups(project: Project, fix: boolean): Promise<CheckResult> {
  const config = loadConfigOrDefault(project);
  const {
    leftovers: left,
    backup,
    check,
    all,
    damaged,
  } = await call(inspectBackups, { config, fix }, project);
  if (left.length > 0) {
    return warn(
      `Killed processes left ${formatCount(left.length, "temporary file")} with parts of the memory: ${left.join(", ")}`,
      "Run `pm doctor --fix`, which removes them; the daemon does when it starts.",
    );
  }
  if (all === null) return ok("nothing to back up yet");
  if (check?.problem) {
    return fail(
      `memory.db was found damaged ${formatRelativeTime(check.at)}: ${check.problem}`,
      "Run `pm doctor --repair`, or `pm memory restore`.",
    );
  }
  if (backup?.problem) {
    return warn(
      `The backup of ${formatRelativeTime(backup.at)} failed: ${backup.problem}`,
      "Run `pm memory backup`.",
    );
  }
  if (damaged.length > 0) {
    return warn(
      `${damaged.length === 1 ? "A backup is" : `${damaged.length} of ${formatCount(all.length, "backup")} are`} damaged: ${damaged.join(", ")}`,
      "Move it away, so that nobody takes it for a good backup; `pm memory backup` makes another one.",
    );
  }
  const checked = check ? `; memory.db was sound ${formatRelativeTime(check.at)}` : "";
  const [newest] = all;
  if (newest)
    return ok(`${formatCount(all.length, "backup")}, the newest ${formatRelativeTime(newest.at)}${checked}`);
  return ok(
    config["backup.keep"] > 0
      ? `no backup yet; the daemon makes one while it runs${checked}`
      : `backups are off (backup.keep is 0)${checked}`,
  );
}

/** What never is encrypted, as it is needed before the key, or holds nothing of the memory. */
const alwaysPlain =
  "settings, the registry of projects, daemon.json, locks, the hash of the last audit record and what Node prints in a crash are never encrypted";

/** Nothing of Pommel's is encrypted: then it depends on the disk. */
export function describePlainStorage(disk: DiskEncryption): CheckResult {
  if (disk === "on") return ok("everything is stored unencrypted, for the owner only, on an encrypted disk");
  const stored = "everything is stored unencrypted, for the owner only";
  if (disk === "unknown")
    return ok(`${stored} (\`pm memory encrypt\` encrypts it); whether the disk is encrypted cannot be seen`);
  return {
    status: "ok",
    message: `${stored}, and the disk is not encrypted: whoever has it, or a copy, can read everything`,
    hint: "Turn on FileVault, LUKS or BitLocker, or run `pm memory encrypt`.",
  };
}

/** What is stored unencrypted, and whether what is not can be read. */
export async function checkEncryption(): Promise<CheckResult> {
  try {
    const { config } = loadConfig(null);
    const encrypted = await call(findPlainFiles, {}, null);
    if (encrypted === null) {
      return config["storage.encrypt"]
        ? warn(
            "storage.encrypt is on, and nothing is encrypted yet",
            "Run `pm memory encrypt`, or `pm daemon start`.",
          )
        : describePlainStorage(detectDiskEncryption(locateHome().dataDir));
    }
    const { key, files } = encrypted;
    if (files.length === 0) {
      return ok(
        `memory, index, backups, audit log, spool and log are encrypted (key: ${key}); ${alwaysPlain}`,
      );
    }
    const names = files.map((file) => basename(file)).join(", ");
    return warn(`These are not encrypted yet: ${names}.`, "Run `pm memory encrypt`, which does the rest.");
  } catch (error) {
    if (error instanceof PommelError) return fail(error.message, error.hint);
    throw error;
  }
}

/** Where agents keep transcripts on this machine, and what was not understood in them. */
export async function checkTranscripts(
  project: Project,
  env: NodeJS.ProcessEnv = process.env,
): Promise<CheckResult> {
  const found: string[] = [];
  for (const agent of agents) {
    const places = listTranscriptPlaces(agent, [project.root], env).filter((place) => existsSync(place));
    if (places.length === 0) continue;
    found.push(`${agent.title} in ${places.join(" and ")}`);
  }
  const places =
    found.length === 0 ? "no agent keeps transcripts here yet" : `transcripts of ${found.join(", ")}`;
  // Also of transcripts that were imported from elsewhere.
  const odd = await call(listLeftOut, {}, project);
  const lines = await call(listDamagedLines, {}, project);
  const text = [places, ...odd.map(describeSkippedLines)].join("; ");
  if (lines.length > 0) return warn(`${text}. Damaged: ${describeDamaged(lines)}.`, damagedHint);
  return odd.some(({ damaged }) => damaged > 0) ? warn(`${text}.`, damagedHint) : ok(text);
}

const damagedHint =
  "The agent was killed while it wrote, or two wrote at once. Whole records were read, and the files are as they were: look there for what is missing.";

/** So many are named. */
const maxNamed = 10;

function describeDamaged(lines: readonly DamageFinding[]): string {
  const more = lines.length - maxNamed;
  return [
    ...lines.slice(0, maxNamed).map(({ session, path, line, saved, isLost }) => {
      const where = `${line === null ? "a line" : `line ${line}`} of ${path}`;
      const what =
        saved === 0
          ? "nothing saved"
          : `${formatCount(saved, "record")} saved, ${isLost ? "the rest lost" : "none lost"}`;
      return `session ${session ?? "unknown"}, ${where} (${what})`;
    }),
    ...(more > 0 ? [`${more} more`] : []),
  ].join("; ");
}

/** A newer client may write lines that this version does not know; the others are recorded all the same. */
function describeSkippedLines({ agent, unknown, kinds, damaged }: LeftOut): string {
  const title = agents.find(({ name }) => name === agent)?.title ?? agent;
  const what = [
    ...(unknown > 0 ? [`${formatCount(unknown, "line")} of unknown kinds (${formatKinds(kinds)})`] : []),
    ...(damaged > 0 ? [`${damaged} damaged or oversized`] : []),
  ];
  return `skipped in ${title}'s: ${what.join(" and ")}`;
}

const formatKinds = (kinds: readonly string[]) =>
  [...kinds.slice(0, 5), ...(kinds.length > 5 ? ["…"] : [])].join(", ");
