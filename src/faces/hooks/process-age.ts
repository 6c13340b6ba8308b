/** The time since this process started. Milliseconds. `performance` would load one of Node's modules. */
export const readProcessAgeMs = (): number => process.uptime() * 1000;
