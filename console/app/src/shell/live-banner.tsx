import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../api/use-api.js';
import { live } from '../live/live-client.js';
import { useLiveStatus } from '../live/use-live.js';
import { classes } from '../parts/controls.js';
import { Time } from '../parts/time.js';
import css from './shell.module.css';

const BACK_MS = 6_000;

/** Says that the engine is gone, since when, and that it is back. */
export function LiveBanner() {
  const status = useLiveStatus();
  const former = useRef(status);
  const [back, setBack] = useState<readonly [from: number, to: number] | undefined>();
  useEffect(() => {
    const wasRefused = former.current === 'refused';
    former.current = status;
    if (status !== 'live' || (live.goneSince === undefined && !wasRefused)) return undefined;
    void queryClient.invalidateQueries();
    if (live.goneSince === undefined) return undefined;
    setBack([live.goneSince, Date.now()]);
    const timer = setTimeout(() => setBack(undefined), BACK_MS);
    return () => clearTimeout(timer);
  }, [status]);
  if (status === 'gone') return <div className={css.banner} role="alert">■ The engine is gone{live.goneSince !== undefined && <> since <Time at={live.goneSince} /></>}. What you see is as it was then; the page comes back by itself.</div>;
  if (status === 'refused') return <div className={css.banner} role="status">▲ Live changes are not available: the connection was refused. Answers are as of when they were asked for.</div>;
  return back ? <div className={classes(css.banner, css.back)} role="status">✓ The engine is back. Between <Time at={back[0]} /> and <Time at={back[1]} /> nothing was seen.</div> : null;
}
