/** What of the daemon is at which address, besides the operations. */

/** Below it each operation answers a POST under its name: for Pommel's own programs. */
export const operationsPath = "/operations";

/** Where the page's first script exchanges a one-time code for its token: the one request that needs none. */
export const signInPath = "/page/session";

/** Server-sent events: the answer of `state` whenever it changes. */
export const livePath = "/live";
