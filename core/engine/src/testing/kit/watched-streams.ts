import { Adapter, type AdapterSpec, type Ctor, type Lifecycle } from '@treadle/api';
import { SqliteStreamAdapter } from '@treadle/plugin-sqlite';
import type { Captured } from './captured.js';

/** The embedded streams of one engine, whose events that are not stored are captured. */
export function watchedStreams(captured: Captured, spec: AdapterSpec): Ctor<Lifecycle> {
  class WatchedStreams extends SqliteStreamAdapter {
    override async send(...[group, event]: Parameters<SqliteStreamAdapter['send']>): Promise<void> {
      await super.send(group, event);
      captured.sent(group, event);
    }
  }
  Adapter(spec)(WatchedStreams);
  return WatchedStreams as unknown as Ctor<Lifecycle>;
}
