/** Exit codes of `pm`, documented in docs/cli.md. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  notInitialised: 3,
  daemonUnreachable: 4,
  notFound: 5,
} as const;

/** Every stable error code and the exit code it leads to. Scripts and HTTP clients match on the code. */
const exitCodeOf = {
  usage: exitCode.usage,
  config_invalid: exitCode.failed,
  config_unknown_key: exitCode.usage,
  config_bad_value: exitCode.usage,
  not_initialised: exitCode.notInitialised,
  not_indexed: exitCode.notInitialised,
  no_memory: exitCode.notInitialised,
  capture_off: exitCode.notInitialised,
  schema_outdated: exitCode.notInitialised,
  daemon_unreachable: exitCode.daemonUnreachable,
  daemon_start_failed: exitCode.daemonUnreachable,
  daemon_starting: exitCode.daemonUnreachable,
  unauthorized: exitCode.failed,
  forbidden: exitCode.failed,
  not_found: exitCode.notFound,
  locked: exitCode.failed,
  busy: exitCode.failed,
  disk_full: exitCode.failed,
  index_corrupt: exitCode.failed,
  index_too_new: exitCode.failed,
  index_unavailable: exitCode.failed,
  unreadable: exitCode.failed,
  embedder_unavailable: exitCode.failed,
  no_kernel: exitCode.failed,
  llm_unavailable: exitCode.failed,
  memory_corrupt: exitCode.failed,
  memory_missing: exitCode.failed,
  transcript_changed: exitCode.failed,
  transcript_refused: exitCode.failed,
  settings_invalid: exitCode.failed,
  uncommitted_changes: exitCode.failed,
  git_failed: exitCode.failed,
  no_git_history: exitCode.notInitialised,
  sync_refused: exitCode.failed,
  sync_failed: exitCode.failed,
  share_refused: exitCode.failed,
  share_unavailable: exitCode.failed,
  encryption_locked: exitCode.failed,
  encryption_wrong_key: exitCode.failed,
  encryption_damaged: exitCode.failed,
  encryption_unavailable: exitCode.failed,
  internal: exitCode.failed,
} as const;

export type ErrorCode = keyof typeof exitCodeOf;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(exitCodeOf, code);
}

/** An error meant for a person: what happened (`message`) and what to do about it (`hint`). */
export class PommelError extends Error {
  override readonly name: string = "PommelError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint: string = "",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get exitCode(): number {
    return exitCodeOf[this.code];
  }
}

/** The message of anything thrown. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What happened and what to do about it, as one text of whole sentences. */
export function explainError(error: unknown): string {
  const message = getErrorMessage(error);
  const hint = error instanceof PommelError ? error.hint : "";
  if (hint === "") return message;
  return `${/[.!?]$/.test(message) ? message : `${message}.`} ${hint}`;
}

/** The `code` of a Node or SQLite error ("ENOENT", "SQLITE_FULL"), or "". */
export function getErrorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** An error on its way from one thread to another. */
export interface ThrownError {
  code: string;
  message: string;
  hint: string;
}

export const toThrownError = (error: unknown): ThrownError => ({
  code: getErrorCode(error),
  message: getErrorMessage(error),
  hint: error instanceof PommelError ? error.hint : "",
});

export const toError = ({ code, message, hint }: ThrownError): Error =>
  isErrorCode(code) ? new PommelError(code, message, hint) : Object.assign(new Error(message), { code });
