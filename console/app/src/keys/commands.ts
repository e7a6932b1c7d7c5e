import { useEffect, useRef } from 'react';

/** Something that can be done here, by key and from the palette. */
export interface Command {
  readonly title: string;
  /** e.g. `j`, `g h`, `mod+k`, `Shift+Enter`, `Escape`; several are alternatives. Without one it stands in the palette alone. */
  readonly keys?: readonly string[];
  readonly run: () => void;
  /** For rows of movement: not in the palette. */
  readonly quiet?: boolean;
  /** Its keys work while a dialog is open, too. */
  readonly inDialogs?: boolean;
  /** Of the menu of what can be copied here. */
  readonly copies?: boolean;
}

const registered = new Set<{ readonly current: readonly Command[] }>();

/** What can be done now; what came last comes first. */
export function commands(): readonly Command[] {
  return [...registered].reverse().flatMap(({ current }) => current);
}

/** Offers commands while the component is there. */
export function useCommands(offered: readonly Command[]): void {
  const latest = useRef(offered);
  latest.current = offered;
  useEffect(() => {
    registered.add(latest);
    return () => void registered.delete(latest);
  }, []);
}
