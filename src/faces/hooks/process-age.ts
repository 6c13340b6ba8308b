/** Since this process began. Milliseconds. `performance` would load a module of Node's for it. */
export const readProcessAgeMs = (): number => process.uptime() * 1000;
