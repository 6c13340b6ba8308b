/** A minimal logger for code without its own output. */
export interface Logger {
  debug(msg: string): void;
  info(msg: string): void;
  warn(msg: string): void;
  error(msg: string): void;
}

/** Discards everything. */
export const silentLog: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
