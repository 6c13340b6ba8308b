/** The folder beside `index.db` for an engine that keeps the index on this machine: plain, also where the home is encrypted. */
export const locateEngineFolder = (file: string) => `${file.replace(/\.db$/, "")}.engine`;
