import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A component whose code comes when it is drawn: what is first seen does not wait for it. */
export const later =
  <P extends object>(load: () => Promise<ComponentType<P>>) =>
  (props: P) => {
    const [Loaded, setLoaded] = useState<ComponentType<P> | null>(null);
    useEffect(() => {
      void load().then((loaded) => setLoaded(() => loaded));
    }, []);
    return Loaded && <Loaded {...props} />;
  };
