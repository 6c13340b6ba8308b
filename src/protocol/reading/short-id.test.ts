import { expect, it } from "vitest";
import { shortenSessionId } from "./short-id.ts";

it("shortens ids, and keeps them distinct", () => {
  expect(shortenSessionId("8ecde0fc-1111-2222")).toBe("8ecde0fc");
  expect(shortenSessionId("8ecde0fc-1111/agent-123456")).toBe("8ecde0fc-1111/agent-12");
  expect(shortenSessionId("01a1fd9b-688b-7d53-abbe-926542a1db0b")).toBe("01a1fd9b-688b");
  expect(shortenSessionId("ses_df9e040b9ffeaIe9KTDOVK2vQX")).toBe("ses_df9e040b9ffe");
  expect(shortenSessionId("ses_df9e040b9ffeaIe9/ses_df9df0e1dffeOSdg")).toBe(
    "ses_df9e040b9ffeaIe9/ses_df9df0e1dffe",
  );
});
