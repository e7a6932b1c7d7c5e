import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess } from '../support/engine-process.js';
import { type Files, tempApplication } from '../support/temp-folder.js';
import { fencesOf } from './markdown.js';

/** A machine that has much else to do is not what is tried here. */
const PORTS = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
`;

/** The files that a guide names, as an application on an engine of its own. */
export class GuideApplication {
  readonly folder: string;
  readonly engine: EngineProcess;
  readonly admin: AdminClient;

  /** @param more files beside those of the guide */
  constructor(guide: string, env: Readonly<Record<string, string>> = {}, more: Files = {}) {
    this.folder = tempApplication({ ...filesIn(guide), ...more, 'config.yaml': PORTS });
    this.engine = new EngineProcess({ cwd: this.folder, args: ['--config', 'config.yaml'], env });
    this.admin = new AdminClient(this.engine);
  }

  /** Diagnostics of its Steps, as `file: code`. */
  async findings(): Promise<readonly string[]> {
    const { diagnostics } = await this.admin.call<{ diagnostics: readonly { readonly file: string; readonly code: string }[] }>('GET', '/steps');
    return diagnostics.map(({ file, code }) => `${file}: ${code}`);
  }

  /** The value of a key of the state; undefined while there is none. */
  async stateOf(group: string, key: string): Promise<unknown> {
    const path = `/state/groups/${group}/keys/${encodeURIComponent(key)}`;
    return (await this.admin.call<{ value: unknown }>('GET', path).catch(() => undefined))?.value;
  }

  token(): string {
    return readFileSync(join(this.engine.dataDir, 'admin.token'), 'utf8').trim();
  }
}

/** Guides that show files, and so can be run. */
export function filesIn(guide: string): Files {
  return Object.fromEntries(fencesOf(guide).filter(({ name }) => /^(?:\w+\/)+[\w.-]+$/.test(name)).map(({ name, text }) => [name, text]));
}
