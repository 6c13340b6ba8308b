import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { startMissingDaemon } from "../client/start-missing-daemon.ts";
import { setOwnDoor } from "../protocol/door.ts";
import { serve } from "./server.ts";

/**
 * Serves an editor over the Language Server Protocol on stdin and stdout until it says goodbye or stdin closes. It changes
 * nothing, and answers about what is there: the daemon indexes and records.
 */
export function startLsp(): void {
  setOwnDoor("lsp");
  serve(createConnection(ProposedFeatures.all, process.stdin, process.stdout));
  void startMissingDaemon();
}
