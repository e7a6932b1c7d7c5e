/** What of a keyboard event says which key was pressed. */
export interface PressedKey {
  readonly key: string;
  readonly isComposing: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  getModifierState(name: string): boolean;
}

/**
 * e.g. `j`, `Space`, `mod+k`, `Shift+Enter`. Undefined for a modifier alone and for what is written with AltGr, which some browsers report as Ctrl and Alt together; but for
 * signs such as `[`, which many keyboards have nowhere else: these are themselves.
 */
export function nameOfKey(event: PressedKey): string | undefined {
  if (event.isComposing || ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'Dead'].includes(event.key)) return undefined;
  if (event.getModifierState('AltGraph')) return /^[\p{P}\p{S}]$/u.test(event.key) ? event.key : undefined;
  const key = event.key === ' ' ? 'Space' : event.key;
  const shift = event.shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${event.metaKey || event.ctrlKey ? 'mod+' : ''}${event.altKey ? 'Alt+' : ''}${shift}${key}`;
}
