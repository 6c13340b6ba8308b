/** The folder beside `index.db` for an engine that keeps the index on this machine: plain, also where the home is encrypted. */
export const engineFolder = (file: string) => `${file.replace(/\.db$/, "")}.engine`;
