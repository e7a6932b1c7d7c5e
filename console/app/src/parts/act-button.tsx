import { useApi } from '../api/use-api.js';
import { Button, type ButtonProps } from './controls.js';
import { toast } from './toasts.js';

/** Why who looks at the page may change nothing; undefined: they may. */
export function useRefusal(): string | undefined {
  const session = useApi('GET /meta').data?.session;
  return session?.role === 'viewer' ? 'This is for the role operator; yours is viewer' : undefined;
}

/** A button that changes something. Who may only look sees it as well, and is told why it does nothing. */
export function ActButton(props: ButtonProps) {
  const refusal = useRefusal();
  if (refusal === undefined) return <Button {...props} />;
  // It says so to who presses it: a title is there for the mouse alone.
  return <Button {...props} disabled={false} aria-disabled title={refusal} onClick={() => toast(refusal, 'bad')} />;
}
