/** Where code without a place of its own to write to says what it does. */
export interface Logger {
  debug(msg: string): void;
  info(msg: string): void;
  warn(msg: string): void;
  error(msg: string): void;
}

/** Says nothing. */
export const silentLog: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
