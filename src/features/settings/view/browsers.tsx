import { getOwnBrowserId, signOutHere } from "../../../page/api/ask.ts";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { SmallButton, Table } from "../../../page/components/layout.tsx";
import { Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";

/** The browsers that `pm open` signed in, each to be signed out. */
export function Browsers() {
  const { data, error, reload } = useAnswer("browsers", {});
  const change = useChange("signOut");
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  const own = getOwnBrowserId();
  return (
    <section class="panel">
      {change.error && <Refusal error={change.error} />}
      <Table head={["Browser", "Signed in", "Last used", ""]}>
        {data.browsers.map(({ id, name, signed_in_at, last_used_at }) => (
          <tr key={id}>
            <td>
              {name} {id === own && <Badge tone="agent">this one</Badge>}
            </td>
            <td>
              <Time at={signed_in_at} />
            </td>
            <td>
              <Time at={last_used_at} />
            </td>
            <td>
              <SmallButton
                isDisabled={change.isRunning}
                onClick={() => void (id === own ? signOutHere() : change.run({ browser: id }))}
                what={name}
              >
                Sign out
              </SmallButton>
            </td>
          </tr>
        ))}
      </Table>
      <p class="more">
        All are signed out when the daemon ends. <code>pm open --sign-out all</code> does it now.
      </p>
    </section>
  );
}
