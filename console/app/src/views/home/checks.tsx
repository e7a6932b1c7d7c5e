import type { ReactNode } from 'react';
import type { Meta, StepsAnswer } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { count } from '../../format/numbers.js';
import { classes, Panel } from '../../parts/controls.js';
import { Fault } from '../../parts/data-state.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import css from './home.module.css';

/** What was looked at so that nobody has to. */
export function Checks({ meta, steps }: { readonly meta: Meta; readonly steps: StepsAnswer }) {
  const [overview, findings] = [useSnapshot('GET /overview'), useSnapshot('GET /findings')];
  const telemetry = overview.data?.telemetry;
  const host = (address: string): string => address.replace(/^\w+:\/\//, '');
  return (
    <Panel title="Checks">
      <Fault of={overview} what="what is kept" /><Fault of={findings} what="findings" />
      <ul className="stack" style={{ gap: 5 }}>
        <Check ok={meta.health.status === 'ok'}>Engine {meta.version} is {meta.health.status}: {Object.entries(meta.addresses).filter(([name]) => !name.startsWith('worker')).map(([name, address]) => `${name} ${host(address)}`).join(', ')}</Check>
        {steps.sessions.map(({ id, runtime, version, pid }) => <Check key={id} ok>{runtime} worker is connected ({version}, pid {pid})</Check>)}
        {telemetry && <Check ok>Telemetry is kept in memory until the engine ends: the latest {count(telemetry.spans.max)} spans and {count(telemetry.logs.max)} log lines{telemetry.spans.oldest !== undefined && <>, now back to <Time at={telemetry.spans.oldest} /></>}</Check>}
        {findings.data?.items.map(({ id, severity, message, path }) => <Check key={id} ok={severity === 'info'}>{message} {path && <Link to={path}>show</Link>}</Check>)}
      </ul>
    </Panel>
  );
}

function Check({ ok, children }: { readonly ok: boolean; readonly children: ReactNode }) {
  return <li className={classes(css.check, ok ? css.ok : css.warn)}><span>{children}</span></li>;
}
