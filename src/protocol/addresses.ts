/** The daemon's addresses, besides those of the operations. */

/** For Pommel's own programs: below this address each operation answers a POST under its name. */
export const operationsPath = "/operations";

/** Where the page's first script exchanges a one-time code for its token. This is the only request that needs no token. */
export const signInPath = "/page/session";

/** Server-sent events: the answer of `state` whenever it changes. */
export const livePath = "/live";
