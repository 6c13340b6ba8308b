import packageJson from "../../package.json" with { type: "json" };

/** Pommel's version. */
export const version: string = packageJson.version;
