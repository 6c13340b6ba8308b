import { type Config, settings } from "../src/base/config/settings.ts";
import { startTestServer } from "../test/support/postgres-server.ts";

/** The engine that a benchmark measures, as settings, and what ends it. */
export interface Engine {
  settings: Pick<Config, "index.driver" | "index.url">;
  /** What it is, with its version. */
  name: string;
  /** The first process of a server of its own; else null. */
  pid: number | null;
  stop(): Promise<void>;
}

/**
 * The engine of `--engine`: with an address at `--url`, else, where it needs a server, with one of its own.
 * @throws where there is none to start
 */
export async function startEngine(driver: string, url: string | undefined): Promise<Engine> {
  const known = settings["index.driver"].schema.parse(driver);
  const engine = (at: string, name: string, stop = async () => {}, pid: number | null = null) => {
    // Programs that a benchmark starts read it as well.
    process.env.POMMEL_INDEX_DRIVER = known;
    if (at !== "") process.env.POMMEL_INDEX_URL = at;
    return { settings: { "index.driver": known, "index.url": at }, name, stop, pid };
  };
  if (known === "sqlite" || (known === "lancedb" && url === undefined)) return engine("", known);
  if (url !== undefined) return engine(url, known);
  const server = await startTestServer();
  if (server === null) throw new Error("There is no PostgreSQL; name one with --url.");
  return engine(server.url, server.engine, () => server.stop(), server.pid());
}
