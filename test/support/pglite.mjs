import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

/**
 * PostgreSQL compiled to WebAssembly, behind a socket at the given port. Its parent says "up" or "down" and hears when that is
 * done. It has a process of its own because it takes 350 MB, and in a large process starting any other one takes long.
 */

const db = await PGlite.create();
let server = null;

const actions = {
  async up() {
    server = new PGLiteSocketServer({
      db,
      port: Number(process.argv[2]),
      host: "127.0.0.1",
      maxConnections: 20,
    });
    await server.start();
  },
  down: () => server.stop(),
};

process.on("message", async (action) => {
  await actions[action]();
  process.send("done");
});
process.on("disconnect", () => process.exit());
