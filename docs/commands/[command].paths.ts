import { listCommands } from "./list-commands.ts";

export default {
  paths: () => listCommands().map(({ command, content }) => ({ params: { command }, content })),
};
